// z = x + y. Three stages per tile, joined by queues of two buffers each: while one tile is computed, the next is on its
// way in and the previous one on its way out. Compute() is the place for another operator.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class MyOpKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t perCore, uint32_t tile) {
    const uint32_t first = GetBlockIdx() * perCore;
    count_ = total - first < perCore ? total - first : perCore;
    tile_ = tile;
    x_.SetGlobalBuffer((__gm__ T *)x + first, count_);
    y_.SetGlobalBuffer((__gm__ T *)y + first, count_);
    z_.SetGlobalBuffer((__gm__ T *)z + first, count_);
    pipe_.InitBuffer(xQueue_, 2, tile * sizeof(T));
    pipe_.InitBuffer(yQueue_, 2, tile * sizeof(T));
    pipe_.InitBuffer(zQueue_, 2, tile * sizeof(T));
  }

  __aicore__ inline void Process() {
    for (uint32_t done = 0; done < count_; done += tile_) {
      const uint32_t n = count_ - done < tile_ ? count_ - done : tile_;
      CopyIn(done, n);
      Compute(n);
      CopyOut(done, n);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t offset, uint32_t n) {
    DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    DataCopyPadExtParams<T> pad{false, 0, 0, 0};
    LocalTensor<T> x = xQueue_.template AllocTensor<T>();
    LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    DataCopyPad(x, x_[offset], params, pad);
    DataCopyPad(y, y_[offset], params, pad);
    xQueue_.EnQue(x);
    yQueue_.EnQue(y);
  }

  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<T> x = xQueue_.template DeQue<T>();
    LocalTensor<T> y = yQueue_.template DeQue<T>();
    LocalTensor<T> z = zQueue_.template AllocTensor<T>();
    Add(z, x, y, n);
    zQueue_.EnQue(z);
    xQueue_.FreeTensor(x);
    yQueue_.FreeTensor(y);
  }

  __aicore__ inline void CopyOut(uint32_t offset, uint32_t n) {
    DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    LocalTensor<T> z = zQueue_.template DeQue<T>();
    DataCopyPad(z_[offset], z, params);
    zQueue_.FreeTensor(z);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> xQueue_, yQueue_;
  TQue<QuePosition::VECOUT, 2> zQueue_;
  GlobalTensor<T> x_, y_, z_;
  uint32_t count_ = 0, tile_ = 0;
};

extern "C" __global__ __aicore__ void my_op(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  MyOpKernel<DTYPE_X> kernel;
  kernel.Init(x, y, z, t.total, t.perCore, t.tile);
  kernel.Process();
}
