#include "sim/cube/mmad.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "akgen/abi.h"
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
  std::vector<int32_t> ia, ib, ic;
};
Buffers& Scratch() {
  static thread_local Buffers buffers;
  return buffers;
}

// 32 bytes of operands to as many numbers.
void Unpack(const MmadShape& s, const uint8_t* from, uint32_t count, float* to) {
  if (s.type == AKGEN_F16) {
    F16 x[kSide];
    std::memcpy(x, from, sizeof x);
    for (uint32_t i = 0; i < count; ++i) to[i] = float(x[i]);
  } else if (s.type == AKGEN_BF16) {
    uint16_t x[kSide];
    std::memcpy(x, from, sizeof x);
    for (uint32_t i = 0; i < count; ++i) to[i] = std::bit_cast<float>(uint32_t(x[i]) << 16);
  } else {
    float x[8];
    std::memcpy(x, from, sizeof x);
    for (uint32_t i = 0; i < count; ++i) to[i] = s.hf32 ? ToHf32(x[i], s.hf32_trunc) : x[i];
  }
}
void Unpack(const MmadShape& s, const uint8_t* from, uint32_t count, int32_t* to) {
  for (uint32_t i = 0; i < count; ++i)
    to[i] = s.type == AKGEN_I4 ? int32_t(uint32_t(from[i / 2] >> (i % 2 * 4)) << 28) >> 28 : int8_t(from[i]);
}

// A by rows of `pitch` numbers; B by rows of `width`.
template <class T>
void UnpackA(const MmadShape& s, const uint8_t* a, uint32_t pitch, T* to) {
  const uint32_t per_row = PerRow(BitsOfType(s.type));
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t k = 0; k < s.k; k += per_row)
      Unpack(s, a + OffsetOfA(s, i, k), std::min(per_row, s.k - k), to + size_t(i) * pitch + k);
}
template <class T>
void UnpackB(const MmadShape& s, const uint8_t* b, uint32_t width, T* to) {
  const uint32_t per_row = PerRow(BitsOfType(s.type));
  T line[64];
  for (uint32_t k = 0; k < s.k; k += per_row)
    for (uint32_t j = 0; j < s.n; ++j) {
      const uint32_t count = std::min(per_row, s.k - k);
      Unpack(s, b + OffsetOfB(s, k, j), count, line);
      for (uint32_t e = 0; e < count; ++e) to[size_t(k + e) * width + j] = line[e];
    }
}

constexpr uint32_t kLanes = 16;  // columns that are summed side by side
// Rows r … r + kRows of a panel of kLanes columns. `b`: k rows of `width`; `c`: rows of `width`.
template <uint32_t kRows>
void Panel(const float* a, uint32_t pitch, const float* b, float* c, uint32_t width, uint32_t k, uint32_t k0) {
  float sum[kRows][kLanes];
  for (uint32_t r = 0; r < kRows; ++r)
    for (uint32_t j = 0; j < kLanes; ++j) sum[r][j] = c[size_t(r) * width + j];
  for (uint32_t from = 0; from < k; from += k0) {
    const uint32_t to = std::min(k, from + k0);
    float dot[kRows][kLanes] = {};
    for (uint32_t e = from; e < to; ++e) {
      const float* row = b + size_t(e) * width;
      for (uint32_t r = 0; r < kRows; ++r) {
        const float x = a[size_t(r) * pitch + e];
        for (uint32_t j = 0; j < kLanes; ++j) dot[r][j] += x * row[j];
      }
    }
    for (uint32_t r = 0; r < kRows; ++r)
      for (uint32_t j = 0; j < kLanes; ++j) sum[r][j] += dot[r][j];
  }
  for (uint32_t r = 0; r < kRows; ++r)
    for (uint32_t j = 0; j < kLanes; ++j) c[size_t(r) * width + j] = sum[r][j];
}

void MultiplyFloat(const MmadShape& s, const uint8_t* a, const uint8_t* b, uint32_t width) {
  Buffers& x = Scratch();
  const uint32_t k0 = s.type == AKGEN_F32 ? 8 : 16, pitch = s.k;
  x.a.assign(size_t(s.m) * pitch, 0);
  x.b.assign(size_t(s.k) * width, 0);
  UnpackA(s, a, pitch, x.a.data());
  UnpackB(s, b, width, x.b.data());
  for (uint32_t j = 0; j < width; j += kLanes) {
    uint32_t r = 0;
    for (; r + 4 <= s.m; r += 4)
      Panel<4>(&x.a[size_t(r) * pitch], pitch, &x.b[j], &x.c[size_t(r) * width + j], width, s.k, k0);
    for (; r < s.m; ++r) Panel<1>(&x.a[size_t(r) * pitch], pitch, &x.b[j], &x.c[size_t(r) * width + j], width, s.k, k0);
  }
}

// 4095 products of eight bits fit into 32; C holds on at its ends.
void MultiplyInt(const MmadShape& s, const uint8_t* a, const uint8_t* b, uint32_t width) {
  Buffers& x = Scratch();
  x.ia.assign(size_t(s.m) * s.k, 0);
  x.ib.assign(size_t(s.k) * width, 0);
  UnpackA(s, a, s.k, x.ia.data());
  UnpackB(s, b, width, x.ib.data());
  std::vector<int32_t> dot(width);
  for (uint32_t i = 0; i < s.m; ++i) {
    std::fill(dot.begin(), dot.end(), 0);
    for (uint32_t k = 0; k < s.k; ++k) {
      const int32_t left = x.ia[size_t(i) * s.k + k];
      const int32_t* row = &x.ib[size_t(k) * width];
      for (uint32_t j = 0; j < width; ++j) dot[j] += left * row[j];
    }
    for (uint32_t j = 0; j < width; ++j) {
      const int64_t sum = int64_t(x.ic[size_t(i) * width + j]) + dot[j];
      x.ic[size_t(i) * width + j] = int32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
    }
  }
}

// C's elements in rows of `width`, from where they start.
template <class T>
void Begin(const MmadShape& s, Initial start, const uint8_t* bias, const uint8_t* c, uint32_t width,
           std::vector<T>* to) {
  to->assign(size_t(s.m) * width, T{});
  if (start == Initial::kZero) return;
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t j = 0; j < s.n; j += kSide) {
      const uint8_t* from = start == Initial::kBias ? bias + size_t(j) * sizeof(T) : c + OffsetOfC(s.m, i, j);
      std::memcpy(&(*to)[size_t(i) * width + j], from, std::min(kSide, s.n - j) * sizeof(T));
    }
}
template <class T>
void End(const MmadShape& s, const std::vector<T>& from, uint32_t width, uint8_t* c) {
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t j = 0; j < s.n; j += kSide)
      std::memcpy(c + OffsetOfC(s.m, i, j), &from[size_t(i) * width + j], std::min(kSide, s.n - j) * sizeof(T));
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
  return (uint64_t(k / per_row) * Ceil(s.n, kSide) + column / kSide) * kFractal + (column % kSide) * kRow +
         k % per_row * bits / 8;
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
uint64_t BytesOfC(uint32_t m, uint32_t n) { return uint64_t(Ceil(n, kSide)) * Ceil(m, kSide) * 1024; }

void Multiply(const MmadShape& s, const uint8_t* a, const uint8_t* b, Initial start, const uint8_t* bias, uint8_t* c) {
  const uint32_t width = Ceil(s.n, kLanes) * kLanes;
  Buffers& x = Scratch();
  if (s.type == AKGEN_I8 || s.type == AKGEN_I4) {
    Begin(s, start, bias, c, width, &x.ic);
    MultiplyInt(s, a, b, width);
    return End(s, x.ic, width, c);
  }
  Begin(s, start, bias, c, width, &x.c);
  MultiplyFloat(s, a, b, width);
  End(s, x.c, width, c);
}

}  // namespace akgen::sim::cube
