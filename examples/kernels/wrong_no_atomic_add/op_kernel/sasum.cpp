// Wrong: all cores write to the one result, without SetAtomicAdd and without a second phase. Which partial sum
// stays is a matter of timing.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kSlot = 8;  // floats in the 32 bytes of a partial sum

template <typename T>
class SasumKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, uint32_t count, uint32_t stride,
                              uint32_t perCore, uint32_t tile) {
    const uint32_t first = GetBlockIdx() * perCore;
    count_ = count - first < perCore ? count - first : perCore;
    stride_ = stride;
    tile_ = tile;
    x_.SetGlobalBuffer((__gm__ T *)x + static_cast<uint64_t>(first) * stride);
    result_.SetGlobalBuffer((__gm__ T *)result, 1);
    partial_.SetGlobalBuffer((__gm__ float *)workspace, GetBlockNum() * kSlot);
    const uint32_t moved = (stride == 1 ? tile : tile * kBlock);
    const uint32_t gathered = GetBlockNum() * kSlot;
    const uint32_t floats = moved > gathered ? moved : gathered;
    pipe_.InitBuffer(inQueue_, 1, moved * sizeof(T));
    pipe_.InitBuffer(partialQueue_, 1, gathered * sizeof(float));
    pipe_.InitBuffer(valueBuf_, floats * sizeof(float));
    pipe_.InitBuffer(workBuf_, floats * sizeof(float));
    pipe_.InitBuffer(addBuf_, kSlot * sizeof(float));
    pipe_.InitBuffer(sumQueue_, 1, kSlot * sizeof(float));
    pipe_.InitBuffer(resultQueue_, 1, 32);
  }

  __aicore__ inline void Process() {
    LocalTensor<float> sum = sumQueue_.template AllocTensor<float>();
    Duplicate(sum, 0.0f, kSlot);
    for (uint32_t done = 0; done < count_; done += tile_) {
      AddTile(sum, done, count_ - done < tile_ ? count_ - done : tile_);
    }
    WriteResult(sum);
    sumQueue_.FreeTensor(sum);
  }

 private:
  static constexpr uint32_t kBlock = 32 / sizeof(T);  // elements in 32 bytes

  // sum[0] += the absolute values of n elements.
  __aicore__ inline void AddTile(LocalTensor<float> &sum, uint32_t offset, uint32_t n) {
    LocalTensor<T> in = inQueue_.template AllocTensor<T>();
    uint32_t length = 0;
    if (stride_ == 1) {
      length = (n + kBlock - 1) / kBlock * kBlock;
      DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
      DataCopyPadExtParams<T> zeros{true, 0, static_cast<uint8_t>(length - n), 0};
      DataCopyPad(in, x_[offset], params, zeros);
    } else {
      length = n * kBlock;  // one element per block
      DataCopyExtParams params{static_cast<uint16_t>(n), sizeof(T),
                               static_cast<uint32_t>((stride_ - 1) * sizeof(T)), 0, 0};
      DataCopyPadExtParams<T> zeros{true, 0, kBlock - 1, 0};
      DataCopyPad(in, x_[static_cast<uint64_t>(offset) * stride_], params, zeros);
    }
    inQueue_.EnQue(in);
    in = inQueue_.template DeQue<T>();
    LocalTensor<float> value = valueBuf_.Get<float>();
    if constexpr (sizeof(T) == 2) {
      Cast(value, in, RoundMode::CAST_NONE, length);
      Abs(value, value, length);
    } else {
      Abs(value, in, length);
    }
    inQueue_.FreeTensor(in);
    Reduce(sum, value, length);
  }

  __aicore__ inline void Reduce(LocalTensor<float> &sum, LocalTensor<float> &value, uint32_t length) {
    LocalTensor<float> work = workBuf_.Get<float>();
    LocalTensor<float> add = addBuf_.Get<float>();
    ReduceSum(add, value, work, length);
    Add(sum, sum, add, 1);
  }

  __aicore__ inline void WriteResult(LocalTensor<float> &sum) {
    LocalTensor<T> out = resultQueue_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 2) {
      Cast(out, sum, RoundMode::CAST_RINT, 1);
    } else {
      Adds(out, sum, 0.0f, 1);
    }
    resultQueue_.EnQue(out);
    out = resultQueue_.template DeQue<T>();
    DataCopyExtParams params{1, sizeof(T), 0, 0, 0};
    DataCopyPad(result_, out, params);
    resultQueue_.FreeTensor(out);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> inQueue_, partialQueue_;
  TQue<QuePosition::VECOUT, 1> sumQueue_, resultQueue_;
  TBuf<QuePosition::VECCALC> valueBuf_, workBuf_, addBuf_;
  GlobalTensor<T> x_, result_;
  GlobalTensor<float> partial_;
  uint32_t count_ = 0, stride_ = 0, tile_ = 0;
};

extern "C" __global__ __aicore__ void sasum(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // SyncAll needs the scheduler
  GET_TILING_DATA(t, tiling);
  SasumKernel<DTYPE_X> kernel;
  kernel.Init(x, result, GetUserWorkspace(workspace), t.count, t.stride, t.perCore, t.tile);
  kernel.Process();
}
