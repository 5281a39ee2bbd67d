// 4095 blocks are the most.
// launch: blocks=1 args=out:f32[32760]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 32760);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 4096 * 32);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 4096 * 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopyPad(yGm, t, DataCopyExtParams{4095, 32, 0, 0, 0});
}
