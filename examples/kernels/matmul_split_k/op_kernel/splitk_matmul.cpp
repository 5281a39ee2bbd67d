// c = a b in half precision where K is long and c is small: the Cube cores share out parts of K, each writes its sums to
// the workspace in float, and the Vector cores add the parts up and round once.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kTile = 128;  // rows and columns of a tile
constexpr uint32_t kStep = 128;  // of K at a time
constexpr uint32_t kCube = 16;
constexpr uint32_t kFractal = kCube * kCube;  // elements

__aicore__ inline uint32_t Rounded(uint32_t x) { return (x + kCube - 1) / kCube * kCube; }

class Product {
 public:
  __aicore__ Product(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR partial, uint32_t m, uint32_t n, uint32_t k,
                     uint32_t partLength, uint32_t parts)
      : m_(m), n_(n), k_(k), partLength_(partLength), parts_(parts) {
    a_.SetGlobalBuffer((__gm__ half *)a, m * k);
    b_.SetGlobalBuffer((__gm__ half *)b, k * n);
    partial_.SetGlobalBuffer((__gm__ float *)partial, parts * m * n);
    pipe.InitBuffer(left_, 2, kTile * kStep * sizeof(half));
    pipe.InitBuffer(right_, 2, kStep * kTile * sizeof(half));
    pipe.InitBuffer(l0a_, 2, kTile * kStep * sizeof(half));
    pipe.InitBuffer(l0b_, 2, kStep * kTile * sizeof(half));
    pipe.InitBuffer(l0c_, 1, kTile * kTile * sizeof(float));
  }

  __aicore__ void Run() {
    const uint32_t columns = (n_ + kTile - 1) / kTile, tiles = (m_ + kTile - 1) / kTile * columns;
    for (uint32_t item = GetBlockIdx(); item < tiles * parts_; item += GetBlockNum()) {
      const uint32_t tile = item / parts_;
      part_ = item % parts_;
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
    const uint32_t first = part_ * partLength_, end = first + partLength_ <= k_ ? first + partLength_ : k_;
    for (uint32_t at = first; at < end; at += kStep) {
      const uint32_t length = at + kStep <= end ? kStep : end - at;
      CopyIn(at, length);
      Load(length);
      Multiply(sum, at == first, length);
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

  __aicore__ void Multiply(LocalTensor<float> &sum, bool starts, uint32_t length) {
    LocalTensor<half> a = l0a_.DeQue<half>(), b = l0b_.DeQue<half>();
    MmadParams params;
    params.m = Rounded(rows_);  // whole fractals: with one row of its own Mmad takes a for a vector
    params.n = wide_;
    params.k = length;
    params.cmatrixInitVal = starts;
    Mmad(sum, a, b, params);
    if ((params.m / kCube) * (params.n / kCube) < 10) PipeBarrier<PIPE_M>();
    l0a_.FreeTensor(a);
    l0b_.FreeTensor(b);
  }

  __aicore__ void CopyOut() {
    LocalTensor<float> sum = l0c_.DeQue<float>();
    FixpipeParamsV220 params(wide_, rows_, Rounded(rows_), n_, false);
    Fixpipe(partial_[(part_ * m_ + row_) * n_ + column_], sum, params);
    l0c_.FreeTensor(sum);
  }

  uint32_t m_, n_, k_, partLength_, parts_;
  uint32_t part_ = 0, row_ = 0, column_ = 0, rows_ = 0, wide_ = 0;  // of the tile
  GlobalTensor<half> a_, b_;
  GlobalTensor<float> partial_;
  TQue<QuePosition::A1, 2> left_;
  TQue<QuePosition::B1, 2> right_;
  TQue<QuePosition::A2, 2> l0a_;
  TQue<QuePosition::B2, 2> l0b_;
  TQue<QuePosition::CO1, 1> l0c_;
};

class Reduction {
 public:
  __aicore__ Reduction(TPipe &pipe, GM_ADDR partial, GM_ADDR c, uint32_t elements, uint32_t parts)
      : elements_(elements), parts_(parts) {
    partial_.SetGlobalBuffer((__gm__ float *)partial, parts * elements);
    c_.SetGlobalBuffer((__gm__ half *)c, elements);
    pipe.InitBuffer(in_, 2, kChunk * sizeof(float));
    pipe.InitBuffer(out_, 2, kChunk * sizeof(half));
    pipe.InitBuffer(sum_, kChunk * sizeof(float));
  }

  __aicore__ void Run() {
    for (uint32_t at = GetBlockIdx() * kChunk; at < elements_; at += GetBlockNum() * GetSubBlockNum() * kChunk) {
      Chunk(at, at + kChunk <= elements_ ? kChunk : elements_ - at);
    }
  }

 private:
  // The parts in ascending order, so that the sum is the same each time.
  __aicore__ void Chunk(uint32_t at, uint32_t length) {
    LocalTensor<float> sum = sum_.Get<float>();
    for (uint32_t part = 0; part < parts_; ++part) {
      LocalTensor<float> in = in_.AllocTensor<float>();
      DataCopyExtParams bytes{1, static_cast<uint32_t>(length * sizeof(float)), 0, 0, 0};
      DataCopyPadExtParams<float> pad{false, 0, 0, 0};
      DataCopyPad(in, partial_[part * elements_ + at], bytes, pad);
      in_.EnQue(in);
      in = in_.DeQue<float>();
      if (part == 0) Adds(sum, in, 0.0f, length);
      else Add(sum, sum, in, length);
      in_.FreeTensor(in);
    }
    LocalTensor<half> out = out_.AllocTensor<half>();
    Cast(out, sum, RoundMode::CAST_RINT, length);
    out_.EnQue(out);
    out = out_.DeQue<half>();
    DataCopyExtParams bytes{1, static_cast<uint32_t>(length * sizeof(half)), 0, 0, 0};
    DataCopyPad(c_[at], out, bytes);
    out_.FreeTensor(out);
  }

  static constexpr uint32_t kChunk = 4096;  // elements
  uint32_t elements_, parts_;
  GlobalTensor<float> partial_;
  GlobalTensor<half> c_;
  TQue<QuePosition::VECIN, 2> in_;
  TQue<QuePosition::VECOUT, 2> out_;
  TBuf<QuePosition::VECCALC> sum_;
};

constexpr uint16_t kDone = 3;

extern "C" __global__ __aicore__ void splitk_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(t, tiling);
  TPipe pipe;
  GM_ADDR partial = GetUserWorkspace(workspace);
  if ASCEND_IS_AIC {
    Product product(pipe, a, b, partial, t.m, t.n, t.k, t.part_length, t.parts);
    product.Run();
    CrossCoreSetFlag<2, PIPE_FIX>(kDone);
  }
  if ASCEND_IS_AIV {
    Reduction reduction(pipe, partial, c, t.m * t.n, t.parts);
    CrossCoreWaitFlag(kDone);  // this block's parts are there,
    SyncAll();                 // and with this those of all blocks
    reduction.Run();
  }
}
