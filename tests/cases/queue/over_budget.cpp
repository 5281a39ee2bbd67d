// Buffers for more than the Unified Buffer holds: asked for, and used.
// launch: blocks=1 args=out:f32[256]
// expect: AK1401 AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB;
  pipe.InitBuffer(bufA, 128 * 1024);
  pipe.InitBuffer(bufB, 128 * 1024);  // <-- AK1401
  LocalTensor<float> b = bufB.Get<float>();
  Duplicate(b[24 * 1024], 1.0f, 64);  // <-- AK1401
}
