// The workspace of a SyncAll in software is full of ones.
// launch: blocks=1 args=inout:f32[64],workspace[64]
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
  LocalTensor<int32_t> ones = t[256].ReinterpretCast<int32_t>();
  Duplicate(ones, 1, 16);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  GlobalTensor<int32_t> workGm;
  workGm.SetGlobalBuffer((__gm__ int32_t *)work, 16);
  LocalTensor<int32_t> s = t[512].ReinterpretCast<int32_t>();
  DataCopy(workGm, ones, 16);
  PipeBarrier<PIPE_ALL>();
  SyncAll(workGm, s);  // <-- AK1504
}
