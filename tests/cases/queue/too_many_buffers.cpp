// A TPipe manages 64 buffers.
// launch: blocks=1 args=out:f32[256]
// expect: warning:AK1406 AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> queue[33];
  for (int i = 0; i < 33; ++i) {
    pipe.InitBuffer(queue[i], 2, 32);  // <-- warning:AK1406
  }
}
