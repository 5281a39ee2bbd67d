// A plain load from an output that nothing has written.
// launch: blocks=1 args=out:f32[8]
// expect: AK1101
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {

  __gm__ float *raw = (__gm__ float *)y;
  float sum = raw[0];  // <-- AK1101
  for (int i = 0; i < 8; ++i) raw[i] = 1.0f;
  if (sum > 1e30f) Trap();
}
