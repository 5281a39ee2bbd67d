// Arithmetic of tilings, as the operator-base library has it.
#ifndef AKGEN_OP_COMMON_OP_HOST_UTIL_MATH_UTIL_H
#define AKGEN_OP_COMMON_OP_HOST_UTIL_MATH_UTIL_H
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace Ops {
namespace Base {
// Of whole numbers; x itself where y is 0.
template <typename T>
std::enable_if_t<std::is_integral_v<T>, T> FloorDiv(T x, T y) {
  return y == 0 ? x : x / y;
}
template <typename T>
std::enable_if_t<std::is_integral_v<T>, T> CeilDiv(T x, T y) {
  if (y == 0) return x;
  const T quotient = x / y;
  return x % y != 0 && (x < 0) == (y < 0) ? quotient + 1 : quotient;
}
// Multiples of `align`; 0 where that is 0.
template <typename T>
std::enable_if_t<std::is_integral_v<T>, T> FloorAlign(T x, T align) {
  return align == 0 ? 0 : x / align * align;
}
template <typename T>
std::enable_if_t<std::is_integral_v<T>, T> CeilAlign(T x, T align) {
  return align == 0 ? 0 : CeilDiv(x, align) * align;
}
template <typename T>
std::enable_if_t<std::is_floating_point_v<T>, bool> IsFloatEqual(T a, T b) {
  if (std::isinf(a) || std::isinf(b)) return std::signbit(a) == std::signbit(b);
  return std::fabs(a - b) <= std::numeric_limits<T>::epsilon();
}
// The largest power of two that is no larger; 1 for 0.
inline uint64_t LastPow2(uint64_t n) {
  return n == 0 ? 1 : uint64_t(1) << (63 - __builtin_clzll(n));
}
}  // namespace Base
}  // namespace Ops
#endif
