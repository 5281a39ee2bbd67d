// Block 0 loads block 1's flag in a loop through its data cache, whose line nothing brings up to date.
// launch: blocks=2 args=inout:f32[8],inout:i32[8]
// expect: AK1201, AK1202, AK1212
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR f) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  auto *flag = (__gm__ volatile int32_t *)f;
  TPipe pipe;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  LocalTensor<float> t = buf.Get<float>();
  if (GetBlockIdx() == 1) {
    *flag = 77;
    return;
  }
  while (*flag != 77) {  // <-- AK1212
  }
  Duplicate(t, 1.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 8);
}
