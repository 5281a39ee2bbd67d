// Tensors at addresses of the kernel's own that mean the same bytes: one over all, one of another type, one for its half.
// launch: blocks=1 args=in:f32[128],out:f32[128]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 128);
  yGm.SetGlobalBuffer((__gm__ float *)y, 128);
  LocalTensor<float> first(TPosition::VECIN, 0, 64), all(TPosition::VECIN, 0, 128), second(TPosition::VECIN, 256, 64);
  LocalTensor<int32_t> bits(TPosition::VECOUT, 256, 96), behind(TPosition::VECOUT, 640, 8);
  DataCopy(all, xGm, 128);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(first, first, 2.0f, 128);
  PipeBarrier<PIPE_V>();
  Adds(second, second, 1.0f, 64);
  Duplicate(bits[64], 0, 32);
  Duplicate(behind, 0, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, first, 128);
}
