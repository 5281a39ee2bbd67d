// float16 in host code: a number that is kept in 16 bits and computed with as float, one operation
// at a time.
#ifndef AKGEN_OPDEV_FP16_T_H
#define AKGEN_OPDEV_FP16_T_H
#include "akgen/sixteen_bits.h"

namespace op {
struct fp16_t {
  fp16_t() = default;
  template <typename T, typename = decltype(static_cast<double>(T()))>
  constexpr fp16_t(T value)
      : val(akgen_half::Narrow(__builtin_bit_cast(uint64_t, static_cast<double>(value)), 10, 5)) {}
  constexpr operator float() const { return __builtin_bit_cast(float, akgen_half::WidenHalf(val)); }
  template <typename T>
  constexpr fp16_t& operator+=(T other) {
    return *this = float(*this) + other;
  }
  template <typename T>
  constexpr fp16_t& operator-=(T other) {
    return *this = float(*this) - other;
  }
  template <typename T>
  constexpr fp16_t& operator*=(T other) {
    return *this = float(*this) * other;
  }
  template <typename T>
  constexpr fp16_t& operator/=(T other) {
    return *this = float(*this) / other;
  }
  uint16_t val;
};
template <>
struct AkgenSixteenBits<fp16_t> {
  using Type = fp16_t;
};
}  // namespace op
#endif
