// Conversions with Ascend C's rounding modes. Bodies are branch-free so that loops over them
// vectorise.
#pragma once
#include "sim/ops/lanes.h"

namespace akgen::sim {

enum class Round : uint8_t {
  none,
  rint,
  floor,
  ceil,
  round,
  trunc,
  odd
};  // the API's RoundMode numbers

// To an integral value. `none` means rint where precision is lost.
template <Round kMode>
inline float ToIntegral(float x) {
  if constexpr (kMode == Round::floor)
    return std::floor(x);
  else if constexpr (kMode == Round::ceil)
    return std::ceil(x);
  else if constexpr (kMode == Round::round)
    return std::round(x);
  else if constexpr (kMode == Round::trunc)
    return std::trunc(x);
  else
    return std::rint(x);
}

// Saturates; NaN becomes 0 (edge-value table of Cast).
template <class I>
inline I Saturate(float x) {
  if constexpr (sizeof(I) < 4) {
    constexpr float kLow = float(std::numeric_limits<I>::min()),
                    kHigh = float(std::numeric_limits<I>::max());
    float c = x > kHigh ? kHigh : x;
    c = c < kLow ? kLow : c;
    c = x == x ? c : 0.0f;
    return I(int32_t(c));
  } else {
    constexpr float kEdge = sizeof(I) == 4 ? 2147483648.0f : 9223372036854775808.0f;
    I v = x < kEdge && x >= -kEdge ? I(x) : I(0);
    v = x >= kEdge ? std::numeric_limits<I>::max() : v;
    return x < -kEdge ? std::numeric_limits<I>::min() : v;
  }
}

// Drops `shift` low bits of v (shift 1 … 31).
template <Round kMode>
inline uint32_t DropBits(uint32_t v, uint32_t shift, uint32_t negative) {
  uint32_t q = v >> shift, rest = v & ((1u << shift) - 1), half = 1u << (shift - 1);
  uint32_t lost = rest != 0;
  if constexpr (kMode == Round::trunc)
    return q;
  else if constexpr (kMode == Round::floor)
    return q + (lost & negative);
  else if constexpr (kMode == Round::ceil)
    return q + (lost & (negative ^ 1));
  else if constexpr (kMode == Round::round)
    return q + (rest >= half);
  else if constexpr (kMode == Round::odd)
    return q | lost;
  else
    return q + (((rest > half) | ((rest == half) & (q & 1))));
}

// A value whose rounded magnitude exceeds the largest finite one becomes infinity in every mode
// (inf/nan mode).
template <Round kMode>
inline uint16_t ToHalfBits(float x) {
  uint32_t u = std::bit_cast<uint32_t>(x), sign = u >> 31, mag = u & 0x7fffffff, e = mag >> 23;
  bool small = e < 113;  // below half's smallest normal
  uint32_t significand = (mag & 0x7fffff) | (e ? 0x800000u : 0u);
  uint32_t value = small ? significand : mag - (112u << 23);
  uint32_t shift = small ? 126 - e : 13;
  shift = shift > 31 ? 31 : shift;
  uint32_t q = DropBits<kMode>(value, shift, sign);
  q = q > 0x7c00 ? 0x7c00 : q;
  q = mag > 0x7f800000 ? 0x7e00 : q;
  return uint16_t(q | (sign << 15));
}

template <Round kMode>
inline Bf16 ToBf16(float x) {
  uint32_t u = std::bit_cast<uint32_t>(x), sign = u >> 31, mag = u & 0x7fffffff;
  uint32_t q = DropBits<kMode>(mag, 16, sign);
  q = mag > 0x7f800000 ? 0x7fc0 : q;
  return Bf16{uint16_t(q | (sign << 15))};
}

// 64-bit integer to float with a mode; exact when the value fits 24 bits.
template <Round kMode>
inline float IntToFloat(int64_t x) {
  if constexpr (kMode == Round::none || kMode == Round::rint) return float(x);
  uint64_t mag = x < 0 ? 0 - uint64_t(x) : uint64_t(x);
  int width = 64 - std::countl_zero(mag | 1);
  if (width <= 24) return float(x);
  int shift = width - 24;
  uint64_t q = mag >> shift, rest = mag & ((uint64_t(1) << shift) - 1),
           half = uint64_t(1) << (shift - 1);
  bool up = kMode == Round::floor   ? rest && x < 0
            : kMode == Round::ceil  ? rest && x > 0
            : kMode == Round::round ? rest >= half
                                    : false;
  float f = std::ldexp(float(q + up), shift);
  return x < 0 ? -f : f;
}

}  // namespace akgen::sim
