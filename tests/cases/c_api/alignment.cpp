// Operands start on DataBlocks.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: AK1004
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[72];
  __ubuf__ float b[64];
  asc_copy_gm2ub_sync(a, x, 64 * sizeof(float));
  asc_duplicate_sync(a + 64, 0.0f, 8);
  asc_exp_sync(b, a + 1, 64);  // <-- AK1004
  asc_copy_ub2gm_sync(y, b, sizeof(b));
}
