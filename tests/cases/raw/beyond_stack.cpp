// A pointer that ran far off the kernel's stack meets the simulator's own memory, not the kernel's.
// launch: blocks=1 args=out:f32[8]
// expect: AK1010
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {

  int here = 0;
  uint8_t *p = reinterpret_cast<uint8_t *>(&here) + (int64_t{1} << 40);
  *p = 7;  // <-- AK1010
}
