// Setting the control register does not order V and the copy out.
// launch: blocks=1 args=out:f32[256]
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 256);
  SetCtrlSpr<48, 48>(1);
  DataCopy(yGm, t, 256);  // <-- AK1201
}
