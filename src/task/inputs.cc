#include "task/inputs.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "task/fields.h"
#include "task/generate.h"

namespace akgen::task {
namespace {
using base::Json;
using base::Result;
using base::Status;

uint64_t HashText(uint64_t h, std::string_view text) {
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3ull;
  return (h ^ 0xff) * 0x100000001b3ull;  // ends the field: "ab"+"c" differs from "a"+"bc"
}

// The stream of one tensor. Depends on names and not on positions, so adding an input moves no other input's values.
uint64_t StreamKey(const TaskSpec& task, const CaseDesc& c, const std::string& input, size_t element, uint64_t seed) {
  uint64_t h = HashText(0xcbf29ce484222325ull, task.name);
  h = HashText(HashText(h, c.id), input);
  return Draw(Draw(h, seed), element);
}

Result<double> Value(const Json& v, const Json& columns, const std::string& where) {
  if (v == "inf") return std::numeric_limits<double>::infinity();
  if (v == "-inf") return -std::numeric_limits<double>::infinity();
  if (v == "nan") return std::numeric_limits<double>::quiet_NaN();
  return ResolveNumber(v, columns, where);
}

// Reads numbers out of a dist table; the first error sticks.
struct Numbers {
  const Json& dist;
  const Json& columns;
  const std::string& where;
  std::optional<base::Error> error;

  double Get(const char* key, std::optional<double> fallback = {}) {
    if (!dist.contains(key)) {
      if (fallback) return *fallback;
      Fail(Malformed(std::string("dist needs '") + key + "'", where));
      return 0;
    }
    auto v = Value(dist[key], columns, where);
    if (!v) Fail(v.error());
    return v ? v.value() : 0;
  }
  std::vector<double> List(const char* key) {
    std::vector<double> out;
    auto list = Resolve(dist.at(key), columns, where);
    if (!list) return Fail(list.error()), out;
    if (!list->is_array()) list = Json::array({list.value()});
    for (const Json& e : list.value()) {
      auto v = Value(e, columns, where);
      if (!v) return Fail(v.error()), out;
      out.push_back(v.value());
    }
    return out;
  }
  void Fail(base::Error e) {
    if (!error) error = std::move(e);
  }
};

void ReadKind(const std::string& kind, Numbers& n, Dist& d) {
  if (kind == "normal") {
    d.kind = DistKind::kNormal;
    d.a = n.Get("mean", 0), d.b = n.Get("std", 1);
  } else if (kind == "uniform" || kind == "int") {
    d.kind = kind == "int" ? DistKind::kInt : DistKind::kUniform;
    d.a = n.Get("low"), d.b = n.Get("high");
    if (!(d.a <= d.b)) n.Fail(Malformed("dist: low is above high", n.where));
  } else if (kind == "bool") {
    d.kind = DistKind::kBool;
    d.a = n.Get("p", 0.5);
  } else if (kind == "constant") {
    d.kind = DistKind::kConstant;
    d.a = n.Get("value");
  } else if (kind == "values") {
    d.kind = DistKind::kValues;
    if (!n.dist.contains("values")) return n.Fail(Malformed("dist needs 'values'", n.where));
    d.values = n.List("values");
    if (d.values.empty()) n.Fail(Malformed("dist: values is empty", n.where));
  } else {
    d.kind = kind == "index" ? DistKind::kIndex : DistKind::kRanges;
    d.b = n.Get("high");
    if (!(d.b >= 1)) n.Fail(Malformed("dist: high must be at least 1", n.where));
  }
}

Result<Dist> ReadDist(const Json& dist, const Json& columns, const std::string& where) {
  Dist d;
  Numbers n{dist, columns, where, {}};
  ReadKind(dist["kind"].get<std::string>(), n, d);
  d.abs = n.Get("abs", 0) != 0;
  if (dist.contains("specials") && n.Get("special_if", 1) != 0) {
    d.specials = n.List("specials");
    d.special_fraction = n.Get("special_fraction", 0);
  }
  if (n.error) return *n.error;
  return d;
}

const Json& ForDtype(const Json& dist, base::Dtype dtype) {
  if (dtype == base::Dtype::kBool) return dist.contains("bools") ? dist["bools"] : dist;
  bool real = base::IsFloating(dtype) || dtype == base::Dtype::kComplex64;
  return !real && dist.contains("integers") ? dist["integers"] : dist;
}

// Every element of `out` with probability `fraction` from the same place of `from`.
void CopySome(std::span<const uint8_t> from, std::span<uint8_t> out, int size, double fraction, uint64_t key) {
  uint64_t stream = Draw(key, 0x434f5059);
  uint64_t limit = fraction >= 1 ? ~0ull : uint64_t(fraction * 18446744073709551616.0);
  for (size_t i = 0, n = out.size() / size_t(size); i < n; ++i)
    if (Draw(stream, i) <= limit) std::memcpy(&out[i * size_t(size)], &from[i * size_t(size)], size_t(size));
}
}  // namespace

Status GenerateInputs(const TaskSpec& task, const CaseDesc& c, uint64_t seed,
                      std::span<const std::span<uint8_t>> out) {
  std::vector<size_t> first;  // flat index of each parameter's first tensor
  size_t flat = 0;
  for (size_t p = 0; p < c.inputs.size(); ++p) {
    const ParamDesc& param = c.inputs[p];
    first.push_back(flat);
    std::string where = (task.folder / "task.toml").string() + ": case " + c.id + ", input " + param.name;
    for (size_t e = 0; e < param.tensors.size(); ++e, ++flat) {
      const TensorDesc& t = param.tensors[e];
      if (flat >= out.size() || out[flat].size() != t.Bytes())
        return base::Error{"AK0104", "the memory given for an input has the wrong size", where, ""};
      const Json& spec = ForDtype(task.inputs[p].dist, t.dtype);
      auto dist = ReadDist(spec, c.columns, where);
      if (!dist) return dist.error();
      uint64_t key = StreamKey(task, c, param.name, e, seed);
      Fill(*dist, t.dtype, key, t.Numel(), out[flat].data());
      if (!spec.contains("copy_of")) continue;
      size_t source = 0;
      std::string wanted = spec["copy_of"].is_string() ? spec["copy_of"].get<std::string>() : "";
      while (source < p && c.inputs[source].name != wanted) ++source;
      size_t from = source < p ? first[source] + e : 0;
      if (source >= p || e >= c.inputs[source].tensors.size() || out[from].size() != out[flat].size())
        return Malformed("copy_of must name an earlier input of the same shape and dtype", where);
      auto fraction = ResolveNumber(spec.value("copy_fraction", Json(0.5)), c.columns, where);
      if (!fraction) return fraction.error();
      CopySome(out[from], out[flat], base::SizeOf(t.dtype), *fraction, key);
    }
  }
  if (flat != out.size()) return base::Error{"AK0104", "more memory given than there are inputs", task.name, ""};
  return {};
}

Result<TensorSet> GenerateInputs(const TaskSpec& task, const CaseDesc& c, uint64_t seed) {
  TensorSet set;
  set.tensors = Flatten(c.inputs);
  set.layout = LayoutOf(set.tensors);
  auto memory = base::SharedMemory::Create("akgen-inputs", set.layout.bytes);
  if (!memory) return memory.error();
  set.memory = std::move(memory.value());
  std::vector<std::span<uint8_t>> spans;
  for (size_t i = 0; i < set.tensors.size(); ++i) spans.push_back(set.Bytes(i));
  if (Status s = GenerateInputs(task, c, seed, spans); !s.ok()) return s.error();
  return set;
}

}  // namespace akgen::task
