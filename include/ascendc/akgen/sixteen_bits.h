// What the 16-bit floats of host code share: a sum, difference, product or quotient of two is
// rounded to their type.
#ifndef AKGEN_SIXTEEN_BITS_H
#define AKGEN_SIXTEEN_BITS_H
#include <type_traits>
#include "akgen/half_bits.h"

namespace op {
template <typename T>
struct AkgenSixteenBits {};
template <typename T>
using AkgenOfSixteenBits = typename AkgenSixteenBits<T>::Type;

template <typename T>
constexpr AkgenOfSixteenBits<T> operator+(T a, T b) {
  return float(a) + float(b);
}
template <typename T>
constexpr AkgenOfSixteenBits<T> operator-(T a, T b) {
  return float(a) - float(b);
}
template <typename T>
constexpr AkgenOfSixteenBits<T> operator*(T a, T b) {
  return float(a) * float(b);
}
template <typename T>
constexpr AkgenOfSixteenBits<T> operator/(T a, T b) {
  return float(a) / float(b);
}
template <typename T>
constexpr AkgenOfSixteenBits<T> operator-(T a) {
  return -float(a);
}
}  // namespace op
#endif
