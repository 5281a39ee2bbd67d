// Buffers that fit.
// launch: blocks=1 args=out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB;
  pipe.InitBuffer(bufA, 64 * 1024);
  pipe.InitBuffer(bufB, 64 * 1024);
  LocalTensor<float> b = bufB.Get<float>();
  Duplicate(b, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  DataCopy(yGm, b, 256);
}
