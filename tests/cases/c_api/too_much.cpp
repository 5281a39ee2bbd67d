// Arrays of 200 KiB: the Unified Buffer has 192.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: AK1401
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[25600];
  __ubuf__ float b[25600];  // <-- AK1401
  asc_copy_gm2ub_sync(a, x, 256);
  asc_add_sync(b, a, a, 64);
  asc_copy_ub2gm_sync(y, b, 256);
}
