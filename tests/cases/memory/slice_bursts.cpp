// The bursts of a slice differ on both sides.
// launch: blocks=1 args=in:f32[128],out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 128);
  SliceInfo to[] = {{0, 15, 0, 2, 16}}, from[] = {{0, 7, 0, 1, 128}};
  SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
  DataCopy(t[512], xGm, to, from, 1);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
