// Gathering, broadcasting, transposing and sorting inside the Unified Buffer.
#ifndef AKGEN_C_API_MOVE_H
#define AKGEN_C_API_MOVE_H
#include "c_api/vector_compute/forms.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

AKGEN_C_UNARY(asc_copy, Copy, int16_t)
AKGEN_C_UNARY(asc_copy, Copy, uint16_t)
AKGEN_C_UNARY(asc_copy, Copy, int32_t)
AKGEN_C_UNARY(asc_copy, Copy, uint32_t)

// src_offset: bytes from src on.
#define AKGEN_C_GATHER(T)                                                                      \
  __aicore__ inline void asc_gather(T* dst, T* src, uint32_t* src_offset, uint32_t count) {    \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Gather, dst, src, src_offset);           \
    v.src1_type = AKGEN_U32;                                                                   \
    AscendC::akgen_impl::RunCounted(v, count);                                                 \
  }                                                                                            \
  __aicore__ inline void asc_gather(T* dst, T* src, uint32_t* src_offset,                      \
                                    uint16_t dst_repeat_stride, uint8_t repeat) {              \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Gather, dst, src, src_offset);           \
    v.src1_type = AKGEN_U32;                                                                   \
    AscendC::akgen_impl::Strides(v, repeat, 1, 0, 0, dst_repeat_stride, 0, 0);                 \
    akgen_vec(&v);                                                                             \
  }                                                                                            \
  __aicore__ inline void asc_gather_sync(T* dst, T* src, uint32_t* src_offset, uint32_t count) \
      AKGEN_C_SYNC(asc_gather(dst, src, src_offset, count))
AKGEN_C_GATHER(int16_t)
AKGEN_C_GATHER(uint16_t)
AKGEN_C_GATHER(half)
AKGEN_C_GATHER(bfloat16_t)
AKGEN_C_GATHER(int32_t)
AKGEN_C_GATHER(uint32_t)
AKGEN_C_GATHER(float)
#undef AKGEN_C_GATHER

// Whole DataBlocks; eight elements to eight DataBlocks; the elements that a pattern selects, one
// behind the other.
#define AKGEN_C_BLOCKS(T)                                                                         \
  __aicore__ inline void asc_gather_datablock(T* dst, T* src, uint32_t* src_offset,               \
                                              uint16_t dst_repeat_stride,                         \
                                              uint8_t dst_block_stride, uint8_t repeat) {         \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Gatherb, dst, src, src_offset);             \
    v.src1_type = AKGEN_U32;                                                                      \
    v.set_mask = 1;                                                                               \
    AscendC::akgen_impl::Whole(v, repeat);                                                        \
    v.dst_blk = dst_block_stride;                                                                 \
    v.dst_rep = dst_repeat_stride;                                                                \
    akgen_vec(&v);                                                                                \
  }                                                                                               \
  __aicore__ inline void asc_gather_datablock_sync(                                               \
      T* dst, T* src, uint32_t* src_offset, uint16_t dst_repeat_stride, uint8_t dst_block_stride, \
      uint8_t repeat) AKGEN_C_SYNC(asc_gather_datablock(dst, src, src_offset, dst_repeat_stride,  \
                                                        dst_block_stride, repeat))                \
      __aicore__ inline void asc_brcb(T* dst, T* src, uint16_t dst_block_stride,                  \
                                      uint16_t dst_repeat_stride, uint8_t repeat) {               \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Brcb, dst, src);                            \
    v.set_mask = 1;                                                                               \
    AscendC::akgen_impl::Whole(v, repeat);                                                        \
    v.dst_blk = dst_block_stride;                                                                 \
    v.dst_rep = dst_repeat_stride;                                                                \
    akgen_vec(&v);                                                                                \
  }                                                                                               \
  __aicore__ inline void asc_brcb_sync(T* dst, T* src, uint16_t dst_block_stride,                 \
                                       uint16_t dst_repeat_stride, uint8_t repeat)                \
      AKGEN_C_SYNC(asc_brcb(dst, src, dst_block_stride, dst_repeat_stride, repeat))               \
          __aicore__ inline void asc_reduce(T* dst, T* src0, T* src1, uint32_t count) {           \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_GatherMask, dst, src0, src1);               \
    v.set_mask = 1;                                                                               \
    AscendC::akgen_impl::Whole(v, 1);                                                             \
    v.flag = 1;                                                                                   \
    v.mask[0] = count;                                                                            \
    v.src0_blk = 1;                                                                               \
    v.src0_rep = 8;                                                                               \
    v.src1_rep = 1;                                                                               \
    akgen_vec(&v);                                                                                \
    akgen_set_mask(AscendC::FULL_MASK, AscendC::FULL_MASK);                                       \
  }                                                                                               \
  /* pattern_mode 0: the bits of src1; 1 to 7: a pattern of the instruction's own. */             \
  __aicore__ inline void asc_reduce(T* dst, T* src0, T* src1, uint16_t repeat,                    \
                                    uint8_t src0_block_stride, uint8_t pattern_mode,              \
                                    uint16_t src0_repeat_stride, uint8_t src1_repeat_stride) {    \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_GatherMask, dst, src0,                      \
                                             pattern_mode ? nullptr : src1);                      \
    v.set_mask = 1;                                                                               \
    AscendC::akgen_impl::Whole(v, repeat);                                                        \
    v.mode = pattern_mode;                                                                        \
    v.src0_blk = src0_block_stride;                                                               \
    v.src0_rep = src0_repeat_stride;                                                              \
    v.src1_rep = src1_repeat_stride;                                                              \
    akgen_vec(&v);                                                                                \
  }                                                                                               \
  __aicore__ inline void asc_reduce_sync(T* dst, T* src0, T* src1, uint32_t count)                \
      AKGEN_C_SYNC(asc_reduce(dst, src0, src1, count))
AKGEN_C_BLOCKS(uint16_t)
AKGEN_C_BLOCKS(uint32_t)
#undef AKGEN_C_BLOCKS
// How many elements the latest asc_reduce kept.
__aicore__ inline int64_t asc_get_rsvd_count() { return static_cast<int64_t>(akgen_get_spr(3)); }

// One block of 16 x 16.
__aicore__ inline void asc_transpose(int16_t* dst, int16_t* src) { vtranspose(dst, src); }
__aicore__ inline void asc_transpose(uint16_t* dst, uint16_t* src) { vtranspose(dst, src); }
__aicore__ inline void asc_transpose_sync(int16_t* dst, int16_t* src)
    AKGEN_C_SYNC(asc_transpose(dst, src)) __aicore__
    inline void asc_transpose_sync(uint16_t* dst, uint16_t* src)
        AKGEN_C_SYNC(asc_transpose(dst, src))

    // Eight addresses into an address register; two registers a side for the transposes of 16 rows.
    template <typename T>
    __aicore__ inline void asc_set_va_reg(ub_addr8_t addr, T** src_array) {
  for (int i = 0; i < 8; ++i)
    AscendC::akgen_impl::AddressRegister(addr)[i] = reinterpret_cast<uint64_t>(src_array[i]);
}
namespace AscendC {
namespace akgen_impl {
AKGEN_HELPER void TransRegisters(uint8_t dtype, ub_addr8_t dst, ub_addr8_t src,
                                 const TransDataTo5HDParams& params) {
  uint64_t dst_list[16], src_list[16];
  for (int i = 0; i < 16; ++i) {
    dst_list[i] = AddressRegister(dst + i / 8)[i % 8];
    src_list[i] = AddressRegister(src + i / 8)[i % 8];
  }
  TransRows(dtype, dst_list, src_list, params);
}
}  // namespace akgen_impl
}  // namespace AscendC
#define AKGEN_C_TRANSPOSES(name, dtype)                                                            \
  __aicore__ inline void name(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, \
                              uint16_t src_stride) {                                               \
    AscendC::akgen_impl::TransRegisters(                                                           \
        dtype, dst, src,                                                                           \
        AscendC::TransDataTo5HDParams(false, false, repeat, dst_stride, src_stride));              \
  }                                                                                                \
  __aicore__ inline void name##_sync(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,               \
                                     uint16_t dst_stride, uint16_t src_stride)                     \
      AKGEN_C_SYNC(name(dst, src, repeat, dst_stride, src_stride))
AKGEN_C_TRANSPOSES(asc_transto5hd_b16, AKGEN_U16)
AKGEN_C_TRANSPOSES(asc_transto5hd_b32, AKGEN_U32)
#undef AKGEN_C_TRANSPOSES
__aicore__ inline void asc_transto5hd_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,
                                         uint16_t dst_stride, uint16_t src_stride,
                                         bool dst_high_half, bool src_high_half) {
  AscendC::akgen_impl::TransRegisters(
      AKGEN_U8, dst, src,
      AscendC::TransDataTo5HDParams(dst_high_half, src_high_half, repeat, dst_stride, src_stride));
}
__aicore__ inline void asc_transto5hd_b8_sync(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,
                                              uint16_t dst_stride, uint16_t src_stride,
                                              bool dst_high_half, bool src_high_half)
    AKGEN_C_SYNC(asc_transto5hd_b8(dst, src, repeat, dst_stride, src_stride, dst_high_half,
                                   src_high_half))

    // 32 scores and their indices to 32 pairs a repeat; up to four sorted lists of pairs to one.
    // Lengths in pairs.
    constexpr int ASC_C_API_MRGSORT_ELEMENT_LEN = 4;
#define AKGEN_C_SORT(T)                                                                         \
  __aicore__ inline void asc_bitsort(T* dst, T* src0, uint32_t* src1, int32_t repeat) {         \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Sort32, dst, src0, src1);                 \
    v.src1_type = AKGEN_U32;                                                                    \
    v.set_mask = 1;                                                                             \
    AscendC::akgen_impl::Whole(v, static_cast<uint32_t>(repeat));                               \
    akgen_vec(&v);                                                                              \
  }                                                                                             \
  __aicore__ inline void asc_bitsort_sync(T* dst, T* src0, uint32_t* src1, int32_t repeat)      \
      AKGEN_C_SYNC(asc_bitsort(dst, src0, src1, repeat)) __aicore__ inline void asc_mrgsort4(   \
          T* dst, T* src[ASC_C_API_MRGSORT_ELEMENT_LEN], uint8_t repeat,                        \
          uint16_t element_length_0, uint16_t element_length_1, uint16_t element_length_2,      \
          uint16_t element_length_3, bool if_exhausted_suspension, uint8_t valid_bit) {         \
    const void* const lists[4] = {src[0], src[1], valid_bit & 4 ? src[2] : nullptr,             \
                                  valid_bit & 8 ? src[3] : nullptr};                            \
    AkgenVec v =                                                                                \
        AscendC::akgen_impl::RawVec(AKGEN_OP_MrgSort, dst, static_cast<const T*>(lists[0]));    \
    v.set_mask = 1;                                                                             \
    v.aux[0] = reinterpret_cast<uint64_t>(&lists[0]);                                           \
    v.aux[1] = element_length_0 | static_cast<uint64_t>(element_length_1) << 16 |               \
               static_cast<uint64_t>(element_length_2) << 32 |                                  \
               static_cast<uint64_t>(element_length_3) << 48;                                   \
    v.mode = valid_bit;                                                                         \
    v.flag = if_exhausted_suspension;                                                           \
    AscendC::akgen_impl::Whole(v, repeat);                                                      \
    akgen_vec(&v);                                                                              \
  }                                                                                             \
  __aicore__ inline void asc_mrgsort4_sync(                                                     \
      T* dst, T* src[ASC_C_API_MRGSORT_ELEMENT_LEN], uint8_t repeat, uint16_t element_length_0, \
      uint16_t element_length_1, uint16_t element_length_2, uint16_t element_length_3,          \
      bool if_exhausted_suspension, uint8_t valid_bit)                                          \
      AKGEN_C_SYNC(asc_mrgsort4(dst, src, repeat, element_length_0, element_length_1,           \
                                element_length_2, element_length_3, if_exhausted_suspension,    \
                                valid_bit))
AKGEN_C_SORT(half)
AKGEN_C_SORT(float)
#undef AKGEN_C_SORT
// How many pairs of each list the latest merge took.
__aicore__ inline void asc_get_vms4_sr(uint16_t sorted_num[ASC_C_API_MRGSORT_ELEMENT_LEN]) {
  const uint64_t taken = akgen_get_spr(4);
  for (int i = 0; i < ASC_C_API_MRGSORT_ELEMENT_LEN; ++i)
    sorted_num[i] = static_cast<uint16_t>(taken >> 16 * i);
}

#pragma clang attribute pop
#endif  // AKGEN_C_API_MOVE_H
