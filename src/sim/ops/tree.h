// The reductions' arithmetic. Sums run over a balanced binary tree of neighbours and every partial
// sum is rounded to the element type: the ReduceDataBlock page shows half partial sums overflowing
// half.
#pragma once
#include <vector>

#include "sim/ops/walk.h"

namespace akgen::sim {

// -0 is the neutral element of IEEE addition, so absent lanes filled with it change nothing.
template <class T>
inline constexpr float kAbsent = -0.0f;

// n: a power of two up to 128; v is overwritten.
template <class T>
inline float TreeSum(float* v, uint32_t n) {
  for (; n > 1; n /= 2)
    for (uint32_t i = 0; i < n / 2; ++i) v[i] = Up(Down<T>(v[2 * i] + v[2 * i + 1]));
  return v[0];
}

// A repeat at a time as a tree, then the repeats' sums the same way (Sum page: as ReduceSum and
// ReduceRepeat do).
template <class A>
inline float SumRow(std::vector<float> v) {
  constexpr size_t kPer = 256 / sizeof(A);
  while (v.size() > 1) {
    std::vector<float> next;
    for (size_t first = 0; first < v.size(); first += kPer) {
      float lanes[128];
      for (size_t i = 0; i < kPer; ++i) lanes[i] = first + i < v.size() ? v[first + i] : kAbsent<A>;
      next.push_back(TreeSum<A>(lanes, kPer));
    }
    v = next;
  }
  return v[0];
}

struct Best {
  float value = 0;
  uint32_t index = 0;
  bool any = false;
};

// First of the extreme values; NaN wins over all, the first one.
template <bool kMax>
inline void Offer(Best& best, float v, uint32_t index) {
  bool better = !best.any ||
                (best.value == best.value && (v != v || (kMax ? v > best.value : v < best.value)));
  if (!better) {
    // Equal zeros: Max keeps +0, Min keeps -0 as value; the index stays the first one.
    if (v == 0 && best.value == 0 && std::signbit(v) != kMax) best.value = v;
    return;
  }
  best.value = v;
  best.index = index;
  best.any = true;
}

// The extreme of n contiguous lanes, index counted from `first`.
template <bool kMax>
inline Best Extreme(const float* v, uint32_t n, uint32_t first) {
  Best best;
  if (n == 0) return best;
  float m[8];
  for (uint32_t j = 0; j < 8; ++j) m[j] = v[0];
  uint32_t nan = 0, i = 0;
  for (; i + 8 <= n; i += 8)
    for (uint32_t j = 0; j < 8; ++j) {
      m[j] = (kMax ? v[i + j] > m[j] : v[i + j] < m[j]) ? v[i + j] : m[j];
      nan |= v[i + j] != v[i + j];
    }
  for (; i < n; ++i) {
    m[0] = (kMax ? v[i] > m[0] : v[i] < m[0]) ? v[i] : m[0];
    nan |= v[i] != v[i];
  }
  if (nan || m[0] == 0) {  // rare: NaN and signed zeros need the careful order
    for (i = 0; i < n; ++i) Offer<kMax>(best, v[i], first + i);
    return best;
  }
  float top = m[0];
  for (uint32_t j = 1; j < 8; ++j) top = (kMax ? m[j] > top : m[j] < top) ? m[j] : top;
  for (i = 0; v[i] != top;) ++i;
  if (top == 0) {
    for (i = 0; i < n; ++i) Offer<kMax>(best, v[i], first + i);
    return best;
  }
  return Best{top, first + i, true};
}

// Widens the active lanes of repeat r to `to` (absent lanes get `fill`); returns how many lanes to
// look at.
template <class T>
inline uint32_t Widened(const Operand& o, const Extent& x, uint32_t r, float fill, float* to) {
  const int prefix = o.contiguous || o.blk == 1 ? Prefix(x, r) : -1;
  if (prefix >= 0) {
    const T* s = reinterpret_cast<const T*>(o.At(r, 0));
    for (int e = 0; e < prefix; ++e) to[e] = Up(s[e]);
    for (uint32_t e = uint32_t(prefix); e < o.per_repeat; ++e) to[e] = fill;
    return uint32_t(prefix);
  }
  for (uint32_t e = 0; e < o.per_repeat; ++e)
    to[e] = x.Active(r, e) ? Up(*reinterpret_cast<const T*>(o.At(r, e))) : fill;
  return o.per_repeat;
}

template <class T>
inline uint64_t BitsOf(float v) {
  T t = Down<T>(v);
  uint64_t bits = 0;
  std::memcpy(&bits, &t, sizeof t);
  return bits;
}
template <class T>
inline uint64_t IndexBits(uint64_t index) {
  return sizeof(T) == 2 ? index & 0xffff : index & 0xffffffff;
}

// The best of repeat r. Lanes that are not a prefix are visited one by one.
template <class T, bool kMax>
inline Best BestOf(const Operand& o, const Extent& x, uint32_t r, float* lanes) {
  uint32_t n = Widened<T>(o, x, r, 0.0f, lanes);
  if (Prefix(x, r) >= 0) return Extreme<kMax>(lanes, Prefix(x, r), 0);
  Best best;
  for (uint32_t e = 0; e < n; ++e)
    if (x.Active(r, e)) Offer<kMax>(best, lanes[e], e);
  return best;
}

}  // namespace akgen::sim
