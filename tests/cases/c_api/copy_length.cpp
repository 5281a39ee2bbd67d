// asc_copy_gm2ub moves whole DataBlocks.
// launch: blocks=1 args=in:f32[100],out:f32[100]
// expect: AK1005
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[104];
  asc_copy_gm2ub_sync(a, x, 100 * sizeof(float));  // <-- AK1005
  asc_copy_ub2gm_align_sync(y, a, 100 * sizeof(float));
}
