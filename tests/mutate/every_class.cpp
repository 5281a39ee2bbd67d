// A correct kernel with a place for every class of fault: two blocks, queues, flags, a cast, a mask, a reduction, a barrier.
// launch: blocks=2 args=in:f32[1024],out:f16[1024],out:f32[16]
#include "kernel_operator.h"
using namespace AscendC;

class Halve {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR sums) {
    uint32_t first = GetBlockIdx() * 512;
    x_.SetGlobalBuffer((__gm__ float *)x + first, 512);
    y_.SetGlobalBuffer((__gm__ half *)y + first, 512);
    sums_.SetGlobalBuffer((__gm__ float *)sums + GetBlockIdx() * 8, 8);
    pipe_.InitBuffer(in_, 1, 128 * sizeof(float));
    pipe_.InitBuffer(out_, 1, 128 * sizeof(half));
    pipe_.InitBuffer(work_, 128 * sizeof(float));
    pipe_.InitBuffer(sum_, 32);
  }
  __aicore__ inline void Process() {
    LocalTensor<float> sum = sum_.Get<float>();
    Duplicate(sum, 0.0f, 8);
    for (int32_t i = 0; i < 4; ++i) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID3);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);
    DataCopy(sums_, sum, 8);
    PipeBarrier<PIPE_MTE3>();
    DataCopy(sums_, sum, 8);
  }

 private:
  __aicore__ inline void CopyIn(int32_t i) {
    DataCopyExtParams params{1, 128 * sizeof(float), 0, 0, 0};
    DataCopyPadExtParams<float> pad{false, 0, 0, 0};
    LocalTensor<float> x = in_.AllocTensor<float>();
    DataCopyPad(x, x_[i * 128], params, pad);
    in_.EnQue(x);
  }
  __aicore__ inline void Compute() {
    float scale = 0.3f;
    LocalTensor<float> x = in_.DeQue<float>();
    LocalTensor<half> y = out_.AllocTensor<half>();
    LocalTensor<float> work = work_.Get<float>();
    LocalTensor<float> sum = sum_.Get<float>();
    Muls(work, x, scale, 64, 2, {1, 1, 8, 8});
    Add(sum, sum, work, 8);
    Cast(y, work, RoundMode::CAST_RINT, 128);
    out_.EnQue(y);
    in_.FreeTensor(x);
  }
  __aicore__ inline void CopyOut(int32_t i) {
    LocalTensor<half> y = out_.DeQue<half>();
    DataCopy(y_[i * 128], y, 128);
    out_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<QuePosition::VECCALC> work_, sum_;
  GlobalTensor<float> x_, sums_;
  GlobalTensor<half> y_;
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR sums) {
  Halve kernel;
  kernel.Init(x, y, sums);
  kernel.Process();
}
