// A queue between two vector instructions: they are one pipe, so a tensor that stays in it leaves no flag set.
// launch: blocks=1 args=in:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  TPipe pipe;
  TQue<QuePosition::VECCALC, 1> queue;
  pipe.InitBuffer(queue, 1, 256 * sizeof(float));
  LocalTensor<float> a = queue.AllocTensor<float>();
  Duplicate(a, 1.0f, 256);
  queue.EnQue(a);
}
