// Wrong: x never passes through its queue. EnQue and DeQue are what orders MTE2 (the copy) before V (the
// addition); without them the addition races with the copy. That of y does not help: it was queued before.
#include "kernel_operator.h"
using namespace AscendC;

class AddKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t perCore, uint32_t tile) {
    const uint32_t first = GetBlockIdx() * perCore;
    count_ = total - first < perCore ? total - first : perCore;
    tile_ = tile;
    x_.SetGlobalBuffer((__gm__ half *)x + first, count_);
    y_.SetGlobalBuffer((__gm__ half *)y + first, count_);
    z_.SetGlobalBuffer((__gm__ half *)z + first, count_);
    pipe_.InitBuffer(xQueue_, 2, tile * sizeof(half));
    pipe_.InitBuffer(yQueue_, 2, tile * sizeof(half));
    pipe_.InitBuffer(zQueue_, 2, tile * sizeof(half));
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
    DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(half)), 0, 0, 0};
    DataCopyPadExtParams<half> pad{false, 0, 0, 0};
    LocalTensor<half> x = xQueue_.AllocTensor<half>();
    LocalTensor<half> y = yQueue_.AllocTensor<half>();
    DataCopyPad(y, y_[offset], params, pad);
    yQueue_.EnQue(y);
    DataCopyPad(x, x_[offset], params, pad);
    arrived_ = x;
  }

  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<half> x = arrived_;
    LocalTensor<half> y = yQueue_.DeQue<half>();
    LocalTensor<half> z = zQueue_.AllocTensor<half>();
    Add(z, x, y, n);
    zQueue_.EnQue(z);
    xQueue_.FreeTensor(x);
    yQueue_.FreeTensor(y);
  }

  __aicore__ inline void CopyOut(uint32_t offset, uint32_t n) {
    DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(half)), 0, 0, 0};
    LocalTensor<half> z = zQueue_.DeQue<half>();
    DataCopyPad(z_[offset], z, params);
    zQueue_.FreeTensor(z);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> xQueue_, yQueue_;
  TQue<QuePosition::VECOUT, 2> zQueue_;
  LocalTensor<half> arrived_;
  GlobalTensor<half> x_, y_, z_;
  uint32_t count_ = 0, tile_ = 0;
};

extern "C" __global__ __aicore__ void unalign_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  AddKernel kernel;
  kernel.Init(x, y, z, t.total, t.perCore, t.tile);
  kernel.Process();
}
