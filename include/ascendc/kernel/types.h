// Scalar types, their dtype codes, and the small type tools of the kernel API.
#ifndef ASCENDC_KERNEL_TYPES_H
#define ASCENDC_KERNEL_TYPES_H
#include <stddef.h>
#include <stdint.h>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include "kernel/constants.h"
#include "kernel/enums.h"
#include "kernel/half.h"
#include "kernel/macros.h"
#include "kernel/params.h"

namespace AscendC {
using ::bfloat16_t;
using ::half;
using ::int4b_t;

template <typename ShapeType, typename StrideType>
struct Layout;
template <typename T, TPosition pos = TPosition::GM,
          typename LayoutType = Layout<std::tuple<>, std::tuple<>>>
struct TensorTrait;
// The type of the elements themselves.
template <typename T>
struct AkgenPrim {
  using type = T;
};
template <typename T, TPosition pos, typename LayoutType>
struct AkgenPrim<TensorTrait<T, pos, LayoutType>> {
  using type = T;
};
template <typename T>
using PrimT = typename AkgenPrim<T>::type;

// The AkgenDtype number of a tensor element type; AKGEN_NO_DTYPE for a type no tensor may have.
template <typename T>
struct AkgenDtypeOf {
  static constexpr uint8_t value = AKGEN_NO_DTYPE;
};
#define AKGEN_DTYPE_OF(type, number)         \
  template <>                                \
  struct AkgenDtypeOf<type> {                \
    static constexpr uint8_t value = number; \
  }
AKGEN_DTYPE_OF(float, AKGEN_F32);
AKGEN_DTYPE_OF(half, AKGEN_F16);
AKGEN_DTYPE_OF(bfloat16_t, AKGEN_BF16);
AKGEN_DTYPE_OF(double, AKGEN_F64);
AKGEN_DTYPE_OF(signed char, AKGEN_I8);
AKGEN_DTYPE_OF(char, AKGEN_I8);
AKGEN_DTYPE_OF(unsigned char, AKGEN_U8);
AKGEN_DTYPE_OF(short, AKGEN_I16);
AKGEN_DTYPE_OF(unsigned short, AKGEN_U16);
AKGEN_DTYPE_OF(int, AKGEN_I32);
AKGEN_DTYPE_OF(unsigned int, AKGEN_U32);
AKGEN_DTYPE_OF(long, AKGEN_I64);
AKGEN_DTYPE_OF(unsigned long, AKGEN_U64);
AKGEN_DTYPE_OF(long long, AKGEN_I64);
AKGEN_DTYPE_OF(unsigned long long, AKGEN_U64);
AKGEN_DTYPE_OF(bool, AKGEN_BOOL);
AKGEN_DTYPE_OF(int4b_t, AKGEN_I4);
#undef AKGEN_DTYPE_OF
template <typename T>
struct AkgenDtypeOf<const T> : AkgenDtypeOf<T> {};
template <typename T, TPosition pos, typename LayoutType>
struct AkgenDtypeOf<TensorTrait<T, pos, LayoutType>> : AkgenDtypeOf<T> {};

// Bits of one element in a tensor; sizeof() is wrong for int4b_t, two of which share a byte.
template <typename T>
struct SizeOfBits {
  static constexpr int value = static_cast<int>(sizeof(PrimT<T>)) * 8;
};
template <>
struct SizeOfBits<int4b_t> {
  static constexpr int value = 4;
};
template <TPosition pos, typename LayoutType>
struct SizeOfBits<TensorTrait<int4b_t, pos, LayoutType>> : SizeOfBits<int4b_t> {};

// Bytes that count elements of T take. An offset may lead backwards: unsigned, and modulo 2^64.
template <typename T>
constexpr uint64_t AkgenBytes(uint64_t count) {
  if constexpr (SizeOfBits<T>::value % 8 == 0) return count * (SizeOfBits<T>::value / 8);
  return count * SizeOfBits<T>::value / 8;
}

// A number of any type, as the library reads it.
template <typename T>
inline constexpr float AkgenFloatOf(T v) {
  if constexpr (__is_same(T, ::bfloat16_t))
    return v.AkgenValue();
  else
    return static_cast<float>(v);
}

// Raw bits of a scalar, zero extended.
template <typename T>
inline uint64_t AkgenBits(T v) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "Ascend C: a scalar operand has at most 64 bits");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &v, sizeof(T));
  return bits;
}

// False for every T, but only once T is known: for static_assert in a template that must never be
// used.
template <typename... T>
struct AkgenNever {
  static constexpr bool value = false;
};

struct TrueType {
  static constexpr bool value = true;
};
struct FalseType {
  static constexpr bool value = false;
};
template <typename T, typename U>
struct IsSameType {
  static constexpr bool value = std::is_same<T, U>::value;
};
template <typename T, typename... Others>
constexpr bool SupportType() {
  return (std::is_same<PrimT<T>, Others>::value || ...);
}
template <typename T, int... Sizes>
constexpr bool SupportBytes() {
  return ((sizeof(T) == Sizes) || ...);
}
template <bool condition, class T1, class T2>
struct Conditional {
  using type = T1;
};
template <class T1, class T2>
struct Conditional<false, T1, T2> {
  using type = T2;
};

constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
constexpr uint32_t ConstCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
__aicore__ inline uint32_t Ceil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
__aicore__ inline int32_t CeilDivision(int32_t num1, int32_t num2) {
  if (num1 < 0 || num2 < 0) akgen_broken_rule("CeilDivision: both numbers are positive");
  return num2 == 0 ? 0 : (num1 + num2 - 1) / num2;
}

template <typename T, typename U>
struct AkgenEnsureSame : std::is_same<T, U> {};
}  // namespace AscendC

// Scalar min and max of the device language: exact overloads, so that they never compete with a
// kernel's own templates.
#define AKGEN_MIN_MAX(type)                                            \
  __aicore__ inline type min(type a, type b) { return a < b ? a : b; } \
  __aicore__ inline type max(type a, type b) { return a > b ? a : b; }
AKGEN_MIN_MAX(int32_t)
AKGEN_MIN_MAX(uint32_t)
AKGEN_MIN_MAX(int64_t)
AKGEN_MIN_MAX(uint64_t)
AKGEN_MIN_MAX(long long)
AKGEN_MIN_MAX(unsigned long long)
AKGEN_MIN_MAX(int16_t)
AKGEN_MIN_MAX(uint16_t)
AKGEN_MIN_MAX(int8_t)
AKGEN_MIN_MAX(uint8_t)
AKGEN_MIN_MAX(half)
AKGEN_MIN_MAX(float)
AKGEN_MIN_MAX(double)
#undef AKGEN_MIN_MAX
// The only other functions of the scalar unit that need no header. A kernel may itself be called by
// their names. Templates, so that the overloads of <cmath> neither collide with them nor lose to
// them, before or after this header.
template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
__aicore__ inline float sqrt(T x) {
  return __builtin_elementwise_sqrt(static_cast<float>(x));
}
template <typename T, typename = typename std::enable_if<std::is_signed<T>::value>::type>
__aicore__ inline T abs(T x) {
  return x < 0 ? static_cast<T>(-x) : x;
}
#endif  // ASCENDC_KERNEL_TYPES_H
