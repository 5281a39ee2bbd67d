// A kernel is for the cores that its qualifier says, also where it uses none of their instructions.
// launch: blocks=1 args=out:f32[8]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __cube__ void kernel(GM_ADDR y) {
  if ASCEND_IS_AIC {
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float *)y, 8);
    for (uint32_t i = 0; i < 8; ++i) yGm.SetValue(i, 1.0f);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(yGm);
  }
}
