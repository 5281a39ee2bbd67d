// GatherMask gives its count itself, whoever waits for whom.
// launch: blocks=1 args=in:f32[128],out:f32[64]
// auto-sync: off
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 128);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<TPosition::VECCALC> aBuf, bBuf;
  pipe.InitBuffer(aBuf, 512);
  pipe.InitBuffer(bBuf, 256);
  LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>();
  DataCopy(a, xGm, 128);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  uint64_t kept = 0;
  GatherMask(b, a, 1, false, 0, {1, 2, 8, 8}, kept);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, 64);
}
