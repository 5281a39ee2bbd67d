// Without SetSaturationFlag 60000 + 60000 in half is infinite.
// launch: blocks=1 args=out:f32[64]
// expect: AK1701
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 1024);
  LocalTensor<half> h = buf.Get<half>();
  Duplicate(h, half(60000.0f), 64);
  Add(h, h, h, 64);
  assert(float(h.GetValue(0)) == 65504.0f);  // <-- AK1701
}
