// A copy in of what SetValue left in the data cache: it brings what was there before.
// launch: blocks=1 args=inout:f32[256]
// expect: AK1211
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  zGm.SetValue(0, 1.0f);
  DataCopy(t, zGm, 256);  // <-- AK1211
}
