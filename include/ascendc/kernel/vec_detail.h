// Internal helpers of the vector API: they fill the one record (AkgenVec) that a vector instruction
// is.
//
// A public function names its operands with Start…, its extent with Extent(…) or Count(…), its
// strides with Strides(…), and calls akgen_vec. Every legality rule that the dtype alone decides is
// a static_assert, so that what the real compiler rejects is rejected here at compile time too.
// Kernels never call this namespace.
#ifndef AKGEN_KERNEL_VEC_DETAIL_H
#define AKGEN_KERNEL_VEC_DETAIL_H
#include "akgen/abi.h"
#include "kernel/tensor.h"
#include "kernel/types.h"
#include "kernel/vec_rows.h"

#define AKGEN_HELPER __attribute__((always_inline)) inline

// Fails the build with a sentence that names the API and the rule; clang adds the dtype it met.
#define AKGEN_REQUIRE_DTYPE(api, rule, ...) \
  static_assert((__VA_ARGS__), "Ascend C: " api " does not support this dtype; it takes " rule)
// APIs that only exist on the 3510 generation.
#define AKGEN_REQUIRE_3510(api, T, instead)            \
  static_assert(::AscendC::akgen_impl::kIsArch3510<T>, \
                "Ascend C: " api " does not exist on this chip generation (2201); " instead)

namespace AscendC {
namespace akgen_impl {

template <typename T, typename... Options>
constexpr bool kIsOneOf = (__is_same(T, Options) || ...);

#if defined(__NPU_ARCH__) && __NPU_ARCH__ == 3510
template <typename T>
constexpr bool kIsArch3510 = true;
#else
template <typename T>
constexpr bool kIsArch3510 = false;
#endif

template <bool condition, typename T = void>
struct EnableIf {};
template <typename T>
struct EnableIf<true, T> {
  using type = T;
};

template <typename T>
AKGEN_HELPER void* Address(const LocalTensor<T>& tensor) {
  return (void*)tensor.AkgenPtr();
}
// The temporary buffer that the caller passes, if any.
AKGEN_HELPER void Scratch(AkgenVec& v, const LocalTensor<uint8_t>* tmp) {
  if (tmp == nullptr) return;
  v.tmp = Address(*tmp);
  v.tmp_bytes = tmp->GetLength();
}

template <typename T>
AKGEN_HELPER constexpr uint8_t Dtype() {
  return static_cast<uint8_t>(AkgenDtypeOf<T>::value);
}

// An instruction that writes dst and reads nothing yet.
template <typename D>
AKGEN_HELPER AkgenVec StartFill(uint16_t op, const LocalTensor<D>& dst) {
  AkgenVec v = {};
  v.op = op;
  v.set_mask = 1;
  v.dst_type = Dtype<D>();
  v.src_type = Dtype<D>();
  v.src1_type = AKGEN_NO_DTYPE;
  v.dst = Address(dst);
  return v;
}

template <typename D, typename S>
AKGEN_HELPER AkgenVec Start(uint16_t op, const LocalTensor<D>& dst, const LocalTensor<S>& src) {
  AkgenVec v = StartFill(op, dst);
  v.src_type = Dtype<S>();
  v.src0 = Address(src);
  return v;
}

template <typename D, typename S, typename S1>
AKGEN_HELPER AkgenVec Start(uint16_t op, const LocalTensor<D>& dst, const LocalTensor<S>& src0,
                            const LocalTensor<S1>& src1) {
  AkgenVec v = Start(op, dst, src0);
  v.src1_type = Dtype<S1>();
  v.src1 = Address(src1);
  return v;
}

// The three extents. Elements, except that a mask in bits has one bit per element of a repeat.
AKGEN_HELPER void Count(AkgenVec& v, int64_t count) {
  v.form = AKGEN_FORM_COUNT;
  v.count = static_cast<uint32_t>(count);
}
AKGEN_HELPER void Extent(AkgenVec& v, uint64_t mask, uint32_t repeat, bool is_set_mask) {
  v.form = AKGEN_FORM_MASK;
  v.mask[0] = mask;
  v.repeat = repeat;
  v.set_mask = is_set_mask;
}
AKGEN_HELPER void Extent(AkgenVec& v, const uint64_t* mask, uint32_t repeat, bool is_set_mask) {
  v.form = AKGEN_FORM_BITS;
  if (is_set_mask) {
    v.mask[0] = mask[0];
    v.mask[1] = mask[1];
  }
  v.repeat = repeat;
  v.set_mask = is_set_mask;
}
// The count form with isSetMask = false: whatever SetVectorMask and SetMaskCount left, over
// consecutive DataBlocks.
AKGEN_HELPER void CountOrRegister(AkgenVec& v, int64_t count, bool is_set_mask) {
  if (is_set_mask) return Count(v, count);
  Extent(v, uint64_t(0), 1, false);
  v.dst_blk = v.src0_blk = v.src1_blk = DEFAULT_BLK_STRIDE;
  v.dst_rep = v.src0_rep = v.src1_rep = DEFAULT_REPEAT_STRIDE;
}
AKGEN_HELPER void Whole(AkgenVec& v, uint32_t repeat) {
  v.form = AKGEN_FORM_WHOLE;
  v.repeat = repeat;
}

AKGEN_HELPER void Strides(AkgenVec& v, const UnaryRepeatParams& p) {
  v.dst_blk = p.dstBlkStride;
  v.src0_blk = p.srcBlkStride;
  v.dst_rep = p.dstRepStride;
  v.src0_rep = p.srcRepStride;
}
AKGEN_HELPER void Strides(AkgenVec& v, const BinaryRepeatParams& p) {
  v.dst_blk = p.dstBlkStride;
  v.src0_blk = p.src0BlkStride;
  v.src1_blk = p.src1BlkStride;
  v.dst_rep = p.dstRepStride;
  v.src0_rep = p.src0RepStride;
  v.src1_rep = p.src1RepStride;
}

}  // namespace akgen_impl
}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_DETAIL_H
