#include "base/dtype.h"

#include <bit>
#include <cmath>

namespace akgen::base {
namespace {
struct Row {
  Dtype dtype;
  int size;
  std::string_view name, alias;
};
constexpr Row kRows[] = {
    {Dtype::kFloat32, 4, "float32", "float"},
    {Dtype::kFloat16, 2, "float16", "half"},
    {Dtype::kInt8, 1, "int8", ""},
    {Dtype::kInt32, 4, "int32", "int"},
    {Dtype::kUint8, 1, "uint8", ""},
    {Dtype::kInt16, 2, "int16", ""},
    {Dtype::kUint16, 2, "uint16", ""},
    {Dtype::kUint32, 4, "uint32", ""},
    {Dtype::kInt64, 8, "int64", "long"},
    {Dtype::kUint64, 8, "uint64", ""},
    {Dtype::kFloat64, 8, "float64", "double"},
    {Dtype::kBool, 1, "bool", ""},
    {Dtype::kComplex64, 8, "complex64", ""},
    {Dtype::kBfloat16, 2, "bfloat16", ""},
};

// Rounds the magnitude bits of a double to a format with `mant` fraction bits and exponent range
// [min_exp, max_exp] (unbiased, of normal numbers); returns the format's magnitude bits.
uint32_t RoundDouble(double v, int mant, int min_exp, int max_exp) {
  double a = std::fabs(v);
  uint32_t inf = uint32_t(max_exp - min_exp + 2) << mant;
  if (a == 0) return 0;
  int e = std::ilogb(a);
  int scale = (e < min_exp ? min_exp : e) - mant;
  double q = std::nearbyint(std::scalbn(a, -scale));  // default rounding: nearest even
  if (e < min_exp) return uint32_t(q);                // subnormal; may carry into the first normal
  if (q == std::scalbn(1.0, mant + 1)) {
    q /= 2;
    ++e;
  }
  if (e > max_exp) return inf;
  return (uint32_t(e - min_exp + 1) << mant) + (uint32_t(q) - (1u << mant));
}
}  // namespace

int SizeOf(Dtype dtype) {
  for (const Row& r : kRows)
    if (r.dtype == dtype) return r.size;
  return 0;
}

std::string_view NameOf(Dtype dtype) {
  for (const Row& r : kRows)
    if (r.dtype == dtype) return r.name;
  return "unknown";
}

std::optional<Dtype> DtypeFromName(std::string_view name) {
  for (const Row& r : kRows)
    if (r.name == name || (!r.alias.empty() && r.alias == name)) return r.dtype;
  return std::nullopt;
}

bool IsFloating(Dtype d) {
  return d == Dtype::kFloat16 || d == Dtype::kBfloat16 || d == Dtype::kFloat32 ||
         d == Dtype::kFloat64;
}

float HalfToFloat(uint16_t bits) { return float(std::bit_cast<_Float16>(bits)); }
uint16_t FloatToHalf(float value) { return std::bit_cast<uint16_t>(_Float16(value)); }
float Bf16ToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

uint16_t FloatToBf16(float value) {
  uint32_t u = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return uint16_t((u >> 16) | 0x40);
  return uint16_t((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

uint16_t DoubleToHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  if (std::isinf(value)) return sign | 0x7c00;
  return sign | uint16_t(RoundDouble(value, 10, -14, 15));
}

uint16_t DoubleToBf16(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7fc0;
  if (std::isinf(value)) return sign | 0x7f80;
  return sign | uint16_t(RoundDouble(value, 7, -126, 127));
}

}  // namespace akgen::base
