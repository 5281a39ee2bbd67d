// Compare, Compares (older name CompareScalar), the compare mask register, Select.
//
// Results of compares are bits: bit i of dst (little endian) is src0[i] OP src1[i]. The register
// form handles one repeat and leaves 256 / sizeof(T) bits in the compare mask register. int32_t
// supports only CMPMODE::EQ.
#ifndef AKGEN_KERNEL_VEC_CMPSEL_H
#define AKGEN_KERNEL_VEC_CMPSEL_H
#include "kernel/vec_detail.h"

namespace AscendC {

#define AKGEN_COMPARE_CHECK(api)                                         \
  AKGEN_REQUIRE_DTYPE(api, "half, float, or int32_t (CMPMODE::EQ only)", \
                      akgen_impl::kIsOneOf<T, half, float, int32_t>)

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                               const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask[],
                               uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  AKGEN_COMPARE_CHECK("Compare");
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Compare, dst, src0, src1);
  v.mode = static_cast<uint8_t>(cmpMode);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  akgen_impl::Strides(v, repeatParams);
  akgen_vec(&v);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                               const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask,
                               uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  AKGEN_COMPARE_CHECK("Compare");
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Compare, dst, src0, src1);
  v.mode = static_cast<uint8_t>(cmpMode);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  akgen_impl::Strides(v, repeatParams);
  akgen_vec(&v);
}
template <typename T, typename U>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                               const LocalTensor<T>& src1, CMPMODE cmpMode, uint32_t count) {
  AKGEN_COMPARE_CHECK("Compare");
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Compare, dst, src0, src1);
  v.mode = static_cast<uint8_t>(cmpMode);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}

namespace akgen_impl {
// One repeat into the compare mask register (dst = 0).
template <typename T, typename Mask>
AKGEN_HELPER void CompareToRegister(const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                                    CMPMODE mode, Mask mask, bool is_set_mask,
                                    const BinaryRepeatParams& params) {
  AkgenVec v = Start(AKGEN_OP_Compare, src0, src0, src1);
  v.dst = nullptr;
  v.dst_type = AKGEN_U8;
  v.mode = static_cast<uint8_t>(mode);
  Extent(v, mask, 1, is_set_mask);
  Strides(v, params);
  akgen_vec(&v);
}
}  // namespace akgen_impl

template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                               CMPMODE cmpMode, const uint64_t mask[],
                               const BinaryRepeatParams& repeatParams) {
  AKGEN_REQUIRE_DTYPE("Compare", "half, float", akgen_impl::kIsOneOf<T, half, float>);
  akgen_impl::CompareToRegister(src0, src1, cmpMode, mask, isSetMask, repeatParams);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                               CMPMODE cmpMode, const uint64_t mask,
                               const BinaryRepeatParams& repeatParams) {
  AKGEN_REQUIRE_DTYPE("Compare", "half, float", akgen_impl::kIsOneOf<T, half, float>);
  akgen_impl::CompareToRegister(src0, src1, cmpMode, mask, isSetMask, repeatParams);
}

template <typename T>
__aicore__ inline void GetCmpMask(const LocalTensor<T>& dst) {
  akgen_get_cmp_mask(akgen_impl::Address(dst));
}
template <typename T>
__aicore__ inline void SetCmpMask(const LocalTensor<T>& src) {
  akgen_set_cmp_mask(akgen_impl::Address(src));
}

// Two names, one instruction.
#define AKGEN_COMPARES(Name)                                                               \
  template <typename T, typename U, bool isSetMask = true>                                 \
  __aicore__ inline void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0,       \
                              const T src1Scalar, CMPMODE cmpMode, const uint64_t mask[],  \
                              uint8_t repeatTime, const UnaryRepeatParams& repeatParams) { \
    AKGEN_COMPARE_CHECK(#Name);                                                            \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_CompareScalar, dst, src0);                     \
    v.scalar = AkgenBits(src1Scalar);                                                      \
    v.mode = static_cast<uint8_t>(cmpMode);                                                \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                    \
    akgen_impl::Strides(v, repeatParams);                                                  \
    akgen_vec(&v);                                                                         \
  }                                                                                        \
  template <typename T, typename U, bool isSetMask = true>                                 \
  __aicore__ inline void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0,       \
                              const T src1Scalar, CMPMODE cmpMode, const uint64_t mask,    \
                              uint8_t repeatTime, const UnaryRepeatParams& repeatParams) { \
    AKGEN_COMPARE_CHECK(#Name);                                                            \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_CompareScalar, dst, src0);                     \
    v.scalar = AkgenBits(src1Scalar);                                                      \
    v.mode = static_cast<uint8_t>(cmpMode);                                                \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                    \
    akgen_impl::Strides(v, repeatParams);                                                  \
    akgen_vec(&v);                                                                         \
  }                                                                                        \
  template <typename T, typename U>                                                        \
  __aicore__ inline void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0,       \
                              const T src1Scalar, CMPMODE cmpMode, uint32_t count) {       \
    AKGEN_COMPARE_CHECK(#Name);                                                            \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_CompareScalar, dst, src0);                     \
    v.scalar = AkgenBits(src1Scalar);                                                      \
    v.mode = static_cast<uint8_t>(cmpMode);                                                \
    akgen_impl::Count(v, count);                                                           \
    akgen_vec(&v);                                                                         \
  }
AKGEN_COMPARES(Compares)
AKGEN_COMPARES(CompareScalar)
#undef AKGEN_COMPARES
#undef AKGEN_COMPARE_CHECK

namespace akgen_impl {
// dst[i] = bit i of selMask ? src0[i] : src1[i]; src1 is a tensor or a scalar.
template <typename T, typename U>
AKGEN_HELPER AkgenVec StartSelect(const LocalTensor<T>& dst, const LocalTensor<U>& sel_mask,
                                  const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                                  SELMODE mode) {
  AKGEN_REQUIRE_DTYPE("Select", "half, float", kTakes<AKGEN_OP_Select, T>);
  AkgenVec v = Start(AKGEN_OP_Select, dst, src0, src1);
  v.aux[0] = reinterpret_cast<uint64_t>(Address(sel_mask));
  v.mode = static_cast<uint8_t>(mode);
  return v;
}
template <typename T, typename U>
AKGEN_HELPER AkgenVec StartSelect(const LocalTensor<T>& dst, const LocalTensor<U>& sel_mask,
                                  const LocalTensor<T>& src0, T src1, SELMODE mode) {
  AKGEN_REQUIRE_DTYPE("Select", "half, float", kTakes<AKGEN_OP_Select, T>);
  AkgenVec v = Start(AKGEN_OP_Select, dst, src0);
  v.scalar = AkgenBits(src1);
  v.aux[0] = reinterpret_cast<uint64_t>(Address(sel_mask));
  v.mode = static_cast<uint8_t>(mode);
  return v;
}
}  // namespace akgen_impl

// The three forms for one kind of src1.
#define AKGEN_SELECT(Src1)                                                                \
  template <typename T, typename U, bool isSetMask = true>                                \
  __aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, \
                                const LocalTensor<T>& src0, Src1 src1, SELMODE selMode,   \
                                uint64_t mask[], uint8_t repeatTime,                      \
                                const BinaryRepeatParams& repeatParams) {                 \
    AkgenVec v = akgen_impl::StartSelect(dst, selMask, src0, src1, selMode);              \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                   \
    akgen_impl::Strides(v, repeatParams);                                                 \
    akgen_vec(&v);                                                                        \
  }                                                                                       \
  template <typename T, typename U, bool isSetMask = true>                                \
  __aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, \
                                const LocalTensor<T>& src0, Src1 src1, SELMODE selMode,   \
                                uint64_t mask, uint8_t repeatTime,                        \
                                const BinaryRepeatParams& repeatParams) {                 \
    AkgenVec v = akgen_impl::StartSelect(dst, selMask, src0, src1, selMode);              \
    akgen_impl::Extent(v, mask, repeatTime, isSetMask);                                   \
    akgen_impl::Strides(v, repeatParams);                                                 \
    akgen_vec(&v);                                                                        \
  }                                                                                       \
  template <typename T, typename U>                                                       \
  __aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, \
                                const LocalTensor<T>& src0, Src1 src1, SELMODE selMode,   \
                                uint32_t count) {                                         \
    AkgenVec v = akgen_impl::StartSelect(dst, selMask, src0, src1, selMode);              \
    akgen_impl::Count(v, count);                                                          \
    akgen_vec(&v);                                                                        \
  }
AKGEN_SELECT(const LocalTensor<T>&)
AKGEN_SELECT(T)
#undef AKGEN_SELECT

// Register forms: the mask was left by Compare, SetCmpMask or SetVectorMask. With VSEL_CMPMASK_SPR
// the register holds the bits; in the other modes it holds an address or a scalar that SetCmpMask
// loaded.
template <typename T, SELMODE selMode>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                              const LocalTensor<T>& src1, uint8_t repeatTime,
                              const BinaryRepeatParams& repeatParams) {
  AKGEN_REQUIRE_DTYPE("Select", "half, float", akgen_impl::kTakes<AKGEN_OP_Select, T>);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Select, dst, src0, src1);
  v.mode = static_cast<uint8_t>(selMode);
  akgen_impl::Extent(v, uint64_t(0), repeatTime, false);
  akgen_impl::Strides(v, repeatParams);
  if (selMode != SELMODE::VSEL_CMPMASK_SPR) {
    akgen_unsupported("Select with the address of its mask in the compare mask register");
  }
  akgen_vec(&v);
}
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                              const LocalTensor<T>& src0, uint8_t repeatTime,
                              const BinaryRepeatParams& repeatParams) {
  AKGEN_REQUIRE_DTYPE("Select", "half, float", akgen_impl::kTakes<AKGEN_OP_Select, T>);
  (void)dst, (void)selMask, (void)src0, (void)repeatTime, (void)repeatParams;
  akgen_unsupported("Select with its scalar in the compare mask register");
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_CMPSEL_H
