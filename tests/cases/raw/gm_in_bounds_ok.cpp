// Plain loads and stores inside tensors of Global Memory.
// launch: blocks=1 args=in:f32[8],out:f32[8]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {

  for (int i = 0; i < 8; ++i) ((__gm__ float *)y)[i] = ((__gm__ float *)x)[i] + 1.0f;
}
