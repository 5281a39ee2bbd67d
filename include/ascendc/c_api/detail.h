// Internal helpers of the C-API: they fill the records of akgen/abi.h with plain pointers.
#ifndef AKGEN_C_API_DETAIL_H
#define AKGEN_C_API_DETAIL_H
#include "kernel_operator.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)
namespace AscendC {
namespace akgen_impl {

// What every _sync form ends with, and asc_sync.
AKGEN_HELPER void AwaitAll() { akgen_pipe_barrier(PIPE_ALL); }

template <typename D, typename S>
AKGEN_HELPER AkgenVec RawVec(uint16_t op, D* dst, const S* src0, const void* src1 = nullptr) {
  AkgenVec v = StartRaw(op, Dtype<S>(), dst, src0, src1, 1);
  v.dst_type = Dtype<D>();
  return v;
}

AKGEN_HELPER void Strides(AkgenVec& v, uint8_t repeat, uint16_t dst_blk, uint16_t src0_blk,
                          uint16_t src1_blk, uint16_t dst_rep, uint16_t src0_rep,
                          uint16_t src1_rep) {
  v.repeat = repeat;
  v.dst_blk = dst_blk;
  v.src0_blk = src0_blk;
  v.src1_blk = src1_blk;
  v.dst_rep = dst_rep;
  v.src0_rep = src0_rep;
  v.src1_rep = src1_rep;
}

// A count form uses the mask register to count, and leaves it with all bits set.
AKGEN_HELPER void RunCounted(AkgenVec& v, uint32_t count) {
  v.set_mask = 1;
  Count(v, count);
  akgen_vec(&v);
  akgen_set_mask(FULL_MASK, FULL_MASK);
}
// For instructions whose count form is this way of setting the registers, and no more.
AKGEN_HELPER void RunInCounterMode(AkgenVec& v, uint32_t count, uint16_t dst_rep) {
  Strides(v, 1, 1, 1, 1, dst_rep, 8, 8);
  akgen_set_mask_mode(1);
  akgen_set_mask(0, count);
  akgen_vec(&v);
  akgen_set_mask_mode(0);
  akgen_set_mask(FULL_MASK, FULL_MASK);
}

// Strides in bytes, from the end of a block on.
AKGEN_HELPER AkgenCopy RawCopy(uint8_t kind, uint8_t dtype, void* dst, const void* src,
                               uint16_t blocks, uint32_t bytes, uint32_t src_stride,
                               uint32_t dst_stride) {
  AkgenCopy c = {};
  c.raw = 1;
  c.kind = kind;
  c.dtype = dtype;
  c.block_count = blocks;
  c.block_len = bytes;
  c.src_stride = src_stride;
  c.dst_stride = dst_stride;
  c.dst = dst;
  c.src = src;
  return c;
}

}  // namespace akgen_impl
}  // namespace AscendC
#pragma clang attribute pop
#endif  // AKGEN_C_API_DETAIL_H
