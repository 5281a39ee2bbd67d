// Quantisation of the advanced API as far as the 2201 generation has it: AscendQuant to int8_t per
// tensor and per channel, AscendDequant from int32_t. Counts are in elements; temporary buffers
// lose their contents.
#ifndef AKGEN_KERNEL_ADV_QUANT_H
#define AKGEN_KERNEL_ADV_QUANT_H
#include "kernel/adv_math.h"

namespace AscendC {

// Numbers known at compile time; zeros leave them to the arguments.
struct AscendQuantConfig {
  __aicore__ constexpr AscendQuantConfig(uint32_t calc, uint32_t offset, uint32_t scale,
                                         uint32_t work)
      : calcCount(calc), offsetCount(offset), scaleCount(scale), workLocalSize(work) {}
  uint32_t calcCount = 0;
  uint32_t offsetCount = 0;
  uint32_t scaleCount = 0;
  uint32_t workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

// Rows and columns of the source, and how many elements of each row count.
struct DequantParams {
  uint32_t m;
  uint32_t n;
  uint32_t calCount;
};
// Of one row {1, n, calCount}: as n / calCount rows where that fits, or as it is.
enum class DeQuantMode : int8_t { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };

namespace akgen_impl {

template <typename T>
AKGEN_HELPER AkgenVec StartQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src) {
  AKGEN_REQUIRE_DTYPE("AscendQuant", "half, float", kIsMathDtype<T>);
  return Start(AKGEN_OP_Quant, dst, src);
}
template <typename T>
AKGEN_HELPER void QuantTensor(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint8_t>* tmp, float scale, float offset,
                              uint32_t count) {
  AkgenVec v = StartQuant(dst, src);
  v.scalar = AkgenBits(scale);
  v.aux[1] = AkgenBits(offset);
  Run(v, tmp, count);
}
// `offsets` or, where it is null, `offset`.
template <typename T>
AKGEN_HELPER void QuantChannel(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint8_t>* tmp, const LocalTensor<T>& scales,
                               const LocalTensor<T>* offsets, T offset, uint32_t channels,
                               uint32_t count) {
  AkgenVec v = StartQuant(dst, src);
  v.src1 = Address(scales);
  v.src1_type = Dtype<T>();
  if (offsets) v.aux[0] = reinterpret_cast<uint64_t>(Address(*offsets));
  v.aux[1] = AkgenBits(AkgenFloatOf(offset));
  v.aux[2] = channels;
  Run(v, tmp, count);
}

template <typename D, DeQuantMode mode>
AKGEN_HELPER void RunDequant(AkgenVec v, const LocalTensor<uint8_t>* tmp, DequantParams p) {
  if (mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && p.m == 1 && p.calCount != 0 &&
      p.calCount % (32 / sizeof(D)) == 0 && p.n % p.calCount == 0)
    p = {p.n / p.calCount, p.calCount, p.calCount};
  v.form = AKGEN_FORM_WHOLE;
  v.aux[0] = p.m | static_cast<uint64_t>(p.n) << 32;
  v.aux[1] = p.calCount;
  Scratch(v, tmp);
  akgen_vec(&v);
}
template <typename D, typename S>
AKGEN_HELPER AkgenVec StartDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src,
                                   S scale) {
  AKGEN_REQUIRE_DTYPE("AscendDequant", "float, bfloat16_t with a scale of float or bfloat16_t",
                      kIsOneOf<D, float, bfloat16_t> && kIsOneOf<S, float, bfloat16_t>);
  AkgenVec v = Start(AKGEN_OP_Dequant, dst, src);
  v.scalar = AkgenBits(AkgenFloatOf(scale));
  return v;
}
template <typename D, typename S>
constexpr bool kDequantVector =
    (kIsOneOf<D, float, bfloat16_t> && kIsOneOf<S, float, bfloat16_t>) ||
    (__is_same(D, half) && __is_same(S, uint64_t));

}  // namespace akgen_impl

// One scale and offset for all: with and without a temporary buffer and a count.
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,
                                   const LocalTensor<T>& srcTensor,
                                   const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale,
                                   const float offset, const uint32_t calCount) {
  akgen_impl::QuantTensor(dstTensor, srcTensor, &sharedTmpBuffer, scale, offset, calCount);
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,
                                   const LocalTensor<T>& srcTensor,
                                   const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale,
                                   const float offset) {
  akgen_impl::QuantTensor(dstTensor, srcTensor, &sharedTmpBuffer, scale, offset,
                          srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,
                                   const LocalTensor<T>& srcTensor, const float scale,
                                   const float offset, const uint32_t calCount) {
  akgen_impl::QuantTensor(dstTensor, srcTensor, akgen_impl::NoTmp(), scale, offset, calCount);
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,
                                   const LocalTensor<T>& srcTensor, const float scale,
                                   const float offset) {
  akgen_impl::QuantTensor(dstTensor, srcTensor, akgen_impl::NoTmp(), scale, offset,
                          srcTensor.GetSize());
}

// One scale per channel, and one offset for all or one per channel.
#define AKGEN_QUANT_CHANNELS(Tmp, tmp)                                                       \
  template <typename T, bool isReuseSource = false,                                          \
            const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>                      \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,                   \
                                     const LocalTensor<T>& srcTensor Tmp,                    \
                                     const LocalTensor<T>& scaleTensor, const T offset,      \
                                     const uint32_t scaleCount, const uint32_t calCount) {   \
    akgen_impl::QuantChannel<T>(dstTensor, srcTensor, tmp, scaleTensor, nullptr, offset,     \
                                scaleCount, calCount);                                       \
  }                                                                                          \
  template <typename T, bool isReuseSource = false,                                          \
            const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>                      \
  __aicore__ inline void AscendQuant(                                                        \
      const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor Tmp,             \
      const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor,                 \
      const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t calCount) {      \
    akgen_impl::QuantChannel<T>(dstTensor, srcTensor, tmp, scaleTensor, &offsetTensor, T(0), \
                                scaleCount, calCount);                                       \
  }                                                                                          \
  template <typename T, bool isReuseSource = false,                                          \
            const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>                      \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,                   \
                                     const LocalTensor<T>& srcTensor Tmp,                    \
                                     const LocalTensor<T>& scaleTensor, const T offset) {    \
    akgen_impl::QuantChannel<T>(dstTensor, srcTensor, tmp, scaleTensor, nullptr, offset,     \
                                scaleTensor.GetSize(), srcTensor.GetSize());                 \
  }                                                                                          \
  template <typename T, bool isReuseSource = false,                                          \
            const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>                      \
  __aicore__ inline void AscendQuant(                                                        \
      const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor Tmp,             \
      const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor) {               \
    akgen_impl::QuantChannel<T>(dstTensor, srcTensor, tmp, scaleTensor, &offsetTensor, T(0), \
                                scaleTensor.GetSize(), srcTensor.GetSize());                 \
  }
#define AKGEN_COMMA_TMP , const LocalTensor<uint8_t>& sharedTmpBuffer
AKGEN_QUANT_CHANNELS(AKGEN_COMMA_TMP, &sharedTmpBuffer)
AKGEN_QUANT_CHANNELS(, akgen_impl::NoTmp())
#undef AKGEN_QUANT_CHANNELS
#undef AKGEN_COMMA_TMP

// One scale per column.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor,
                                     const LocalTensor<scaleT>& deqScale,
                                     const LocalTensor<uint8_t>& sharedTmpBuffer,
                                     DequantParams params) {
  AKGEN_REQUIRE_DTYPE("AscendDequant",
                      "half with uint64_t, float or bfloat16_t with float or bfloat16_t",
                      akgen_impl::kDequantVector<dstT, scaleT>);
  akgen_impl::RunDequant<dstT, mode>(
      akgen_impl::Start(AKGEN_OP_Dequant, dstTensor, srcTensor, deqScale), &sharedTmpBuffer,
      params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor,
                                     const LocalTensor<scaleT>& deqScale, DequantParams params) {
  AKGEN_REQUIRE_DTYPE("AscendDequant",
                      "half with uint64_t, float or bfloat16_t with float or bfloat16_t",
                      akgen_impl::kDequantVector<dstT, scaleT>);
  akgen_impl::RunDequant<dstT, mode>(
      akgen_impl::Start(AKGEN_OP_Dequant, dstTensor, srcTensor, deqScale), akgen_impl::NoTmp(),
      params);
}

// One scale for all.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor, const scaleT deqScale,
                                     const LocalTensor<uint8_t>& sharedTmpBuffer,
                                     DequantParams params) {
  akgen_impl::RunDequant<dstT, mode>(akgen_impl::StartDequant(dstTensor, srcTensor, deqScale),
                                     &sharedTmpBuffer, params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor, const scaleT deqScale,
                                     DequantParams params) {
  akgen_impl::RunDequant<dstT, mode>(akgen_impl::StartDequant(dstTensor, srcTensor, deqScale),
                                     akgen_impl::NoTmp(), params);
}
}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_QUANT_H
