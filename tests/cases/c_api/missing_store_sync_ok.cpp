// The copy to Global Memory waits for the sum.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: clean
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[256];
  asc_copy_gm2ub_sync(a, x, sizeof(a));
  asc_add(a, a, a, 256);
  asc_sync_pipe(PIPE_ALL);
  asc_copy_ub2gm(y, a, sizeof(a));
}
