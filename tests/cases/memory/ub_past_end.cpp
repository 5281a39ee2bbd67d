// An operand that runs past the end of the Unified Buffer.
// launch: blocks=1 args=out:f32[256]
// expect: AK1001 AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 1024);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t[196 * 1024 / 4], 1.0f, 64);  // <-- AK1001
}
