// The copy to Global Memory does not wait for the sum. A barrier of the vector pipe orders only vector instructions.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: AK1201
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[256];
  asc_copy_gm2ub_sync(a, x, sizeof(a));
  asc_add(a, a, a, 256);  // <== AK1201
  asc_sync_pipe(PIPE_V);
  asc_copy_ub2gm(y, a, sizeof(a));  // <-- AK1201
}
