// Two pipes wait for each other: the set that would free the first lies behind the second's wait.
// launch: blocks=1 args=out:f32[256]
// expect: AK1301
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
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);  // <-- AK1301
  Duplicate(t, 2.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 256);
  SetFlag<HardEvent::MTE3_V>(EVENT_ID0);   // <== AK1301
}
