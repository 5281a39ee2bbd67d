// Whole blocks are copied although the tensor ends inside the last: only its padding is touched.
// launch: blocks=1 args=in:f32[250],out:f32[250]
// expect: warning:AK1007
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 250);
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 250);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  DataCopy(t, xGm, 256);  // <-- warning:AK1007
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopyPad(yGm, t, DataCopyExtParams{1, 250 * sizeof(float), 0, 0, 0});
}
