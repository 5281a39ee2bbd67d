#include "task/inputs.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "task/dist_spec.h"
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

// The stream of one tensor. Depends on names and not on positions, so adding an input moves no
// other input's values.
uint64_t StreamKey(const TaskSpec& task, const CaseDesc& c, const std::string& input,
                   size_t element, uint64_t seed) {
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

  std::string Where(const char* key) const {
    return where + (dist.contains(key) ? OfColumn(dist[key]) : "");
  }
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

constexpr double kLeastFraction = 1e-9;
constexpr double kMaxWhole =
    4611686018427387904.0;  // 2^62, of numbers that become integers: two of them add up
constexpr double kMaxInteger = 9223372036854775808.0,
                 kMaxSpan = 18446744073709549568.0;  // of integers that are drawn

// Lines along `axis` (negative: from the last one).
void ReadAxis(Numbers& n, const TensorDesc& t, Dist& d) {
  const int64_t rank = int64_t(t.shape.size());
  const double said = n.Get("axis", -1);
  if (!(said >= double(-rank) && said < double(rank)))
    return n.Fail(Malformed("dist: the tensor has no such axis", n.Where("axis")));
  int64_t axis = int64_t(said);
  if (axis < 0) axis += rank;
  d.length = t.shape[size_t(axis)];
  for (int64_t i = axis + 1; i < rank; ++i) d.inner *= t.shape[size_t(i)];
}

Result<Dist> DistFromJson(const Json& dist, const TensorDesc& t, const Json& columns,
                          const std::string& where);

// Kinds that look at lines along an axis.
void LinesFromJson(const std::string& kind, const TensorDesc& t, Numbers& n, Dist& d) {
  if (kind == "ramp") d.kind = DistKind::kRamp, d.a = n.Get("low"), d.b = n.Get("high");
  if (kind == "level") d.kind = DistKind::kLevel, d.a = n.Get("mean", 0), d.b = n.Get("std", 1);
  if (t.shape.empty()) return;  // one element, one line
  ReadAxis(n, t, d);
  if (kind != "lines") return;
  d.kind = DistKind::kLines;
  const double line = n.Get("first", 0);
  if (!(std::fabs(line) <= kMaxWhole))
    return n.Fail(Malformed("dist: no line has that number", n.Where("first")));
  d.first = int64_t(line);
  if (!n.dist.contains("of") || !n.dist["of"].is_array() || n.dist["of"].empty())
    return n.Fail(Malformed("dist: lines need 'of', a list of tables", n.where));
  for (Json part : n.dist["of"]) {
    if (!part.is_object() || !part.contains("kind") || !part["kind"].is_string())
      return n.Fail(Malformed("dist: each of the lines needs a table with 'kind'", n.where));
    if (n.dist.contains("axis")) part["axis"] = n.dist["axis"];
    auto read = DistFromJson(part, t, n.columns, n.where);
    if (!read.ok()) return n.Fail(read.error());
    if (part.contains("spike")) {
      auto spike = Value(part["spike"], n.columns, n.where);
      if (!spike.ok()) return n.Fail(spike.error());
      read->spike = *spike;
    }
    d.parts.push_back(std::move(*read));
  }
}

void CheckWhole(Numbers& n, const char* key, double value) {
  if (!(std::fabs(value) <= kMaxWhole))
    n.Fail(Malformed(std::string("dist: ") + key + " is too large", n.Where(key)));
}

void KindFromJson(const std::string& kind, const TensorDesc& t, Numbers& n, Dist& d) {
  if (kind == "normal" || kind == "heavy") {
    d.kind = kind == "heavy" ? DistKind::kHeavy : DistKind::kNormal;
    d.a = n.Get("mean", 0), d.b = n.Get("std", 1);
  } else if (kind == "uniform" || kind == "int" || kind == "ring") {
    d.kind = kind == "int" ? DistKind::kInt : kind == "ring" ? DistKind::kRing : DistKind::kUniform;
    if (kind == "ring" && t.dtype != base::Dtype::kComplex64)
      n.Fail(Malformed("dist: a ring is for complex numbers", n.where));
    d.a = n.Get("low"), d.b = n.Get("high");
    if (!(d.a <= d.b)) n.Fail(Malformed("dist: low is above high", n.Where("low")));
    if (kind == "int" && !(d.a >= -kMaxInteger && d.b <= 2 * kMaxInteger && d.b - d.a <= kMaxSpan))
      n.Fail(Malformed("dist: low or high is too large", n.Where("high")));
  } else if (kind == "bool") {
    d.kind = DistKind::kBool;
    d.a = n.Get("p", 0.5);
    d.length = t.Numel();
    if (const double count = n.Get("count", -1); count >= -1 && count <= double(d.length))
      d.count = int64_t(count);
    else
      n.Fail(Malformed("dist: count is not from 0 to the number of elements", n.Where("count")));
  } else if (kind == "shuffled") {
    d.kind = DistKind::kShuffled;
    d.a = n.Get("low"), d.b = n.Get("high");
    ReadAxis(n, t, d);
  } else if (kind == "ascending" || kind == "onto") {
    d.kind = kind == "onto" ? DistKind::kOnto : DistKind::kAscending;
    d.b = n.Get("high");
    d.length = t.Numel();
    bool fits = kind == "onto" ? d.b >= 1 && d.b <= double(d.length) : d.b >= double(d.length);
    if (!fits)
      n.Fail(Malformed(
          "dist: that many numbers cannot all differ below high, or be all of those below it",
          n.Where("high")));
    CheckWhole(n, "high", d.b);
  } else if (kind == "constant") {
    d.kind = DistKind::kConstant;
    d.a = n.Get("value");
  } else if (kind == "values") {
    d.kind = DistKind::kValues;
    if (!n.dist.contains("values")) return n.Fail(Malformed("dist needs 'values'", n.where));
    d.values = n.List("values");
    if (d.values.empty()) n.Fail(Malformed("dist: values is empty", n.Where("values")));
    if (const double stride = n.Get("stride", 1); stride >= 1 && stride <= kMaxWhole)
      d.stride = int64_t(stride);
    else
      n.Fail(Malformed("dist: stride must be at least 1", n.Where("stride")));
  } else if (kind == "wide") {
    d.kind = DistKind::kWide;
    d.a = n.Get("low"), d.b = n.Get("high");
    constexpr double kMaxExponent = 1 << 20;
    if (!(d.a <= d.b && d.a >= -kMaxExponent && d.b <= kMaxExponent))
      n.Fail(Malformed("dist: low is above high, or no exponent", n.Where("low")));
  } else if (kind == "ramp" || kind == "level" || kind == "lines") {
    LinesFromJson(kind, t, n, d);
  } else {
    d.kind = kind == "index" ? DistKind::kIndex : DistKind::kRanges;
    d.b = n.Get("high");
    if (!(d.b >= 1)) n.Fail(Malformed("dist: high must be at least 1", n.Where("high")));
    CheckWhole(n, "high", d.b);
  }
}

Result<Dist> DistFromJson(const Json& dist, const TensorDesc& t, const Json& columns,
                          const std::string& where) {
  Dist d;
  Numbers n{dist, columns, where, {}};
  KindFromJson(dist["kind"].get<std::string>(), t, n, d);
  d.abs = n.Get("abs", 0) != 0;
  d.least = n.Get("least", d.least), d.most = n.Get("most", d.most);
  if (dist.contains("specials") && n.Get("special_if", 1) != 0) {
    d.specials = n.List("specials");
    d.special_fraction = n.Get("special_fraction", 0);
    if (d.special_fraction != 0 &&
        !(d.special_fraction >= kLeastFraction && d.special_fraction <= 1))
      n.Fail(Malformed("dist: special_fraction is not a share", n.Where("special_fraction")));
  }
  if (n.error) return *n.error;
  return d;
}

Json ForDtype(const Json& dist, base::Dtype dtype) {
  const DistSpec spec = DistSpecOf(dist);
  if (dtype == base::Dtype::kBool) return spec.bools.is_null() ? dist : spec.bools;
  bool real = base::IsFloating(dtype) || dtype == base::Dtype::kComplex64;
  return real || spec.integers.is_null() ? dist : spec.integers;
}

Json DistOf(const TaskSpec& task, const CaseDesc& c, size_t input, base::Dtype dtype) {
  const auto drawn = c.draws.find(task.inputs[input].name);
  return drawn != c.draws.end() ? *drawn : ForDtype(task.inputs[input].dist, dtype);
}

// Every element of `out` with probability `fraction` from the same place of `from`.
void CopySome(std::span<const uint8_t> from, std::span<uint8_t> out, int size, double fraction,
              uint64_t key) {
  uint64_t stream = Draw(key, 0x434f5059);
  uint64_t limit = fraction >= 1 ? ~0ull : uint64_t(fraction * 18446744073709551616.0);
  for (size_t i = 0, n = out.size() / size_t(size); i < n; ++i)
    if (Draw(stream, i) <= limit)
      std::memcpy(&out[i * size_t(size)], &from[i * size_t(size)], size_t(size));
}
constexpr const char* kNoSource = "copy_of must name an earlier input of the same shape and dtype";

Result<double> FractionOf(const DistSpec& spec, const Json& columns, const std::string& where) {
  const Json said = spec.copy_fraction.is_null() ? Json(0.5) : spec.copy_fraction;
  auto fraction = ResolveNumber(said, columns, where);
  if (fraction.ok() && !(*fraction >= 0 && *fraction <= 1))
    return Malformed("copy_fraction is not a share", where + OfColumn(said));
  return fraction;
}

// The inputs of one case while they are made, in order.
struct Inputs {
  const TaskSpec& task;
  const CaseDesc& c;
  std::span<const std::span<uint8_t>> out;
  std::vector<size_t> first;  // flat index of each parameter's first tensor

  // Flat index of element `e` of the input of that name, if it was made already.
  std::optional<size_t> Earlier(const Json& name, size_t e) const {
    if (!name.is_string()) return std::nullopt;
    for (size_t p = 0; p + 1 < first.size(); ++p)
      if (c.inputs[p].name == name.get<std::string>() && e < c.inputs[p].tensors.size())
        return first[p] + e;
    return std::nullopt;
  }
  int64_t Int64At(size_t tensor, int64_t i) const {
    int64_t v;
    std::memcpy(&v, &out[tensor][size_t(i) * 8], 8);
    return v;
  }
  Status Copy(const DistSpec& spec, size_t e, const TensorDesc& t, uint64_t key,
              const std::string& where) const {
    size_t flat = first.back() + e;
    auto from = Earlier(spec.copy_of, e);
    if (!from || out[*from].size() != out[flat].size()) return Malformed(kNoSource, where);
    auto fraction = FractionOf(spec, c.columns, where);
    if (!fraction) return fraction.error();
    CopySome(out[*from], out[flat], base::SizeOf(t.dtype), *fraction, key);
    return {};
  }
  // Row r of the tensor: where the element numbered numbers[at[r]] lies in an array of shape
  // `dims`.
  Status Coordinates(const DistSpec& spec, size_t e, const TensorDesc& t,
                     const std::string& where) const {
    auto numbers = Earlier(spec.numbers, e), at = Earlier(spec.at, e);
    auto dims = Resolve(spec.dims, c.columns, where);
    if (!dims) return dims.error();
    bool fits = numbers && at && dims->is_array() && t.shape.size() == 2 &&
                t.dtype == base::Dtype::kInt64 && t.shape[1] == int64_t(dims->size()) &&
                out[*at].size() == size_t(t.shape[0]) * 8;
    if (!fits)
      return Malformed("coordinates need int64 inputs 'numbers' and 'at', and a shape [rows, dims]",
                       where);
    for (const Json& size : *dims)
      if (!size.is_number_integer() || size.get<int64_t>() < 1)
        return Malformed("'dims' are whole numbers from 1 on", where + OfColumn(spec.dims));
    for (int64_t r = 0; r < t.shape[0]; ++r) {
      int64_t which = Int64At(*at, r);
      if (which < 0 || which >= int64_t(out[*numbers].size() / 8))
        return Malformed("'at' leaves 'numbers'", where);
      int64_t number = Int64At(*numbers, which);
      for (int64_t d = t.shape[1]; d-- > 0;) {
        int64_t size = (*dims)[size_t(d)].get<int64_t>(), digit = number % size;
        number /= size;
        std::memcpy(&out[first.back() + e][size_t(r * t.shape[1] + d) * 8], &digit, 8);
      }
    }
    return {};
  }
  Status Make(size_t p, size_t e, uint64_t key, const std::string& where) const {
    const TensorDesc& t = c.inputs[p].tensors[e];
    const Json said = DistOf(task, c, p, t.dtype);
    const DistSpec spec = DistSpecOf(said);
    if (spec.kind == "coordinates") return Coordinates(spec, e, t, where);
    auto dist = DistFromJson(said, t, c.columns, where);
    if (!dist) return dist.error();
    Fill(*dist, t.dtype, key, t.Numel(), out[first[p] + e].data());
    return spec.copy_of.is_null() ? Status{} : Copy(spec, e, t, key, where);
  }
};
}  // namespace

Status GenerateInputs(const TaskSpec& task, const CaseDesc& c, uint64_t seed,
                      std::span<const std::span<uint8_t>> out) {
  Inputs inputs{task, c, out, {}};
  size_t flat = 0;
  for (size_t p = 0; p < c.inputs.size(); ++p) {
    const ParamDesc& param = c.inputs[p];
    inputs.first.push_back(flat);
    std::string where =
        (task.folder / "task.toml").string() + ": case " + c.id + ", input " + param.name;
    for (size_t e = 0; e < param.tensors.size(); ++e, ++flat) {
      if (flat >= out.size() || out[flat].size() != param.tensors[e].Bytes())
        return base::Error{"AK0104", "the memory given for an input has the wrong size", where, ""};
      Status made = inputs.Make(p, e, StreamKey(task, c, param.name, e, seed), where);
      if (!made.ok()) return made;
    }
  }
  if (flat != out.size())
    return base::Error{"AK0104", "more memory given than there are inputs", task.name, ""};
  return {};
}

namespace {
// An earlier input of the same size, which this one copies some elements of.
bool HasSource(const TaskSpec& task, const CaseDesc& c, size_t p, size_t e, const Json& name) {
  for (size_t q = 0; q < p; ++q)
    if (name == task.inputs[q].name && e < c.inputs[q].tensors.size())
      return c.inputs[q].tensors[e].Bytes() == c.inputs[p].tensors[e].Bytes();
  return false;
}
}  // namespace

Status CheckInputs(const TaskSpec& task, const CaseDesc& c) {
  for (size_t p = 0; p < c.inputs.size(); ++p) {
    const std::string where =
        (task.folder / "task.toml").string() + ": case " + c.id + ", input " + c.inputs[p].name;
    for (size_t e = 0; e < c.inputs[p].tensors.size(); ++e) {
      const TensorDesc& t = c.inputs[p].tensors[e];
      const Json said = ForDtype(task.inputs[p].dist, t.dtype);
      const DistSpec spec = DistSpecOf(said);
      if (spec.kind == "coordinates") continue;  // of numbers that are drawn
      if (auto dist = DistFromJson(said, t, c.columns, where); !dist.ok()) return dist.error();
      if (spec.copy_of.is_null()) continue;
      if (!HasSource(task, c, p, e, spec.copy_of)) return Malformed(kNoSource, where);
      if (auto fraction = FractionOf(spec, c.columns, where); !fraction.ok())
        return fraction.error();
    }
  }
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
