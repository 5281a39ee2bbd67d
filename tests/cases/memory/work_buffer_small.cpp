// The work buffer of ReduceMax has room for half of what the repeats give, with another buffer behind it.
// launch: blocks=1 args=out:f32[64]
// expect: AK1003
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  TBuf<QuePosition::VECCALC> workBuf, nextBuf;
  pipe.InitBuffer(workBuf, 64);
  pipe.InitBuffer(nextBuf, 256);
  LocalTensor<float> work = workBuf.Get<float>();
  ReduceMax(t, t[512], work, 64, 16, 8, true);  // <-- AK1003
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
