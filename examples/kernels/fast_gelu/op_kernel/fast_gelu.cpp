// An activation in float with three temporaries. Both exponentials have arguments of at most 0: no overflow.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class FastGeluKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t perCore, uint32_t tile) {
    const uint32_t first = GetBlockIdx() * perCore;
    count_ = total - first < perCore ? total - first : perCore;
    tile_ = tile;
    x_.SetGlobalBuffer((__gm__ T *)x + first, count_);
    y_.SetGlobalBuffer((__gm__ T *)y + first, count_);
    pipe_.InitBuffer(inQueue_, 2, tile * sizeof(T));
    pipe_.InitBuffer(outQueue_, 2, tile * sizeof(T));
    pipe_.InitBuffer(valueBuf_, tile * sizeof(float));
    pipe_.InitBuffer(absBuf_, tile * sizeof(float));
    pipe_.InitBuffer(upBuf_, tile * sizeof(float));
  }

  __aicore__ inline void Process() {
    for (uint32_t done = 0; done < count_; done += tile_) {
      const uint32_t n = count_ - done < tile_ ? count_ - done : tile_;
      DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
      DataCopyPadExtParams<T> pad{false, 0, 0, 0};
      LocalTensor<T> in = inQueue_.template AllocTensor<T>();
      DataCopyPad(in, x_[done], params, pad);
      inQueue_.EnQue(in);
      Compute(n);
      LocalTensor<T> out = outQueue_.template DeQue<T>();
      DataCopyPad(y_[done], out, params);
      outQueue_.FreeTensor(out);
    }
  }

 private:
  static constexpr float kSlope = 1.702f;

  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<T> in = inQueue_.template DeQue<T>();
    LocalTensor<T> out = outQueue_.template AllocTensor<T>();
    LocalTensor<float> x = valueBuf_.Get<float>();
    LocalTensor<float> a = absBuf_.Get<float>();
    LocalTensor<float> up = upBuf_.Get<float>();
    if constexpr (sizeof(T) == 2) {
      Cast(x, in, RoundMode::CAST_NONE, n);
    } else {
      DataCopy(x, in, (n + 7) / 8 * 8);
    }
    Abs(a, x, n);
    Mins(up, x, 0.0f, n);          // of an infinite x, x - |x| would be no number
    Muls(up, up, kSlope, n);
    Exp(up, up, n);
    Mul(up, up, x, n);             // x exp(1.702 min(x, 0))
    Muls(a, a, -kSlope, n);
    Exp(a, a, n);
    Adds(a, a, 1.0f, n);           // 1 + exp(-1.702 |x|)
    Div(up, up, a, n);
    if constexpr (sizeof(T) == 2) {
      Cast(out, up, RoundMode::CAST_RINT, n);
    } else {
      DataCopy(out, up, (n + 7) / 8 * 8);
    }
    outQueue_.EnQue(out);
    inQueue_.FreeTensor(in);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> inQueue_;
  TQue<QuePosition::VECOUT, 2> outQueue_;
  TBuf<QuePosition::VECCALC> valueBuf_, absBuf_, upBuf_;
  GlobalTensor<T> x_, y_;
  uint32_t count_ = 0, tile_ = 0;
};

extern "C" __global__ __aicore__ void fast_gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  if (TILING_KEY_IS(1)) {
    FastGeluKernel<float> kernel;
    kernel.Init(x, y, t.total, t.perCore, t.tile);
    kernel.Process();
  } else if (TILING_KEY_IS(2)) {
    FastGeluKernel<half> kernel;
    kernel.Init(x, y, t.total, t.perCore, t.tile);
    kernel.Process();
  }
}
