// Gather, Gatherb, GatherMask, Scatter. Offsets are in bytes.
#ifndef AKGEN_KERNEL_VEC_GATHER_H
#define AKGEN_KERNEL_VEC_GATHER_H
#include "kernel/vec_detail.h"

namespace AscendC {
namespace akgen_impl {

template <typename T>
constexpr bool kIsGatherDtype = kTakes<AKGEN_OP_Gather, T>;

// dst[i] = src[(base + offset[i]) / sizeof(T)]. Of 2 and 4 bytes; others compile, as on the device,
// and are refused by the chip where they are executed.
template <typename T>
AKGEN_HELPER AkgenVec StartGather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LocalTensor<uint32_t>& offset, uint32_t base) {
  AkgenVec v = Start(AKGEN_OP_Gather, dst, src, offset);
  v.aux[0] = base;
  return v;
}

// dst[(base + offset[i]) / sizeof(T)] = src[i].
template <typename T>
AKGEN_HELPER AkgenVec StartScatter(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                   const LocalTensor<uint32_t>& offset, uint32_t base) {
  AKGEN_REQUIRE_3510("Scatter", T,
                     "write single elements with SetValue, or DataCopyPad them to GM");
  AkgenVec v = Start(AKGEN_OP_Scatter, dst, src, offset);
  v.aux[0] = base;
  return v;
}

}  // namespace akgen_impl

// offset[i] names the DataBlock that becomes DataBlock i of dst; one repeat takes 8 offsets.
template <typename T>
__aicore__ inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint32_t>& offset, const uint8_t repeatTime,
                               const GatherRepeatParams& repeatParams) {
  AKGEN_REQUIRE_DTYPE("Gatherb", "16-bit and 32-bit dtypes", sizeof(T) == 2 || sizeof(T) == 4);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Gatherb, dst, src, offset);
  akgen_impl::Whole(v, repeatTime);
  v.dst_blk = repeatParams.dstBlkStride;
  v.dst_rep = repeatParams.dstRepStride;
  akgen_vec(&v);
}

template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseOffset,
                              const uint64_t mask, const uint8_t repeatTime,
                              const uint16_t dstRepStride) {
  AkgenVec v = akgen_impl::StartGather(dst, src, srcOffset, srcBaseOffset);
  akgen_impl::Extent(v, mask, repeatTime, true);
  v.dst_blk = 1;
  v.dst_rep = dstRepStride;
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseOffset,
                              const uint64_t mask[], const uint8_t repeatTime,
                              const uint16_t dstRepStride) {
  AkgenVec v = akgen_impl::StartGather(dst, src, srcOffset, srcBaseOffset);
  akgen_impl::Extent(v, mask, repeatTime, true);
  v.dst_blk = 1;
  v.dst_rep = dstRepStride;
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseOffset,
                              const uint32_t count) {
  AkgenVec v = akgen_impl::StartGather(dst, src, srcOffset, srcBaseOffset);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}

template <typename T>
__aicore__ inline void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint32_t>& dstOffset, const uint32_t dstBaseAddr,
                               const uint64_t mask, const uint8_t repeatTime,
                               const uint8_t srcRepStride) {
  AkgenVec v = akgen_impl::StartScatter(dst, src, dstOffset, dstBaseAddr);
  akgen_impl::Extent(v, mask, repeatTime, true);
  v.src0_blk = 1;
  v.src0_rep = srcRepStride;
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint32_t>& dstOffset, const uint32_t dstBaseAddr,
                               const uint64_t mask[], const uint8_t repeatTime,
                               const uint8_t srcRepStride) {
  AkgenVec v = akgen_impl::StartScatter(dst, src, dstOffset, dstBaseAddr);
  akgen_impl::Extent(v, mask, repeatTime, true);
  v.src0_blk = 1;
  v.src0_rep = srcRepStride;
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint32_t>& dstOffset, const uint32_t dstBaseAddr,
                               const uint32_t count) {
  AkgenVec v = akgen_impl::StartScatter(dst, src, dstOffset, dstBaseAddr);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}

namespace akgen_impl {
// Compacts the elements that the pattern selects; rsvdCnt = how many there were. reduceMode false:
// whole repeats, mask ignored; true: mask elements of each repeat, any number.
AKGEN_HELPER void FinishGatherMask(AkgenVec& v, bool reduce_mode, uint32_t mask,
                                   const GatherMaskParams& p, uint64_t& count) {
  Whole(v, p.repeatTimes);
  v.flag = reduce_mode;
  v.mask[0] = mask;
  v.src0_blk = p.src0BlockStride;
  v.src0_rep = p.src0RepeatStride;
  v.src1_rep = p.src1RepeatStride;
  akgen_vec(&v);
  count = akgen_get_spr(3);
}
}  // namespace akgen_impl

template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<U>& src1Pattern, const bool reduceMode,
                                  const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                                  uint64_t& rsvdCnt) {
  AKGEN_REQUIRE_DTYPE("GatherMask", "half, bfloat16_t, int16_t, uint16_t, float, int32_t, uint32_t",
                      akgen_impl::kIsGatherDtype<T>);
  AKGEN_REQUIRE_DTYPE("GatherMask with a pattern tensor",
                      "a uint16_t pattern for 16-bit data and a uint32_t pattern for 32-bit data",
                      akgen_impl::kIsOneOf<U, uint16_t, uint32_t> && sizeof(T) == sizeof(U));
  AkgenVec v = akgen_impl::Start(AKGEN_OP_GatherMask, dst, src0, src1Pattern);
  akgen_impl::FinishGatherMask(v, reduceMode, mask, gatherMaskParams, rsvdCnt);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const uint8_t src1Pattern, const bool reduceMode,
                                  const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                                  uint64_t& rsvdCnt) {
  AKGEN_REQUIRE_DTYPE("GatherMask", "half, bfloat16_t, int16_t, uint16_t, float, int32_t, uint32_t",
                      akgen_impl::kIsGatherDtype<T>);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_GatherMask, dst, src0);
  v.mode = src1Pattern;
  akgen_impl::FinishGatherMask(v, reduceMode, mask, gatherMaskParams, rsvdCnt);
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_GATHER_H
