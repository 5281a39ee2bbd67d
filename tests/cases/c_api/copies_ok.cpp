// Bursts with gaps, padding on both sides, copies inside the Unified Buffer, and atomic maxima.
// launch: blocks=1 args=in:f32[64],out:f32[32],inout:f32[8]
// expect: clean
#include "c_api/asc_simd.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y, __gm__ float *most) {
  asc_init();
  __ubuf__ float whole[64];
  __ubuf__ float rows[64];
  __ubuf__ float padded[32];
  asc_copy_gm2ub_sync(whole, x, sizeof(whole));
  asc_duplicate_sync(rows, 0.0f, 64);
  asc_copy_gm2ub(rows, x, 4, 1, 1, 1);  // every other DataBlock, one apart
  asc_sync_mte2(0);
  for (int i = 0; i < 64; ++i) assert(rows[i] == (i / 8 % 2 ? 0.0f : whole[i]));

  asc_set_copy_pad_val(7.0f);
  asc_copy_gm2ub_align(padded, x, 2, 5 * sizeof(float), 2, 1, 0, 1);
  asc_sync_mte2(0);
  for (int i = 0; i < 8; ++i) assert(padded[i] == (i < 2 || i > 6 ? 7.0f : whole[i - 2]));
  for (int i = 0; i < 8; ++i) assert(padded[16 + i] == (i < 2 || i > 6 ? 7.0f : whole[5 + i - 2]));

  asc_sync();
  asc_copy_ub2ub(rows, whole, 2, 2, 2, 0);  // two of four DataBlocks, twice
  asc_sync();
  for (int i = 0; i < 32; ++i) assert(rows[i] == whole[i < 16 ? i : i + 16]);
  asc_copy_ub2gm(y, rows, 2, 2, 0, 0);
  asc_sync();

  asc_set_atomic_max_float();
  asc_copy_ub2gm_align_sync(most, whole, 8 * sizeof(float));
  asc_set_store_atomic_config_v1(1, 0);
  asc_copy_ub2gm_align_sync(most, whole, 8 * sizeof(float));
  asc_set_atomic_none();
}
