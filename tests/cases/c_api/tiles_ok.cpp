// Two tiles through the same arrays, every pair of pipes ordered by hand, the second under a mask.
// launch: blocks=1 args=in:f32[480],in:f32[480],out:f32[480]
// expect: clean
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y, __gm__ float *z) {
  asc_init();
  __ubuf__ float a[256];
  __ubuf__ float b[256];
  __ubuf__ float sum[256];
  for (int tile = 0; tile < 2; ++tile) {
    const uint16_t blocks = tile == 0 ? 32 : 28;  // of eight elements
    if (tile) asc_sync_wait(PIPE_V, PIPE_MTE2, EVENT_ID0);
    asc_copy_gm2ub(a, x + tile * 256, 1, blocks, 0, 0);
    asc_copy_gm2ub(b, y + tile * 256, 1, blocks, 0, 0);
    asc_sync_notify(PIPE_MTE2, PIPE_V, EVENT_ID0);
    asc_sync_wait(PIPE_MTE2, PIPE_V, EVENT_ID0);
    if (tile) asc_sync_wait(PIPE_MTE3, PIPE_V, EVENT_ID1);
    asc_add(sum, a, b, 3, 1, 1, 1, 8, 8, 8);
    if (tile) asc_set_vector_mask(0, 0xffffffffULL);
    asc_add(sum + 192, a + 192, b + 192, 1, 1, 1, 1, 8, 8, 8);
    if (!tile) asc_sync_notify(PIPE_V, PIPE_MTE2, EVENT_ID0);
    asc_sync_notify(PIPE_V, PIPE_MTE3, EVENT_ID0);
    asc_sync_wait(PIPE_V, PIPE_MTE3, EVENT_ID0);
    asc_copy_ub2gm(z + tile * 256, sum, 1, blocks, 0, 0);
    if (!tile) asc_sync_notify(PIPE_MTE3, PIPE_V, EVENT_ID1);
  }
}
