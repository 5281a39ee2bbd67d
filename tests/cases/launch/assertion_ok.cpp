// An assertion that holds.
// launch: blocks=1 args=inout:f32[8]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  assert(GetBlockNum() == 1);
}
