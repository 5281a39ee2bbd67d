// Two blocks store to one line of 64 bytes: the one that is written back later takes the other's bytes with it.
// launch: blocks=2 args=inout:f32[256]
// expect: AK1213
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z, 256);

  zGm.SetValue(GetBlockIdx(), 1.0f);  // <-- AK1213
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(zGm);
}
