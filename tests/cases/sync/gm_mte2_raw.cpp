// A plain store over Global Memory that a copy in reads: nothing orders the two.
// launch: blocks=1 args=inout:f32[256]
// expect: AK1202
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  DataCopy(t, zGm, 256);
  *(__gm__ float *)z = 1.0f;  // <-- AK1202
}
