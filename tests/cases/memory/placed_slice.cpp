// The second half of a tensor at an address of the kernel's own is looked for at an offset in bytes: the next tensor.
// launch: blocks=1 args=in:f32[128],out:f32[64],out:f32[512]
// expect: AK1003
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<float> xGm, yGm, zGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 128);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  zGm.SetGlobalBuffer((__gm__ float *)z, 512);
  LocalTensor<float> pair(TPosition::VECCALC, 0, 128), rest(TPosition::VECCALC, 512, 512);
  Duplicate(rest, 0.0f, 512);
  PipeBarrier<PIPE_ALL>();
  DataCopy(pair, xGm, 128);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Add(pair, pair, pair[64 * sizeof(float)], 64);  // <-- AK1003
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, pair, 64);
  DataCopy(zGm, rest, 512);
}
