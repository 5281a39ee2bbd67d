// Unary vector instructions: Relu, Exp, Ln, Abs, Reciprocal, Rsqrt, Sqrt, Not, Neg.
//
// Each comes in three forms: `count` leading elements; a mask of leading elements per repeat; a
// mask in bits (two 64-bit words). Strides are in 32-byte DataBlocks (UnaryRepeatParams).
#ifndef AKGEN_KERNEL_VEC_UNARY_H
#define AKGEN_KERNEL_VEC_UNARY_H
#include "kernel/vec_detail.h"

namespace AscendC {

// AKGEN_UNARY(name, its dtypes in words): the forms of one instruction. kernel/vec_declared.h has
// the names.
#define AKGEN_UNARY(Name, rule)                                                                    \
  template <typename T, bool isSetMask = true>                                                     \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                \
                              uint64_t mask[], const uint8_t repeatTime,                           \
                              const UnaryRepeatParams& repeatParams) {                             \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Name, T>);                      \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src);                                     \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                            \
    akgen_impl::Strides(v, repeatParams);                                                          \
    akgen_vec(&v);                                                                                 \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, \
                              const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {   \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Name, T>);                      \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src);                                     \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                            \
    akgen_impl::Strides(v, repeatParams);                                                          \
    akgen_vec(&v);                                                                                 \
  }                                                                                                \
  template <typename T>                                                                            \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                \
                              const int32_t& count) {                                              \
    AKGEN_REQUIRE_DTYPE(#Name, rule, akgen_impl::kTakes<AKGEN_OP_##Name, T>);                      \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_##Name, dst, src);                                     \
    akgen_impl::Count(v, count);                                                                   \
    akgen_vec(&v);                                                                                 \
  }

template <typename T>
__aicore__ inline void Neg(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const uint32_t count) {
  AKGEN_REQUIRE_3510("Neg", T, "use Muls with -1");
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Neg, dst, src);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_UNARY_H
