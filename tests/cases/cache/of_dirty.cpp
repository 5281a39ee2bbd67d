// The copy wrote the very bytes that this core holds unwritten: GetValue of them is right,
// but writing the line back loses what the copy wrote.
// launch: blocks=1 args=inout:f32[256]
// expect: AK1213
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
  DataCopy(zGm, t, 16);
  if (zGm.GetValue(8) < 0) Trap();
}
