// Brcb takes eight elements for each repeat, and the copy brought as many for one of two.
// launch: blocks=1 args=out:f32[64]
// expect: AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<float> s = t[1024];
  Duplicate(s, 1.0f, 8);
  Brcb(t[64], s, 2, {1, 8});
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t[128], 64);
}
