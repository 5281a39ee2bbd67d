// Working space of the advanced functions for which it does not follow from their elements alone,
// in bytes: columns of their rows. The numbers are those of the host functions that size it
// (src/host/lib_tiling.cc).
#pragma once
#include <algorithm>

#include "sim/ops/table.h"

namespace akgen::sim {

inline constexpr uint64_t kTmpRepeat = 256;

// So many times the operand, at least so many repeats, for elements of 2 and of 4 bytes.
template <uint32_t half, uint32_t single>
int64_t TmpFactor(const AkgenVec& v, uint64_t count) {
  const bool is_single = BitsOf(v.src_type) == 32;
  return int64_t((is_single ? single : half) * std::max(count * (is_single ? 4 : 2), kTmpRepeat));
}
// … and for integers.
template <uint32_t half, uint32_t single, uint32_t integer>
int64_t TmpOfPower(const AkgenVec& v, uint64_t count) {
  if (v.dst_type == AKGEN_I32) return int64_t(integer * std::max(count * 4, kTmpRepeat));
  return TmpFactor<half, single>(v, count);
}
int64_t TmpOfGelu(const AkgenVec& v, uint64_t count);
int64_t TmpOfExpHp(const AkgenVec& v, uint64_t count);
int64_t TmpOfClamp(const AkgenVec& v, uint64_t count);
// Functions of rows: `count` means nothing.
int64_t TmpOfQuant(const AkgenVec& v, uint64_t count);
int64_t TmpOfDequant(const AkgenVec& v, uint64_t count);
int64_t TmpOfSum(const AkgenVec& v, uint64_t count);
int64_t TmpOfMean(const AkgenVec& v, uint64_t count);
int64_t TmpOfCumSum(const AkgenVec& v, uint64_t count);
int64_t TmpOfSoftMax(const AkgenVec& v, uint64_t count);
int64_t TmpOfSoftMaxGrad(const AkgenVec& v, uint64_t count);
int64_t TmpOfSelectWithBytesMask(const AkgenVec& v, uint64_t count);
int64_t TmpOfBroadCast(const AkgenVec& v, uint64_t count);

}  // namespace akgen::sim
