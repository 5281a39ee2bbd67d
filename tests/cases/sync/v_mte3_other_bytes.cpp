// The vector unit writes other bytes over what a copy out still reads; that some stay the same does not help.
// launch: blocks=1 args=out:f32[256]
// expect: AK1202
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> a = buf.Get<float>();

  Duplicate(a, 3.0f, 256);
  Duplicate(a[248], 2.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, a, 256);
  Maxs(a, a, 3.0f, 256);  // <-- AK1202
}
