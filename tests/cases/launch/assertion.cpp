// The kernel checks something itself.
// launch: blocks=1 args=out:f32[8]
// expect: AK1701
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  assert(GetBlockNum() == 2);  // <-- AK1701
}
