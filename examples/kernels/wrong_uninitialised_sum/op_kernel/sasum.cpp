// Wrong: the accumulator is never set to zero. UB keeps what the previous kernel left there, so the sum is
// right only by luck.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kBlock = 8;  // floats in 32 bytes

class SasumKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, uint32_t count, uint32_t stride,
                              uint32_t perCore, uint32_t tile) {
    const uint32_t first = GetBlockIdx() * perCore;
    count_ = count - first < perCore ? count - first : perCore;
    stride_ = stride;
    tile_ = tile;
    x_.SetGlobalBuffer((__gm__ float *)x + static_cast<uint64_t>(first) * stride);
    result_.SetGlobalBuffer((__gm__ float *)result, 1);
    partial_.SetGlobalBuffer((__gm__ float *)workspace, GetBlockNum() * kBlock);
    const uint32_t moved = stride == 1 ? tile : tile * kBlock;
    const uint32_t gathered = GetBlockNum() * kBlock;
    const uint32_t bytes = (moved > gathered ? moved : gathered) * sizeof(float);
    pipe_.InitBuffer(inQueue_, 1, bytes);
    pipe_.InitBuffer(workBuf_, bytes);
    pipe_.InitBuffer(sumQueue_, 1, kBlock * sizeof(float));
    pipe_.InitBuffer(addBuf_, kBlock * sizeof(float));
  }

  __aicore__ inline void Process() {
    LocalTensor<float> sum = sumQueue_.AllocTensor<float>();
    for (uint32_t done = 0; done < count_; done += tile_) {
      AddTile(sum, done, count_ - done < tile_ ? count_ - done : tile_);
    }
    sumQueue_.EnQue(sum);
    sum = sumQueue_.DeQue<float>();
    DataCopy(partial_[GetBlockIdx() * kBlock], sum, kBlock);
    sumQueue_.FreeTensor(sum);
    SyncAll();
    if (GetBlockIdx() == 0) {
      AddPartials();
    }
  }

 private:
  // sum[0] += the absolute values of n elements.
  __aicore__ inline void AddTile(LocalTensor<float> &sum, uint32_t offset, uint32_t n) {
    LocalTensor<float> in = inQueue_.AllocTensor<float>();
    uint32_t length = 0;
    if (stride_ == 1) {
      length = (n + kBlock - 1) / kBlock * kBlock;
      DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
      DataCopyPadExtParams<float> zeros{true, 0, static_cast<uint8_t>(length - n), 0.0f};
      DataCopyPad(in, x_[offset], params, zeros);
    } else {
      length = n * kBlock;  // one element per block
      DataCopyExtParams params{static_cast<uint16_t>(n), sizeof(float),
                               static_cast<uint32_t>((stride_ - 1) * sizeof(float)), 0, 0};
      DataCopyPadExtParams<float> zeros{true, 0, kBlock - 1, 0.0f};
      DataCopyPad(in, x_[static_cast<uint64_t>(offset) * stride_], params, zeros);
    }
    inQueue_.EnQue(in);
    in = inQueue_.DeQue<float>();
    Abs(in, in, length);
    Reduce(sum, in, length);
    inQueue_.FreeTensor(in);
  }

  __aicore__ inline void Reduce(LocalTensor<float> &sum, LocalTensor<float> &in, uint32_t length) {
    LocalTensor<float> work = workBuf_.Get<float>();
    LocalTensor<float> add = addBuf_.Get<float>();
    ReduceSum(add, in, work, length);
    Add(sum, sum, add, 1);
  }

  __aicore__ inline void AddPartials() {
    LocalTensor<float> in = inQueue_.AllocTensor<float>();
    DataCopy(in, partial_, GetBlockNum() * kBlock);
    inQueue_.EnQue(in);
    in = inQueue_.DeQue<float>();
    LocalTensor<float> sum = sumQueue_.AllocTensor<float>();
    Duplicate(sum, 0.0f, kBlock);
    Reduce(sum, in, GetBlockNum() * kBlock);
    inQueue_.FreeTensor(in);
    sumQueue_.EnQue(sum);
    sum = sumQueue_.DeQue<float>();
    DataCopyExtParams params{1, sizeof(float), 0, 0, 0};
    DataCopyPad(result_, sum, params);
    sumQueue_.FreeTensor(sum);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> inQueue_;
  TQue<QuePosition::VECOUT, 1> sumQueue_;
  TBuf<QuePosition::VECCALC> workBuf_, addBuf_;
  GlobalTensor<float> x_, result_, partial_;
  uint32_t count_ = 0, stride_ = 0, tile_ = 0;
};

extern "C" __global__ __aicore__ void sasum(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // SyncAll needs the scheduler
  GET_TILING_DATA(t, tiling);
  SasumKernel kernel;
  kernel.Init(x, result, GetUserWorkspace(workspace), t.count, t.stride, t.perCore, t.tile);
  kernel.Process();
}
