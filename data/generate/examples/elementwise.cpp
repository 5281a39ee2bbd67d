// y = Exp(x), element by element: a whole op_kernel file over the host side of `skeleton`, for any shape and for float,
// half and bfloat16_t. For another function of one tensor change Compute; x, y and `example` take the task's names.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class Elementwise {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, int64_t total) {
    const int64_t blocks = GetBlockNum();
    const int64_t per_block = ((total + blocks - 1) / blocks + kGrain - 1) / kGrain * kGrain;
    const int64_t first = GetBlockIdx() * per_block;
    if (first >= total) return;  // more blocks than work
    count_ = total - first < per_block ? total - first : per_block;
    x_.SetGlobalBuffer((__gm__ T *)x + first, count_);
    y_.SetGlobalBuffer((__gm__ T *)y + first, count_);
    pipe_.InitBuffer(in_queue_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_queue_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(wide_, kTile * sizeof(float));
  }

  __aicore__ inline void Process() {
    for (int64_t done = 0; done < count_; done += kTile) {
      const uint32_t n = count_ - done < kTile ? count_ - done : kTile;
      DataCopyExtParams row{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
      DataCopyPadExtParams<T> pad{false, 0, 0, 0};
      LocalTensor<T> in = in_queue_.template AllocTensor<T>();
      DataCopyPad(in, x_[done], row, pad);
      in_queue_.EnQue(in);
      Convert(n);
      LocalTensor<T> out = out_queue_.template DeQue<T>();
      DataCopyPad(y_[done], out, row);
      out_queue_.FreeTensor(out);
    }
  }

 private:
  static constexpr uint32_t kTile = 4096;  // elements in UB at a time
  static constexpr int64_t kGrain = 64;    // elements: whole data blocks for every dtype

  __aicore__ inline void Compute(const LocalTensor<float> &dst, const LocalTensor<float> &src, uint32_t n) {
    Exp(dst, src, n);
  }

  // Vector instructions compute in float: two-byte types are widened, and rounded once at the end.
  __aicore__ inline void Convert(uint32_t n) {
    LocalTensor<T> in = in_queue_.template DeQue<T>();
    LocalTensor<T> out = out_queue_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 2) {
      LocalTensor<float> wide = wide_.Get<float>();
      Cast(wide, in, RoundMode::CAST_NONE, n);
      PipeBarrier<PIPE_V>();
      Compute(wide, wide, n);
      PipeBarrier<PIPE_V>();
      Cast(out, wide, RoundMode::CAST_RINT, n);
    } else {
      Compute(out, in, n);
    }
    out_queue_.EnQue(out);
    in_queue_.FreeTensor(in);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_queue_;
  TQue<QuePosition::VECOUT, 2> out_queue_;
  TBuf<QuePosition::VECCALC> wide_;
  GlobalTensor<T> x_, y_;
  int64_t count_ = 0;
};

extern "C" __global__ __aicore__ void example(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  int64_t total = 1;
  for (int64_t i = 0; i < t.x_rank; ++i) total *= t.x_shape[i];
  Elementwise<DTYPE_X> kernel;
  kernel.Init(x, y, total);
  kernel.Process();
}
