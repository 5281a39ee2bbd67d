// The same buffers, of which only the part inside is used: the buffer does not fit all the same.
// launch: blocks=1 args=out:f32[256]
// expect: AK1401
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB;
  pipe.InitBuffer(bufA, 128 * 1024);
  pipe.InitBuffer(bufB, 128 * 1024);  // <-- AK1401
  LocalTensor<float> b = bufB.Get<float>();
  Duplicate(b, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, 256);
}
