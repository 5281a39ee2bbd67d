// The flag is set by the pipe that loads: the other block's store may still be on its way.
// launch: blocks=2 args=inout:f32[512],out:f32[512]
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x);
  yGm.SetGlobalBuffer((__gm__ float *)y);
  LocalTensor<float> t(TPosition::VECCALC, 0, 256), u(TPosition::VECCALC, 4096, 256);
  const uint32_t mine = GetBlockIdx() * 256, other = (1 - GetBlockIdx()) * 256;
  Duplicate(t, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(xGm[mine], t, 256);
  CrossCoreSetFlag<0, PIPE_MTE2>(3);
  CrossCoreWaitFlag(3);
  DataCopy(u, xGm[other], 256);  // <-- AK1201
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm[mine], u, 256);
}
