// The last 1024 bytes of the Unified Buffer are still in it.
// launch: blocks=1 args=out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 192 * 1024);
  LocalTensor<float> t = buf.Get<float>();
  t = t[191 * 1024 / 4];
  Duplicate(t, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  DataCopy(yGm, t, 256);
}
