// Binary vector instructions (Add … Or, AddRelu, SubRelu, MulCast …) and those that also read dst
// (MulAddDst, FusedMulAdd …), in the forms of vec_unary.h with BinaryRepeatParams.
//
// A count form of And and Or always counts 16-bit words, whatever the dtype: with a 32-bit dtype it
// handles only the first half of the elements, as on the chip.
#ifndef AKGEN_KERNEL_VEC_BINARY_H
#define AKGEN_KERNEL_VEC_BINARY_H
#include "kernel/vec_detail.h"

namespace AscendC {

// The sliced forms (mask in bits, mask of leading elements) of `Name`, which runs the row `Op`, of
// dtypes that `rule` says. kernel/vec_declared.h has the names.
#define AKGEN_BINARY_SLICED(Name, Op, rule)                                                        \
  template <typename T, bool isSetMask = true>                                                     \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,               \
                              const LocalTensor<T>& src1, uint64_t mask[],                         \
                              const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {  \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Op, T>);                        \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Op, dst, src0, src1);                                \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                            \
    akgen_impl::Strides(v, repeatParams);                                                          \
    akgen_vec(&v);                                                                                 \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,               \
                              const LocalTensor<T>& src1, uint64_t mask, const uint8_t repeatTime, \
                              const BinaryRepeatParams& repeatParams) {                            \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Op, T>);                        \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Op, dst, src0, src1);                                \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                            \
    akgen_impl::Strides(v, repeatParams);                                                          \
    akgen_vec(&v);                                                                                 \
  }

// All three forms.
#define AKGEN_BINARY(Name, Op, rule)                                                 \
  AKGEN_BINARY_SLICED(Name, Op, rule)                                                \
  template <typename T>                                                              \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, \
                              const LocalTensor<T>& src1, const int32_t& count) {    \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Op, T>);          \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Op, dst, src0, src1);                  \
    akgen_impl::Count(v, count);                                                     \
    akgen_vec(&v);                                                                   \
  }

// Bitwise: sliced forms take 16-bit dtypes only, the count form counts 16-bit words of any dtype.
#define AKGEN_BITWISE(Name, rule)                                                    \
  AKGEN_BINARY_SLICED(Name, Name, rule)                                              \
  template <typename T>                                                              \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, \
                              const LocalTensor<T>& src1, const int32_t& count) {    \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src0, src1);                \
    v.dst_type = v.src_type = v.src1_type = AKGEN_I16;                               \
    akgen_impl::Count(v, count);                                                     \
    akgen_vec(&v);                                                                   \
  }

// dst and the sources differ in dtype: <T, U> with a rule over the pair.
#define AKGEN_BINARY_MIXED(Name, CountType, rule)                                                  \
  template <typename T, typename U, bool isSetMask = true>                                         \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0,               \
                              const LocalTensor<U>& src1, uint64_t mask, const uint8_t repeatTime, \
                              const BinaryRepeatParams& repeatParams) {                            \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Name, T, U>);                   \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src0, src1);                              \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                            \
    akgen_impl::Strides(v, repeatParams);                                                          \
    akgen_vec(&v);                                                                                 \
  }                                                                                                \
  template <typename T, typename U, bool isSetMask = true>                                         \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0,               \
                              const LocalTensor<U>& src1, const uint64_t mask[],                   \
                              const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {  \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Name, T, U>);                   \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src0, src1);                              \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                            \
    akgen_impl::Strides(v, repeatParams);                                                          \
    akgen_vec(&v);                                                                                 \
  }                                                                                                \
  template <typename T, typename U>                                                                \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0,               \
                              const LocalTensor<U>& src1, CountType count) {                       \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Name, T, U>);                   \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src0, src1);                              \
    akgen_impl::Count(v, count);                                                                   \
    akgen_vec(&v);                                                                                 \
  }

AKGEN_BINARY(MulAddRelu, FusedMulAddRelu, "half, float")
AKGEN_BINARY_MIXED(MulAddDst, const int32_t&, "(dst, src) half/half, float/float or float/half")
AKGEN_BINARY_MIXED(MulCast, uint32_t, "(dst, src) int8_t/half or uint8_t/half")
AKGEN_BINARY_MIXED(AddReluCast, const uint32_t,
                   "(dst, src) int8_t/half, half/float or int8_t/int16_t")
AKGEN_BINARY_MIXED(SubReluCast, const uint32_t,
                   "(dst, src) int8_t/half, half/float or int8_t/int16_t")
AKGEN_BINARY_MIXED(AddDeqRelu, const int32_t&, "(dst, src) half/int32_t")
#undef AKGEN_BINARY_MIXED

// Only on 3510: |src0 - src1|, exp(src0 - src1), x < 0 ? src1 * x : x.
#define AKGEN_BINARY_3510(Name, Op, instead)                                         \
  template <typename T>                                                              \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, \
                              const LocalTensor<T>& src1, const uint32_t count) {    \
    AKGEN_REQUIRE_3510(#Name, T, instead);                                           \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Op, dst, src0, src1);                  \
    akgen_impl::Count(v, count);                                                     \
    akgen_vec(&v);                                                                   \
  }
AKGEN_BINARY_3510(AbsSub, AbsSub, "use Sub and Abs")
AKGEN_BINARY_3510(FusedAbsSub, AbsSub, "use Sub and Abs")
AKGEN_BINARY_3510(ExpSub, ExpSub, "use Sub and Exp")
AKGEN_BINARY_3510(FusedExpSub, ExpSub, "use Sub and Exp")
AKGEN_BINARY_3510(Prelu, Prelu, "use LeakyRelu or Select")
#undef AKGEN_BINARY_3510

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_BINARY_H
