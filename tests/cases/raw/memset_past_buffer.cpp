// memset on a plain pointer runs over the next buffer, which the vector unit is writing.
// launch: blocks=1 args=out:f32[256]
// expect: AK1003 AK1203
#include <cstring>

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

  __ubuf__ float *raw = (__ubuf__ float *)a.GetPhyAddr();
  Duplicate(b, 1.0f, 256);
  memset(raw, 0, 2048);  // <-- AK1203
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID1);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID1);
  DataCopy(yGm, b, 256);
}
