// A copy out over what a plain store wrote to Global Memory: nothing orders the two, and the store is still in the cache.
// launch: blocks=1 args=inout:f32[256]
// expect: AK1203, AK1213
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  *(__gm__ float *)z = 2.0f;
  DataCopy(zGm, t, 256);  // <-- AK1203
}
