// Places in the Unified Buffer that the kernel chooses, no arrays.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: clean
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float *a = (__ubuf__ float *)asc_get_phy_buf_addr(0);
  auto b = reinterpret_cast<__ubuf__ float *>(asc_get_phy_buf_addr(64 * sizeof(float)));
  asc_copy_gm2ub_sync(a, x, 64 * sizeof(float));
  asc_relu_sync(b, a, 64);
  asc_copy_ub2gm_sync(y, static_cast<__ubuf__ float *>(b), 64 * sizeof(float));
}
