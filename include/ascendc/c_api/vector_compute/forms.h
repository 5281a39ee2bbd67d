// The three forms of an operation, as macros of its name, its row of akgen/vec_ops.inc and its
// types.
#ifndef AKGEN_C_API_FORMS_H
#define AKGEN_C_API_FORMS_H
#include "c_api/detail.h"

#define AKGEN_C_SYNC(call)           \
  {                                  \
    call;                            \
    AscendC::akgen_impl::AwaitAll(); \
  }

// dst of D, source of S; `set` may change the record `v`. RepStride: the type of repeat strides.
#define AKGEN_C_UNARY_AS(name, Op, D, S, RepStride, set)                                 \
  __aicore__ inline void name(D* dst, S* src, uint32_t count) {                          \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_##Op, dst, src);                   \
    set;                                                                                 \
    AscendC::akgen_impl::RunCounted(v, count);                                           \
  }                                                                                      \
  __aicore__ inline void name(D* dst, S* src, uint8_t repeat, uint16_t dst_block_stride, \
                              uint16_t src_block_stride, RepStride dst_repeat_stride,    \
                              RepStride src_repeat_stride) {                             \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_##Op, dst, src);                   \
    set;                                                                                 \
    AscendC::akgen_impl::Strides(v, repeat, dst_block_stride, src_block_stride, 0,       \
                                 dst_repeat_stride, src_repeat_stride, 0);               \
    akgen_vec(&v);                                                                       \
  }                                                                                      \
  __aicore__ inline void name##_sync(D* dst, S* src, uint32_t count)                     \
      AKGEN_C_SYNC(name(dst, src, count))
#define AKGEN_C_UNARY(name, Op, T) AKGEN_C_UNARY_AS(name, Op, T, T, uint16_t, )

// dst of D, sources of S.
#define AKGEN_C_BINARY_AS(name, Op, D, S)                                                         \
  __aicore__ inline void name(D* dst, S* src0, S* src1, uint32_t count) {                         \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_##Op, dst, src0, src1);                     \
    AscendC::akgen_impl::RunCounted(v, count);                                                    \
  }                                                                                               \
  __aicore__ inline void name(D* dst, S* src0, S* src1, uint8_t repeat, uint8_t dst_block_stride, \
                              uint8_t src0_block_stride, uint8_t src1_block_stride,               \
                              uint8_t dst_repeat_stride, uint8_t src0_repeat_stride,              \
                              uint8_t src1_repeat_stride) {                                       \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_##Op, dst, src0, src1);                     \
    AscendC::akgen_impl::Strides(v, repeat, dst_block_stride, src0_block_stride,                  \
                                 src1_block_stride, dst_repeat_stride, src0_repeat_stride,        \
                                 src1_repeat_stride);                                             \
    akgen_vec(&v);                                                                                \
  }                                                                                               \
  __aicore__ inline void name##_sync(D* dst, S* src0, S* src1, uint32_t count)                    \
      AKGEN_C_SYNC(name(dst, src0, src1, count))
#define AKGEN_C_BINARY(name, Op, T) AKGEN_C_BINARY_AS(name, Op, T, T)

// With a scalar `value` of Value; bits: what of it the record takes.
#define AKGEN_C_SCALAR_AS(name, Op, D, S, Value, bits, round)                           \
  __aicore__ inline void name(D* dst, S* src, Value value, uint32_t count) {            \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_##Op, dst, src);                  \
    v.scalar = AscendC::AkgenBits(static_cast<S>(bits));                                \
    v.flag = round;                                                                     \
    AscendC::akgen_impl::RunCounted(v, count);                                          \
  }                                                                                     \
  __aicore__ inline void name(D* dst, S* src, Value value, uint8_t repeat,              \
                              uint16_t dst_block_stride, uint16_t src_block_stride,     \
                              uint16_t dst_repeat_stride, uint16_t src_repeat_stride) { \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_##Op, dst, src);                  \
    v.scalar = AscendC::AkgenBits(static_cast<S>(bits));                                \
    v.flag = round;                                                                     \
    AscendC::akgen_impl::Strides(v, repeat, dst_block_stride, src_block_stride, 0,      \
                                 dst_repeat_stride, src_repeat_stride, 0);              \
    akgen_vec(&v);                                                                      \
  }                                                                                     \
  __aicore__ inline void name##_sync(D* dst, S* src, Value value, uint32_t count)       \
      AKGEN_C_SYNC(name(dst, src, value, count))
#define AKGEN_C_SCALAR(name, Op, T, bits) AKGEN_C_SCALAR_AS(name, Op, T, T, T, bits, 0)

#endif  // AKGEN_C_API_FORMS_H
