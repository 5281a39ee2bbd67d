// A number is shifted by as many bits as it has: the core, this machine and the compiler differ.
// launch: blocks=1 args=out:f32[64]
// expect: AK1011
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  const uint32_t lanes = 32 + uint32_t(GetBlockIdx());
  Duplicate(t, float((1u << lanes) - 1), 64);  // <-- AK1011
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
