// d = a b + c in half precision. The Cube core of a block multiplies its tiles into the workspace and says so once; the
// two Vector cores then take half of each tile's rows and add c.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kTile = 128;  // rows and columns of a tile of c
constexpr uint32_t kStep = 128;  // of K at a time
constexpr uint32_t kCube = 16;
constexpr uint32_t kFractal = kCube * kCube;  // elements

__aicore__ inline uint32_t Rounded(uint32_t x) { return (x + kCube - 1) / kCube * kCube; }

class Product {
 public:
  __aicore__ Product(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k)
      : m_(m), n_(n), k_(k) {
    a_.SetGlobalBuffer((__gm__ half *)a, m * k);
    b_.SetGlobalBuffer((__gm__ half *)b, k * n);
    c_.SetGlobalBuffer((__gm__ half *)c, m * n);
    pipe.InitBuffer(left_, 2, kTile * kStep * sizeof(half));
    pipe.InitBuffer(right_, 2, kStep * kTile * sizeof(half));
    pipe.InitBuffer(l0a_, 2, kTile * kStep * sizeof(half));
    pipe.InitBuffer(l0b_, 2, kStep * kTile * sizeof(half));
    pipe.InitBuffer(l0c_, 1, kTile * kTile * sizeof(float));
  }

  __aicore__ void Run() {
    const uint32_t columns = (n_ + kTile - 1) / kTile, tiles = (m_ + kTile - 1) / kTile * columns;
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      row_ = tile / columns * kTile;
      column_ = tile % columns * kTile;
      rows_ = row_ + kTile <= m_ ? kTile : m_ - row_;
      wide_ = column_ + kTile <= n_ ? kTile : n_ - column_;
      Tile();
    }
  }

 private:
  __aicore__ void Tile() {
    LocalTensor<float> sum = l0c_.AllocTensor<float>();
    for (uint32_t at = 0; at < k_; at += kStep) {
      const uint32_t length = at + kStep <= k_ ? kStep : k_ - at;
      CopyIn(at, length);
      Load(length);
      Multiply(sum, at, length);
    }
    l0c_.EnQue(sum);
    CopyOut();
  }

  __aicore__ void CopyIn(uint32_t at, uint32_t length) {
    LocalTensor<half> left = left_.AllocTensor<half>(), right = right_.AllocTensor<half>();
    Nd2NzParams of_a(1, rows_, length, 0, k_, Rounded(rows_), 1, 0);
    DataCopy(left, a_[row_ * k_ + at], of_a);
    Nd2NzParams of_b(1, length, wide_, 0, n_, Rounded(length), 1, 0);
    DataCopy(right, b_[at * n_ + column_], of_b);
    left_.EnQue(left);
    right_.EnQue(right);
  }

  // Columns of rows in L1 to rows of fractals in L0A, and transposed to L0B.
  __aicore__ void Load(uint32_t length) {
    LocalTensor<half> left = left_.DeQue<half>(), right = right_.DeQue<half>();
    LocalTensor<half> a = l0a_.AllocTensor<half>(), b = l0b_.AllocTensor<half>();
    const uint32_t m = Rounded(rows_) / kCube, n = Rounded(wide_) / kCube, k = Rounded(length) / kCube;
    LoadData2DParams of_a(0, k, m, 0, 0, false, 0);
    for (uint32_t i = 0; i < m; ++i) LoadData(a[i * k * kFractal], left[i * kFractal], of_a);
    LoadData2DParams of_b(0, n, k, 0, 0, true, 0);
    for (uint32_t i = 0; i < k; ++i) LoadData(b[i * n * kFractal], right[i * kFractal], of_b);
    left_.FreeTensor(left);
    right_.FreeTensor(right);
    l0a_.EnQue(a);
    l0b_.EnQue(b);
  }

  __aicore__ void Multiply(LocalTensor<float> &sum, uint32_t at, uint32_t length) {
    LocalTensor<half> a = l0a_.DeQue<half>(), b = l0b_.DeQue<half>();
    MmadParams params;
    params.m = Rounded(rows_);  // whole fractals: with one row of its own Mmad takes a for a vector
    params.n = wide_;
    params.k = length;
    params.cmatrixInitVal = at == 0;
    Mmad(sum, a, b, params);
    if ((params.m / kCube) * (params.n / kCube) < 10) PipeBarrier<PIPE_M>();
    l0a_.FreeTensor(a);
    l0b_.FreeTensor(b);
  }

  __aicore__ void CopyOut() {
    LocalTensor<float> sum = l0c_.DeQue<float>();
    FixpipeParamsV220 params(wide_, rows_, Rounded(rows_), n_, false);
    params.quantPre = QuantMode_t::F322F16;
    Fixpipe(c_[row_ * n_ + column_], sum, params);
    l0c_.FreeTensor(sum);
  }

  uint32_t m_, n_, k_;
  uint32_t row_ = 0, column_ = 0, rows_ = 0, wide_ = 0;  // of the tile
  GlobalTensor<half> a_, b_, c_;
  TQue<QuePosition::A1, 2> left_;
  TQue<QuePosition::B1, 2> right_;
  TQue<QuePosition::A2, 2> l0a_;
  TQue<QuePosition::B2, 2> l0b_;
  TQue<QuePosition::CO1, 1> l0c_;
};

class Addition {
 public:
  __aicore__ Addition(TPipe &pipe, GM_ADDR product, GM_ADDR c, GM_ADDR d, uint32_t m, uint32_t n) : m_(m), n_(n) {
    product_.SetGlobalBuffer((__gm__ half *)product, m * n);
    c_.SetGlobalBuffer((__gm__ half *)c, m * n);
    d_.SetGlobalBuffer((__gm__ half *)d, m * n);
    pipe.InitBuffer(left_, 2, kTile / 2 * kTile * sizeof(half));
    pipe.InitBuffer(right_, 2, kTile / 2 * kTile * sizeof(half));
    pipe.InitBuffer(out_, 2, kTile / 2 * kTile * sizeof(half));
  }

  __aicore__ void Run() {
    const uint32_t columns = (n_ + kTile - 1) / kTile, tiles = (m_ + kTile - 1) / kTile * columns;
    for (uint32_t tile = GetBlockIdx() / GetSubBlockNum(); tile < tiles; tile += GetBlockNum()) {
      const uint32_t row = tile / columns * kTile, column = tile % columns * kTile;
      const uint32_t rows = row + kTile <= m_ ? kTile : m_ - row, first = (rows + 1) / 2;
      const uint32_t wide = column + kTile <= n_ ? kTile : n_ - column;
      const bool second = GetSubBlockIdx() != 0;
      const uint32_t mine = second ? rows - first : first;
      if (mine > 0) Part((row + (second ? first : 0)) * n_ + column, mine, wide);
    }
  }

 private:
  // Rows of a tile; in UB each begins at a multiple of 32 bytes.
  __aicore__ void Part(uint32_t at, uint32_t rows, uint32_t wide) {
    const uint32_t bytes = wide * sizeof(half), apart = (n_ - wide) * sizeof(half);
    DataCopyExtParams in{static_cast<uint16_t>(rows), bytes, apart, 0, 0};
    DataCopyExtParams back{static_cast<uint16_t>(rows), bytes, 0, apart, 0};
    DataCopyPadExtParams<half> pad{true, 0, static_cast<uint8_t>(Rounded(wide) - wide), half(0)};
    LocalTensor<half> left = left_.AllocTensor<half>(), right = right_.AllocTensor<half>();
    DataCopyPad(left, product_[at], in, pad);
    DataCopyPad(right, c_[at], in, pad);
    left_.EnQue(left);
    right_.EnQue(right);
    left = left_.DeQue<half>();
    right = right_.DeQue<half>();
    LocalTensor<half> out = out_.AllocTensor<half>();
    Add(out, left, right, rows * Rounded(wide));
    left_.FreeTensor(left);
    right_.FreeTensor(right);
    out_.EnQue(out);
    out = out_.DeQue<half>();
    DataCopyPad(d_[at], out, back);
    out_.FreeTensor(out);
  }

  uint32_t m_, n_;
  GlobalTensor<half> product_, c_, d_;
  TQue<QuePosition::VECIN, 2> left_, right_;
  TQue<QuePosition::VECOUT, 2> out_;
};

constexpr uint16_t kDone = 3;

extern "C" __global__ __aicore__ void matmul_add(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR d, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(t, tiling);
  TPipe pipe;
  GM_ADDR between = GetUserWorkspace(workspace);
  if ASCEND_IS_AIC {
    Product product(pipe, a, b, between, t.m, t.n, t.k);
    product.Run();
    CrossCoreSetFlag<2, PIPE_FIX>(kDone);
  }
  if ASCEND_IS_AIV {
    Addition addition(pipe, between, c, d, t.m, t.n);
    CrossCoreWaitFlag(kDone);
    addition.Run();
  }
}
