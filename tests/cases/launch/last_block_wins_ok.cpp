// Each block has its own element.
// launch: blocks=2 args=out:f32[2]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 2);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f + GetBlockIdx(), 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopyPad(yGm[GetBlockIdx()], t, DataCopyExtParams{1, 4, 0, 0, 0});
}
