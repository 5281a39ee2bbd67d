// Element types and the plain loops that the vectoriser turns into AVX2.
//
// Arithmetic on half and bfloat16 happens in float and is rounded once: float has more than 2p + 2
// bits of the narrow significand, so + - * / and sqrt come out correctly rounded.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sim/ops/ops.h"

namespace akgen::sim {

using F16 = _Float16;
struct Bf16 {
  uint16_t bits;
};

template <class T>
inline constexpr bool kIsFloat =
    std::is_same_v<T, F16> || std::is_same_v<T, Bf16> || std::is_same_v<T, float>;

inline float Up(float x) { return x; }
inline float Up(F16 x) { return float(x); }
inline float Up(Bf16 x) { return std::bit_cast<float>(uint32_t(x.bits) << 16); }
template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
inline T Up(T x) {
  return x;
}

template <class T, class V>
inline T Down(V v) {
  if constexpr (std::is_same_v<T, Bf16>) {
    uint32_t u = std::bit_cast<uint32_t>(float(v));
    uint32_t rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
    return Bf16{uint16_t((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40 : rounded)};
  } else {
    return T(v);
  }
}

// Double to float rounded to odd: a following rounding to a narrower format then sees the exact
// value's side.
inline float ToOdd(double d) {
  float f = float(d);
  double back = double(f);
  uint32_t bits = std::bit_cast<uint32_t>(f);
  bool inexact = back != d && d == d;
  bits -= (inexact && std::fabs(back) > std::fabs(d)) ? 1u : 0u;
  bits |= inexact ? 1u : 0u;
  return std::bit_cast<float>(bits);
}

// One rounding from double.
template <class T>
inline T DownOnce(double d) {
  if constexpr (std::is_same_v<T, float>)
    return float(d);
  else
    return Down<T>(ToOdd(d));
}

template <class T>
inline T ScalarOf(uint64_t bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

// dst may be one of the sources exactly, which the vectoriser's overlap test would send to the
// scalar loop.
#define AKGEN_LANES _Pragma("clang loop vectorize(assume_safety) interleave(enable)")

// The families of vec_ops.inc for an Op with a static Do over widened values.
template <class Op, class D, class S = D>
void RunMap1(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  D* d = static_cast<D*>(dst);
  const S* s = static_cast<const S*>(src);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = Down<D>(Op::Do(Up(s[i])));
}

template <class Op, class D, class S = D>
void RunMap2(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  D* d = static_cast<D*>(dst);
  const S* x = static_cast<const S*>(a);
  const S* y = static_cast<const S*>(b);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = Down<D>(Op::Do(Up(x[i]), Up(y[i])));
}

template <class Op, class T>
void RunMaps(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  T* d = static_cast<T*>(dst);
  const T* s = static_cast<const T*>(src);
  const auto k = Up(ScalarOf<T>(args.scalar));
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = Down<T>(Op::Do(Up(s[i]), k));
}

// A type list's entry for a dtype code, or nullptr: the shape of every legality table below.
struct TypedRun {
  uint8_t dtype;
  RunFn run;
};
template <size_t N>
RunFn Pick(const TypedRun (&table)[N], uint8_t dtype) {
  for (const TypedRun& row : table)
    if (row.dtype == dtype) return row.run;
  return nullptr;
}

// Parts of FindRun, each answering for its own ops.
RunFn FindArithmetic(const AkgenVec& instr);
RunFn FindFused(const AkgenVec& instr);
RunFn FindBits(const AkgenVec& instr);
RunFn FindCast(const AkgenVec& instr);
RunFn FindMath(const AkgenVec& instr);

}  // namespace akgen::sim
