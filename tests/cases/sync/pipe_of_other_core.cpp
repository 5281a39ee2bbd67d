// A Vector core has no pipe MTE1: the flag orders nothing, and the wait has no end.
// launch: blocks=1 args=out:f32[256]
// expect: AK1307
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  SetFlag<HardEvent::MTE1_MTE3>(EVENT_ID0);  // <-- AK1307
  WaitFlag<HardEvent::MTE1_MTE3>(EVENT_ID0);  // <-- AK1307
  DataCopy(yGm, t, 256);
}
