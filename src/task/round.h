// float64 to the 16-bit formats with one rounding (nearest even), branch-free so that loops over
// whole tensors are fast. Same results as base::DoubleToHalf and base::DoubleToBf16, which handle
// one value at a time.
#pragma once
#include <cstdint>
#include <cstring>

namespace akgen::task {

// kMantissa stored bits of fraction, kBias the exponent bias of the narrow format.
template <int kMantissa, int kBias>
inline uint16_t RoundTo16(double x) {
  uint64_t u;
  std::memcpy(&u, &x, 8);
  constexpr int kShift = 52 - kMantissa;
  constexpr uint64_t kInfinity = uint64_t(2 * kBias + 1) << kMantissa;
  constexpr uint64_t kRebias = uint64_t(1023 - kBias) << kMantissa;
  constexpr uint64_t kSmallestNormal = uint64_t(1024 - kBias) << 52;  // as float64 bits
  uint64_t sign = (u >> 48) & 0x8000, a = u & 0x7fffffffffffffffull;
  uint64_t normal =
      ((a + ((uint64_t{1} << (kShift - 1)) - 1) + ((a >> kShift) & 1)) >> kShift) - kRebias;
  normal = normal > kInfinity ? kInfinity : normal;
  // Below the smallest normal: count of the smallest subnormal, rounded by adding 2^52 in float64.
  uint64_t scale_bits = uint64_t(1023 + kBias - 1 + kMantissa) << 52;
  double scale, magnitude, counted;
  std::memcpy(&scale, &scale_bits, 8);
  std::memcpy(&magnitude, &a, 8);
  counted = magnitude * scale + 4503599627370496.0;
  uint64_t subnormal;
  std::memcpy(&subnormal, &counted, 8);
  uint64_t r = a < kSmallestNormal ? (subnormal & 0xffff) : normal;
  r = a > 0x7ff0000000000000ull ? kInfinity | (uint64_t{1} << (kMantissa - 1)) : r;
  return uint16_t(sign | r);
}

inline uint16_t RoundToHalf(double x) { return RoundTo16<10, 15>(x); }
inline uint16_t RoundToBf16(double x) { return RoundTo16<7, 127>(x); }

}  // namespace akgen::task
