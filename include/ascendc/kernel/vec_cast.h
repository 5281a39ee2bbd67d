// Cast and its dequantising relatives.
//
// The dtype pairs are those of the 2201 generation; which rounding modes a pair takes is checked
// when it runs, as the mode is a run-time argument. int32_t -> half multiplies by SetDeqScale and
// ignores the mode.
#ifndef AKGEN_KERNEL_VEC_CAST_H
#define AKGEN_KERNEL_VEC_CAST_H
#include "kernel/vec_detail.h"

namespace AscendC {
namespace akgen_impl {

// Destinations that exist for each source dtype.
template <typename T, typename U>
AKGEN_HELPER AkgenVec StartCast(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                                RoundMode mode) {
  static_assert(kTakes<AKGEN_OP_Cast, T, U>,
                "Ascend C: Cast does not support this pair (dst, src); it takes src half -> float, "
                "int32_t, int16_t, "
                "int8_t, uint8_t, int4b_t; float -> half, bfloat16_t, int16_t, int32_t, int64_t, "
                "float; bfloat16_t -> "
                "float, int32_t; int8_t, uint8_t, int4b_t -> half; int16_t -> half, float; int32_t "
                "-> half, float, "
                "int16_t, int64_t; int64_t -> int32_t, float");
  AkgenVec v = Start(AKGEN_OP_Cast, dst, src);
  v.round_mode = static_cast<uint8_t>(mode);
  return v;
}

template <typename T, typename U, bool isVecDeq, bool halfBlock>
AKGEN_HELPER AkgenVec StartCastDeq(const LocalTensor<T>& dst, const LocalTensor<U>& src) {
  constexpr bool kFromInt32 = __is_same(U, int32_t) && __is_same(T, half);
  AKGEN_REQUIRE_DTYPE("CastDequant", "(dst, src) int8_t/int16_t, uint8_t/int16_t or half/int32_t",
                      kFromInt32 || kTakes<AKGEN_OP_CastDeq, T, U>);
  if constexpr (kFromInt32) {
    return StartCast(dst, src, RoundMode::CAST_RINT);
  } else {
    AkgenVec v = Start(AKGEN_OP_CastDeq, dst, src);
    v.flag = isVecDeq;
    v.mode = halfBlock;
    return v;
  }
}

}  // namespace akgen_impl

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const RoundMode& roundMode, const uint64_t mask[],
                            const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  AkgenVec v = akgen_impl::StartCast(dst, src, roundMode);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  akgen_impl::Strides(v, repeatParams);
  akgen_vec(&v);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const RoundMode& roundMode, const uint64_t mask,
                            const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  AkgenVec v = akgen_impl::StartCast(dst, src, roundMode);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  akgen_impl::Strides(v, repeatParams);
  akgen_vec(&v);
}
template <typename T, typename U>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const RoundMode& roundMode, const uint32_t count) {
  AkgenVec v = akgen_impl::StartCast(dst, src, roundMode);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}

// CastDequant and its older name CastDeq: int16_t -> int8_t or uint8_t with the dequantisation
// registers.
#define AKGEN_CAST_DEQ(Name)                                                        \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,    \
            bool halfBlock = true>                                                  \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, \
                              const uint64_t mask[], uint8_t repeatTime,            \
                              const UnaryRepeatParams& repeatParams) {              \
    AkgenVec v = akgen_impl::StartCastDeq<T, U, isVecDeq, halfBlock>(dst, src);     \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                             \
    akgen_impl::Strides(v, repeatParams);                                           \
    akgen_vec(&v);                                                                  \
  }                                                                                 \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,    \
            bool halfBlock = true>                                                  \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, \
                              const int32_t mask, uint8_t repeatTime,               \
                              const UnaryRepeatParams& repeatParams) {              \
    AkgenVec v = akgen_impl::StartCastDeq<T, U, isVecDeq, halfBlock>(dst, src);     \
    akgen_impl::Extent(v, static_cast<uint64_t>(mask), repeatTime, isSetMask);      \
    akgen_impl::Strides(v, repeatParams);                                           \
    akgen_vec(&v);                                                                  \
  }                                                                                 \
  template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>    \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, \
                              const uint32_t count) {                               \
    AkgenVec v = akgen_impl::StartCastDeq<T, U, isVecDeq, halfBlock>(dst, src);     \
    akgen_impl::Count(v, count);                                                    \
    akgen_vec(&v);                                                                  \
  }
AKGEN_CAST_DEQ(CastDequant)
AKGEN_CAST_DEQ(CastDeq)
#undef AKGEN_CAST_DEQ

// The dequantisation registers that int32_t -> half and CastDequant read.
__aicore__ inline void SetDeqScale(half scale) {
  akgen_set_deq_scale(static_cast<float>(scale), 0, 0);
}
__aicore__ inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
  akgen_set_deq_scale(scale, offset, signMode);
}
template <typename T>
__aicore__ inline void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo) {
  (void)vdeq, (void)vdeqInfo;
  akgen_unsupported("SetDeqScale with a vector of scales");
}

template <typename T, RoundMode roundMode>
__aicore__ inline void Truncate(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const uint32_t count) {
  AKGEN_REQUIRE_3510("Truncate", T, "Cast to an integer and back");
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Trunc, dst, src);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_CAST_H
