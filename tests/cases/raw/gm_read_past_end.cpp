// A plain load behind the end of a tensor in Global Memory.
// launch: blocks=1 args=in:f32[256]
// expect: AK1002
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {

  float v = ((__gm__ float *)x)[1 << 16];  // <-- AK1002
  if (v > 1e30f) Trap();
}
