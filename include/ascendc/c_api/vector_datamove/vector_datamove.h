// Copies between Global Memory and the Unified Buffer, and inside it. Sizes in bytes; gaps in
// DataBlocks of 32 bytes, from the end of a block to the next.
#ifndef AKGEN_C_API_VECTOR_DATAMOVE_H
#define AKGEN_C_API_VECTOR_DATAMOVE_H
#include "c_api/detail.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

// Whole DataBlocks: size is a multiple of 32, len_burst counts DataBlocks.
#define AKGEN_C_COPY(name, Kind, To, From)                                                         \
  __aicore__ inline void name(To void* dst, From void* src, uint32_t size) {                       \
    const AkgenCopy c =                                                                            \
        AscendC::akgen_impl::RawCopy(Kind, AKGEN_U8, (void*)dst, (const void*)src, 1, size, 0, 0); \
    akgen_copy(&c);                                                                                \
  }                                                                                                \
  __aicore__ inline void name(To void* dst, From void* src, uint16_t n_burst, uint16_t len_burst,  \
                              uint16_t src_gap, uint16_t dst_gap) {                                \
    const AkgenCopy c =                                                                            \
        AscendC::akgen_impl::RawCopy(Kind, AKGEN_U8, (void*)dst, (const void*)src, n_burst,        \
                                     len_burst * 32u, src_gap * 32u, dst_gap * 32u);               \
    akgen_copy(&c);                                                                                \
  }                                                                                                \
  __aicore__ inline void name##_sync(To void* dst, From void* src, uint32_t size) {                \
    name(dst, src, size);                                                                          \
    AscendC::akgen_impl::AwaitAll();                                                               \
  }
AKGEN_C_COPY(asc_copy_gm2ub, AKGEN_GM_TO_UB, , __gm__)
AKGEN_C_COPY(asc_copy_ub2gm, AKGEN_UB_TO_GM, __gm__, )
AKGEN_C_COPY(asc_copy_ub2ub, AKGEN_UB_TO_UB, , )
#undef AKGEN_C_COPY

// Any number of whole elements: size and len_burst in bytes. Padding in elements, with what
// asc_set_copy_pad_val named.
#define AKGEN_C_COPY_ALIGN(name, Kind, T)                                                       \
  __aicore__ inline void name(T* dst, T* src, uint16_t n_burst, uint32_t len_burst,             \
                              uint8_t left_padding_num, uint8_t right_padding_num,              \
                              uint32_t src_gap, uint32_t dst_gap) {                             \
    AkgenCopy c = AscendC::akgen_impl::RawCopy(Kind, AscendC::akgen_impl::Dtype<T>(), dst, src, \
                                               n_burst, len_burst, 0, 0);                       \
    c.src_stride = static_cast<int64_t>(src_gap) * 32;                                          \
    c.dst_stride = static_cast<int64_t>(dst_gap) * 32;                                          \
    c.is_pad_api = 1;                                                                           \
    c.left_pad = left_padding_num;                                                              \
    c.right_pad = right_padding_num;                                                            \
    akgen_copy(&c);                                                                             \
  }                                                                                             \
  __aicore__ inline void name(T* dst, T* src, uint32_t size) {                                  \
    name(dst, src, 1, size, 0, 0, 0, 0);                                                        \
  }                                                                                             \
  __aicore__ inline void name##_sync(T* dst, T* src, uint32_t size) {                           \
    name(dst, src, size);                                                                       \
    AscendC::akgen_impl::AwaitAll();                                                            \
  }
#define AKGEN_C_COPY_BOTH(T)                                                             \
  AKGEN_C_COPY_ALIGN(asc_copy_gm2ub_align, AKGEN_GM_TO_UB, T)                            \
  AKGEN_C_COPY_ALIGN(asc_copy_ub2gm_align, AKGEN_UB_TO_GM, T)                            \
  __aicore__ inline void asc_set_copy_pad_val(T pad_value) {                             \
    akgen_set_pad_value(AscendC::AkgenBits(pad_value), AscendC::akgen_impl::Dtype<T>()); \
  }
AKGEN_C_COPY_BOTH(int8_t)
AKGEN_C_COPY_BOTH(uint8_t)
AKGEN_C_COPY_BOTH(int16_t)
AKGEN_C_COPY_BOTH(uint16_t)
AKGEN_C_COPY_BOTH(half)
AKGEN_C_COPY_BOTH(bfloat16_t)
AKGEN_C_COPY_BOTH(int32_t)
AKGEN_C_COPY_BOTH(uint32_t)
AKGEN_C_COPY_BOTH(float)
AKGEN_C_COPY_ALIGN(asc_copy_ub2gm_align, AKGEN_UB_TO_GM, double)
AKGEN_C_COPY_ALIGN(asc_copy_ub2gm_align, AKGEN_UB_TO_GM, int64_t)
AKGEN_C_COPY_ALIGN(asc_copy_ub2gm_align, AKGEN_UB_TO_GM, uint64_t)
#undef AKGEN_C_COPY_BOTH
#undef AKGEN_C_COPY_ALIGN

#pragma clang attribute pop
#include "c_api/ub_arrays.h"
#endif  // AKGEN_C_API_VECTOR_DATAMOVE_H
