// SetAddrWithOffset past the end of its buffer.
// launch: blocks=1 args=out:f32[256]
// expect: AK1003
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB;
  pipe.InitBuffer(bufA, 256 * sizeof(float));
  pipe.InitBuffer(bufB, 256 * sizeof(float));
  LocalTensor<float> a = bufA.Get<float>();
  LocalTensor<float> b = bufB.Get<float>();

  Duplicate(a, 1.0f, 256);
  LocalTensor<float> part;
  part.SetAddrWithOffset(a, 192);
  Duplicate(part, 2.0f, 128);  // <-- AK1003
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, a, 256);
}
