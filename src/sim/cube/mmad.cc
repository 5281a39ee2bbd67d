#include "sim/cube/mmad.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "akgen/abi.h"
#include "sim/cube/gemm.h"
#include "sim/cube/moves.h"
#include "sim/ops/lanes.h"

namespace akgen::sim::cube {
namespace {
uint32_t BitsOfType(uint8_t type) {
  switch (type) {
    case AKGEN_I4: return 4;
    case AKGEN_I8: return 8;
    case AKGEN_F32: return 32;
    default: return 16;
  }
}

// 10 bits of mantissa: to nearest, ties to even, or cut off.
float ToHf32(float x, bool truncate) {
  uint32_t u = std::bit_cast<uint32_t>(x);
  if ((u & 0x7f800000u) == 0x7f800000u) return x;
  if (!truncate) u += 0xfff + (u >> 13 & 1);
  return std::bit_cast<float>(u & ~0x1fffu);
}

struct Buffers {
  std::vector<float> a, b, c;
  std::vector<int32_t> dots;
};
Buffers& Scratch() {
  static thread_local Buffers buffers;
  return buffers;
}

template <class T>
inline constexpr uint32_t kSquare = 16 / sizeof(T);  // elements of 16 bytes
template <class T>
using Lane = T __attribute__((vector_size(16)));
template <class T, size_t... kAt>
Lane<T> Zip(Lane<T> x, Lane<T> y, uint32_t from, std::index_sequence<kAt...>) {
  constexpr uint32_t kLanes = sizeof...(kAt);
  return from ? __builtin_shufflevector(x, y, (kLanes / 2 + kAt / 2 + kAt % 2 * kLanes)...)
              : __builtin_shufflevector(x, y, (kAt / 2 + kAt % 2 * kLanes)...);
}
// A square of elements, `pitch` apart, to columns kSide apart: in each round lines half a square
// apart are zipped.
template <class T>
void Turn(const T* from, uint32_t pitch, T* to) {
  constexpr uint32_t kSize = kSquare<T>;
  constexpr auto kAll = std::make_index_sequence<kSize>{};
  Lane<T> x[kSize], y[kSize];
  for (uint32_t i = 0; i < kSize; ++i) std::memcpy(&x[i], from + size_t(i) * pitch, sizeof x[i]);
  for (uint32_t round = 1; round < kSize; round *= 2) {
    for (uint32_t i = 0; i < kSize / 2; ++i) {
      y[2 * i] = Zip<T>(x[i], x[i + kSize / 2], 0, kAll);
      y[2 * i + 1] = Zip<T>(x[i], x[i + kSize / 2], 1, kAll);
    }
    std::copy(std::begin(y), std::end(y), std::begin(x));
  }
  for (uint32_t i = 0; i < kSize; ++i) std::memcpy(to + size_t(i) * kSide, &x[i], sizeof x[i]);
}

float Number(const MmadShape& s, uint16_t bits) {
  return s.type == AKGEN_F16 ? float(std::bit_cast<F16>(bits))
                             : std::bit_cast<float>(uint32_t(bits) << 16);
}
float Number(const MmadShape& s, float x) { return s.hf32 ? ToHf32(x, s.hf32_trunc) : x; }
float Number(const MmadShape&, int8_t x) { return float(x); }

// kSide lines of `elements` each (a fractal) to a line of kSide numbers for each element.
template <class T>
void PackFractal(const MmadShape& s, const T* from, uint32_t elements, uint32_t wanted, float* to) {
  constexpr uint32_t kSize = kSquare<T>;
  T turned[kSize * kSide];
  for (uint32_t e = 0; e < wanted; e += kSize) {
    for (uint32_t line = 0; line < kSide; line += kSize)
      Turn(from + size_t(line) * elements + e, elements, turned + line);
    const uint32_t count = std::min(kSize, wanted - e) * kSide;
    for (uint32_t i = 0; i < count; ++i) to[size_t(e) * kSide + i] = Number(s, turned[i]);
  }
}
void PackFractal(const MmadShape& s, const uint8_t* from, uint32_t wanted, float* to) {
  alignas(64) uint8_t kept[kFractal];
  std::memcpy(kept, from, sizeof kept);
  if (s.type == AKGEN_F32) {
    PackFractal(s, reinterpret_cast<const float*>(kept), 8, wanted, to);
  } else if (s.type == AKGEN_I8) {
    PackFractal(s, reinterpret_cast<const int8_t*>(kept), 32, wanted, to);
  } else if (s.type == AKGEN_I4) {
    int8_t wide[2 * kFractal];
    for (uint32_t i = 0; i < 2 * kFractal; ++i)
      wide[i] = int8_t(int8_t(kept[i / 2] << (i % 2 ? 0 : 4)) >> 4);
    PackFractal(s, wide, 64, wanted, to);
  } else {
    PackFractal(s, reinterpret_cast<const uint16_t*>(kept), 16, wanted, to);
  }
}

// `offset(line, k)`: where the fractal of that line and element begins. Result: panels as Gemm
// takes them.
template <class Offset>
void Pack(const MmadShape& s, const uint8_t* from, uint32_t lines, Offset offset,
          std::vector<float>* to) {
  const uint32_t per_row = PerRow(BitsOfType(s.type)), panels = Ceil(lines, kSide);
  to->resize(size_t(panels) * s.k * kSide);
  for (uint32_t p = 0; p < panels; ++p)
    for (uint32_t k = 0; k < s.k; k += per_row)
      PackFractal(s, from + offset(p * kSide, k), std::min(per_row, s.k - k),
                  &(*to)[(size_t(p) * s.k + k) * kSide]);
}
// One row of k elements side by side.
void PackVector(const MmadShape& s, const uint8_t* from, std::vector<float>* to) {
  const uint32_t bits = BitsOfType(s.type), per_row = PerRow(bits);
  to->resize(size_t(s.k) * kSide);
  for (uint32_t k = 0; k < s.k; k += per_row) {
    uint8_t fractal[kFractal] = {};
    const uint32_t count = std::min(per_row, s.k - k);
    std::memcpy(fractal, from + size_t(k) * bits / 8, (count * bits + 7) / 8);
    PackFractal(s, fractal, count, &(*to)[size_t(k) * kSide]);
  }
}

Gemm PackOperands(const MmadShape& s, const uint8_t* a, const uint8_t* b) {
  Buffers& x = Scratch();
  if (s.vector)
    PackVector(s, a, &x.a);
  else
    Pack(s, a, s.m, [&](uint32_t row, uint32_t k) { return OffsetOfA(s, row, k); }, &x.a);
  Pack(s, b, s.n, [&](uint32_t column, uint32_t k) { return OffsetOfB(s, k, column); }, &x.b);
  Gemm g;
  g.m = s.m, g.k = s.k, g.columns = Ceil(s.n, kSide) * kSide;
  g.a = x.a.data(), g.b = x.b.data(), g.pitch = size_t(s.k) * kSide;
  g.exact = s.type != AKGEN_F32 &&
            s.type != AKGEN_BF16;  // of 11 bits or fewer, and far from float's ends
  return g;
}

// What C begins with, for elements that exist.
void Begin(const MmadShape& s, Initial start, const uint8_t* bias, uint8_t* c) {
  if (start == Initial::kKeep) return;
  for (uint32_t j = 0; j < s.n; j += kSide)
    for (uint32_t i = 0; i < s.m; ++i) {
      const size_t bytes = std::min(kSide, s.n - j) * sizeof(float);
      if (start == Initial::kZero)
        std::memset(c + OffsetOfC(s.m, i, j), 0, bytes);
      else
        std::memcpy(c + OffsetOfC(s.m, i, j), bias + size_t(j) * sizeof(float), bytes);
    }
}

// Columns of 16 are computed in their place; the last ones, if fewer, aside.
void MultiplyFloat(const MmadShape& s, Gemm g, Isa isa, uint8_t* c) {
  const uint32_t whole = s.n / kSide * kSide, rest = s.n - whole;
  g.chunk = s.type == AKGEN_F32 ? 8 : 16;
  g.columns = whole, g.c_pitch = size_t(Ceil(s.m, kSide)) * kSide * kSide;
  g.c = reinterpret_cast<float*>(c);
  Multiply(g, isa);
  if (!rest) return;
  std::vector<float>& aside = Scratch().c;
  aside.assign(g.c_pitch, 0);
  auto at = [&](uint32_t i) { return c + OffsetOfC(s.m, i, whole); };
  for (uint32_t i = 0; i < s.m; ++i)
    std::memcpy(&aside[size_t(i) * kSide], at(i), rest * sizeof(float));
  g.b += whole / kSide * g.pitch, g.columns = kSide, g.c = aside.data();
  Multiply(g, isa);
  for (uint32_t i = 0; i < s.m; ++i)
    std::memcpy(at(i), &aside[size_t(i) * kSide], rest * sizeof(float));
}

// Sums of 1024 products of eight bits are exact in float32, of 4095 in 32 bits. C holds on at its
// ends.
void MultiplyInt(const MmadShape& s, Gemm g, Isa isa, uint8_t* c) {
  constexpr uint32_t kExact = 1024;
  Buffers& x = Scratch();
  g.c_pitch = size_t(s.m) * kSide;
  x.dots.assign(g.c_pitch * g.columns / kSide, 0);
  for (uint32_t from = 0; from < s.k; from += kExact) {
    x.c.assign(x.dots.size(), 0);
    Gemm part = g;
    part.k = part.chunk = std::min(kExact, s.k - from);
    part.a += size_t(from) * kSide, part.b += size_t(from) * kSide, part.c = x.c.data();
    Multiply(part, isa);
    for (size_t i = 0; i < x.dots.size(); ++i) x.dots[i] += int32_t(x.c[i]);
  }
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t j = 0; j < s.n; ++j) {
      uint8_t* at = c + OffsetOfC(s.m, i, j);
      int32_t old;
      std::memcpy(&old, at, sizeof old);
      const int64_t sum =
          int64_t(old) + x.dots[j / kSide * g.c_pitch + size_t(i) * kSide + j % kSide];
      const auto held = int32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
      std::memcpy(at, &held, sizeof held);
    }
}
}  // namespace

uint64_t OffsetOfA(const MmadShape& s, uint32_t row, uint32_t k) {
  const uint32_t bits = BitsOfType(s.type), per_row = PerRow(bits);
  if (s.vector) return uint64_t(k) * bits / 8;
  return (uint64_t(row / kSide) * s.k_fractals + k / per_row) * kFractal + (row % kSide) * kRow +
         k % per_row * bits / 8;
}
uint64_t OffsetOfB(const MmadShape& s, uint32_t k, uint32_t column) {
  const uint32_t bits = BitsOfType(s.type), per_row = PerRow(bits);
  return (uint64_t(k / per_row) * Ceil(s.n, kSide) + column / kSide) * kFractal +
         (column % kSide) * kRow + k % per_row * bits / 8;
}
uint64_t OffsetOfC(uint32_t m, uint32_t row, uint32_t column) {
  return uint64_t(column / kSide) * (Ceil(m, kSide) * kSide) * 64 + row * 64 + (column % kSide) * 4;
}
uint64_t BytesOfA(const MmadShape& s) {
  if (s.vector) return (uint64_t(s.k) * BitsOfType(s.type) + 7) / 8;
  return uint64_t(Ceil(s.m, kSide)) * s.k_fractals * kFractal;
}
uint64_t BytesOfB(const MmadShape& s) {
  return uint64_t(Ceil(s.k, PerRow(BitsOfType(s.type)))) * Ceil(s.n, kSide) * kFractal;
}
uint64_t BytesOfC(uint32_t m, uint32_t n) {
  return uint64_t(Ceil(n, kSide)) * Ceil(m, kSide) * 1024;
}

void Multiply(const MmadShape& s, const uint8_t* a, const uint8_t* b, Initial start,
              const uint8_t* bias, uint8_t* c, Isa isa) {
  const Gemm packed = PackOperands(s, a, b);
  Begin(s, start, bias, c);
  if (s.type == AKGEN_I8 || s.type == AKGEN_I4) return MultiplyInt(s, packed, isa, c);
  MultiplyFloat(s, packed, isa, c);
}

}  // namespace akgen::sim::cube
