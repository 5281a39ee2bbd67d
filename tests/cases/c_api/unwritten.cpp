// Half of the array was never written, and all of it is stored.
// launch: blocks=1 args=in:f32[64],out:f32[128]
// expect: AK1102
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[128];
  asc_copy_gm2ub_sync(a, x, 64 * sizeof(float));
  asc_copy_ub2gm_sync(y, a, sizeof(a));
}
