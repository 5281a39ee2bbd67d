// Sorting: Sort32 sorts 32 scores into 8-byte (score, index) pairs, MrgSort merges up to four such
// lists; Sort, Concat and Extract are composed of them. RpSort16, MrgSort4, ProposalConcat and
// ProposalExtract work on the older 16-byte region proposals (8 elements of half each).
//
// All orders are descending. A pair is score at byte 0 and uint32_t index at byte 4, for half and
// float alike.
#ifndef AKGEN_KERNEL_VEC_SORT_H
#define AKGEN_KERNEL_VEC_SORT_H
#include "kernel/vec_detail.h"
#include "kernel/vec_fill.h"
#include "kernel/vec_gather.h"

namespace AscendC {
namespace akgen_impl {

// Instructions that take a repeat count and a small mode number.
template <typename T>
AKGEN_HELPER void RepeatOnly(uint16_t op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                             int32_t repeat, int32_t mode) {
  AkgenVec v = Start(op, dst, src);
  Whole(v, static_cast<uint32_t>(repeat));
  v.mode = static_cast<uint8_t>(mode);
  akgen_vec(&v);
}

template <typename T>
AKGEN_HELPER void Merge(uint16_t op, const LocalTensor<T>& dst, const void* const (&src)[4],
                        const uint16_t* lengths, uint16_t valid, bool suspend, int32_t repeat) {
  AkgenVec v = StartFill(op, dst);
  v.src0 = src[0];
  v.aux[0] = reinterpret_cast<uint64_t>(&src[0]);
  for (int i = 0; i < 4; ++i) v.aux[1] |= static_cast<uint64_t>(lengths[i]) << (16 * i);
  v.mode = static_cast<uint8_t>(valid);
  v.flag = suspend;
  Whole(v, static_cast<uint32_t>(repeat));
  akgen_vec(&v);
}

template <typename T>
AKGEN_HELPER void Merge(uint16_t op, const LocalTensor<T>& dst, const MrgSortSrcList<T>& list,
                        const uint16_t* lengths, uint16_t valid, bool suspend, int32_t repeat) {
  const void* const src[4] = {Address(list.src1), Address(list.src2), Address(list.src3),
                              Address(list.src4)};
  Merge(op, dst, src, lengths, valid, suspend, repeat);
}

// Elements of T in one pair.
template <typename T>
constexpr uint32_t kPairElements = 8 / sizeof(T);

}  // namespace akgen_impl

template <typename T>
__aicore__ inline void RpSort16(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const int32_t repeatTime) {
  AKGEN_REQUIRE_DTYPE("RpSort16", "half, float", akgen_impl::kTakes<AKGEN_OP_RpSort16, T>);
  akgen_impl::RepeatOnly(AKGEN_OP_RpSort16, dst, src, repeatTime, 0);
}
template <typename T>
__aicore__ inline void ProposalConcat(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                      const int32_t repeatTime, const int32_t modeNumber) {
  AKGEN_REQUIRE_DTYPE("ProposalConcat", "half, float",
                      akgen_impl::kTakes<AKGEN_OP_ProposalConcat, T>);
  akgen_impl::RepeatOnly(AKGEN_OP_ProposalConcat, dst, src, repeatTime, modeNumber);
}
template <typename T>
__aicore__ inline void ProposalExtract(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                       const int32_t repeatTime, const int32_t modeNumber) {
  AKGEN_REQUIRE_DTYPE("ProposalExtract", "half, float",
                      akgen_impl::kTakes<AKGEN_OP_ProposalExtract, T>);
  akgen_impl::RepeatOnly(AKGEN_OP_ProposalExtract, dst, src, repeatTime, modeNumber);
}
template <typename T>
__aicore__ inline void MrgSort4(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src,
                                const MrgSort4Info& params) {
  AKGEN_REQUIRE_DTYPE("MrgSort4", "half, float", akgen_impl::kTakes<AKGEN_OP_MrgSort4, T>);
  akgen_impl::Merge(AKGEN_OP_MrgSort4, dst, src, params.elementLengths, params.validBit,
                    params.ifExhaustedSuspension, params.repeatTimes);
}

// src0: 32 scores per repeat, src1: their indices, dst: 32 pairs per repeat.
template <typename T>
__aicore__ inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                              const LocalTensor<uint32_t>& src1, const int32_t repeatTime) {
  AKGEN_REQUIRE_DTYPE("Sort32", "half, float", akgen_impl::kTakes<AKGEN_OP_Sort32, T>);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Sort32, dst, src0, src1);
  akgen_impl::Whole(v, static_cast<uint32_t>(repeatTime));
  akgen_vec(&v);
}

// Lengths are in pairs; bit i of validBit says whether list i takes part.
template <typename T>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src,
                               const MrgSort4Info& params) {
  AKGEN_REQUIRE_DTYPE("MrgSort", "half, float", akgen_impl::kTakes<AKGEN_OP_MrgSort, T>);
  akgen_impl::Merge(AKGEN_OP_MrgSort, dst, src, params.elementLengths, params.validBit,
                    params.ifExhaustedSuspension, params.repeatTimes);
}

// How many pairs of each list the last merge consumed.
__aicore__ inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2,
                                        uint16_t& mrgSortList3, uint16_t& mrgSortList4) {
  if (!akgen_get_spr(5))
    akgen_broken_rule("GetMrgSortResult: the merge before it has ifExhaustedSuspension");
  const uint64_t packed = akgen_get_spr(4);
  mrgSortList1 = static_cast<uint16_t>(packed);
  mrgSortList2 = static_cast<uint16_t>(packed >> 16);
  mrgSortList3 = static_cast<uint16_t>(packed >> 32);
  mrgSortList4 = static_cast<uint16_t>(packed >> 48);
}

template <typename T, bool isExhaustedSuspension = false>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList,
                               const uint16_t elementCountList[4], uint32_t sortedNum[4],
                               uint16_t validBit, const int32_t repeatTime) {
  AKGEN_REQUIRE_DTYPE("MrgSort", "half, float", akgen_impl::kTakes<AKGEN_OP_MrgSort, T>);
  akgen_impl::Merge(AKGEN_OP_MrgSort, dst, sortList, elementCountList, validBit,
                    isExhaustedSuspension, repeatTime);
  const uint64_t taken = akgen_get_spr(4);
  for (int i = 0; i < 4; ++i) sortedNum[i] = static_cast<uint16_t>(taken >> 16 * i);
}

// Sizes in elements of T that pairs take.
template <typename T>
__aicore__ inline uint32_t GetSortOffset(const uint32_t elemOffset) {
  return elemOffset * akgen_impl::kPairElements<T>;
}
template <typename T>
__aicore__ inline uint32_t GetSortLen(const uint32_t elemCount) {
  return elemCount * akgen_impl::kPairElements<T>;
}

// On this generation scores need no packing before Sort: concat becomes src itself.
template <typename T>
__aicore__ inline void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src,
                              const LocalTensor<T>& tmp, const int32_t repeatTime) {
  (void)tmp;
  if (repeatTime < 0 || repeatTime > 255) akgen_broken_rule("Concat: repeatTime is 0 to 255");
  concat = src;
}

// Splits pairs into scores and indices, 32 pairs per repeat.
template <typename T>
__aicore__ inline void Extract(const LocalTensor<T>& dstValue,
                               const LocalTensor<uint32_t>& dstIndex, const LocalTensor<T>& sorted,
                               const int32_t repeatTime) {
  AKGEN_REQUIRE_DTYPE("Extract", "half, float", akgen_impl::kIsOneOf<T, half, float>);
  if (repeatTime < 0 || repeatTime > 255) akgen_broken_rule("Extract: repeatTime is 0 to 255");
  constexpr uint8_t kFirstOfTwo = 1, kSecondOfTwo = 2,
                    kFirstOfFour = 3;  // built-in GatherMask patterns
  uint64_t kept = 0;
  const GatherMaskParams params(1, static_cast<uint16_t>(repeatTime), 8, 0);
  GatherMask(dstValue, sorted, sizeof(T) == 4 ? kFirstOfTwo : kFirstOfFour, false, 0, params, kept);
  GatherMask(dstIndex, sorted.template ReinterpretCast<uint32_t>(), kSecondOfTwo, false, 0, params,
             kept);
}

namespace akgen_impl {
// Merges the sorted lists of 32 pairs in `pairs` four at a time until one is left, using tmp as the
// other half.
template <typename T>
inline void MergeAll(const LocalTensor<T>& pairs, const LocalTensor<T>& tmp, uint32_t total) {
  char* from = static_cast<char*>(Address(pairs));
  char* to = static_cast<char*>(Address(tmp));
  LocalTensor<T> target[2] = {tmp, pairs};
  int round = 0;
  for (uint64_t run = 32; run < total; run *= 4, ++round) {
    for (uint64_t start = 0; start < total; start += 4 * run) {
      const void* src[4] = {nullptr, nullptr, nullptr, nullptr};
      uint16_t lengths[4] = {0, 0, 0, 0}, valid = 0;
      for (uint64_t i = 0; i < 4 && start + i * run < total; ++i) {
        const uint64_t begin = start + i * run, left = total - begin;
        src[i] = from + begin * 8;
        lengths[i] = static_cast<uint16_t>(left < run ? left : run);
        valid = static_cast<uint16_t>(valid | (1u << i));
      }
      const LocalTensor<T> dst = target[round & 1][static_cast<uint32_t>(start) * kPairElements<T>];
      const void* const lists[4] = {src[0], src[1], src[2], src[3]};
      Merge(AKGEN_OP_MrgSort, dst, lists, lengths, valid, false, 1);
    }
    char* swap = from;
    from = to;
    to = swap;
  }
  if (round & 1) {  // the result lies in tmp
    AkgenVec v = Start(AKGEN_OP_Copy, pairs, tmp);
    Count(v, static_cast<int64_t>(total) * kPairElements<T>);
    akgen_vec(&v);
  }
}
}  // namespace akgen_impl

// Sorts 32 * repeatTime scores: each 32 alone, or (isFullSort) all of them. dst and tmp hold
// GetSortLen elements.
template <typename T, bool isFullSort>
__aicore__ inline void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat,
                            const LocalTensor<uint32_t>& index, LocalTensor<T>& tmp,
                            const int32_t repeatTime) {
  Sort32(dst, concat, index, repeatTime);
  if constexpr (isFullSort) akgen_impl::MergeAll(dst, tmp, static_cast<uint32_t>(repeatTime) * 32);
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_SORT_H
