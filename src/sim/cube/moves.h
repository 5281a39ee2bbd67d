// Where the Cube core's loads put what they take: each as the pieces that it moves. Offsets are
// bytes from the start of an operand, sizes of elements are in bits. Nothing here knows of memories
// or checks.
#pragma once
#include <algorithm>
#include <cstdint>

#include "akgen/abi.h"

namespace akgen::sim::cube {

inline constexpr uint32_t kFractal = 512, kRow = 32, kSide = 16;

inline uint32_t Ceil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
// Elements that 32 bytes hold.
inline uint32_t PerRow(uint32_t bits) { return 256 / bits; }

// A matrix of rows in GM to columns of 32-byte rows (NZ).
struct Nd2Nz {
  uint32_t matrices, rows, columns, src_matrix, src_row, dst_column, dst_row,
      dst_matrix;  // as in Nd2NzParams
  uint32_t bits;
  explicit Nd2Nz(const AkgenCube& c, uint32_t element_bits)
      : matrices(c.n[0]),
        rows(c.n[1]),
        columns(c.n[2]),
        src_matrix(c.n[3]),
        src_row(c.n[4]),
        dst_column(c.n[5]),
        dst_row(c.n[6]),
        dst_matrix(c.n[7]),
        bits(element_bits) {}
  uint64_t Bytes(uint64_t elements) const { return elements * bits / 8; }
  uint64_t RowBytes() const { return (uint64_t(columns) * bits + 7) / 8; }
  uint64_t Source(uint32_t matrix, uint32_t row) const {
    return Bytes(uint64_t(matrix) * src_matrix + uint64_t(row) * src_row);
  }
  uint32_t Groups() const { return Ceil(columns, PerRow(bits)); }
  uint64_t Target(uint32_t matrix, uint32_t row, uint32_t group) const {
    return Bytes(uint64_t(matrix) * dst_matrix) + uint64_t(group) * dst_column * kRow +
           uint64_t(row) * dst_row * kRow;
  }
};

// LoadData of whole fractals.
struct Load2d {
  uint32_t start, repeats, src_stride, dst_gap;
  bool transpose, descending;
  explicit Load2d(const AkgenCube& c)
      : start(c.n[0]),
        repeats(c.n[1]),
        src_stride(c.n[2]),
        dst_gap(c.n[3]),
        transpose(c.n[4] != 0),
        descending(c.n[5] != 0) {}
  int64_t Source(uint32_t i) const {
    const int64_t step = int64_t(i) * src_stride;
    return (int64_t(start) + (descending ? -step : step)) * kFractal;
  }
  uint64_t Target(uint32_t i) const { return uint64_t(i) * (dst_gap + 1) * kFractal; }
};

// LoadDataWithTranspose: squares of elements, of 1, 2 or 4 fractals.
struct SquareLoad {
  uint32_t start, repeats, src_stride, dst_gap, fractal_gap, bits;
  SquareLoad(const AkgenCube& c, uint32_t element_bits)
      : start(c.n[0]),
        repeats(c.n[1]),
        src_stride(c.n[2]),
        dst_gap(c.n[3]),
        fractal_gap(c.n[4]),
        bits(element_bits) {}
  uint32_t Fractals() const { return bits == 32 || bits == 8 ? 2 : bits == 4 ? 4 : 1; }
  uint64_t Source(uint32_t i) const {
    return (uint64_t(start) + uint64_t(i) * src_stride) * Fractals() * kFractal;
  }
  uint64_t Target(uint32_t i, uint32_t fractal) const {
    return (uint64_t(i) * (dst_gap + 1) + uint64_t(fractal) * (fractal_gap + 1)) * kFractal;
  }
  // Of element `e` of line `line` of output fractal `fractal`: where in the square it comes from,
  // in elements.
  uint32_t From(uint32_t fractal, uint32_t line, uint32_t e) const {
    const uint32_t per_row = PerRow(bits);
    if (bits == 32) {  // two fractals of eight columns each, side by side
      const uint32_t row = fractal * per_row + e, column = line;
      return (column / per_row) * kSide * per_row + row * per_row + column % per_row;
    }
    return e * per_row + fractal * kSide + line;  // row e, column of that line
  }
};

}  // namespace akgen::sim::cube
