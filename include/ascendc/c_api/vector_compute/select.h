// Masks, comparisons and selection.
#ifndef AKGEN_C_API_SELECT_H
#define AKGEN_C_API_SELECT_H
#include "c_api/vector_compute/forms.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

__aicore__ inline void asc_set_mask_count() { akgen_set_mask_mode(1); }
__aicore__ inline void asc_set_mask_norm() { akgen_set_mask_mode(0); }
__aicore__ inline void asc_set_vector_mask(uint64_t mask1, uint64_t mask0) {
  akgen_set_mask(mask1, mask0);
}
__aicore__ inline void asc_get_cmp_mask(void* dst) { akgen_get_cmp_mask(dst); }
__aicore__ inline void asc_set_cmp_mask(void* sel_mask) { akgen_set_cmp_mask(sel_mask); }

// Results of comparisons are bits, in dst or (without it; one repeat) in the compare mask register.
#define AKGEN_C_EXTENT_OF_TWO                                                                     \
  uint8_t repeat, uint8_t dst_block_stride, uint8_t src0_block_stride, uint8_t src1_block_stride, \
      uint8_t dst_repeat_stride, uint8_t src0_repeat_stride, uint8_t src1_repeat_stride
#define AKGEN_C_PASS_OF_TWO                                                          \
  repeat, dst_block_stride, src0_block_stride, src1_block_stride, dst_repeat_stride, \
      src0_repeat_stride, src1_repeat_stride
#define AKGEN_C_COMPARE_TO_DST(name, Mode, T)                                               \
  __aicore__ inline void name(uint8_t* dst, T* src0, T* src1, AKGEN_C_EXTENT_OF_TWO) {      \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Compare, dst, src0, src1);            \
    v.mode = static_cast<uint8_t>(AscendC::CMPMODE::Mode);                                  \
    AscendC::akgen_impl::Strides(v, AKGEN_C_PASS_OF_TWO);                                   \
    akgen_vec(&v);                                                                          \
  }                                                                                         \
  __aicore__ inline void name##_sync(uint8_t* dst, T* src0, T* src1, AKGEN_C_EXTENT_OF_TWO) \
      AKGEN_C_SYNC(name(dst, src0, src1, AKGEN_C_PASS_OF_TWO))
#define AKGEN_C_COMPARE_TO_REGISTER(name, Mode, T)                                             \
  __aicore__ inline void name(T* src0, T* src1, AKGEN_C_EXTENT_OF_TWO) {                       \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Compare, (uint8_t*)nullptr, src0, src1); \
    v.mode = static_cast<uint8_t>(AscendC::CMPMODE::Mode);                                     \
    AscendC::akgen_impl::Strides(v, AKGEN_C_PASS_OF_TWO);                                      \
    v.repeat = 1;                                                                              \
    akgen_vec(&v);                                                                             \
  }                                                                                            \
  __aicore__ inline void name##_sync(T* src0, T* src1, AKGEN_C_EXTENT_OF_TWO)                  \
      AKGEN_C_SYNC(name(src0, src1, AKGEN_C_PASS_OF_TWO))
#define AKGEN_C_COMPARE_SCALAR(name, Mode, T)                                                    \
  __aicore__ inline void name##_scalar(uint8_t* dst, T* src, T value, uint8_t repeat,            \
                                       uint16_t dst_block_stride, uint16_t src_block_stride,     \
                                       uint16_t dst_repeat_stride, uint16_t src_repeat_stride) { \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_CompareScalar, dst, src);                  \
    v.scalar = AscendC::AkgenBits(value);                                                        \
    v.mode = static_cast<uint8_t>(AscendC::CMPMODE::Mode);                                       \
    AscendC::akgen_impl::Strides(v, repeat, dst_block_stride, src_block_stride, 0,               \
                                 dst_repeat_stride, src_repeat_stride, 0);                       \
    akgen_vec(&v);                                                                               \
  }                                                                                              \
  __aicore__ inline void name##_scalar_sync(                                                     \
      uint8_t* dst, T* src, T value, uint8_t repeat, uint16_t dst_block_stride,                  \
      uint16_t src_block_stride, uint16_t dst_repeat_stride, uint16_t src_repeat_stride)         \
      AKGEN_C_SYNC(name##_scalar(dst, src, value, repeat, dst_block_stride, src_block_stride,    \
                                 dst_repeat_stride, src_repeat_stride))
#define AKGEN_C_COMPARE(name, Mode)              \
  AKGEN_C_COMPARE_TO_DST(name, Mode, half)       \
  AKGEN_C_COMPARE_TO_DST(name, Mode, float)      \
  AKGEN_C_COMPARE_TO_REGISTER(name, Mode, half)  \
  AKGEN_C_COMPARE_TO_REGISTER(name, Mode, float) \
  AKGEN_C_COMPARE_SCALAR(name, Mode, half)       \
  AKGEN_C_COMPARE_SCALAR(name, Mode, float)
AKGEN_C_COMPARE(asc_eq, EQ)
AKGEN_C_COMPARE(asc_ne, NE)
AKGEN_C_COMPARE(asc_lt, LT)
AKGEN_C_COMPARE(asc_le, LE)
AKGEN_C_COMPARE(asc_gt, GT)
AKGEN_C_COMPARE(asc_ge, GE)
AKGEN_C_COMPARE_TO_DST(asc_eq, EQ, int32_t)
AKGEN_C_COMPARE_SCALAR(asc_eq, EQ, int32_t)
#undef AKGEN_C_COMPARE
#undef AKGEN_C_COMPARE_SCALAR
#undef AKGEN_C_COMPARE_TO_REGISTER
#undef AKGEN_C_COMPARE_TO_DST

// dst = a bit of the compare mask register ? src0 : src1; each repeat takes the register's bits
// from the first on.
#define AKGEN_C_SELECT(T)                                                              \
  __aicore__ inline void asc_select(T* dst, T* src0, T* src1, uint32_t count) {        \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Select, dst, src0, src1);        \
    v.mode = static_cast<uint8_t>(AscendC::SELMODE::VSEL_CMPMASK_SPR);                 \
    AscendC::akgen_impl::RunInCounterMode(v, count, 8);                                \
  }                                                                                    \
  __aicore__ inline void asc_select(T* dst, T* src0, T* src1, AKGEN_C_EXTENT_OF_TWO) { \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Select, dst, src0, src1);        \
    v.mode = static_cast<uint8_t>(AscendC::SELMODE::VSEL_CMPMASK_SPR);                 \
    AscendC::akgen_impl::Strides(v, AKGEN_C_PASS_OF_TWO);                              \
    akgen_vec(&v);                                                                     \
  }                                                                                    \
  __aicore__ inline void asc_select_sync(T* dst, T* src0, T* src1, uint32_t count)     \
      AKGEN_C_SYNC(asc_select(dst, src0, src1, count))
AKGEN_C_SELECT(half)
AKGEN_C_SELECT(float)
#undef AKGEN_C_SELECT
#undef AKGEN_C_EXTENT_OF_TWO
#undef AKGEN_C_PASS_OF_TWO

#pragma clang attribute pop
#endif  // AKGEN_C_API_SELECT_H
