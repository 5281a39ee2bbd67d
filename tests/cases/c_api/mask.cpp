// 96 elements are a repeat and a half: the second repeat takes 64 without a mask, 32 of them beyond the arrays.
// launch: blocks=1 args=in:f32[96],out:f32[96]
// expect: AK1003
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float b[96];
  __ubuf__ float a[96];
  asc_copy_gm2ub_sync(a, x, sizeof(a));
  asc_abs(b, a, 1, 1, 1, 8, 8);
  asc_sync_pipe(PIPE_V);
  asc_abs(b + 64, a + 64, 1, 1, 1, 8, 8);  // <-- AK1003
  asc_sync();
  asc_copy_ub2gm_sync(y, b, sizeof(b));
}
