// The scalar unit writes an element between the copies.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: clean
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[64];
  asc_copy_gm2ub(a, x, sizeof(a));
  asc_sync();
  a[3] = 1.0f;
  asc_sync();
  asc_copy_ub2gm_sync(y, a, sizeof(a));
}
