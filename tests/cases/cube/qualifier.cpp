// What a Cube core alone does, in a kernel whose qualifier says so, past the end of the output.
// launch: blocks=1 args=out:f32[8]
// expect: AK1002
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __cube__ void kernel(GM_ADDR y) {
  if ASCEND_IS_AIC {
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float *)y, 8);
    for (uint32_t i = 0; i < 9; ++i) yGm.SetValue(i, 1.0f);  // <-- AK1002
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(yGm);
  }
}
