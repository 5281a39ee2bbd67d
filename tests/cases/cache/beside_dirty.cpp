// The line holds bytes that this core wrote and did not clean; GetValue of those beside them, which a copy wrote since.
// Writing the line back then loses what the copy wrote.
// launch: blocks=1 args=inout:f32[256]
// expect: AK1212, AK1213
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  zGm.SetValue(8, 3.0f);
  Duplicate(t, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(zGm, t, 8);
  if (zGm.GetValue(7) < 0) Trap();  // <-- AK1212
}
