// Padding is asked for and no value: what it holds goes to the output.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  DataCopyPad(t, xGm, DataCopyExtParams{1, 240, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 4, 0.0f});
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
