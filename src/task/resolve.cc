// Cases: every "$column" put in, memory counted.
#include <algorithm>
#include <cstdio>

#include "task/fields.h"
#include "task/task.h"

namespace akgen::task {
namespace {
using base::Json;
using base::Result;

constexpr size_t kAlign =
    512;  // as memory of the chip's allocator; also keeps DataCopy's alignment

Result<std::vector<int64_t>> ReadShape(const Json& spec, const Json& columns,
                                       const std::string& where) {
  auto list = Resolve(spec, columns, where);
  if (!list) return list.error();
  const std::string place = where + OfColumn(spec);
  if (!list->is_array())
    return Malformed("a shape must be a list, got " + base::Dump(*list), place);
  std::vector<int64_t> shape;
  int64_t numel = 1;
  for (const Json& d : list.value()) {
    auto v = Resolve(d, columns, where);
    if (!v) return v.error();
    const std::string here = place + OfColumn(d);
    if (!v->is_number_integer() || v->get<int64_t>() < 0)
      return Malformed("a dimension must be a whole number, got " + base::Dump(*v), here);
    shape.push_back(v->get<int64_t>());
    // Of the dimensions that are not 0: code multiplies some of them.
    if (__builtin_mul_overflow(numel, std::max<int64_t>(1, shape.back()), &numel) ||
        numel > int64_t{1} << 40)
      return Malformed("the shape " + base::Dump(*list) + " is too large", here);
  }
  return shape;
}

Result<ParamDesc> ResolveParam(const ParamSpec& spec, const Json& columns,
                               const std::string& where) {
  ParamDesc p;
  p.name = spec.name;
  p.kind = spec.kind;
  p.in_signature = spec.in_signature;
  p.zeroed = spec.zeroed;
  p.declared = spec.declared;
  p.is_shape = !spec.shape_of.empty();
  if (!spec.present.is_null()) {
    auto present = Resolve(spec.present, columns, where);
    if (!present) return present.error();
    if (!present->is_boolean())
      return Malformed("'present' must be true or false", where + OfColumn(spec.present));
    p.present = present->get<bool>();
    if (!p.present && !spec.optional)
      return Malformed("an input that is not optional cannot be absent", where);
    if (!p.present) return p;
  }
  if (!spec.compared.is_null()) {
    auto compared = Resolve(spec.compared, columns, where);
    if (!compared) return compared.error();
    if (!compared->is_boolean())
      return Malformed("'compared' must be true or false", where + OfColumn(spec.compared));
    p.compared = compared->get<bool>();
  }
  auto name = Resolve(spec.dtype, columns, where);
  if (!name) return name.error();
  auto dtype = name->is_string() ? base::DtypeFromName(name->get<std::string>()) : std::nullopt;
  if (!dtype) return Malformed("unknown dtype " + base::Dump(*name), where + OfColumn(spec.dtype));
  if (spec.kind != ParamKind::kList) {
    auto shape = ReadShape(spec.shape, columns, where);
    if (!shape) return shape.error();
    p.tensors.push_back({*dtype, std::move(shape.value())});
    return p;
  }
  auto shapes = Resolve(spec.shape, columns, where);
  if (!shapes) return shapes.error();
  if (!shapes->is_array())
    return Malformed("a list needs a list of shapes", where + OfColumn(spec.shape));
  for (const Json& s : shapes.value()) {
    auto shape = ReadShape(s, columns, where + OfColumn(spec.shape));
    if (!shape) return shape.error();
    p.tensors.push_back({*dtype, std::move(shape.value())});
  }
  return p;
}

// What an output of indices points into.
base::Status ResolveIndex(const TaskSpec& task, const IndexSpec& spec, const Json& columns,
                          const std::string& where, const std::vector<ParamDesc>& inputs,
                          ParamDesc& out) {
  if (spec.of.empty()) return {};
  IndexDesc d;
  d.key = spec.key;
  for (size_t i = 0; i < task.inputs.size(); ++i)
    if (task.inputs[i].name == spec.of) d.of = int(i);
  const ParamDesc& of = inputs[size_t(d.of)];
  if (of.tensors.size() != 1) return Malformed("indices point into one tensor", where);
  auto first = ResolveWhole(spec.first, columns, where),
       stride = ResolveWhole(spec.stride, columns, where);
  if (!first) return first.error();
  if (!stride) return stride.error();
  if (*stride < 1)
    return Malformed("index.stride must be at least 1", where + OfColumn(spec.stride));
  d.first = *first, d.stride = *stride;
  if (!spec.axis.is_null()) {
    auto axis = ResolveWhole(spec.axis, columns, where);
    if (!axis) return axis.error();
    if (*axis < INT8_MIN || *axis > INT8_MAX)
      return Malformed("the input has no such axis", where + OfColumn(spec.axis));
    const auto& from = of.tensors[0].shape;
    auto to = out.tensors.empty() ? std::vector<int64_t>() : out.tensors[0].shape;
    d.axis = int(*axis) + (*axis < 0 ? int(from.size()) : 0);
    bool fits = d.axis >= 0 && d.axis < int(from.size()) && to.size() == from.size();
    for (size_t i = 0; fits && i < from.size(); ++i) fits = int(i) == d.axis || from[i] == to[i];
    if (!fits)
      return Malformed("indices along an axis have their input's shape but for that axis", where);
  }
  out.index = d;
  return {};
}

bool Fits(const std::string& type, const Json& v) {
  auto all = [&](auto pred) {
    if (!v.is_array()) return false;
    for (const Json& e : v)
      if (!pred(e)) return false;
    return true;
  };
  if (type == "int") return v.is_number_integer();
  if (type == "float") return v.is_number();
  if (type == "bool") return v.is_boolean();
  if (type == "string") return v.is_string();
  if (type == "list_int") return all([](const Json& e) { return e.is_number_integer(); });
  if (type == "list_bool") return all([](const Json& e) { return e.is_boolean(); });
  if (type == "list_list_int") return all([](const Json& e) { return Fits("list_int", e); });
  return all([](const Json& e) { return e.is_number(); });
}

// Inputs and outputs as they are, their float64 copies, and one more copy of the outputs for
// intermediate values.
uint64_t Estimate(const TaskSpec& task, const CaseDesc& c) {
  uint64_t total = 0;
  auto add = [&](const std::vector<ParamDesc>& params, uint64_t copies) {
    for (const TensorDesc& t : Flatten(params)) {
      bool raised = !task.native_reference &&
                    (base::IsFloating(t.dtype) || t.dtype == base::Dtype::kComplex64);
      uint64_t wide =
          raised ? uint64_t(t.Numel()) * (t.dtype == base::Dtype::kComplex64 ? 16 : 8) : t.Bytes();
      total += t.Bytes() + copies * wide;
    }
  };
  add(c.inputs, 1);
  add(c.outputs, 2);
  return total;
}
}  // namespace

std::string_view NameOf(ParamKind kind) {
  switch (kind) {
    case ParamKind::kTensor: return "tensor";
    case ParamKind::kList: return "list";
    case ParamKind::kScalar: return "scalar";
  }
  return "?";
}

int ParamDesc::DeclaredDtype() const { return declared ? declared->dtype : int(tensors[0].dtype); }
const std::vector<int64_t>& ParamDesc::DeclaredShape(size_t tensor) const {
  return declared ? declared->origin : tensors[tensor].shape;
}

int64_t TensorDesc::Numel() const {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
size_t TensorDesc::Bytes() const { return size_t(Numel()) * size_t(base::SizeOf(dtype)); }

const CaseRow* TaskSpec::FindCase(std::string_view id) const {
  for (const CaseRow& row : cases)
    if (row.id == id) return &row;
  return nullptr;
}

std::vector<TensorDesc> Flatten(const std::vector<ParamDesc>& params) {
  std::vector<TensorDesc> out;
  for (const ParamDesc& p : params) out.insert(out.end(), p.tensors.begin(), p.tensors.end());
  return out;
}

size_t AllocationBytes(size_t bytes) { return (bytes + 32 + kAlign - 1) / kAlign * kAlign; }

Layout LayoutOf(const std::vector<TensorDesc>& tensors) {
  Layout layout;
  for (const TensorDesc& t : tensors) {
    layout.offsets.push_back(layout.bytes);
    layout.bytes += AllocationBytes(t.Bytes());
  }
  layout.bytes = std::max<size_t>(layout.bytes, 1);
  return layout;
}

std::string TooLarge(const CaseDesc& c, uint64_t limit) {
  if (c.memory_estimate <= limit) return {};
  char text[128];
  std::snprintf(text, sizeof text,
                "needs about %.1f GiB for inputs, outputs and reference; the limit is %.1f GiB",
                double(c.memory_estimate) / double(1 << 30), double(limit) / double(1 << 30));
  return text;
}

Json ToJson(const CaseRow& row) {
  return {{"id", row.id},
          {"columns", row.columns},
          {"draws", row.draws},
          {"attributes", row.attributes},
          {"range", row.range}};
}

CaseRow CaseRowFromJson(const Json& row) {
  CaseRow out{row.at("id").get<std::string>(), row.at("columns"), row.at("draws"),
              row.at("attributes")};
  row.at("range").get_to(out.range);
  return out;
}

TaskSpec AsUpstream(TaskSpec task) {
  for (ParamSpec& input : task.inputs)
    if (!input.upstream.is_null()) input.dist = input.upstream;
  return task;
}

std::string TypicalCase(const TaskSpec& task) {
  constexpr uint64_t kLeast = 32768, kLimit = 16 << 20;
  std::string best = task.cases.empty() ? "" : task.cases[0].id;
  uint64_t best_size = 0;
  int best_kind = 3;  // 0: some size, 1: tiny, 2: huge
  for (const auto& row : task.cases) {
    auto c = ResolveCase(task, row);
    if (!c.ok() || !TooLarge(*c).empty()) continue;
    uint64_t size = 0;
    for (const auto& p : c->inputs)
      for (const auto& t : p.tensors) size = std::max<uint64_t>(size, t.Bytes());
    int kind = size > kLimit ? 2 : size < kLeast ? 1 : 0;
    bool better = kind == 1 ? size > best_size : size < best_size;
    if (kind < best_kind || (kind == best_kind && better))
      best = row.id, best_size = size, best_kind = kind;
  }
  return best;
}

Result<CaseDesc> ResolveCase(const TaskSpec& task, const CaseRow& row) {
  CaseDesc c;
  c.id = row.id;
  c.columns = row.columns;
  c.draws = row.draws, c.range = row.range;
  std::string place = (task.folder / "cases.json").string() + ": case " + row.id;
  for (const ParamSpec& spec : task.inputs) {
    auto p = ResolveParam(spec, row.columns, place + ", input " + spec.name);
    if (!p) return p.error();
    c.inputs.push_back(std::move(p.value()));
  }
  for (const ParamSpec& spec : task.outputs) {
    std::string where = place + ", output " + spec.name;
    auto p = ResolveParam(spec, row.columns, where);
    if (!p) return p.error();
    for (size_t i = 0; i < task.inputs.size(); ++i)
      if (task.inputs[i].name == spec.inplace_of) p->inplace_of = int(i);
    if (p->inplace_of >= 0) {
      auto mine = Flatten({p.value()}), theirs = Flatten({c.inputs[size_t(p->inplace_of)]});
      bool same = mine.size() == theirs.size();
      for (size_t i = 0; same && i < mine.size(); ++i)
        same = mine[i].dtype == theirs[i].dtype && mine[i].shape == theirs[i].shape;
      if (!same)
        return Malformed("an output in place must have its input's dtype and shape", where);
    }
    if (auto s = ResolveIndex(task, spec.index, row.columns, where, c.inputs, *p); !s.ok())
      return s.error();
    c.outputs.push_back(std::move(p.value()));
  }
  for (const AttrSpec& a : task.attrs) {
    std::string where = place + ", attribute " + a.name;
    const auto other = row.attributes.find(a.name);
    auto v = Resolve(other == row.attributes.end() ? a.value : *other, row.columns, where);
    if (!v) return v.error();
    if (!Fits(a.type, v.value()))
      return Malformed("not of type " + a.type + ": " + base::Dump(*v), where + OfColumn(a.value));
    c.attrs.push_back({a.name, a.type, std::move(v.value())});
  }
  c.memory_estimate = Estimate(task, c);
  return c;
}

Result<CaseDesc> ResolveCase(const TaskSpec& task, std::string_view case_id) {
  if (const CaseRow* row = task.FindCase(case_id)) return ResolveCase(task, *row);
  std::string ids;
  for (const CaseRow& row : task.cases) ids += (ids.empty() ? "" : ", ") + row.id;
  return base::Error{"AK0103", "task " + task.name + " has no case '" + std::string(case_id) + "'",
                     (task.folder / "cases.json").string(), "its cases are " + ids};
}

}  // namespace akgen::task
