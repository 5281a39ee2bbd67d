#include "task/compare.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "task/element.h"
#include "task/fields.h"

namespace akgen::task {
namespace {
using base::Dtype;
using base::Json;
using base::Result;

constexpr double kRelFloor = 1e-7;  // keeps the relative error finite where the reference is zero

bool IsInteger(Dtype d) { return !base::IsFloating(d) && d != Dtype::kComplex64; }

std::optional<double> ScaledLimit(const std::string& rule, Dtype d, double k) {
  bool wide = k >= 2048;
  if (IsInteger(d)) return rule == "R+i" ? 1.0 : 0.0;
  if (rule == "M") {
    if (d == Dtype::kFloat16) return wide ? 1.0 / 128 : 1.0 / 256;
    if (d == Dtype::kBfloat16) return wide ? 1.0 / 64 : 1.0 / 128;
    return wide ? 1.0 / 512 : 1.0 / 2048;
  }
  if (d == Dtype::kFloat16) return 1.0 / 512;
  if (d == Dtype::kBfloat16) return 1.0 / 256 + 1.0 / 16384;
  return 1.0 / 2048 + 1.0 / 16384;
}

// A number, or the number of this dtype in a table (with "default" for the others).
std::optional<double> Limit(const Json& limit, Dtype dtype) {
  if (limit.is_number()) return limit.get<double>();
  if (!limit.is_object()) return std::nullopt;
  for (const std::string& key : {std::string(base::NameOf(dtype)), std::string("default")})
    if (limit.contains(key) && limit[key].is_number()) return limit[key].get<double>();
  return std::nullopt;
}

// Distance in representable values: bits folded so that order of integers is order of values.
template <typename Int>
int64_t Steps(Int a, Int b) {
  using U = std::make_unsigned_t<Int>;
  auto fold = [](Int x) { return x < 0 ? -int64_t(U(x) & (U(~U(0)) >> 1)) : int64_t(x); };
  return std::abs(fold(a) - fold(b));
}

struct Half {
  int16_t bits;
};
struct Bf16 {
  int16_t bits;
};
struct Bool {
  uint8_t byte;
};

double Value(Half v) { return base::HalfToFloat(uint16_t(v.bits)); }
double Value(Bf16 v) { return base::Bf16ToFloat(uint16_t(v.bits)); }
double Value(Bool v) { return v.byte; }  // a byte that is neither 0 nor 1 is no bool
template <typename T>
double Value(T v) {
  return double(v);
}

int64_t UlpDistance(Half a, Half b) { return Steps(a.bits, b.bits); }
int64_t UlpDistance(Bf16 a, Bf16 b) { return Steps(a.bits, b.bits); }
int64_t UlpDistance(float a, float b) {
  int32_t x, y;
  std::memcpy(&x, &a, 4);
  std::memcpy(&y, &b, 4);
  return Steps(x, y);
}
template <typename T>
int64_t UlpDistance(T a, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) return std::abs(int64_t(a) - int64_t(b));
  return Value(a) == Value(b) ? 0 : INT64_MAX;
}

// |a - b|: in integers where float64 would lose bits.
template <typename T>
double Distance(T a, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    return a > b ? double(uint64_t(a) - uint64_t(b)) : double(uint64_t(b) - uint64_t(a));
  } else {
    return std::fabs(Value(a) - Value(b));
  }
}

struct Tally {
  const Rule& rule;
  Comparison& c;
  int64_t beyond_abs = 0, beyond_rel = 0;

  void Bad(int64_t index, double out, double ref) { c.Wrong(index, out, ref); }
  // One finite element with its distance and the magnitude of the reference.
  void Finite(int64_t index, double out, double ref, double d, double magnitude) {
    double rel = d / (magnitude + kRelFloor);
    c.max_abs = std::max(c.max_abs, d);
    c.max_rel = std::max(c.max_rel, rel);
    if (rule.exact) {
      if (d != 0) Bad(index, out, ref);
      return;
    }
    switch (rule.kind) {
      case RuleKind::kBoth:
        if (d > rule.limit && rel > rule.limit) Bad(index, out, ref);
        break;
      case RuleKind::kScaled:
        if (d > rule.limit * std::max(1.0, magnitude)) Bad(index, out, ref);
        break;
      case RuleKind::kQuantile:
        beyond_abs += d > rule.limit;
        beyond_rel += rel > rule.limit;
        if (d > rule.limit && rel > rule.limit) Bad(index, out, ref);
        break;
    }
  }
  // True when the pair is not two finite numbers; counts it when the two differ.
  bool NonFinite(int64_t index, double out, double ref) {
    if (std::isfinite(out) && std::isfinite(ref)) return false;
    bool same = (std::isnan(out) && std::isnan(ref)) || out == ref;
    if (!same) {
      ++c.non_finite;
      Bad(index, out, ref);
    }
    return true;
  }
};

template <typename T>
void CompareReal(Tally& t, const uint8_t* out, const uint8_t* ref, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t *mine = out + size_t(i) * sizeof(T), *wanted = ref + size_t(i) * sizeof(T);
    if (std::memcmp(mine, wanted, sizeof(T)) == 0)
      continue;  // the usual case; NaN and infinity included
    T o, r;
    std::memcpy(&o, mine, sizeof(T));
    std::memcpy(&r, wanted, sizeof(T));
    double ov = Value(o), rv = Value(r);
    if (t.NonFinite(i, ov, rv)) continue;
    double d = Distance(o, r);
    if (d != 0 && t.rule.ulps > 0 && UlpDistance(o, r) <= t.rule.ulps) continue;
    t.Finite(i, ov, rv, d, std::fabs(rv));
  }
}

void CompareComplex(Tally& t, const uint8_t* out, const uint8_t* ref, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float o[2], r[2];
    std::memcpy(o, out + size_t(i) * 8, 8);
    std::memcpy(r, ref + size_t(i) * 8, 8);
    int bad = t.NonFinite(i, o[0], r[0]) ? 1 : 0;
    if (t.NonFinite(i, o[1], r[1]) || bad) continue;
    double dr = double(o[0]) - r[0], di = double(o[1]) - r[1];
    if (t.rule.kind == RuleKind::kScaled) {
      t.Finite(i, o[0], r[0], std::fabs(dr), std::fabs(r[0]));
      t.Finite(i, o[1], r[1], std::fabs(di), std::fabs(r[1]));
    } else {
      t.Finite(i, o[0], r[0], std::hypot(dr, di), std::hypot(double(r[0]), double(r[1])));
    }
  }
}

void CompareAs(Dtype dtype, Tally& t, const uint8_t* out, const uint8_t* ref, int64_t n) {
  switch (dtype) {
    case Dtype::kFloat32: return CompareReal<float>(t, out, ref, n);
    case Dtype::kFloat64: return CompareReal<double>(t, out, ref, n);
    case Dtype::kFloat16: return CompareReal<Half>(t, out, ref, n);
    case Dtype::kBfloat16: return CompareReal<Bf16>(t, out, ref, n);
    case Dtype::kBool: return CompareReal<Bool>(t, out, ref, n);
    case Dtype::kInt8: return CompareReal<int8_t>(t, out, ref, n);
    case Dtype::kUint8: return CompareReal<uint8_t>(t, out, ref, n);
    case Dtype::kInt16: return CompareReal<int16_t>(t, out, ref, n);
    case Dtype::kUint16: return CompareReal<uint16_t>(t, out, ref, n);
    case Dtype::kInt32: return CompareReal<int32_t>(t, out, ref, n);
    case Dtype::kUint32: return CompareReal<uint32_t>(t, out, ref, n);
    case Dtype::kInt64: return CompareReal<int64_t>(t, out, ref, n);
    case Dtype::kUint64: return CompareReal<uint64_t>(t, out, ref, n);
    case Dtype::kComplex64: return CompareComplex(t, out, ref, n);
  }
}

std::string ShapeText(const TensorDesc& d) {
  std::string out(base::NameOf(d.dtype));
  out += "[";
  for (size_t i = 0; i < d.shape.size(); ++i) out += (i ? ", " : "") + std::to_string(d.shape[i]);
  return out + "]";
}

std::string Reason(const Rule& rule, const Comparison& c) {
  char text[200];
  const Mismatch& m = c.wrong.first().front();
  std::snprintf(
      text, sizeof text,
      "%lld of %lld elements wrong (rule %s, limit %g%s); first at %lld: %.9g, should be %.9g",
      (long long)c.mismatches, (long long)c.elements, rule.name.c_str(),
      rule.exact ? 0.0 : rule.limit, c.non_finite ? ", some NaN or infinite" : "",
      (long long)m.index, m.out, m.ref);
  return text;
}
}  // namespace

Result<Rule> RuleFor(const TaskSpec& task, const CaseDesc& c, Dtype dtype) {
  const PrecisionSpec& p = task.precision;
  std::string where = (task.folder / "task.toml").string() + ": [precision]";
  Rule rule;
  rule.name = p.rule;
  std::optional<double> limit;
  if (p.rule == "D") {
    limit = p.limit.is_null() ? std::optional(1e-3) : Limit(p.limit, dtype);
  } else if (p.rule == "C" || p.rule == "Q") {
    rule.kind = p.rule == "Q" ? RuleKind::kQuantile : RuleKind::kBoth;
    limit = Limit(p.limit, dtype);
  } else {
    rule.kind = RuleKind::kScaled;
    double k = 0;
    if (!p.k.is_null()) {
      auto v = ResolveNumber(p.k, c.columns, where);
      if (!v) return v.error();
      k = v.value();
    }
    limit = ScaledLimit(p.rule, dtype, k);
  }
  if (!limit) return Malformed("no limit for " + std::string(base::NameOf(dtype)), where);
  rule.limit = *limit;
  rule.exact = IsInteger(dtype) && p.integers == "exact";
  std::string name(base::NameOf(dtype));
  if (p.ulps.is_object() && p.ulps.contains(name)) rule.ulps = p.ulps[name].get<int>();
  return rule;
}

Comparison Compare(const Rule& rule, const TensorDesc& out_desc, std::span<const uint8_t> out,
                   const TensorDesc& ref_desc, std::span<const uint8_t> ref) {
  Comparison c;
  c.elements = ref_desc.Numel();
  if (out_desc.dtype != ref_desc.dtype || out_desc.shape != ref_desc.shape) {
    c.reason = "the output is " + ShapeText(out_desc) + ", should be " + ShapeText(ref_desc);
    return c;
  }
  if (out.size() != out_desc.Bytes() || ref.size() != ref_desc.Bytes()) {
    c.reason = "the output's memory has " + std::to_string(out.size()) + " bytes, should have " +
               std::to_string(ref_desc.Bytes());
    return c;
  }
  Tally tally{rule, c};
  CompareAs(ref_desc.dtype, tally, out.data(), ref.data(), c.elements);
  c.pass = c.mismatches == 0;
  if (rule.kind == RuleKind::kQuantile && !rule.exact) {
    double allowed = rule.limit * double(c.elements);
    c.pass = c.non_finite == 0 &&
             !(double(tally.beyond_abs) > allowed && double(tally.beyond_rel) > allowed);
    if (!c.pass && c.wrong.first().empty()) {
      c.reason = std::to_string(tally.beyond_abs) + " elements differ by more than the limit and " +
                 std::to_string(tally.beyond_rel) + " by more relatively";
      return c;
    }
  }
  if (!c.pass) c.reason = Reason(rule, c);
  return c;
}

bool NanEverywhere(const CaseDesc& c, const TensorSet& golden) {
  bool any = false;
  size_t i = 0;
  for (const ParamDesc& p : c.outputs)
    for (size_t t = 0; t < p.tensors.size(); ++t, ++i) {
      const TensorDesc& desc = golden.tensors[i];
      if (!p.compared || desc.Numel() == 0) continue;
      if (!base::IsFloating(desc.dtype)) return false;
      any = true;
      for (int64_t n = 0; n < desc.Numel(); ++n)
        if (!std::isnan(ElementAt(desc.dtype, golden.Bytes(i).data(), n).value.real()))
          return false;
    }
  return any;
}

}  // namespace akgen::task
