// Functions of kernels with products: between global memory, L1 and L0, and the product itself. The
// only text of C++ that instructions of the Cube core (passes/cube_ops.inc) become.
#include "craft/emit/kernel_class.h"

namespace akgen::craft {

namespace {
const Helper kCubeTable[] = {
    {"Fractals",
     R"(// Extents in L1 and L0 are whole fractals of 16 rows of 32 bytes, either way round.
template <typename E>
constexpr int64_t kGranule = sizeof(E) == 1 ? 32 : 16;
__aicore__ inline uint16_t Rounded(int64_t a, int64_t to) { return static_cast<uint16_t>((a + to - 1) / to * to); }
)"},
    {"BlockAt",
     R"(// Block number `at` of rows x columns blocks: strips of `order` rows of blocks, walked column by column, so that
// neighbours share operands in L2; of columns where `order` is negative.
__aicore__ inline int64_t BlockOf(int64_t at, int64_t along, int64_t across, int64_t wide, bool second) {
  const int64_t strip = at / (wide * across), rest = at % (wide * across);
  const int64_t width = Least<int64_t>(wide, along - strip * wide);
  return second ? rest / width : strip * wide + rest % width;
}
__aicore__ inline int64_t BlockRow(int64_t at, int64_t rows, int64_t columns, int64_t order) {
  return order > 0 ? BlockOf(at, rows, columns, order, false) : order < 0 ? BlockOf(at, columns, rows, -order, true) : at / columns;
}
__aicore__ inline int64_t BlockColumn(int64_t at, int64_t rows, int64_t columns, int64_t order) {
  return order > 0 ? BlockOf(at, rows, columns, order, true) : order < 0 ? BlockOf(at, columns, rows, -order, false) : at % columns;
}
)"},
    {"NdToNz",
     R"(// Rows of a matrix, `stride` elements apart, to columns of fractals in L1. Nd2NzParams holds strides below 65536:
// from there on row by row.
template <typename E>
__aicore__ inline void NdToNz(const LocalTensor<E> &to, const GlobalTensor<E> &from, int64_t rows, int64_t cols,
                              int64_t stride) {
  const uint16_t high = Rounded(rows, kGranule<E>);
  if (stride < 65536) {
    DataCopy(to, from,
             Nd2NzParams(1, static_cast<uint16_t>(rows), static_cast<uint16_t>(cols), 0, static_cast<uint16_t>(stride),
                         high, 1, 0));
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    DataCopy(to[r * (32 / sizeof(E))], from[r * stride],
             Nd2NzParams(1, 1, static_cast<uint16_t>(cols), 0, 1, high, 1, 0));
  }
}
)"},
    {"LoadPart",
     R"(// Rows [row, row + rows) and columns [col, col + cols) of a matrix in L1, as a line of an image: its pixels are the
// `high` rows of the matrix, its channels the columns.
template <typename E>
__aicore__ inline void LoadPart(const LocalTensor<E> &to, const LocalTensor<E> &from, int64_t high, int64_t row,
                                int64_t rows, int64_t col, int64_t cols, bool transpose) {
  LoadData3DParamsV2<E> part;
  part.l1H = 1;
  part.l1W = Rounded(high, kGranule<E>);
  const int64_t wide = transpose ? kGranule<E> : 32 / sizeof(E);  // squares are transposed
  part.channelSize = Rounded(col + cols, wide);
  part.mStartPt = static_cast<uint16_t>(row);
  part.mExtension = Rounded(rows, 16);
  part.kStartPt = static_cast<uint16_t>(col);
  part.kExtension = Rounded(cols, wide);
  part.enTranspose = transpose;
  LoadData(to, from, part);
}
)"},
    {"LoadLeft",
     R"(// Columns [at, at + k) of the left side of a product to L0A.
template <typename E>
__aicore__ inline void LoadLeft(const LocalTensor<E> &to, const LocalTensor<E> &from, int64_t m, int64_t at, int64_t k,
                                int64_t depth) {
  LoadPart(to, from, m, 0, m, at, k, false);
}
)"},
    {"LoadLeftTransposed",
     R"(// The same of a tile that holds it transposed: [depth, m].
template <typename E>
__aicore__ inline void LoadLeftTransposed(const LocalTensor<E> &to, const LocalTensor<E> &from, int64_t m, int64_t at,
                                          int64_t k, int64_t depth) {
  if constexpr (sizeof(E) > 1) {
    LoadPart(to, from, depth, at, k, 0, m, true);
  } else {  // squares of 32 x 32 bytes, two fractals each
    const int64_t squares = (k + 31) / 32;
    for (int64_t i = 0; i < m; i += 32) {
      LoadDataWithTranspose(to[i * squares * 32], from,
                            LoadData2dTransposeParams(static_cast<uint16_t>(i / 32 * ((depth + 31) / 32) + at / 32),
                                                      static_cast<uint8_t>(squares), 1, 0,
                                                      static_cast<uint16_t>(squares - 1)));
    }
  }
}
)"},
    {"LoadRight",
     R"(// Rows [at, at + k) of the right side to L0B, where fractals lie transposed.
template <typename E>
__aicore__ inline void LoadRight(const LocalTensor<E> &to, const LocalTensor<E> &from, int64_t n, int64_t at, int64_t k,
                                 int64_t depth) {
  if constexpr (sizeof(E) > 1) {
    LoadPart(to, from, depth, at, k, 0, n, true);
  } else {  // squares of 32 x 32 bytes, two fractals each
    const int64_t squares = (n + 31) / 32, down = (depth + 31) / 32;
    for (int64_t i = 0; i < k; i += 32) {
      LoadDataWithTranspose(to[i * squares * 32], from,
                            LoadData2dTransposeParams(static_cast<uint16_t>((at + i) / 32),
                                                      static_cast<uint8_t>(squares), static_cast<uint16_t>(down), 1, 0));
    }
  }
}
)"},
    {"LoadRightTransposed",
     R"(// The same of a tile that holds it transposed, [n, depth]: its fractals are in L0B's order already.
template <typename E>
__aicore__ inline void LoadRightTransposed(const LocalTensor<E> &to, const LocalTensor<E> &from, int64_t n, int64_t at,
                                           int64_t k, int64_t depth) {
  constexpr int64_t kWidth = 32 / sizeof(E);  // of a fractal
  const int64_t down = Rounded(n, kGranule<E>) / 16;
  LoadData(to, from,
           LoadData2DParams(static_cast<uint16_t>(at / kWidth * down),
                            static_cast<uint8_t>((k + kWidth - 1) / kWidth * down), 1, 0, 0, false, 0));
}
)"},
    {"CopyRow",
     R"(// A row to L1: each of its 32 bytes behind the ones before, the last filled up with zeros.
template <typename E>
__aicore__ inline void CopyRow(const LocalTensor<E> &to, const GlobalTensor<E> &from, int64_t cols) {
  const uint16_t n = static_cast<uint16_t>(cols);
  DataCopy(to, from, Nd2NzParams(1, 1, n, 0, n, 1, 1, 0));
}
)"},
    {"LoadRow",
     R"(// From L1 to BiasTable, 64 bytes at a time; half becomes float.
template <typename Sum, typename E>
__aicore__ inline void LoadRow(const LocalTensor<Sum> &to, const LocalTensor<E> &from, int64_t cols) {
  DataCopy(to, from, DataCopyParams(1, static_cast<uint16_t>((cols * sizeof(E) + 63) / 64), 0, 0));
}
)"},
    {"Zeros",
     R"(// One fractal of K of zeros, for sums of nothing.
template <typename E>
__aicore__ inline void Zeros(const LocalTensor<E> &to, int64_t rows) {
  const uint16_t fractals = Rounded(rows, kGranule<E>) / 16;
  InitConstValue(to.template ReinterpretCast<half>(), InitConstValueParams<half>(1, fractals, 0, half(0)));
}
)"},
    {"MultiplyAdd",
     R"(// Whole fractals of rows: with one row Mmad takes a for a vector.
template <typename E>
__aicore__ inline MmadParams ProductOf(int64_t m, int64_t n, int64_t k, uint8_t unitFlag, bool pairs) {
  MmadParams product;
  product.m = Rounded(m, 16);
  product.n = sizeof(E) == 1 ? Rounded(n, 32) : static_cast<uint16_t>(n);
  product.k = static_cast<uint16_t>(k);
  product.unitFlag = unitFlag;
  product.kDirectionAlign = pairs;
  return product;
}
// sums = a b, or sums + a b. Products of few fractals onto the same sums wait for each other.
template <typename Sum, typename E>
__aicore__ inline void MultiplyAdd(const LocalTensor<Sum> &sums, const LocalTensor<E> &a, const LocalTensor<E> &b,
                                   int64_t m, int64_t n, int64_t k, bool first, uint8_t unitFlag, bool pairs) {
  MmadParams product = ProductOf<E>(m, n, k, unitFlag, pairs);
  product.cmatrixInitVal = first;
  Mmad(sums, a, b, product);
  if (product.m / 16 * (product.n / 16) < 10) {
    PipeBarrier<PIPE_M>();
  }
}
)"},
    {"MultiplyAddRow",
     R"(// The same; the first product adds to a row in BiasTable.
template <typename Sum, typename E>
__aicore__ inline void MultiplyAddRow(const LocalTensor<Sum> &sums, const LocalTensor<E> &a, const LocalTensor<E> &b,
                                      const LocalTensor<Sum> &row, int64_t m, int64_t n, int64_t k, bool first,
                                      uint8_t unitFlag, bool pairs) {
  if (!first) {
    MultiplyAdd(sums, a, b, m, n, k, false, unitFlag, pairs);
    return;
  }
  MmadParams product = ProductOf<E>(m, n, k, unitFlag, pairs);
  product.cmatrixInitVal = false;
  Mmad(sums, a, b, row, product);
  if (product.m / 16 * (product.n / 16) < 10) {
    PipeBarrier<PIPE_M>();
  }
}
)"},
    {"StoreSums",
     R"(// Sums to a window of a tensor, through what Fixpipe does to them on the way.
template <typename E, typename Sum>
__aicore__ inline void StoreSums(const GlobalTensor<E> &to, const LocalTensor<Sum> &sums, int64_t rows, int64_t cols,
                                 int64_t stride, FixpipeParamsV220 how) {
  how.nSize = static_cast<uint16_t>(cols);
  how.mSize = static_cast<uint16_t>(rows);
  how.srcStride = Rounded(rows, 16);
  how.dstStride = static_cast<uint32_t>(stride);
  Fixpipe(to, sums, how);
}
)"},
    {"ScaleBits",
     R"(// A scale as Fixpipe takes it: the bits of a float.
__aicore__ inline uint64_t ScaleBits(float scale) {
  return static_cast<uint64_t>(*reinterpret_cast<uint32_t *>(&scale));
}
)"},
};
}  // namespace

const std::vector<Helper>& CubeHelpers() {
  static const std::vector<Helper> all(std::begin(kCubeTable), std::end(kCubeTable));
  return all;
}

}  // namespace akgen::craft
