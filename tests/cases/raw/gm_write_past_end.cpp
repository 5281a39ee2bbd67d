// A plain store behind the end of a tensor in Global Memory.
// launch: blocks=1 args=out:f32[8]
// expect: AK1002
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {

  __gm__ float *raw = (__gm__ float *)y;
  for (int i = 0; i < 8; ++i) raw[i] = 1.0f;
  raw[1 << 16] = 1.0f;  // <-- AK1002
}
