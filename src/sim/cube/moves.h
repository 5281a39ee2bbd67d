// Where the Cube core's loads put what they take: each as the pieces that it moves. Offsets are bytes from the start of
// an operand, sizes of elements are in bits. Nothing here knows of memories or checks.
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
  uint32_t matrices, rows, columns, src_matrix, src_row, dst_column, dst_row, dst_matrix;  // as in Nd2NzParams
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
    return Bytes(uint64_t(matrix) * dst_matrix) + uint64_t(group) * dst_column * kRow + uint64_t(row) * dst_row * kRow;
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
      : start(c.n[0]), repeats(c.n[1]), src_stride(c.n[2]), dst_gap(c.n[3]), fractal_gap(c.n[4]), bits(element_bits) {}
  uint32_t Fractals() const { return bits == 32 || bits == 8 ? 2 : bits == 4 ? 4 : 1; }
  uint64_t Source(uint32_t i) const { return (uint64_t(start) + uint64_t(i) * src_stride) * Fractals() * kFractal; }
  uint64_t Target(uint32_t i, uint32_t fractal) const {
    return (uint64_t(i) * (dst_gap + 1) + uint64_t(fractal) * (fractal_gap + 1)) * kFractal;
  }
  // Of element `e` of line `line` of output fractal `fractal`: where in the square it comes from, in elements.
  uint32_t From(uint32_t fractal, uint32_t line, uint32_t e) const {
    const uint32_t per_row = PerRow(bits);
    if (bits == 32) {  // two fractals of eight columns each, side by side
      const uint32_t row = fractal * per_row + e, column = line;
      return (column / per_row) * kSide * per_row + row * per_row + column % per_row;
    }
    return e * per_row + fractal * kSide + line;  // row e, column of that line
  }
};

// LoadData3D v2: image to columns. Every element of the part of the virtual matrix that is asked for.
struct Load3d {
  uint32_t pad[4], height, width, channels, k_extension, m_extension, k_start, m_start, stride_w, stride_h, filter_w,
      filter_h, dilation_w, dilation_h, bits;
  bool transpose;
  Load3d(const AkgenCube& c, uint32_t element_bits) : bits(element_bits) {
    const uint32_t* n = c.n;
    for (int i = 0; i < 4; ++i) pad[i] = n[AKGEN_L3D_PAD_LEFT + i];
    height = n[AKGEN_L3D_HEIGHT], width = n[AKGEN_L3D_WIDTH], channels = n[AKGEN_L3D_CHANNELS];
    k_extension = n[AKGEN_L3D_K_EXTENSION], m_extension = n[AKGEN_L3D_M_EXTENSION];
    k_start = n[AKGEN_L3D_K_START], m_start = n[AKGEN_L3D_M_START];
    stride_w = std::max(1u, n[AKGEN_L3D_STRIDE_W]), stride_h = std::max(1u, n[AKGEN_L3D_STRIDE_H]);
    filter_w = n[AKGEN_L3D_FILTER_W], filter_h = n[AKGEN_L3D_FILTER_H];
    dilation_w = n[AKGEN_L3D_DILATION_W], dilation_h = n[AKGEN_L3D_DILATION_H];
    transpose = n[AKGEN_L3D_TRANSPOSE] != 0;
  }
  static int64_t Outputs(int64_t in, int64_t before, int64_t after, int64_t filter, int64_t dilation, int64_t stride) {
    return (in + before + after - ((filter - 1) * dilation + 1)) / stride + 1;
  }
  int64_t OutHeight() const { return Outputs(height, pad[2], pad[3], filter_h, dilation_h, stride_h); }
  int64_t OutWidth() const { return Outputs(width, pad[0], pad[1], filter_w, dilation_w, stride_w); }
  // Is the part whole fractals of a matrix of 16-bit elements, its rows those of the image?
  bool IsMatrix() const {
    return bits == 16 && filter_w == 1 && filter_h == 1 && stride_w == 1 && stride_h == 1 &&
           !(pad[0] | pad[1] | pad[2] | pad[3]) && m_extension % kSide == 0 && k_extension % kSide == 0 &&
           uint64_t(m_start) + m_extension <= uint64_t(height) * width &&
           (uint64_t(k_start) + k_extension) / kSide <= Ceil(channels, kSide);
  }
  // Byte offset of the 32 bytes that row `r` of the virtual matrix has in its columns from column * PerRow on; -1:
  // padding; -2: beyond the matrix.
  int64_t Source(uint64_t r, uint64_t group) const {
    const int64_t wide = OutWidth(), high = OutHeight();
    if (wide <= 0 || high <= 0 || r >= uint64_t(wide) * uint64_t(high)) return -2;
    const uint64_t taps = uint64_t(filter_w) * filter_h, c1 = group / taps, tap = group % taps;
    if (c1 >= Ceil(channels, PerRow(bits))) return -2;
    const int64_t y = int64_t(r / uint64_t(wide)) * stride_h - pad[2] + int64_t(tap / filter_w) * dilation_h,
                  x = int64_t(r % uint64_t(wide)) * stride_w - pad[0] + int64_t(tap % filter_w) * dilation_w;
    if (y < 0 || x < 0 || y >= height || x >= width) return -1;
    return ((int64_t(c1) * height + y) * width + x) * kRow;
  }
  // Where element (r, c) of the part goes; `right`: to L0B, which takes every fractal transposed.
  uint64_t Target(uint32_t r, uint32_t c, bool right) const {
    const uint32_t per_row = PerRow(bits), bytes = bits / 8;
    if (right)
      return (uint64_t(r / per_row) * Ceil(k_extension, kSide) + c / kSide) * kFractal + (c % kSide) * kRow +
             (r % per_row) * bytes;
    if (transpose)
      return (uint64_t(c / kSide) * Ceil(m_extension, per_row) + r / per_row) * kFractal + (c % kSide) * kRow +
             (r % per_row) * bytes;
    return (uint64_t(r / kSide) * Ceil(k_extension, per_row) + c / per_row) * kFractal + (r % kSide) * kRow +
           (c % per_row) * bytes;
  }
};

}  // namespace akgen::sim::cube
