// A tensor that is there.
// launch: blocks=1 args=inout:f32[8]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  LocalTensor<float> t = buf.Get<float>();

  GlobalTensor<float> absent;
  absent.SetGlobalBuffer((__gm__ float *)y, 8);
  DataCopy(t, absent, 8);
}
