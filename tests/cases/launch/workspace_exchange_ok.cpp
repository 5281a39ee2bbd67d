// The same with SyncAll between writing and reading.
// launch: blocks=2 args=out:f32[16],out:f32[16]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR y2) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 16);
  GlobalTensor<float> y2Gm;
  y2Gm.SetGlobalBuffer((__gm__ float *)y2, 16);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm[GetBlockIdx() * 8], t, 8);
  SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  SyncAll();
  DataCopy(t, yGm[(GetBlockIdx() + 1) % 2 * 8], 8);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(y2Gm[GetBlockIdx() * 8], t, 8);
}
