// 100 elements: whole DataBlocks are 96 of them or 104, and the sum covers the first 96.
// launch: blocks=1 args=in:f32[100],out:f32[100]
// expect: AK1102
// guest: names the line of the store; machine code has left the kernel with the jump to its last wait
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[104];
  __ubuf__ float b[104];
  asc_copy_gm2ub_align_sync(a, x, 100 * sizeof(float));
  asc_mul_scalar_sync(b, a, 2.0f, 96);
  asc_copy_ub2gm_align_sync(y, b, 100 * sizeof(float));
}
