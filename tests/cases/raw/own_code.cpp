// A kernel that writes over its own instructions is stopped.
// launch: blocks=1 args=out:f32[8]
// expect: AK1010
// guest: no signal is needed: the store is told from others by its address, as a finding
// faults
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {

  *reinterpret_cast<volatile uint32_t *>(&kernel) = 0;  // <-- AK1010
}
