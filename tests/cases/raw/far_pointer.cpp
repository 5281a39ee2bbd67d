// A number made into a pointer: it points into no memory of the chip.
// launch: blocks=1 args=out:f32[8]
// expect: AK1010
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {

  uint64_t number = 0x123456789000;
  *reinterpret_cast<uint32_t *>(number) = 7;  // <-- AK1010
}
