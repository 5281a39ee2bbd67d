// 64 buffers.
// launch: blocks=1 args=inout:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> queue[32];
  for (int i = 0; i < 32; ++i) {
    pipe.InitBuffer(queue[i], 2, 32);
  }
}
