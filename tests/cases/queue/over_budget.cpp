// Buffers for more than the Unified Buffer holds.
// launch: blocks=1 args=out:f32[256]
// expect: AK1401
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> inQueue;
  TQue<QuePosition::VECOUT, 2> outQueue;
  pipe.InitBuffer(inQueue, 2, 64 * 1024);
  pipe.InitBuffer(outQueue, 2, 64 * 1024);  // <-- AK1401
}
