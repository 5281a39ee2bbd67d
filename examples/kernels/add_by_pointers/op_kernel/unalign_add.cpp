// The same with the C-API: a slot is a part of an array in the Unified Buffer, and the tail is a number of bytes.
#include "kernel_operator.h"

#include "c_api/asc_simd.h"

constexpr uint32_t kSlots = 2;
constexpr uint32_t kMost = 512;  // what the tiling gives a tile at most

__aicore__ inline void AddTiles(__gm__ half *x, __gm__ half *y, __gm__ half *z, uint32_t count, uint32_t tile) {
  __ubuf__ half xs[kSlots * kMost];
  __ubuf__ half ys[kSlots * kMost];
  __ubuf__ half zs[kSlots * kMost];
  for (uint32_t slot = 0; slot < kSlots; ++slot) asc_sync_notify(PIPE_MTE3, PIPE_MTE2, slot);
  uint32_t slot = 0;
  for (uint32_t done = 0; done < count; done += tile, slot = (slot + 1) % kSlots) {
    const uint32_t n = count - done < tile ? count - done : tile, at = slot * kMost;
    asc_sync_wait(PIPE_MTE3, PIPE_MTE2, slot);
    asc_copy_gm2ub_align(xs + at, x + done, n * sizeof(half));
    asc_copy_gm2ub_align(ys + at, y + done, n * sizeof(half));
    asc_sync_notify(PIPE_MTE2, PIPE_V, slot);
    asc_sync_wait(PIPE_MTE2, PIPE_V, slot);
    asc_add(zs + at, xs + at, ys + at, n);
    asc_sync_notify(PIPE_V, PIPE_MTE3, slot);
    asc_sync_wait(PIPE_V, PIPE_MTE3, slot);
    asc_copy_ub2gm_align(z + done, zs + at, n * sizeof(half));
    asc_sync_notify(PIPE_MTE3, PIPE_MTE2, slot);
  }
  for (uint32_t s = 0; s < kSlots; ++s) asc_sync_wait(PIPE_MTE3, PIPE_MTE2, s);
}

extern "C" __global__ __aicore__ void unalign_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  asc_init();
  const uint32_t first = asc_get_block_idx() * t.perCore;
  const uint32_t count = t.total - first < t.perCore ? t.total - first : t.perCore;
  AddTiles((__gm__ half *)x + first, (__gm__ half *)y + first, (__gm__ half *)z + first, count, t.tile);
}
