// Duplicate, CreateVecIndex, Brcb, Copy (UB to UB on the vector unit), Interleave.
#ifndef AKGEN_KERNEL_VEC_FILL_H
#define AKGEN_KERNEL_VEC_FILL_H
#include "kernel/vec_detail.h"

namespace AscendC {

namespace akgen_impl {
template <typename T>
AKGEN_HELPER AkgenVec StartDuplicate(const LocalTensor<T>& dst, const T& scalar) {
  AKGEN_REQUIRE_DTYPE("Duplicate", "half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float",
                      kTakes<AKGEN_OP_Duplicate, T>);
  AkgenVec v = StartFill(AKGEN_OP_Duplicate, dst);
  v.scalar = AkgenBits(scalar);
  return v;
}
}  // namespace akgen_impl

// Strides in 32-byte DataBlocks.
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask,
                                 const uint8_t repeatTime, const uint16_t dstBlockStride,
                                 const uint8_t dstRepeatStride) {
  AkgenVec v = akgen_impl::StartDuplicate(dst, scalarValue);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  v.dst_blk = dstBlockStride;
  v.dst_rep = dstRepeatStride;
  akgen_vec(&v);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[],
                                 const uint8_t repeatTime, const uint16_t dstBlockStride,
                                 const uint8_t dstRepeatStride) {
  AkgenVec v = akgen_impl::StartDuplicate(dst, scalarValue);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  v.dst_blk = dstBlockStride;
  v.dst_rep = dstRepeatStride;
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue,
                                 const int32_t& count) {
  AkgenVec v = akgen_impl::StartDuplicate(dst, scalarValue);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}

namespace akgen_impl {
template <typename T>
AKGEN_HELPER AkgenVec StartIndex(const LocalTensor<T>& dst, const T& first) {
  AKGEN_REQUIRE_DTYPE("CreateVecIndex", "half, int16_t, float, int32_t",
                      kTakes<AKGEN_OP_CreateVecIndex, T>);
  AkgenVec v = StartFill(AKGEN_OP_CreateVecIndex, dst);
  v.scalar = AkgenBits(first);
  return v;
}
}  // namespace akgen_impl

// dst[i] = firstValue + i.
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask,
                                      uint8_t repeatTime, uint16_t dstBlkStride,
                                      uint8_t dstRepStride) {
  AkgenVec v = akgen_impl::StartIndex(dst, firstValue);
  akgen_impl::Extent(v, mask, repeatTime, true);
  v.dst_blk = dstBlkStride;
  v.dst_rep = dstRepStride;
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[],
                                      uint8_t repeatTime, uint16_t dstBlkStride,
                                      uint8_t dstRepStride) {
  AkgenVec v = akgen_impl::StartIndex(dst, firstValue);
  akgen_impl::Extent(v, mask, repeatTime, true);
  v.dst_blk = dstBlkStride;
  v.dst_rep = dstRepStride;
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count) {
  AkgenVec v = akgen_impl::StartIndex(dst, firstValue);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}

// Each repeat takes 8 elements and fills one DataBlock with each.
template <typename T>
__aicore__ inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const uint8_t repeatTime, const BrcbRepeatParams& repeatParams) {
  AKGEN_REQUIRE_DTYPE("Brcb", "16-bit and 32-bit dtypes", akgen_impl::kTakes<AKGEN_OP_Brcb, T>);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Brcb, dst, src);
  akgen_impl::Whole(v, repeatTime);
  v.dst_blk = repeatParams.dstBlkStride;
  v.dst_rep = repeatParams.dstRepStride;
  akgen_vec(&v);
}

namespace akgen_impl {
template <typename T, typename Mask>
AKGEN_HELPER void CopyBlocks(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask,
                             uint8_t repeat, const CopyRepeatParams& p, bool is_set_mask) {
  AKGEN_REQUIRE_DTYPE("Copy", "16-bit and 32-bit dtypes", kTakes<AKGEN_OP_Copy, T>);
  AkgenVec v = Start(AKGEN_OP_Copy, dst, src);
  Extent(v, mask, repeat, is_set_mask);
  v.dst_blk = p.dstStride;
  v.src0_blk = p.srcStride;
  v.dst_rep = p.dstRepeatSize;
  v.src0_rep = p.srcRepeatSize;
  akgen_vec(&v);
}
}  // namespace akgen_impl

template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const uint64_t mask[], const uint8_t repeatTime,
                            const CopyRepeatParams& repeatParams) {
  akgen_impl::CopyBlocks(dst, src, mask, repeatTime, repeatParams, isSetMask);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const uint64_t mask, const uint8_t repeatTime,
                            const CopyRepeatParams& repeatParams) {
  akgen_impl::CopyBlocks(dst, src, mask, repeatTime, repeatParams, isSetMask);
}

// Only on 3510: the elements of two tensors, alternately, and back.
template <typename T>
__aicore__ inline void Interleave(const LocalTensor<T>&, const LocalTensor<T>&,
                                  const LocalTensor<T>&, const LocalTensor<T>&, const int32_t) {
  AKGEN_REQUIRE_3510("Interleave", T, "use Gather with byte offsets");
}
template <typename T>
__aicore__ inline void DeInterleave(const LocalTensor<T>&, const LocalTensor<T>&,
                                    const LocalTensor<T>&, const LocalTensor<T>&, const int32_t) {
  AKGEN_REQUIRE_3510("DeInterleave", T, "use GatherMask with patterns 1 and 2");
}
template <typename T>
__aicore__ inline void DeInterleave(const LocalTensor<T>&, const LocalTensor<T>&,
                                    const LocalTensor<T>&, const int32_t) {
  AKGEN_REQUIRE_3510("DeInterleave", T, "use GatherMask with patterns 1 and 2");
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_FILL_H
