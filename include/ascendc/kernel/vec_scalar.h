// Vector with a scalar: Adds, Muls, Maxs, Mins, ShiftLeft, ShiftRight, LeakyRelu, and Axpy (dst +=
// src * scalar).
//
// The scalar has the dtype of src. isSetMask = false leaves the mask to SetVectorMask, in the count
// form too. Subs, Divs, Ands and Ors exist on 3510 only; there either side may be the scalar.
#ifndef AKGEN_KERNEL_VEC_SCALAR_H
#define AKGEN_KERNEL_VEC_SCALAR_H
#include "kernel/vec_detail.h"

namespace AscendC {

// One function: Head is its template header, Scalar its scalar type, the rest its extent.
#define AKGEN_SCALAR_SLICED(Name, Head, Scalar, Mask, Round, round, rule)                          \
  AKGEN_SCALAR_UNPACK Head __aicore__ inline void Name(                                            \
      const LocalTensor<T>& dst, const LocalTensor<T>& src, const Scalar& scalarValue, Mask,       \
      const uint8_t repeatTime, const UnaryRepeatParams& repeatParams AKGEN_SCALAR_UNPACK Round) { \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Name, T>);                      \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src);                                     \
    v.scalar = AkgenBits(static_cast<PrimT<T>>(scalarValue));                                      \
    v.flag = round;                                                                                \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                            \
    akgen_impl::Strides(v, repeatParams);                                                          \
    akgen_vec(&v);                                                                                 \
  }
#define AKGEN_SCALAR_COUNT(Name, Head, Scalar, rule)                                   \
  AKGEN_SCALAR_UNPACK Head __aicore__ inline void Name(                                \
      const LocalTensor<T>& dst, const LocalTensor<T>& src, const Scalar& scalarValue, \
      const int32_t& count) {                                                          \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Name, T>);          \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src);                         \
    v.scalar = AkgenBits(static_cast<PrimT<T>>(scalarValue));                          \
    akgen_impl::CountOrRegister(v, count, isSetMask);                                  \
    akgen_vec(&v);                                                                     \
  }
#define AKGEN_SCALAR_UNPACK(...) __VA_ARGS__
#define AKGEN_SCALAR_HEAD_T (template <typename T, bool isSetMask = true>)
#define AKGEN_SCALAR_HEAD_TU                                                           \
  (template <typename T, typename U, bool isSetMask = true,                            \
             typename akgen_impl::EnableIf<__is_same(PrimT<T>, U), bool>::type = true> \
  )

// The six overloads of one instruction; Round is the trailing parameter list of the sliced forms.
#define AKGEN_SCALAR(Name, RoundT, RoundU, round, rule)                                    \
  AKGEN_SCALAR_SLICED(Name, AKGEN_SCALAR_HEAD_T, T, uint64_t mask[], RoundT, round, rule)  \
  AKGEN_SCALAR_SLICED(Name, AKGEN_SCALAR_HEAD_TU, U, uint64_t mask[], RoundU, round, rule) \
  AKGEN_SCALAR_SLICED(Name, AKGEN_SCALAR_HEAD_T, T, uint64_t mask, RoundT, round, rule)    \
  AKGEN_SCALAR_SLICED(Name, AKGEN_SCALAR_HEAD_TU, U, uint64_t mask, RoundU, round, rule)   \
  AKGEN_SCALAR_COUNT(Name, AKGEN_SCALAR_HEAD_T, T, rule)                                   \
  AKGEN_SCALAR_COUNT(Name, AKGEN_SCALAR_HEAD_TU, U, rule)

AKGEN_SCALAR(ShiftRight, (, bool roundEn = false), (, bool roundEn), roundEn,
             "int16_t, uint16_t, int32_t, uint32_t")

// Only on 3510; there either operand may be the scalar, in a register or as the first element of a
// tensor.
struct BinaryConfig {
  int8_t scalarTensorIndex = 1;
};
constexpr BinaryConfig DEFAULT_BINARY_CONFIG = {1};
struct BinaryDefaultType {};
#define AKGEN_SCALAR_3510(Name, instead)                                                \
  template <typename T = BinaryDefaultType, bool isSetMask = true,                      \
            const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U, typename S, \
            typename V, typename Mask>                                                  \
  __aicore__ inline void Name(const U&, const S&, const V&, Mask, const uint8_t,        \
                              const UnaryRepeatParams&) {                               \
    AKGEN_REQUIRE_3510(#Name, U, instead);                                              \
  }                                                                                     \
  template <typename T = BinaryDefaultType, bool isSetMask = true,                      \
            const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U, typename S, \
            typename V>                                                                 \
  __aicore__ inline void Name(const U&, const S&, const V&, const int32_t&) {           \
    AKGEN_REQUIRE_3510(#Name, U, instead);                                              \
  }
AKGEN_SCALAR_3510(Subs, "use Adds with the negated scalar")
AKGEN_SCALAR_3510(Divs, "use Muls with the reciprocal of the scalar")
AKGEN_SCALAR_3510(Ands, "Duplicate the scalar and use And")
AKGEN_SCALAR_3510(Ors, "Duplicate the scalar and use Or")
#undef AKGEN_SCALAR_3510

#define AKGEN_AXPY_CHECK                                                         \
  AKGEN_REQUIRE_DTYPE("Axpy", "(dst, src) half/half, float/float or float/half", \
                      akgen_impl::kTakes<AKGEN_OP_Axpy, T, U>)
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
                            const UnaryRepeatParams& repeatParams) {
  AKGEN_AXPY_CHECK;
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Axpy, dst, src);
  v.scalar = AkgenBits(scalarValue);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  akgen_impl::Strides(v, repeatParams);
  akgen_vec(&v);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
                            const UnaryRepeatParams& repeatParams) {
  AKGEN_AXPY_CHECK;
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Axpy, dst, src);
  v.scalar = AkgenBits(scalarValue);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  akgen_impl::Strides(v, repeatParams);
  akgen_vec(&v);
}
template <typename T, typename U>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const U& scalarValue, const int32_t& count) {
  AKGEN_AXPY_CHECK;
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Axpy, dst, src);
  v.scalar = AkgenBits(scalarValue);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}
#undef AKGEN_AXPY_CHECK

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_SCALAR_H
