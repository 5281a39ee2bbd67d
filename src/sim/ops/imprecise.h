// The inaccuracy of Reciprocal and Rsqrt.
//
// Their pages say that results in half miss a relative error of 1e-3 and those in float one of
// 1e-4, and give no upper bound. The ten results in half that the pages print have nine significant
// bits each and are one of the two neighbours of the exact value, not always the nearer one;
// kernels of the vendor's speak of about 2e-4 in float. So here: in half one of the two neighbours
// of nine bits, in float an error between once and twice 1e-4. Which one follows from the bits of
// the operand, so that the same kernel gives the same bytes on every run.
//
// Exact are, as the tables of edge values have them: zeros, infinities, what is no number, powers
// of two and their next neighbours, and results that are subnormal.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/ops/lanes.h"

namespace akgen::sim {

inline uint32_t ScatteredBits(double x) {
  const uint64_t h = std::bit_cast<uint64_t>(x) * 0x9e3779b97f4a7c15ull;
  return uint32_t((h ^ (h >> 29)) >> 16);
}

// What the unit gives for `exact`, its result for the operand x.
template <class T>
double Imprecise(double x, double exact) {
  constexpr bool kHalf = sizeof(T) == 2;
  constexpr double kSmallest = kHalf ? 0x1p-14 : 0x1p-126,
                   kLargest = kHalf ? 65504.0 : 3.4028234663852886e38;
  const double size = std::fabs(exact);
  if (!(size >= kSmallest && size <= kLargest)) return exact;
  int exponent = 0;
  const double significand = std::frexp(size, &exponent);  // in [1/2, 1)
  constexpr double kNear = 0x1p-13;
  if (significand - 0.5 < kNear || 1 - significand < kNear) return exact;
  const uint32_t bits = ScatteredBits(x);
  if constexpr (kHalf) {
    constexpr int kBits = 9;
    const double scaled = std::ldexp(significand, kBits);
    const double neighbour = bits & 1 ? std::floor(scaled) : std::ceil(scaled);
    return std::copysign(std::ldexp(neighbour, exponent - kBits), exact);
  } else {
    constexpr double kMissed = 1e-4;
    const double error = kMissed * (1 + double(bits >> 1 & 0xffff) / 0x10000);
    return exact * (bits & 1 ? 1 + error : 1 - error);
  }
}

}  // namespace akgen::sim
