// Reductions, comparisons, selection, gathering and sorting by the C-API and by the C++ API: the same bits.
// launch: blocks=1 args=in:f32[256]
// expect: clean
// guest: a function of more than 10,000 instructions has no canonical form; what each compiler made of it is counted, a thousandth apart
#include "same.h"

#define REDUCE(T, name, Name, x, repeats)                                                              \
  SAME(T, (asc_set_vector_mask(~0ULL, ~0ULL), name(dst, x, repeats, 1, 1, 8)),                         \
       Name(dst, Of(x), int32_t(256 / sizeof(T)), repeats, 1, 1, 8));                                  \
  SAME(T, name(dst, x, repeats * 256 / sizeof(T)), Name(dst, Of(x), int32_t(256 / sizeof(T)), repeats, 1, 1, 8))
#define REDUCE_OLD(T, name, Name, x, repeats)                                                          \
  SAME(T, (asc_set_vector_mask(~0ULL, ~0ULL), name(dst, x, repeats, 1, 1, 8)),                         \
       Name(dst, Of(x), repeats, int32_t(256 / sizeof(T)), 1, 1, 8));                                  \
  SAME(T, name(dst, x, repeats * 256 / sizeof(T)), Name(dst, Of(x), repeats, int32_t(256 / sizeof(T)), 1, 1, 8))
#define REDUCE_ORDERED(T, name, Name, x, repeats, suffix, order)                                               \
  SAME(T, (asc_set_vector_mask(~0ULL, ~0ULL), name##suffix(dst, x, repeats, 1, 1, 8)),                         \
       Name(dst, Of(x), int32_t(256 / sizeof(T)), repeats, 1, 1, 8, AscendC::ReduceOrder::order));             \
  SAME(T, name##suffix##_sync(dst, x, repeats * 256 / sizeof(T)),                                              \
       Name(dst, Of(x), int32_t(256 / sizeof(T)), repeats, 1, 1, 8, AscendC::ReduceOrder::order))
#define COMPARE(T, name, mode, x, y)                                                                        \
  SAME(uint8_t, name(dst, x, y, 2, 1, 1, 1, 8, 8, 8),                                                       \
       Compare(dst, Of(x), Of(y), AscendC::CMPMODE::mode, 256 / sizeof(T), 2, kBinary));                    \
  SAME(uint8_t, name##_scalar(dst, x, y[5], 2, 1, 1, 8, 8),                                                 \
       Compares(dst, Of(x), y[5], AscendC::CMPMODE::mode, 256 / sizeof(T), 2, kUnary))

// By the bits that the compare mask register holds.
using Floats = AscendC::LocalTensor<float>;
__aicore__ inline void Choose(Floats dst, Floats a, Floats b, uint8_t repeat) {
  AscendC::Select<float, AscendC::SELMODE::VSEL_CMPMASK_SPR>(dst, a, b, repeat, kBinary);
}
static const uint16_t g_lengths[4] = {32, 32, 32, 32};

extern "C" __global__ __vector__ void kernel(__gm__ float *x) {
  OPERANDS(x);
  REDUCE(float, asc_repeat_reduce_sum, WholeReduceSum, f, 3);
  REDUCE(half, asc_repeat_reduce_sum, WholeReduceSum, h, 2);
  REDUCE_OLD(float, asc_datablock_reduce_sum, BlockReduceSum, f, 3);
  REDUCE_OLD(half, asc_datablock_reduce_max, BlockReduceMax, h, 2);
  REDUCE_OLD(float, asc_datablock_reduce_min, BlockReduceMin, f, 3);
  REDUCE_OLD(half, asc_pair_reduce_sum, PairReduceSum, h, 2);
  REDUCE_ORDERED(float, asc_repeat_reduce_max, WholeReduceMax, f, 3, _value_index, ORDER_VALUE_INDEX);
  REDUCE_ORDERED(half, asc_repeat_reduce_max, WholeReduceMax, h, 2, _index_value, ORDER_INDEX_VALUE);
  REDUCE_ORDERED(float, asc_repeat_reduce_min, WholeReduceMin, f, 3, _only_value, ORDER_ONLY_VALUE);
  REDUCE_ORDERED(half, asc_repeat_reduce_min, WholeReduceMin, h, 2, _only_index, ORDER_ONLY_INDEX);
  float largest = 0;
  uint32_t at = 0;
  SAME(float, (asc_repeat_reduce_max_value_index_sync(dst, f, 256), asc_get_reduce_max_cnt(largest, at)),
       WholeReduceMax(dst, Of(f), 64, 4, 1, 1, 8));
  assert(at < 256 && f[at] == largest);
  for (int e = 0; e < 256; ++e) assert(f[e] <= largest && (f[e] < largest || e >= int(at)));
  COMPARE(float, asc_eq, EQ, f, g);
  COMPARE(half, asc_ne, NE, h, k);
  COMPARE(float, asc_lt, LT, f, g);
  COMPARE(half, asc_le, LE, h, k);
  COMPARE(float, asc_gt, GT, f, g);
  COMPARE(half, asc_ge, GE, h, k);
  COMPARE(int32_t, asc_eq, EQ, i, j);
  asc_set_vector_mask(~0ULL, ~0ULL);
  __ubuf__ float zero[64];
  asc_duplicate_sync(zero, 0.0f, 64);
  asc_gt(f, zero, 1, 1, 1, 1, 8, 8, 8);
  asc_sync_pipe(PIPE_V);
  SAME(float, (asc_set_vector_mask(0, ~0ULL), asc_select(dst, f, g, 2, 1, 1, 1, 8, 8, 8)),
       PipeBarrier<PIPE_V>(); Choose(dst, Of(f), Of(g), 2));
  SAME(float, asc_select(dst, f, g, 100), PipeBarrier<PIPE_V>(); asc_set_vector_mask(0, ~0ULL);
       Choose(dst, Of(f), Of(g), 1); asc_set_vector_mask(0, (1ULL << 36) - 1);
       Choose(dst[64], Of(f)[64], Of(g)[64], 1));
  __ubuf__ uint32_t places[64];
  for (uint32_t e = 0; e < 64; ++e) places[e] = (e * 7 % 64) * 4;
  asc_sync();
  SAME(float, asc_gather(dst, f, places, 50), Gather(dst, Of(f), Of(places), 0u, 50u));
  SAME(float, (asc_set_vector_mask(0, ~0ULL), asc_gather(dst, f, places, 8, 1)), Gather(dst, Of(f), Of(places), 0u, 64ULL, 1, 8));
  for (uint32_t e = 0; e < 16; ++e) places[e] = (e * 5 % 16) * 32;
  asc_sync();
  SAME(uint32_t, asc_gather_datablock(dst, ui, places, 8, 1, 2), Gatherb(dst, Of(ui), Of(places), 2, AscendC::GatherRepeatParams(1, 8)));
  SAME(uint16_t, asc_brcb(dst, us, 1, 8, 2), Brcb(dst, Of(us), 2, AscendC::BrcbRepeatParams(1, 8)));
  SAME(int16_t, MASKED(asc_copy(dst, s, 2, 1, 1, 8, 8)), Copy(dst, Of(s), g_some, 2, AscendC::CopyRepeatParams(1, 1, 8, 8)));
  SAME(uint32_t, asc_copy(dst, ui, 128), Copy(dst, Of(ui), 64, 2, AscendC::CopyRepeatParams(1, 1, 8, 8)));
  uint64_t kept = 0;
  SAME(uint32_t, asc_reduce(dst, ui, uj, 100), GatherMask(dst, Of(ui), Of(uj), true, 100, AscendC::GatherMaskParams(1, 1, 8, 1), kept));
  assert(int64_t(kept) == asc_get_rsvd_count());
  SAME(uint16_t, asc_reduce(dst, us, us, 2, 1, 2, 8, 0), GatherMask(dst, Of(us), uint8_t(2), false, 0, AscendC::GatherMaskParams(1, 2, 8, 0), kept));
  SAME(int16_t, asc_transpose(dst, s), Transpose(dst, Of(s)));
  SAME(float, asc_bitsort(dst, f, ui, 4), Sort32(dst, Of(f), Of(ui), 4));
  __ubuf__ float pairs[kElements];
  asc_bitsort_sync(pairs, f, ui, 4);
  __ubuf__ float *lists[4] = {pairs, pairs + 64, pairs + 128, pairs + 192};
  SAME(float, asc_mrgsort4(dst, lists, 1, 32, 32, 32, 32, false, 15),
       MrgSort(dst, AscendC::MrgSortSrcList<float>(Of(pairs), Of(pairs)[64], Of(pairs)[128], Of(pairs)[192]),
               AscendC::MrgSort4Info(g_lengths, false, 15, 1)));
  uint16_t taken[ASC_C_API_MRGSORT_ELEMENT_LEN];
  asc_get_vms4_sr(taken);
  assert(taken[0] == 32 && taken[3] == 32);
  half *rows[16], *columns[16];
  __ubuf__ half turned[kElements];
  for (int e = 0; e < 16; ++e) rows[e] = h + e * 16, columns[e] = turned + e * 16;
  asc_set_va_reg(VA0, columns);
  asc_set_va_reg(VA1, columns + 8);
  asc_set_va_reg(VA2, rows);
  asc_set_va_reg(VA3, rows + 8);
  asc_transto5hd_b16_sync(VA0, VA2, 1, 0, 0);
  for (int e = 0; e < 256; ++e) assert(turned[e] == h[e % 16 * 16 + e / 16]);
}
