// The sum does not wait for the copy that brings its operand.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: AK1201
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[256];
  __ubuf__ float b[256];
  asc_copy_gm2ub(a, x, sizeof(a));  // <== AK1201
  asc_add(b, a, a, 256);  // <-- AK1201
  asc_sync();
  asc_copy_ub2gm(y, b, sizeof(b));
}
