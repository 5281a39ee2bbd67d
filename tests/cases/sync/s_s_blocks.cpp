// Scalar accesses of two blocks: the order inside a core says nothing about the other core.
// launch: blocks=2 args=inout:f32[256]
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {

  if (GetBlockIdx() == 0) *(__gm__ float *)z = 1.0f;
  else if (*(__gm__ float *)z < 0) Trap();  // <-- AK1201
}
