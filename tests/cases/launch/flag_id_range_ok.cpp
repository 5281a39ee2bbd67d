// A flag id of the chip.
// launch: blocks=1 args=out:f32[8]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 8);
  CrossCoreSetFlag<0x0, PIPE_MTE3>(1);
  CrossCoreWaitFlag(1);
}
