// Operations whose results are given where they are documented.
// launch: blocks=1
// expect: clean
#include "c_api/asc_simd.h"

constexpr uint32_t kElements = 256;

extern "C" __global__ __vector__ void kernel() {
  asc_init();
  __ubuf__ half src[kElements];
  __ubuf__ half ones[kElements];
  __ubuf__ half dst[kElements];
  __ubuf__ uint16_t words[kElements];
  __ubuf__ uint32_t offsets[kElements];
  __ubuf__ uint8_t bits[64];
  for (uint32_t i = 0; i < kElements; ++i) {
    src[i] = half(i + 1);
    words[i] = i + 1;
    offsets[i] = (kElements / 2 - 1 - i % (kElements / 2)) * sizeof(half);
  }
  asc_sync();
  asc_duplicate_sync(ones, 1, kElements);

  // The largest of each repeat with its index, then of all of them.
  asc_repeat_reduce_max_value_index_sync(dst, src, kElements);
  auto index = (__ubuf__ uint16_t *)dst;
  assert(dst[0] == half(128) && index[1] == 127 && dst[2] == half(256) && index[3] == 127);
  half largest = 0;
  uint32_t at = 0;
  asc_get_reduce_max_cnt(largest, at);
  assert(largest == half(256) && at == 255);
  asc_sync();
  asc_repeat_reduce_sum_sync(dst, ones, kElements);
  assert(dst[0] == half(128) && dst[1] == half(128));
  asc_sync();
  asc_datablock_reduce_sum_sync(dst, ones, kElements);
  for (int i = 0; i < 16; ++i) assert(dst[i] == half(16));
  asc_sync();
  asc_pair_reduce_sum_sync(dst, src, kElements);
  for (int i = 0; i < 128; ++i) assert(dst[i] == half(4 * i + 3));

  asc_sync();
  asc_gather_sync(dst, src, offsets, 128);
  for (int i = 0; i < 128; ++i) assert(dst[i] == half(128 - i));
  asc_sync();
  asc_duplicate_sync(dst, 2, kElements);
  asc_mul_add_sync(dst, src, ones, 128);
  for (int i = 0; i < 128; ++i) assert(dst[i] == half(2 * i + 3));
  asc_sync();
  asc_brcb_sync((__ubuf__ uint16_t *)dst, words, 1, 8, 2);
  for (int i = 0; i < 256; ++i) assert(index[i] == i / 16 + 1);
  asc_sync();
  asc_eq_scalar_sync(bits, src, half(20), 1, 1, 1, 8, 8);
  for (int i = 0; i < 16; ++i) assert(bits[i] == (i == 2 ? 8 : 0));

  assert(asc_ffs(10) == 1 && asc_ffs(0) == -1 && asc_ffz(33) == 1 && asc_popc(33) == 2);
  assert(asc_zero_bits_cnt(33) == 62 && asc_clz(0x0fffffffffffffff) == 4);
  assert(asc_sflbits(0x0f00000000000000) == 3 && asc_sflbits(0x000f00ff0ff0ffff) == 11 && asc_sflbits(-1) == -1);
  assert(asc_set_nthbit(0, 2) == 4 && asc_set_nthbit(0, -1) == 1ULL << 63 && asc_clear_nthbit(7, 65) == 5);
}
