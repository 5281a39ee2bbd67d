// The kernel gives up by itself.
// launch: blocks=1 args=out:f32[256]
// expect: AK1702
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Trap();  // <-- AK1702
}
