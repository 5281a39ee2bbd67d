// half and bfloat16_t as scalars. half is the compiler's own type; bfloat16_t is a class, for the
// compiler's own
// __bf16 takes no conversion from or to _Float16, which kernels write in branches that are never
// taken. Constants, brace initialisation, arithmetic and conversions behave as on the scalar unit.
// A vector core computes tensors elsewhere (src/sim/ops).
#ifndef ASCENDC_KERNEL_HALF_H
#define ASCENDC_KERNEL_HALF_H
#include <stdint.h>

#include "akgen/abi.h"
#include "akgen/half_bits.h"

using half = _Float16;
using float16_t = half;
using float32_t = float;

// The scalar unit has no bfloat16: the compiler folds constants, and refuses other conversions and
// all arithmetic; ToFloat and ToBfloat16 move bits. Host code of a program may have them, so there
// a core is asked when it runs.
#if defined(AKGEN_PROGRAM)
#define AKGEN_NO_BFLOAT16
#define AKGEN_ASK_BFLOAT16() \
  (__builtin_is_constant_evaluated() ? void() : akgen_undefined(AKGEN_UNDEFINED_BFLOAT16, 0, 0))
#else
#define AKGEN_NO_BFLOAT16                                                                     \
  __attribute__((                                                                             \
      error("Ascend C: the scalar unit has no bfloat16 casts or arithmetic; use ToFloat and " \
            "ToBfloat16")))
#define AKGEN_ASK_BFLOAT16() void()
#endif
struct bfloat16_t {
  bfloat16_t() = default;
  // Any number, rounded once from its value as a double.
  template <typename T, typename = decltype(static_cast<double>(T()))>
  constexpr bfloat16_t(T value)
      __attribute__((enable_if(__builtin_constant_p(value), "a constant")))
      : bits(AkgenFrom(static_cast<double>(value)).bits) {}
  template <typename T, typename = decltype(static_cast<double>(T()))>
  AKGEN_NO_BFLOAT16 constexpr bfloat16_t(T value)
      : bits(AkgenFrom(static_cast<double>(value)).bits) {
    AKGEN_ASK_BFLOAT16();
  }
  AKGEN_NO_BFLOAT16 constexpr operator float() const {
    AKGEN_ASK_BFLOAT16();
    return AkgenValue();
  }
  template <typename T>
  AKGEN_NO_BFLOAT16 constexpr bfloat16_t& operator+=(T other) {
    AKGEN_ASK_BFLOAT16();
    return *this = AkgenFrom(AkgenValue() + other);
  }
  template <typename T>
  AKGEN_NO_BFLOAT16 constexpr bfloat16_t& operator-=(T other) {
    AKGEN_ASK_BFLOAT16();
    return *this = AkgenFrom(AkgenValue() - other);
  }
  template <typename T>
  AKGEN_NO_BFLOAT16 constexpr bfloat16_t& operator*=(T other) {
    AKGEN_ASK_BFLOAT16();
    return *this = AkgenFrom(AkgenValue() * other);
  }
  template <typename T>
  AKGEN_NO_BFLOAT16 constexpr bfloat16_t& operator/=(T other) {
    AKGEN_ASK_BFLOAT16();
    return *this = AkgenFrom(AkgenValue() / other);
  }
  // For the library, whose own work these conversions are.
  static constexpr bfloat16_t AkgenFrom(double value) {
    bfloat16_t made{};
    made.bits = akgen_half::Narrow(__builtin_bit_cast(uint64_t, value), 7, 8);
    return made;
  }
  constexpr float AkgenValue() const {
    return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
  }
  uint16_t bits;
};
// The compiler's name of it, which kernels compare types with: there the two are one type.
#define __bf16 ::bfloat16_t

#if defined(__x86_64__)
// x86-64 without F16C converts through these runtime functions, which not every C runtime has. Each
// kernel object carries its own copies.
#define AKGEN_RUNTIME_FN extern "C" __attribute__((weak, used, visibility("hidden")))
AKGEN_RUNTIME_FN float __extendhfsf2(_Float16 x) {
  return __builtin_bit_cast(float, akgen_half::WidenHalf(__builtin_bit_cast(uint16_t, x)));
}
AKGEN_RUNTIME_FN _Float16 __truncdfhf2(double x) {
  return __builtin_bit_cast(_Float16, akgen_half::Narrow(__builtin_bit_cast(uint64_t, x), 10, 5));
}
AKGEN_RUNTIME_FN _Float16 __truncsfhf2(float x) { return __truncdfhf2(x); }
#undef AKGEN_RUNTIME_FN
#endif  // __x86_64__

// A pair of 4-bit integers shares a byte; one value stands here in the low nibble. Tensors of it
// count elements of half a byte each.
struct int4b_t {
  uint8_t storage;
  int4b_t() = default;
  constexpr int4b_t(int32_t value) : storage(static_cast<uint8_t>(value & 0xf)) {}
  constexpr int4b_t(uint32_t value) : storage(static_cast<uint8_t>(value & 0xf)) {}
  constexpr operator int8_t() const {
    return static_cast<int8_t>((storage & 8) ? static_cast<int>(storage) - 16
                                             : static_cast<int>(storage));
  }
};
#endif  // ASCENDC_KERNEL_HALF_H
