// out = alpha a x + beta y in float. A core has some rows of a; x comes a tile of columns at a time and serves all of
// them. The sum of each row gathers in a block of 32 bytes of its own, whose other seven floats stay zero.
#include "kernel_operator.h"
using namespace AscendC;

class GemvKernel {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out, const GemvTilingData &t) {
    t_ = t;
    a_.SetGlobalBuffer((__gm__ float *)a, static_cast<uint64_t>(t.m) * t.n);
    x_.SetGlobalBuffer((__gm__ float *)x, t.n);
    y_.SetGlobalBuffer((__gm__ float *)y, t.m);
    out_.SetGlobalBuffer((__gm__ float *)out, t.m);
    pipe_.InitBuffer(rowQueue_, 2, kColumns * sizeof(float));
    pipe_.InitBuffer(xQueue_, 2, kColumns * sizeof(float));
    pipe_.InitBuffer(yQueue_, 1, kRows * sizeof(float));
    pipe_.InitBuffer(outQueue_, 1, kRows * sizeof(float));
    pipe_.InitBuffer(productBuf_, kColumns * sizeof(float));
    pipe_.InitBuffer(workBuf_, kColumns * sizeof(float));
    pipe_.InitBuffer(sumsBuf_, kRows * kBlock * sizeof(float));
    pipe_.InitBuffer(partBuf_, kBlock * sizeof(float));
  }

  __aicore__ inline void Process() {
    const uint32_t first = GetBlockIdx() * t_.rowsPerCore, end = min(first + t_.rowsPerCore, t_.m);
    for (uint32_t row = first; row < end; row += kRows) {
      Rows(row, min(kRows, end - row));
    }
  }

 private:
  static constexpr uint32_t kColumns = 4096, kRows = 256, kBlock = 8;  // at a time; floats of 32 bytes

  __aicore__ inline void Rows(uint32_t first, uint32_t rows) {
    LocalTensor<float> sums = sumsBuf_.Get<float>();
    Duplicate(sums, 0.0f, kRows * kBlock);
    for (uint32_t column = 0; column < t_.n; column += kColumns) {
      const uint32_t columns = min(kColumns, t_.n - column);
      Load(xQueue_, x_[column], columns);
      LocalTensor<float> x = xQueue_.DeQue<float>();
      for (uint32_t r = 0; r < rows; ++r) {
        Load(rowQueue_, a_[static_cast<uint64_t>(first + r) * t_.n + column], columns);
        AddProduct(sums[r * kBlock], x, columns);
      }
      xQueue_.FreeTensor(x);
    }
    Load(yQueue_, y_[first], rows);
    Store(first, rows);
  }

  template <typename Queue>
  __aicore__ inline void Load(Queue &queue, GlobalTensor<float> from, uint32_t count) {
    DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    DataCopyPadExtParams<float> pad{false, 0, 0, 0};
    LocalTensor<float> in = queue.template AllocTensor<float>();
    DataCopyPad(in, from, params, pad);
    queue.EnQue(in);
  }

  __aicore__ inline void AddProduct(LocalTensor<float> sum, LocalTensor<float> x, uint32_t columns) {
    LocalTensor<float> product = productBuf_.Get<float>(), work = workBuf_.Get<float>(), part = partBuf_.Get<float>();
    LocalTensor<float> row = rowQueue_.DeQue<float>();
    Mul(product, row, x, columns);
    rowQueue_.FreeTensor(row);
    ReduceSum(part, product, work, columns);
    Add(sum, sum, part, 1);
  }

  __aicore__ inline void Store(uint32_t first, uint32_t rows) {
    LocalTensor<float> sums = sumsBuf_.Get<float>();
    LocalTensor<float> y = yQueue_.DeQue<float>(), out = outQueue_.AllocTensor<float>();
    BlockReduceSum(out, sums, kRows / kBlock, kBlock * kBlock, 1, 1, kBlock);
    Muls(out, out, t_.alpha, rows);
    Axpy(out, y, t_.beta, rows);
    yQueue_.FreeTensor(y);
    outQueue_.EnQue(out);
    out = outQueue_.DeQue<float>();
    DataCopyExtParams params{1, static_cast<uint32_t>(rows * sizeof(float)), 0, 0, 0};
    DataCopyPad(out_[first], out, params);
    outQueue_.FreeTensor(out);
  }

  GemvTilingData t_;
  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> rowQueue_, xQueue_;
  TQue<QuePosition::VECIN, 1> yQueue_;
  TQue<QuePosition::VECOUT, 1> outQueue_;
  TBuf<QuePosition::VECCALC> productBuf_, workBuf_, sumsBuf_, partBuf_;
  GlobalTensor<float> a_, x_, y_, out_;
};

extern "C" __global__ __aicore__ void gemv(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  GemvKernel kernel;
  kernel.Init(a, x, y, out, data);
  kernel.Process();
}
