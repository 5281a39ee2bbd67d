// A load through a null pointer.
// launch: blocks=1 args=out:f32[8]
// expect: AK1010
// faults
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {

  volatile uint32_t *p = nullptr;
  uint32_t v = *p;  // <-- AK1010
  if (v) Trap();
}
