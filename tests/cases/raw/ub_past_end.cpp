// A plain store behind the end of the Unified Buffer.
// launch: blocks=1 args=out:f32[8]
// expect: AK1001
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {

  LocalTensor<float> t(TPosition::VECCALC, 0, 64);
  __ubuf__ float *raw = (__ubuf__ float *)t.GetPhyAddr();
  raw[49152] = 1.0f;  // <-- AK1001
}
