// Two cores are to meet in a launch of one.
// launch: blocks=1 args=inout:f32[64],inout:i32[16]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR work) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  GlobalTensor<int32_t> workGm;
  workGm.SetGlobalBuffer((__gm__ int32_t *)work, 16);
  LocalTensor<int32_t> s = t[512].ReinterpretCast<int32_t>();
  InitOutput<int32_t>(workGm, 16, 0);
  SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
  SyncAll(workGm, s, 2);  // <-- AK1504
}
