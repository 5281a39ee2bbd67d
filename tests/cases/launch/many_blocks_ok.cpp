// Sixty blocks that do not wait for each other run one after the other.
// launch: blocks=60 args=out:f32[480]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 480);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm[GetBlockIdx() * 8], t, 8);
}
