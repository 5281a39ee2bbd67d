// Memory from the heap of the machine that runs the simulation: a core has none.
// launch: blocks=1 args=out:f32[8]
// expect: AK1010
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {

  int *p = new int[4];
  p[0] = 7;  // <-- AK1010
  if (p[0] != 7) Trap();
}
