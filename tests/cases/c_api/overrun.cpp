// A count that leaves the array it starts in, for the next one.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: AK1003
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[64];
  __ubuf__ float b[64];
  asc_duplicate_sync(a, 0.0f, 128);  // <-- AK1003
  asc_copy_gm2ub_sync(b, x, sizeof(b));
  asc_add_sync(a, a, b, 64);
  asc_copy_ub2gm_sync(y, a, sizeof(a));
}
