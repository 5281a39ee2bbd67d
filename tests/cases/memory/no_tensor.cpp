// A tensor that was never given memory.
// launch: blocks=1 args=out:f32[256]
// expect: AK1010 AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  LocalTensor<float> nowhere;
  Duplicate(nowhere, 1.0f, 64);  // <-- AK1010
}
