// d = max(0, a b + bias) in half precision. The sums of a tile begin with the bias, which comes to BiasTable by way of
// L1; Fixpipe applies ReLU on the way out.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kTile = 128;  // rows and columns of a tile of d
constexpr uint32_t kStep = 128;  // of K at a time
constexpr uint32_t kCube = 16;
constexpr uint32_t kFractal = kCube * kCube;  // elements

__aicore__ inline uint32_t Rounded(uint32_t x) { return (x + kCube - 1) / kCube * kCube; }

class Product {
 public:
  __aicore__ Product(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d, uint32_t m, uint32_t n, uint32_t k)
      : m_(m), n_(n), k_(k) {
    a_.SetGlobalBuffer((__gm__ half *)a, m * k);
    b_.SetGlobalBuffer((__gm__ half *)b, k * n);
    bias_.SetGlobalBuffer((__gm__ half *)bias, n);
    d_.SetGlobalBuffer((__gm__ half *)d, m * n);
    pipe.InitBuffer(left_, 2, kTile * kStep * sizeof(half));
    pipe.InitBuffer(right_, 2, kStep * kTile * sizeof(half));
    pipe.InitBuffer(l0a_, 2, kTile * kStep * sizeof(half));
    pipe.InitBuffer(l0b_, 2, kStep * kTile * sizeof(half));
    pipe.InitBuffer(l0c_, 1, kTile * kTile * sizeof(float));
    pipe.InitBuffer(row_of_bias_, 1, kTile * sizeof(half));
    pipe.InitBuffer(table_, 1, kTile * sizeof(float));
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
    LoadBias();
    LocalTensor<float> bias = table_.DeQue<float>();
    LocalTensor<float> sum = l0c_.AllocTensor<float>();
    for (uint32_t at = 0; at < k_; at += kStep) {
      const uint32_t length = at + kStep <= k_ ? kStep : k_ - at;
      CopyIn(at, length);
      Load(length);
      Multiply(sum, bias, at, length);
    }
    table_.FreeTensor(bias);
    l0c_.EnQue(sum);
    CopyOut();
  }

  // One row of a matrix: each 32 bytes are followed by the next, the last ones filled up with zeros. On the way to the
  // table half becomes float, 64 bytes at a time.
  __aicore__ void LoadBias() {
    LocalTensor<half> row = row_of_bias_.AllocTensor<half>();
    Nd2NzParams of_row(1, 1, wide_, 0, wide_, 1, 1, 0);
    DataCopy(row, bias_[column_], of_row);
    row_of_bias_.EnQue(row);
    row = row_of_bias_.DeQue<half>();
    LocalTensor<float> table = table_.AllocTensor<float>();
    DataCopyParams blocks(1, (wide_ * sizeof(half) + 63) / 64, 0, 0);
    DataCopy(table, row, blocks);
    row_of_bias_.FreeTensor(row);
    table_.EnQue(table);
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

  __aicore__ void Multiply(LocalTensor<float> &sum, LocalTensor<float> &bias, uint32_t at, uint32_t length) {
    LocalTensor<half> a = l0a_.DeQue<half>(), b = l0b_.DeQue<half>();
    MmadParams params;
    params.m = Rounded(rows_);  // whole fractals: with one row of its own Mmad takes a for a vector
    params.n = wide_;
    params.k = length;
    params.cmatrixInitVal = false;
    if (at == 0) Mmad(sum, a, b, bias, params);
    else Mmad(sum, a, b, params);
    if ((params.m / kCube) * (params.n / kCube) < 10) PipeBarrier<PIPE_M>();
    l0a_.FreeTensor(a);
    l0b_.FreeTensor(b);
  }

  __aicore__ void CopyOut() {
    LocalTensor<float> sum = l0c_.DeQue<float>();
    FixpipeParamsV220 params(wide_, rows_, Rounded(rows_), n_, true);
    params.quantPre = QuantMode_t::F322F16;
    Fixpipe(d_[row_ * n_ + column_], sum, params);
    l0c_.FreeTensor(sum);
  }

  uint32_t m_, n_, k_;
  uint32_t row_ = 0, column_ = 0, rows_ = 0, wide_ = 0;  // of the tile
  GlobalTensor<half> a_, b_, bias_, d_;
  TQue<QuePosition::A1, 2> left_;
  TQue<QuePosition::B1, 2> right_;
  TQue<QuePosition::A2, 2> l0a_;
  TQue<QuePosition::B2, 2> l0b_;
  TQue<QuePosition::CO1, 1> l0c_;
  TQue<QuePosition::C1, 1> row_of_bias_;
  TQue<QuePosition::C2, 1> table_;
};

extern "C" __global__ __aicore__ void matmul_bias_relu(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d,
                                                       GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  TPipe pipe;
  Product product(pipe, a, b, bias, d, t.m, t.n, t.k);
  product.Run();
}
