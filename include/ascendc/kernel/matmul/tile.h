// Parts of a matrix on their way to the Cube unit: Global Memory to L1 as columns of fractals (NZ),
// and those to L0A or L0B. "Rows" and "columns" are those of the matrix as it is stored.
#ifndef ASCENDC_KERNEL_MATMUL_TILE_H
#define ASCENDC_KERNEL_MATMUL_TILE_H
#include "kernel/matmul/job.h"

namespace AscendC {
// Of elements of type T: how many 32 bytes hold, and the side of what a transposing load takes at
// once.
template <typename T>
constexpr int32_t kAkgenRow = 256 / SizeOfBits<T>::value;
template <typename T>
constexpr int32_t kAkgenSquare = AkgenMost(16, kAkgenRow<T>);
template <typename T>
constexpr int32_t kAkgenFractal = 16 * kAkgenRow<T>;  // elements

// What lies in L1. Elements of 32 bits that are transposed on their way to L0 lie in strips of 16
// rows, one behind the other.
template <typename T>
struct AkgenTile {
  LocalTensor<T> data;
  int32_t rows = 0, columns = 0;  // rounded up
  int32_t row = 0, column = 0;    // where the part that is wanted begins
};

// A matrix in Global Memory; `width`: elements of a row, or rows of NZ.
template <typename T>
struct AkgenStored {
  GlobalTensor<T> data;
  int32_t width = 0;
  bool nz = false;
};

template <typename T>
inline void AkgenBringRows(const LocalTensor<T>& to, const AkgenStored<T>& from, int32_t row,
                           int32_t column, int32_t rows, int32_t columns, int32_t rows_in_l1) {
  constexpr int32_t kMaxStride = 65535;
  if (from.nz) {
    const int32_t there = AkgenLeast(AkgenUp(rows, 16), from.width - row);
    const uint64_t at = static_cast<uint64_t>(column / kAkgenRow<T>) * from.width * kAkgenRow<T> +
                        static_cast<uint64_t>(row) * kAkgenRow<T>;
    DataCopy(to, from.data[at],
             DataCopyParams(static_cast<uint16_t>(AkgenCeil(columns, kAkgenRow<T>)),
                            static_cast<uint16_t>(there), static_cast<uint16_t>(from.width - there),
                            static_cast<uint16_t>(rows_in_l1 - there)));
    return;
  }
  const uint64_t at = static_cast<uint64_t>(row) * from.width + column;
  constexpr int32_t kInOne =
      SizeOfBits<T>::value == 4 ? 2 : 1;  // elements of 4 bits are moved as bytes
  Nd2NzParams p(1, static_cast<uint16_t>(rows), static_cast<uint16_t>(columns / kInOne), 0,
                static_cast<uint16_t>(from.width / kInOne), static_cast<uint16_t>(rows_in_l1), 1,
                0);
  if (from.width / kInOne <= kMaxStride) return DataCopy(to, from.data[at], p);
  p.nValue = 1;  // rows that lie further apart than the field says: one by one
  p.srcDValue = 0;
  for (int32_t i = 0; i < rows; ++i)
    DataCopy(to[static_cast<uint32_t>(i * kAkgenRow<T>)],
             from.data[at + static_cast<uint64_t>(i) * from.width], p);
}

template <typename T>
inline void AkgenBring(const AkgenTile<T>& to, const AkgenStored<T>& from, int32_t row,
                       int32_t column, int32_t rows, int32_t columns, bool strips) {
  if (!strips) return AkgenBringRows(to.data, from, row, column, rows, columns, to.rows);
  for (int32_t s = 0; s < rows; s += 16)
    AkgenBringRows(to.data[static_cast<uint32_t>(s * to.columns)], from, row + s, column,
                   AkgenLeast(16, rows - s), columns, 16);
}

// One base block after the other, each with a copy of its own: along K, which the columns of the
// stored matrix are, or
// (`down`) its rows.
template <typename T>
inline void AkgenBringBlocks(const AkgenTile<T>& to, const AkgenStored<T>& from, int32_t row,
                             int32_t column, int32_t rows, int32_t columns, int32_t base_k,
                             bool down) {
  const int32_t deep = down ? rows : columns;
  for (int32_t k = 0; k < deep; k += base_k) {
    const int32_t part = AkgenLeast(base_k, deep - k);
    if (down)
      AkgenBringRows(to.data[static_cast<uint32_t>(k * kAkgenRow<T>)], from, row + k, column, part,
                     columns, to.rows);
    else
      AkgenBringRows(to.data[static_cast<uint32_t>(k * to.rows)], from, row, column + k, rows, part,
                     to.rows);
  }
}

inline LoadData2DParams AkgenLoadOf(int32_t start, int32_t repeats, int32_t stride,
                                    bool transpose) {
  LoadData2DParams p;
  p.startIndex = static_cast<uint16_t>(start);
  p.repeatTimes = static_cast<uint8_t>(repeats);
  p.srcStride = static_cast<uint16_t>(stride);
  p.ifTranspose = transpose;
  return p;
}
inline LoadData2dTransposeParams AkgenSquaresOf(int32_t start, int32_t repeats, int32_t stride,
                                                int32_t gap, int32_t fractal_gap) {
  return LoadData2dTransposeParams(static_cast<uint16_t>(start), static_cast<uint8_t>(repeats),
                                   static_cast<uint16_t>(stride), static_cast<uint16_t>(gap),
                                   static_cast<uint16_t>(fractal_gap));
}

// The same as an image of one row, a point for each row of the matrix: LoadData (3D) takes any part
// of it at once.
template <typename T>
inline LoadData3DParamsV2<T> AkgenImageOf(const AkgenTile<T>& t, int32_t rows, int32_t columns,
                                          bool transpose) {
  LoadData3DParamsV2<T> p;
  p.l1H = 1;
  p.l1W = static_cast<uint16_t>(t.rows);
  p.mStartPt = static_cast<uint16_t>(t.row / 16 * 16);
  p.kStartPt = static_cast<uint16_t>(t.column / kAkgenRow<T> * kAkgenRow<T>);
  p.mExtension = static_cast<uint16_t>(AkgenUp(rows, 16));
  p.kExtension = static_cast<uint16_t>(AkgenUp(columns, kAkgenRow<T>));
  p.channelSize = static_cast<uint16_t>(p.kStartPt + p.kExtension);
  p.enTranspose = transpose;
  return p;
}

// m x k elements to L0A, from rows along M, or transposed from rows along K. The result has Ceil(k,
// row of 32 bytes) fractals in a row; transposed 32-bit elements an even number of them.
template <typename T>
inline void AkgenToL0A(const LocalTensor<T>& to, const AkgenTile<T>& t, int32_t m, int32_t k,
                       bool trans) {
  constexpr int32_t kRow = kAkgenRow<T>, kFractal = kAkgenFractal<T>;
  const int32_t high = t.rows / 16, wide = AkgenCeil(k, kRow);
  auto at = [&](int32_t fractal) { return to[static_cast<uint32_t>(fractal * kFractal)]; };
  if (!trans) {
    LoadData(to, t.data, AkgenImageOf(t, m, k, false));
  } else if constexpr (kRow == 16) {
    LoadData(to, t.data, AkgenImageOf(t, k, m, true));
  } else if constexpr (kRow == 32) {
    const int32_t first = (t.column / 32 * high + t.row / 16) / 2;
    for (int32_t i = 0; i < AkgenCeil(m, 32); ++i)
      LoadDataWithTranspose(at(2 * i * wide), t.data,
                            AkgenSquaresOf(first + i * high / 2, wide, 1, 0, wide - 1));
  } else if constexpr (kRow == 8) {
    const int32_t across = t.columns / 16, deep = AkgenCeil(k, 16),
                  first = t.row / 16 * across + t.column / 16;
    for (int32_t i = 0; i < AkgenCeil(m, 16); ++i)
      LoadDataWithTranspose(at(2 * i * deep), t.data,
                            AkgenSquaresOf(first + i, deep, across, 1, 0));
  } else {
    akgen_broken_rule("SetTensorA: elements of 4 bits are not transposed on the left");
  }
}

// k x n elements of sparse weights, of which every four along K are stored as two, with what says
// which two they are.
inline void AkgenToL0BSparse(const LocalTensor<int8_t>& to, const AkgenTile<int8_t>& t,
                             const LocalTensor<uint8_t>& index, int32_t k, int32_t n) {
  const int32_t high = t.rows / 16, wide = AkgenCeil(n, 16),
                first = t.column / 32 * high + t.row / 16;
  for (int32_t i = 0; i < AkgenCeil(k / 2, 32); ++i)
    LoadDataWithSparse(to[static_cast<uint32_t>(i * wide * 512)], t.data, index,
                       AkgenLoadOf(first + i * high, wide, 1, false));
}

// Columns of fractals that L0B has for n columns of B.
template <typename T>
inline int32_t AkgenWideOf(int32_t n, bool trans) {
  return AkgenUp(n, trans ? 16 : kAkgenSquare<T>) / 16;
}
// k x n elements to L0B, from rows along K, or (`trans`) from rows along N.
template <typename T>
inline void AkgenToL0B(const LocalTensor<T>& to, const AkgenTile<T>& t, int32_t k, int32_t n,
                       bool trans) {
  constexpr int32_t kRow = kAkgenRow<T>, kFractal = kAkgenFractal<T>,
                    kInSquare = kAkgenSquare<T> / 16;
  const int32_t high = t.rows / 16, wide = AkgenWideOf<T>(n, trans);
  auto at = [&](int32_t fractal) { return to[static_cast<uint32_t>(fractal * kFractal)]; };
  if (trans) {
    // Columns of fractals that lie one behind the other, in L1 as in L0B, come at once.
    const int32_t first = t.column / kRow * high + t.row / 16, all = AkgenCeil(k, kRow);
    const int32_t at_once = wide == high ? AkgenMost(1, 255 / wide) : 1;
    for (int32_t i = 0; i < all; i += at_once)
      LoadData(at(i * wide), t.data,
               AkgenLoadOf(first + i * high, AkgenLeast(at_once, all - i) * wide, 1, false));
  } else if constexpr (kRow == 16) {
    LoadData(to, t.data, AkgenImageOf(t, k, n, true));
  } else if constexpr (kRow == 8) {
    const int32_t across = t.columns / 16, first = t.row / 16 * across + t.column / 16;
    for (int32_t i = 0; i < AkgenCeil(k, 16); ++i)
      LoadDataWithTranspose(at(2 * i * wide), t.data,
                            AkgenSquaresOf(first + i * across, wide, 1, 0, wide - 1));
  } else {
    const int32_t first = (t.column / kRow * high + t.row / 16) / kInSquare;
    for (int32_t i = 0; i < AkgenCeil(k, kRow); ++i)
      LoadDataWithTranspose(
          at(i * wide), t.data,
          AkgenSquaresOf(first + i, wide / kInSquare, high / kInSquare, kInSquare - 1, 0));
  }
}
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_MATMUL_TILE_H
