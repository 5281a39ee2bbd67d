// Names below the public API that existing kernels use: compiler intrinsics of the vector unit,
// AscendCUtils and the *Impl functions behind public calls. Pointers are UB addresses unless marked
// __gm__; the mask is what set_vector_mask left; strides are in 32-byte DataBlocks.
#ifndef AKGEN_KERNEL_LEGACY_H
#define AKGEN_KERNEL_LEGACY_H
#include "kernel/vec_cast.h"
#include "kernel/vec_fill.h"
#include "kernel/vec_reduce.h"
#include "kernel/vec_transpose.h"

namespace AscendC {

class AscendCUtils {
 public:
  static __aicore__ inline int32_t GetBitSize(int32_t byteSize) { return byteSize * 8; }
  static __aicore__ inline int32_t GetC0Size() { return 32; }
  // Elements of typeSize bytes in one DataBlock.
  static __aicore__ inline int32_t GetC0Count(const int32_t typeSize) { return 32 / typeSize; }
  static __aicore__ inline int32_t GetDefaultBlockNum() { return 8; }

  template <typename T, bool isSetMask = true>
  static __aicore__ inline void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow) {
    if constexpr (isSetMask) akgen_set_mask(maskHigh, maskLow);
  }
  // The first len elements of each repeat.
  template <typename T, bool isSetMask = true>
  static __aicore__ inline void SetMask(int32_t len) {
    if constexpr (isSetMask) {
      const auto ones = [](int32_t n) {
        return n <= 0 ? 0 : n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
      };
      akgen_set_mask(ones(len - 64), ones(len));
    }
  }
  // Bit 48 of CTRL: what does not fit becomes infinite, not the largest number.
  static __aicore__ inline void SetOverflow(uint64_t ctrlValue) {
    akgen_set_saturation(AKGEN_SATURATE_FLOAT, ctrlValue != 1);
  }
  template <typename T>
  static __aicore__ inline void ResetMask() {
    akgen_set_mask(~uint64_t(0), ~uint64_t(0));
  }
};

// Bits of the accumulated sum of the last reduction, as float.
__aicore__ inline int64_t GetAccVal() { return static_cast<int64_t>(akgen_get_spr(0)); }

namespace akgen_impl {

// An instruction on raw UB addresses, one DataBlock after the other unless a caller sets strides.
AKGEN_HELPER AkgenVec StartRaw(uint16_t op, uint8_t dtype, const void* dst, const void* src0,
                               const void* src1, uint8_t repeat) {
  AkgenVec v = {};
  v.op = op;
  v.raw = 1;
  v.dst_type = v.src_type = dtype;
  v.src1_type = src1 ? dtype : static_cast<uint8_t>(AKGEN_NO_DTYPE);
  v.dst = const_cast<void*>(dst);
  v.src0 = src0;
  v.src1 = src1;
  Extent(v, uint64_t(0), repeat, false);
  return v;
}

// Vector address registers, eight addresses each, of every block.
constexpr uint32_t kAddressRegisters = 8, kBlockSlots = 128;
inline uint64_t g_address_registers[kBlockSlots][kAddressRegisters][8];
AKGEN_HELPER uint64_t* AddressRegister(uint32_t number) {
  return g_address_registers[akgen_block_idx() % kBlockSlots][number % kAddressRegisters];
}

}  // namespace akgen_impl

template <typename T>
__aicore__ inline void DuplicateImpl(__ubuf__ T* dstLocal, const T& scalarValue,
                                     const int32_t& count) {
  AkgenVec v = akgen_impl::StartRaw(AKGEN_OP_Duplicate, akgen_impl::Dtype<T>(), dstLocal, nullptr,
                                    nullptr, 1);
  v.scalar = AkgenBits(scalarValue);
  v.set_mask = 1;
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void DuplicateImpl(__ubuf__ T* dstLocal, const T& scalarValue, uint64_t mask,
                                     const uint8_t repeatTime, const uint16_t dstBlockStride,
                                     const uint8_t dstRepeatStride) {
  AkgenVec v = akgen_impl::StartRaw(AKGEN_OP_Duplicate, akgen_impl::Dtype<T>(), dstLocal, nullptr,
                                    nullptr, 1);
  v.scalar = AkgenBits(scalarValue);
  akgen_impl::Extent(v, mask, repeatTime, isSetMask);
  v.dst_blk = dstBlockStride;
  v.dst_rep = dstRepeatStride;
  akgen_vec(&v);
}

template <typename T>
__aicore__ inline void TransDataTo5HDImpl(__ubuf__ T* dstList[16], __ubuf__ T* srcList[16],
                                          const TransDataTo5HDParams& params) {
  uint64_t dst[16], src[16];
  for (int i = 0; i < 16; ++i) {
    dst[i] = reinterpret_cast<uint64_t>(dstList[i]);
    src[i] = reinterpret_cast<uint64_t>(srcList[i]);
  }
  akgen_impl::TransRows(akgen_impl::Dtype<T>(), dst, src, params);
}
template <typename T>
__aicore__ inline void TransDataTo5HDImpl(uint64_t dstList[16], uint64_t srcList[16],
                                          const TransDataTo5HDParams& params) {
  akgen_impl::TransRows(akgen_impl::Dtype<T>(), dstList, srcList, params);
}

// blockLen and gaps in DataBlocks.
template <typename T>
__aicore__ inline void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& p) {
  AkgenCopy c = {};
  c.raw = 1;
  c.kind = AKGEN_UB_TO_GM;
  c.dtype = akgen_impl::Dtype<T>();
  c.block_count = p.blockCount;
  c.block_len = p.blockLen * 32u;
  c.src_stride = p.srcStride * 32;
  c.dst_stride = p.dstStride * 32;
  c.dst = dst;
  c.src = src;
  akgen_copy(&c);
}
template <typename T>
__aicore__ inline void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src,
                                            const DataCopyExtParams& p,
                                            const DataCopyPadExtParams<T>& pad) {
  AkgenCopy c = AkgenCopyOf(AKGEN_GM_TO_UB, AkgenDtypeOf<T>::value, dst, src, AkgenPadIn(p));
  c.raw = 1;
  c.is_pad_api = 1;
  c.is_pad = pad.isPad;
  c.left_pad = pad.leftPadding;
  c.right_pad = pad.rightPadding;
  c.pad_value = AkgenBits(pad.paddingValue);
  akgen_copy(&c);
}
template <typename T>
__aicore__ inline void DataCopyPadUB2GMImpl(__gm__ T* dst, __ubuf__ T* src,
                                            const DataCopyExtParams& p) {
  AkgenCopy c = AkgenCopyOf(AKGEN_UB_TO_GM, AkgenDtypeOf<T>::value, dst, src, AkgenPadOut(p));
  c.raw = 1;
  c.is_pad_api = 1;
  akgen_copy(&c);
}
template <typename T>
__aicore__ inline void DataCopyGM2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& p) {
  AkgenCopy c = {};
  c.raw = 1;
  c.kind = AKGEN_GM_TO_UB;
  c.dtype = akgen_impl::Dtype<T>();
  c.block_count = p.blockCount;
  c.block_len = p.blockLen * 32u;
  c.src_stride = p.srcStride * 32;
  c.dst_stride = p.dstStride * 32;
  c.dst = dst;
  c.src = src;
  akgen_copy(&c);
}

}  // namespace AscendC

// The compiler's names of what the scalar unit counts in a word.
__aicore__ inline int64_t clz(uint64_t in) { return AscendC::CountLeadingZero(in); }
__aicore__ inline int64_t bcnt0(uint64_t in) { return AscendC::GetBitCount<0>(in); }
__aicore__ inline int64_t bcnt1(uint64_t in) { return AscendC::GetBitCount<1>(in); }
__aicore__ inline int64_t sff0(uint64_t in) { return AscendC::GetSFFValue<0>(in); }
__aicore__ inline int64_t sff1(uint64_t in) { return AscendC::GetSFFValue<1>(in); }
__aicore__ inline int64_t sflbits(int64_t in) { return AscendC::CountBitsCntSameAsSignBit(in); }

// Sum of each repeat: into dst, or (mode) only into the accumulator that GetAccVal reads.
template <typename T>
__aicore__ inline void vcadd(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat,
                             uint16_t dstRepeatStride, uint16_t srcBlockStride,
                             uint16_t srcRepeatStride, bool mode) {
  AkgenVec v = AscendC::akgen_impl::StartRaw(
      AKGEN_OP_WholeReduceSum, AscendC::akgen_impl::Dtype<T>(), dst, src, nullptr, repeat);
  v.dst_rep = dstRepeatStride;
  v.src0_blk = srcBlockStride;
  v.src0_rep = srcRepeatStride;
  v.flag = mode;
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void vcadd(decltype(nullptr), __ubuf__ T* src, uint8_t repeat,
                             uint16_t dstRepeatStride, uint16_t srcBlockStride,
                             uint16_t srcRepeatStride, bool mode) {
  vcadd(static_cast<T*>(nullptr), src, repeat, dstRepeatStride, srcBlockStride, srcRepeatStride,
        mode);
}

__aicore__ inline void set_vector_mask(uint64_t high, uint64_t low) { akgen_set_mask(high, low); }
__aicore__ inline void set_mask_norm() { akgen_set_mask_mode(0); }
__aicore__ inline void set_mask_count() { akgen_set_mask_mode(1); }
__aicore__ inline int64_t get_acc_val() { return AscendC::GetAccVal(); }

template <typename T>
__aicore__ inline void vector_dup(__ubuf__ T* dst, T value, uint8_t repeat, uint16_t dstBlockStride,
                                  uint16_t srcBlockStride, uint8_t dstRepeatStride,
                                  uint8_t srcRepeatStride) {
  (void)srcBlockStride, (void)srcRepeatStride;
  AkgenVec v = AscendC::akgen_impl::StartRaw(AKGEN_OP_Duplicate, AscendC::akgen_impl::Dtype<T>(),
                                             dst, nullptr, nullptr, repeat);
  v.scalar = AscendC::AkgenBits(value);
  v.dst_blk = dstBlockStride;
  v.dst_rep = dstRepeatStride;
  akgen_vec(&v);
}

// Bitwise or and and on 16-bit words, whatever the pointers say.
#define AKGEN_RAW_BITWISE(name, Op)                                                                \
  template <typename T0, typename T1, typename T2>                                                 \
  __aicore__ inline void name(__ubuf__ T0* dst, __ubuf__ T1* src0, __ubuf__ T2* src1,              \
                              uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride,     \
                              uint8_t src1BlockStride, uint8_t dstRepeatStride,                    \
                              uint8_t src0RepeatStride, uint8_t src1RepeatStride) {                \
    AkgenVec v = AscendC::akgen_impl::StartRaw(AKGEN_OP_##Op, AKGEN_I16, dst, src0, src1, repeat); \
    v.dst_blk = dstBlockStride;                                                                    \
    v.src0_blk = src0BlockStride;                                                                  \
    v.src1_blk = src1BlockStride;                                                                  \
    v.dst_rep = dstRepeatStride;                                                                   \
    v.src0_rep = src0RepeatStride;                                                                 \
    v.src1_rep = src1RepeatStride;                                                                 \
    akgen_vec(&v);                                                                                 \
  }
AKGEN_RAW_BITWISE(vor, Or)
AKGEN_RAW_BITWISE(vand, And)
#undef AKGEN_RAW_BITWISE

// Transposes one 16x16 block of 16-bit elements.
template <typename T>
__aicore__ inline void vtranspose(__ubuf__ T* dst, __ubuf__ T* src) {
  static_assert(sizeof(T) == 2, "Ascend C: vtranspose takes 16-bit elements");
  AkgenVec v = AscendC::akgen_impl::StartRaw(AKGEN_OP_Transpose, AscendC::akgen_impl::Dtype<T>(),
                                             dst, src, nullptr, 1);
  v.set_mask = 1;
  AscendC::akgen_impl::Whole(v, 1);
  akgen_vec(&v);
}

// UB to UB in bursts of lenBurst DataBlocks; gaps in DataBlocks.
template <typename T, typename U>
__aicore__ inline void copy_ubuf_to_ubuf(__ubuf__ T* dst, __ubuf__ U* src, uint8_t sid,
                                         uint16_t nBurst, uint16_t lenBurst, uint16_t srcGap,
                                         uint16_t dstGap) {
  (void)sid;
  AkgenCopy c = {};
  c.raw = 1;
  c.kind = AKGEN_UB_TO_UB;
  c.dtype = AscendC::akgen_impl::Dtype<T>();
  c.block_count = nBurst;
  c.block_len = lenBurst * 32u;
  c.src_stride = srcGap * 32;
  c.dst_stride = dstGap * 32;
  c.dst = dst;
  c.src = src;
  akgen_copy(&c);
}

// Address registers VA0…VA7, and the transposes that read two of them per side.
enum ub_addr8_t : uint8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };
__aicore__ inline void set_va_reg_sb(ub_addr8_t reg, uint64_t* addresses) {
  for (int i = 0; i < 8; ++i) AscendC::akgen_impl::AddressRegister(reg)[i] = addresses[i];
}
#define AKGEN_RAW_VNCHWCONV(name, dtype)                                                        \
  __aicore__ inline void name(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,                   \
                              uint16_t dstRepeatStride, uint16_t srcRepeatStride) {             \
    uint64_t dst_list[16], src_list[16];                                                        \
    for (int i = 0; i < 16; ++i) {                                                              \
      dst_list[i] = AscendC::akgen_impl::AddressRegister(dst + i / 8)[i % 8];                   \
      src_list[i] = AscendC::akgen_impl::AddressRegister(src + i / 8)[i % 8];                   \
    }                                                                                           \
    AscendC::akgen_impl::TransRows(                                                             \
        dtype, dst_list, src_list,                                                              \
        AscendC::TransDataTo5HDParams(false, false, repeat, dstRepeatStride, srcRepeatStride)); \
  }
AKGEN_RAW_VNCHWCONV(scatter_vnchwconv_b16, AKGEN_U16)
AKGEN_RAW_VNCHWCONV(scatter_vnchwconv_b32, AKGEN_U32)
#undef AKGEN_RAW_VNCHWCONV

#endif  // AKGEN_KERNEL_LEGACY_H
