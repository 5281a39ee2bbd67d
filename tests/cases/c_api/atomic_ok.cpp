// Two blocks add to the same output.
// launch: blocks=2 args=in:f32[64],inout:f32[64]
// expect: clean
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[64];
  asc_copy_gm2ub_sync(a, x, sizeof(a));
  asc_set_atomic_add_float();
  asc_copy_ub2gm_sync(y, a, sizeof(a));
  asc_set_atomic_none();
}
