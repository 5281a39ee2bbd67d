// bfloat16 in host code: a number that is kept in 16 bits and computed with as float, one operation
// at a time.
#ifndef AKGEN_OPDEV_BFLOAT16_H
#define AKGEN_OPDEV_BFLOAT16_H
#include "akgen/sixteen_bits.h"

namespace op {
struct bfloat16 {
  bfloat16() = default;
  template <typename T, typename = decltype(static_cast<double>(T()))>
  constexpr bfloat16(T value)
      : value(akgen_half::Narrow(__builtin_bit_cast(uint64_t, static_cast<double>(value)), 7, 8)) {}
  constexpr operator float() const {
    return __builtin_bit_cast(float, static_cast<uint32_t>(value) << 16);
  }
  template <typename T>
  constexpr bfloat16& operator+=(T other) {
    return *this = float(*this) + other;
  }
  template <typename T>
  constexpr bfloat16& operator-=(T other) {
    return *this = float(*this) - other;
  }
  template <typename T>
  constexpr bfloat16& operator*=(T other) {
    return *this = float(*this) * other;
  }
  template <typename T>
  constexpr bfloat16& operator/=(T other) {
    return *this = float(*this) / other;
  }
  uint16_t value;
};
template <>
struct AkgenSixteenBits<bfloat16> {
  using Type = bfloat16;
};
}  // namespace op
#endif
