// Half and bfloat16 by their definition, in arithmetic: the simulated chip converts with other code
// (base/dtype.h, or an instruction), and the two are held against each other.
#include <cmath>
#include <limits>

#include "craft/interpret/interpret.h"

namespace akgen::craft {
namespace {
struct Form {
  int mantissa, least;  // bits behind the point; exponent of the smallest normal number
};
constexpr Form kHalf{10, -14}, kBf16{7, -126};

Form FormOf(base::Dtype d) { return d == base::Dtype::kFloat16 ? kHalf : kBf16; }

// To the nearest multiple of the last place; of two equally near ones the even multiple (the
// default mode of nearbyint).
double Rounded(Form f, double v) {
  if (v == 0 || !std::isfinite(v)) return v;
  double last = std::ldexp(1.0, std::max(std::ilogb(v), f.least) - f.mantissa);
  double r = std::nearbyint(v / last) * last;
  double largest = (2 - std::ldexp(1.0, -f.mantissa)) * std::ldexp(1.0, 1 - f.least);
  return std::fabs(r) > largest ? std::copysign(std::numeric_limits<double>::infinity(), v) : r;
}
}  // namespace

float RoundTo(base::Dtype d, double v) {
  float once = static_cast<float>(v);  // the unit computes in float
  return d == base::Dtype::kFloat16 || d == base::Dtype::kBfloat16
             ? static_cast<float>(Rounded(FormOf(d), once))
             : once;
}

uint16_t ShortBits(base::Dtype d, float v) {
  Form f = FormOf(d);
  int exponent_bits = 15 - f.mantissa;
  unsigned sign = std::signbit(v) ? 0x8000u : 0u, top = ((1u << exponent_bits) - 1) << f.mantissa;
  if (std::isnan(v)) return static_cast<uint16_t>(sign | top | (1u << (f.mantissa - 1)));
  double r = std::fabs(Rounded(f, v));
  if (std::isinf(r)) return static_cast<uint16_t>(sign | top);
  int exponent = r == 0 ? f.least - 1 : std::ilogb(r);
  if (exponent < f.least)
    return static_cast<uint16_t>(sign | static_cast<unsigned>(std::ldexp(r, f.mantissa - f.least)));
  unsigned fraction =
      static_cast<unsigned>(std::ldexp(r, f.mantissa - exponent)) - (1u << f.mantissa);
  return static_cast<uint16_t>(sign | static_cast<unsigned>(exponent - f.least + 1) << f.mantissa |
                               fraction);
}

float ShortValue(base::Dtype d, uint16_t bits) {
  Form f = FormOf(d);
  int exponent_bits = 15 - f.mantissa, exponent = (bits & 0x7fff) >> f.mantissa;
  double fraction = bits & ((1u << f.mantissa) - 1), v;
  if (exponent == (1 << exponent_bits) - 1)
    v = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                      : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    v = std::ldexp(fraction, f.least - f.mantissa);
  else
    v = std::ldexp(fraction + (1u << f.mantissa), exponent - 1 + f.least - f.mantissa);
  return static_cast<float>(bits & 0x8000 ? -v : v);
}

}  // namespace akgen::craft
