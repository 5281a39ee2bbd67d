// LoadData3D v2: image to columns. Which 32 bytes of an image an element of the virtual matrix
// comes from, and where in L0A or L0B it goes. As in moves.h offsets are bytes, sizes of elements
// bits.
#pragma once
#include <algorithm>
#include <cstdint>

#include "sim/cube/moves.h"

namespace akgen::sim::cube {

// A part of the virtual matrix; with repetitions (SetLoadDataRepeat) several, side by side or one
// below the other, that are laid out as one.
struct Load3d {
  uint32_t pad[4], height, width, channels, k_extension, m_extension, k_start, m_start, stride_w,
      stride_h, filter_w, filter_h, dilation_w, dilation_h, bits;
  bool transpose;
  uint32_t times,
      step;  // repetitions, and from the start of one to the next: 16 rows, or 32 bytes of columns
  bool along_rows;
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
    const uint64_t repeat = c.registers[AKGEN_CUBE_REG_REPEAT];
    step = uint16_t(repeat), times = uint8_t(repeat >> 16), along_rows = (repeat >> 24 & 1) == 0;
  }
  static int64_t Outputs(int64_t in, int64_t before, int64_t after, int64_t filter,
                         int64_t dilation, int64_t stride) {
    return (in + before + after - ((filter - 1) * dilation + 1)) / stride + 1;
  }
  int64_t OutHeight() const {
    return Outputs(height, pad[2], pad[3], filter_h, dilation_h, stride_h);
  }
  int64_t OutWidth() const {
    return Outputs(width, pad[0], pad[1], filter_w, dilation_w, stride_w);
  }
  // The virtual matrix.
  int64_t VirtualRows() const {
    return std::max<int64_t>(0, OutHeight()) * std::max<int64_t>(0, OutWidth());
  }
  int64_t VirtualColumns() const {
    return int64_t(Ceil(channels, PerRow(bits))) * filter_w * filter_h * PerRow(bits);
  }
  bool Nothing() const {
    return !height || !width || !channels || !k_extension || !m_extension || !filter_w ||
           !filter_h || !times;
  }

  // What is written: rows, and columns of all repetitions.
  uint32_t Rows() const { return along_rows && times > 1 ? times * PartRows() : m_extension; }
  uint32_t Columns() const {
    return !along_rows && times > 1 ? times * PartColumns() : k_extension;
  }
  // The same, of the virtual matrix: a row of it, and which 32 bytes of a row.
  uint64_t Row(uint32_t r) const {
    if (!along_rows || times == 1) return uint64_t(m_start) + r;
    return uint64_t(m_start) + uint64_t(r / PartRows()) * step * kSide + r % PartRows();
  }
  uint64_t Group(uint32_t group) const {
    const uint32_t per_row = PerRow(bits), part = PartColumns() / per_row;
    if (along_rows || times == 1) return k_start / per_row + group;
    return k_start / per_row + uint64_t(group / part) * step + group % part;
  }

  // Is the part whole fractals of a matrix, its rows those of the image?
  bool IsMatrix() const {
    return times == 1 && filter_w == 1 && filter_h == 1 && stride_w == 1 && stride_h == 1 &&
           !(pad[0] | pad[1] | pad[2] | pad[3]) && m_extension % kSide == 0 &&
           k_extension % PerRow(bits) == 0 &&
           uint64_t(m_start) + m_extension <= uint64_t(height) * width &&
           (uint64_t(k_start) + k_extension) / PerRow(bits) <= Ceil(channels, PerRow(bits));
  }
  // Byte offset of the 32 bytes that row `r` of the virtual matrix has in its columns from group *
  // PerRow on; -1: padding; -2: beyond the matrix.
  int64_t Source(uint64_t r, uint64_t group) const {
    const int64_t wide = OutWidth(), high = OutHeight();
    if (wide <= 0 || high <= 0 || r >= uint64_t(wide) * uint64_t(high)) return -2;
    const uint64_t taps = uint64_t(filter_w) * filter_h, c1 = group / taps, tap = group % taps;
    if (c1 >= Ceil(channels, PerRow(bits))) return -2;
    const int64_t y = int64_t(r / uint64_t(wide)) * stride_h - pad[2] +
                      int64_t(tap / filter_w) * dilation_h,
                  x = int64_t(r % uint64_t(wide)) * stride_w - pad[0] +
                      int64_t(tap % filter_w) * dilation_w;
    if (y < 0 || x < 0 || y >= height || x >= width) return -1;
    return ((int64_t(c1) * height + y) * width + x) * kRow;
  }
  // Where element (r, c) of what is written goes; `right`: to L0B, which takes every fractal
  // transposed.
  uint64_t Target(uint32_t r, uint32_t c, bool right) const {
    const uint32_t per_row = PerRow(bits), bytes = bits / 8;
    if (right)
      return (uint64_t(r / per_row) * Ceil(Columns(), kSide) + c / kSide) * kFractal +
             (c % kSide) * kRow + (r % per_row) * bytes;
    if (transpose)  // elements of 32 bits in pairs of fractals
      return (uint64_t(c / kSide) * (Ceil(Rows(), kSide) * kSide / per_row) + r / per_row) *
                 kFractal +
             (c % kSide) * kRow + (r % per_row) * bytes;
    return (uint64_t(r / kSide) * Ceil(Columns(), per_row) + c / per_row) * kFractal +
           (r % kSide) * kRow + (uint64_t(c) % per_row) * bits / 8;
  }

 private:
  uint32_t PartRows() const { return Ceil(m_extension, kSide) * kSide; }
  uint32_t PartColumns() const { return Ceil(k_extension, PerRow(bits)) * PerRow(bits); }
};

}  // namespace akgen::sim::cube
