// d = GELU(a b) in half precision, fused: the Cube core of a block puts one tile after the other into a ring of two slots
// in the workspace, its two Vector cores take half of each tile's rows, and flags say which slots are full and free.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kTile = 128;  // rows and columns of a tile
constexpr uint32_t kStep = 128;  // of K at a time
constexpr uint32_t kCube = 16;
constexpr uint32_t kFractal = kCube * kCube;  // elements

constexpr uint32_t kSlots = 2;                // tiles of a block that lie in the workspace
constexpr uint16_t kFull = 0, kFree = 2;      // flags of the first slot; the second has the next ones

__aicore__ inline uint32_t Rounded(uint32_t x) { return (x + kCube - 1) / kCube * kCube; }

class Product {
 public:
  __aicore__ Product(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR ring, uint32_t m, uint32_t n, uint32_t k)
      : m_(m), n_(n), k_(k) {
    a_.SetGlobalBuffer((__gm__ half *)a, m * k);
    b_.SetGlobalBuffer((__gm__ half *)b, k * n);
    ring_.SetGlobalBuffer((__gm__ float *)ring + GetBlockIdx() * kSlots * kTile * kTile, kSlots * kTile * kTile);
    pipe.InitBuffer(left_, 2, kTile * kStep * sizeof(half));
    pipe.InitBuffer(right_, 2, kStep * kTile * sizeof(half));
    pipe.InitBuffer(l0a_, 2, kTile * kStep * sizeof(half));
    pipe.InitBuffer(l0b_, 2, kStep * kTile * sizeof(half));
    pipe.InitBuffer(l0c_, 1, kTile * kTile * sizeof(float));
  }

  __aicore__ void Run() {
    const uint32_t columns = (n_ + kTile - 1) / kTile, tiles = (m_ + kTile - 1) / kTile * columns;
    uint32_t done = 0;
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      row_ = tile / columns * kTile;
      column_ = tile % columns * kTile;
      rows_ = row_ + kTile <= m_ ? kTile : m_ - row_;
      wide_ = column_ + kTile <= n_ ? kTile : n_ - column_;
      if (done >= kSlots) CrossCoreWaitFlag(kFree + done % kSlots);
      Tile(done % kSlots);
      CrossCoreSetFlag<2, PIPE_FIX>(kFull + done % kSlots);
      ++done;
    }
    // Every set has its wait: the last slots become free as well.
    for (uint32_t slot = 0; slot < kSlots && slot < done; ++slot) CrossCoreWaitFlag(kFree + slot);
  }

 private:
  __aicore__ void Tile(uint32_t slot) {
    LocalTensor<float> sum = l0c_.AllocTensor<float>();
    for (uint32_t at = 0; at < k_; at += kStep) {
      const uint32_t length = at + kStep <= k_ ? kStep : k_ - at;
      CopyIn(at, length);
      Load(length);
      Multiply(sum, at, length);
    }
    l0c_.EnQue(sum);
    CopyOut(slot);
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

  __aicore__ void CopyOut(uint32_t slot) {
    LocalTensor<float> sum = l0c_.DeQue<float>();
    FixpipeParamsV220 params(wide_, rows_, Rounded(rows_), kTile, false);
    Fixpipe(ring_[slot * kTile * kTile], sum, params);
    l0c_.FreeTensor(sum);
  }

  uint32_t m_, n_, k_;
  uint32_t row_ = 0, column_ = 0, rows_ = 0, wide_ = 0;  // of the tile
  GlobalTensor<half> a_, b_;
  GlobalTensor<float> ring_;
  TQue<QuePosition::A1, 2> left_;
  TQue<QuePosition::B1, 2> right_;
  TQue<QuePosition::A2, 2> l0a_;
  TQue<QuePosition::B2, 2> l0b_;
  TQue<QuePosition::CO1, 1> l0c_;
};

class Activation {
 public:
  __aicore__ Activation(TPipe &pipe, GM_ADDR ring, GM_ADDR d, uint32_t m, uint32_t n) : m_(m), n_(n) {
    const uint32_t block = GetBlockIdx() / GetSubBlockNum();
    ring_.SetGlobalBuffer((__gm__ float *)ring + block * kSlots * kTile * kTile, kSlots * kTile * kTile);
    d_.SetGlobalBuffer((__gm__ half *)d, m * n);
    pipe.InitBuffer(in_, 2, kTile / 2 * kTile * sizeof(float));
    pipe.InitBuffer(out_, 2, kTile / 2 * kTile * sizeof(half));
    pipe.InitBuffer(work_, kTile / 2 * kTile * sizeof(float));
  }

  __aicore__ void Run() {
    const uint32_t columns = (n_ + kTile - 1) / kTile, tiles = (m_ + kTile - 1) / kTile * columns;
    uint32_t done = 0;
    for (uint32_t tile = GetBlockIdx() / GetSubBlockNum(); tile < tiles; tile += GetBlockNum()) {
      const uint32_t row = tile / columns * kTile, column = tile % columns * kTile;
      const uint32_t rows = row + kTile <= m_ ? kTile : m_ - row, upper = (rows + 1) / 2;
      const uint32_t wide = column + kTile <= n_ ? kTile : n_ - column;
      const uint32_t first = GetSubBlockIdx() == 0 ? 0 : upper, mine = GetSubBlockIdx() == 0 ? upper : rows - upper;
      const uint32_t slot = done++ % kSlots;
      CrossCoreWaitFlag(kFull + slot);
      if (mine > 0) CopyIn(slot * kTile * kTile + first * kTile, mine, wide);
      CrossCoreSetFlag<2, PIPE_MTE2>(kFree + slot);  // what is loaded may be overwritten, whatever becomes of it here
      if (mine == 0) continue;
      Compute(mine * Rounded(wide));
      CopyOut((row + first) * n_ + column, mine, wide);
    }
  }

 private:
  // In UB each row begins at a multiple of 16 elements.
  __aicore__ void CopyIn(uint32_t at, uint32_t rows, uint32_t wide) {
    constexpr uint32_t kPerBlock = 32 / sizeof(float);
    LocalTensor<float> in = in_.AllocTensor<float>();
    const uint32_t blocks = (wide + kPerBlock - 1) / kPerBlock;
    DataCopyExtParams params{static_cast<uint16_t>(rows), static_cast<uint32_t>(wide * sizeof(float)),
                             static_cast<uint32_t>((kTile - wide) * sizeof(float)),
                             Rounded(wide) / kPerBlock - blocks, 0};
    DataCopyPadExtParams<float> pad{true, 0, static_cast<uint8_t>(blocks * kPerBlock - wide), 0.0f};
    DataCopyPad(in, ring_[at], params, pad);
    in_.EnQue(in);
  }

  __aicore__ void Compute(uint32_t count) {
    LocalTensor<float> x = in_.DeQue<float>(), w = work_.Get<float>();
    Mul(w, x, x, count);
    Mul(w, w, x, count);
    Muls(w, w, 0.044715f, count);
    Add(w, w, x, count);
    Muls(w, w, -1.5957691216f, count);
    Exp(w, w, count);
    Adds(w, w, 1.0f, count);
    Div(w, x, w, count);
    in_.FreeTensor(x);
    LocalTensor<half> out = out_.AllocTensor<half>();
    Cast(out, w, RoundMode::CAST_RINT, count);
    out_.EnQue(out);
  }

  __aicore__ void CopyOut(uint32_t at, uint32_t rows, uint32_t wide) {
    LocalTensor<half> out = out_.DeQue<half>();
    DataCopyExtParams params{static_cast<uint16_t>(rows), static_cast<uint32_t>(wide * sizeof(half)), 0,
                             static_cast<uint32_t>((n_ - wide) * sizeof(half)), 0};
    DataCopyPad(d_[at], out, params);
    out_.FreeTensor(out);
  }

  uint32_t m_, n_;
  GlobalTensor<float> ring_;
  GlobalTensor<half> d_;
  TQue<QuePosition::VECIN, 2> in_;
  TQue<QuePosition::VECOUT, 2> out_;
  TBuf<QuePosition::VECCALC> work_;
};

extern "C" __global__ __aicore__ void matmul_gelu(GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(t, tiling);
  TPipe pipe;
  GM_ADDR ring = GetUserWorkspace(workspace);
  if ASCEND_IS_AIC {
    Product product(pipe, a, b, ring, t.m, t.n, t.k);
    product.Run();
  }
  if ASCEND_IS_AIV {
    Activation activation(pipe, ring, d, t.m, t.n);
    activation.Run();
  }
}
