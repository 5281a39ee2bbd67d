// Wrong: the tile is worked on in two parts, and the second starts wherever a third of the tile ends.
// Vector operands must start on a 32-byte boundary of UB.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class SqrtKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t perCore, uint32_t tile) {
    const uint32_t first = GetBlockIdx() * perCore;
    count_ = total - first < perCore ? total - first : perCore;
    tile_ = tile;
    x_.SetGlobalBuffer((__gm__ T *)x + first, count_);
    y_.SetGlobalBuffer((__gm__ T *)y + first, count_);
    pipe_.InitBuffer(inQueue_, 2, tile * sizeof(T));
    pipe_.InitBuffer(outQueue_, 2, tile * sizeof(T));
    if constexpr (sizeof(T) == 2) {
      pipe_.InitBuffer(wide_, tile * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    for (uint32_t done = 0; done < count_; done += tile_) {
      const uint32_t n = count_ - done < tile_ ? count_ - done : tile_;
      DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
      DataCopyPadExtParams<T> pad{false, 0, 0, 0};
      LocalTensor<T> x = inQueue_.template AllocTensor<T>();
      DataCopyPad(x, x_[done], params, pad);
      inQueue_.EnQue(x);
      Compute(n);
      LocalTensor<T> y = outQueue_.template DeQue<T>();
      DataCopyPad(y_[done], y, params);
      outQueue_.FreeTensor(y);
    }
  }

 private:
  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<T> x = inQueue_.template DeQue<T>();
    LocalTensor<T> y = outQueue_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 2) {
      LocalTensor<float> wide = wide_.Get<float>();
      Cast(wide, x, RoundMode::CAST_NONE, n);
      PipeBarrier<PIPE_V>();
      Sqrt(wide, wide, n / 3);
      Sqrt(wide[n / 3], wide[n / 3], n - n / 3);
      PipeBarrier<PIPE_V>();
      Cast(y, wide, RoundMode::CAST_RINT, n);
    } else {
      Sqrt(y, x, n / 3);
      Sqrt(y[n / 3], x[n / 3], n - n / 3);
    }
    outQueue_.EnQue(y);
    inQueue_.FreeTensor(x);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> inQueue_;
  TQue<QuePosition::VECOUT, 2> outQueue_;
  TBuf<QuePosition::VECCALC> wide_;
  GlobalTensor<T> x_, y_;
  uint32_t count_ = 0, tile_ = 0;
};

extern "C" __global__ __aicore__ void sqrt(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  SqrtKernel<DTYPE_X> kernel;
  kernel.Init(x, y, t.total, t.perCore, t.tile);
  kernel.Process();
}
