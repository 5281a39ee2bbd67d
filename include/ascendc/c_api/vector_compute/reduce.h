// Reductions of repeats, of DataBlocks and of neighbours; the registers that the first leave.
#ifndef AKGEN_C_API_REDUCE_H
#define AKGEN_C_API_REDUCE_H
#include "c_api/vector_compute/forms.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

// dst_repeat_stride counts what a repeat leaves; order: ReduceOrder.
#define AKGEN_C_REDUCE_AS(name, Op, T, order)                                             \
  __aicore__ inline void name(T* dst, T* src, uint32_t count) {                           \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_##Op, dst, src);                    \
    v.mode = static_cast<uint8_t>(AscendC::ReduceOrder::order);                           \
    AscendC::akgen_impl::RunInCounterMode(v, count, 1);                                   \
  }                                                                                       \
  __aicore__ inline void name(T* dst, T* src, uint8_t repeat, uint16_t dst_repeat_stride, \
                              uint16_t src_block_stride, uint16_t src_repeat_stride) {    \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_##Op, dst, src);                    \
    v.mode = static_cast<uint8_t>(AscendC::ReduceOrder::order);                           \
    AscendC::akgen_impl::Strides(v, repeat, 0, src_block_stride, 0, dst_repeat_stride,    \
                                 src_repeat_stride, 0);                                   \
    akgen_vec(&v);                                                                        \
  }                                                                                       \
  __aicore__ inline void name##_sync(T* dst, T* src, uint32_t count)                      \
      AKGEN_C_SYNC(name(dst, src, count))
#define AKGEN_C_REDUCE(name, Op)                       \
  AKGEN_C_REDUCE_AS(name, Op, half, ORDER_VALUE_INDEX) \
  AKGEN_C_REDUCE_AS(name, Op, float, ORDER_VALUE_INDEX)
#define AKGEN_C_REDUCE_ORDERED(name, Op)                              \
  AKGEN_C_REDUCE(name##_value_index, Op)                              \
  AKGEN_C_REDUCE_AS(name##_index_value, Op, half, ORDER_INDEX_VALUE)  \
  AKGEN_C_REDUCE_AS(name##_index_value, Op, float, ORDER_INDEX_VALUE) \
  AKGEN_C_REDUCE_AS(name##_only_value, Op, half, ORDER_ONLY_VALUE)    \
  AKGEN_C_REDUCE_AS(name##_only_value, Op, float, ORDER_ONLY_VALUE)   \
  AKGEN_C_REDUCE_AS(name##_only_index, Op, half, ORDER_ONLY_INDEX)    \
  AKGEN_C_REDUCE_AS(name##_only_index, Op, float, ORDER_ONLY_INDEX)
AKGEN_C_REDUCE(asc_repeat_reduce_sum, WholeReduceSum)
AKGEN_C_REDUCE_ORDERED(asc_repeat_reduce_max, WholeReduceMax)
AKGEN_C_REDUCE_ORDERED(asc_repeat_reduce_min, WholeReduceMin)
AKGEN_C_REDUCE(asc_datablock_reduce_sum, BlockReduceSum)
AKGEN_C_REDUCE(asc_datablock_reduce_max, BlockReduceMax)
AKGEN_C_REDUCE(asc_datablock_reduce_min, BlockReduceMin)
AKGEN_C_REDUCE(asc_pair_reduce_sum, PairReduceSum)
#undef AKGEN_C_REDUCE_ORDERED
#undef AKGEN_C_REDUCE
#undef AKGEN_C_REDUCE_AS

// Of all repeats of the latest asc_repeat_reduce_max_* (…_min_*): the value, and the index of the
// first one.
#define AKGEN_C_REDUCE_COUNT(name, T)                                  \
  __aicore__ inline void name(T& val, uint32_t& index) {               \
    val = AscendC::akgen_impl::FromBits<T>(akgen_get_spr(1));          \
    index = AscendC::akgen_impl::FromBits<uint32_t>(akgen_get_spr(2)); \
  }
AKGEN_C_REDUCE_COUNT(asc_get_reduce_max_cnt, half)
AKGEN_C_REDUCE_COUNT(asc_get_reduce_max_cnt, float)
AKGEN_C_REDUCE_COUNT(asc_get_reduce_min_cnt, half)
AKGEN_C_REDUCE_COUNT(asc_get_reduce_min_cnt, float)
#undef AKGEN_C_REDUCE_COUNT

#pragma clang attribute pop
#endif  // AKGEN_C_API_REDUCE_H
