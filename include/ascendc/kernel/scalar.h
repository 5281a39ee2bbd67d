// Computation on the scalar unit.
#ifndef ASCENDC_KERNEL_SCALAR_H
#define ASCENDC_KERNEL_SCALAR_H
#include "kernel/types.h"

namespace AscendC {
template <int countValue>
__aicore__ inline int64_t GetBitCount(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "Ascend C: GetBitCount counts zeros or ones");
  return __builtin_popcountll(countValue == 1 ? valueIn : ~valueIn);
}
template <int countValue>
__aicore__ inline int64_t ScalarGetCountOfValue(uint64_t valueIn) {
  return GetBitCount<countValue>(valueIn);
}
__aicore__ inline int64_t CountLeadingZero(uint64_t valueIn) {
  return valueIn == 0 ? 64 : __builtin_clzll(valueIn);
}
__aicore__ inline int64_t ScalarCountLeadingZero(uint64_t valueIn) {
  return CountLeadingZero(valueIn);
}
// Bits below the sign bit that equal it without a gap; -1 for 0 and -1, in which all do.
__aicore__ inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
  const uint64_t changed = static_cast<uint64_t>(valueIn ^ (valueIn >> 63));
  return changed == 0 ? -1 : __builtin_clzll(changed) - 1;
}
// The lowest position of a 0 or a 1; -1 if there is none.
template <int countValue>
__aicore__ inline int64_t GetSFFValue(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1,
                "Ascend C: GetSFFValue looks for a zero or a one");
  const uint64_t bits = countValue == 1 ? valueIn : ~valueIn;
  return bits == 0 ? -1 : __builtin_ctzll(bits);
}
template <int countValue>
__aicore__ inline int64_t ScalarGetSFFValue(uint64_t valueIn) {
  return GetSFFValue<countValue>(valueIn);
}

// A float rounded to an integer without the C library; values beyond int64 saturate, NaN becomes 0.
inline int64_t AkgenRound(float value, RoundMode mode) {
  if (value != value) return 0;
  if (value >= 9.2233720368547758e18f) return INT64_MAX;
  if (value <= -9.2233720368547758e18f) return INT64_MIN;
  const int64_t below = static_cast<int64_t>(value) -
                        (static_cast<float>(static_cast<int64_t>(value)) > value ? 1 : 0);
  const float rest = value - static_cast<float>(below);
  if (rest == 0.0f) return below;
  switch (mode) {
    case RoundMode::CAST_FLOOR: return below;
    case RoundMode::CAST_CEIL: return below + 1;
    case RoundMode::CAST_TRUNC: return below < 0 ? below + 1 : below;
    case RoundMode::CAST_ROUND:
      return below + (rest > 0.5f || (rest == 0.5f && below >= 0) ? 1 : 0);
    default: return below + (rest > 0.5f || (rest == 0.5f && (below & 1)) ? 1 : 0);
  }
}
// Von Neumann rounding to half: cut, then set the last bit if anything was cut off.
inline half AkgenRoundOdd(float value) {
  half cut = static_cast<half>(value);
  const float back = static_cast<float>(cut);
  if (back == value || back != back) return cut;
  uint16_t bits = static_cast<uint16_t>(AkgenBits(cut));
  const bool away = value < 0 ? back < value : back > value;
  if (away) bits = static_cast<uint16_t>(bits - 1);
  bits |= 1;
  return __builtin_bit_cast(half, bits);
}

// float to half or int32_t, as the scalar unit has it.
template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U ScalarCast(T valueIn) {
  static_assert(std::is_same_v<T, float> && (std::is_same_v<U, half> || std::is_same_v<U, int32_t>),
                "Ascend C: a scalar Cast goes from float to half or int32_t");
  if constexpr (std::is_same_v<U, half>) {
    static_assert(roundMode == RoundMode::CAST_ODD,
                  "Ascend C: a scalar Cast from float to half needs CAST_ODD");
    return AkgenRoundOdd(valueIn);
  } else {
    static_assert(
        roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
            roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT,
        "Ascend C: a scalar Cast to int32_t needs CAST_ROUND, CAST_CEIL, CAST_FLOOR or CAST_RINT");
    const int64_t rounded = AkgenRound(valueIn, roundMode);
    return static_cast<int32_t>(rounded > INT32_MAX   ? INT32_MAX
                                : rounded < INT32_MIN ? INT32_MIN
                                                      : rounded);
  }
}
template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U Cast(T valueIn) {
  return ScalarCast<T, U, roundMode>(valueIn);
}
__aicore__ inline bfloat16_t Cast(const float& fVal) { return bfloat16_t::AkgenFrom(fVal); }
__aicore__ inline float Cast(const bfloat16_t& bVal) { return bVal.AkgenValue(); }
__aicore__ inline bfloat16_t ToBfloat16(const float& fVal) { return bfloat16_t::AkgenFrom(fVal); }
__aicore__ inline float ToFloat(const bfloat16_t& bVal) { return bVal.AkgenValue(); }
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_SCALAR_H
