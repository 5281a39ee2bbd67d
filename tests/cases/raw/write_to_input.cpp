// A plain store to an input.
// launch: blocks=1 args=in:f32[8]
// expect: AK1006
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {

  *(__gm__ float *)x = 1.0f;  // <-- AK1006
}
