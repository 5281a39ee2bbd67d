// SoftmaxFlashV2 and SoftmaxFlashV3: softmax of rows that come in parts; and AdjustSoftMaxRes.
#ifndef AKGEN_KERNEL_ADV_FLASH_H
#define AKGEN_KERNEL_ADV_FLASH_H
#include "kernel/adv_library.h"
#include "kernel/init_output.h"

namespace AscendC {
namespace akgen_impl {
template <bool update, typename T, typename U>
AKGEN_HELPER void RunFlash(const LocalTensor<T>& y, const LocalTensor<U>& sum,
                           const LocalTensor<U>& max, const LocalTensor<T>& x,
                           const LocalTensor<T>& exp_max, const LocalTensor<U>& in_sum,
                           const LocalTensor<U>& in_max, const LocalTensor<uint8_t>* tmp,
                           const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape) {
  AKGEN_REQUIRE_DTYPE("SoftmaxFlashV2", "half, float", kTakes<AKGEN_OP_SoftmaxFlash, T>);
  AkgenVec v = Start(AKGEN_OP_SoftmaxFlash, y, x);
  v.src1_type = Dtype<U>();
  v.mode = update;
  RowSizes(v, x, tiling, shape);
  RunLibrary(v, 4, tmp, y, sum, max, exp_max, x, in_sum, in_max);
}
}  // namespace akgen_impl

// dst = exp(src - max); sum and max of each row fill a DataBlock. With isUpdate they go on from
// inMax and inExpSum, and expMax is what the rows before are to be multiplied by.
#define AKGEN_FLASH(Data, Sums, Tmp, tmp)                                                       \
  template <typename T, bool isUpdate = false, bool isReuseSource = false,                      \
            bool isBasicBlock = false, bool isDataFormatNZ = false,                             \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                  \
  __aicore__ inline void SoftmaxFlashV2(                                                        \
      const LocalTensor<Data>& dstTensor, const LocalTensor<Sums>& expSumTensor,                \
      const LocalTensor<Sums>& maxTensor, const LocalTensor<Data>& srcTensor,                   \
      const LocalTensor<Data>& expMaxTensor, const LocalTensor<Sums>& inExpSumTensor,           \
      const LocalTensor<Sums>& inMaxTensor, Tmp const SoftMaxTiling& tiling,                    \
      const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                          \
    static_assert(!isDataFormatNZ, "akgen unsupported: SoftmaxFlashV2 of the NZ format");       \
    static_assert(config.mode == SoftmaxMode::SOFTMAX_NORMAL,                                   \
                  "akgen unsupported: SOFTMAX_OUTPUT_WITHOUT_BRC");                             \
    akgen_impl::RunFlash<isUpdate>(dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, \
                                   inExpSumTensor, inMaxTensor, tmp, tiling, softmaxShapeInfo); \
  }
#define AKGEN_TMP const LocalTensor<uint8_t>&sharedTmpBuffer,
AKGEN_FLASH(T, T, AKGEN_TMP, &sharedTmpBuffer)
AKGEN_FLASH(T, T, , akgen_impl::NoTmp())
AKGEN_FLASH(half, float, AKGEN_TMP, &sharedTmpBuffer)
AKGEN_FLASH(half, float, , akgen_impl::NoTmp())
#undef AKGEN_TMP
#undef AKGEN_FLASH

// The same, with the mean of each row taken out of its parts (PASA): an eighth whose mean lies
// below the row's is lowered by the difference times alpha / (1 - alpha). With isUpdate this is
// part loopCnt of its rows.
struct SoftMaxParams {
  uint32_t srcM{0};
  uint32_t srcK{0};
  uint32_t oriSrcM{0};
  uint32_t oriSrcK{0};
  uint32_t loopCnt{0};
  uint32_t splitMeanCnt{0};
  float alpha{0};
  __aicore__ SoftMaxParams() {}
  __aicore__ SoftMaxParams(const uint32_t srcMIn, const uint32_t srcKIn, const uint32_t oriSrcMIn,
                           const uint32_t oriSrcKIn, const uint32_t loopCntIn,
                           const uint32_t splitMeanCntIn, const float alphaIn)
      : srcM(srcMIn),
        srcK(srcKIn),
        oriSrcM(oriSrcMIn),
        oriSrcK(oriSrcKIn),
        loopCnt(loopCntIn),
        splitMeanCnt(splitMeanCntIn),
        alpha(alphaIn) {}
};
#define AKGEN_FLASH(Tmp, tmp)                                                                   \
  template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false,          \
            bool isBasicBlock = false, bool isDataFormatNZ = false,                             \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                  \
  __aicore__ inline void SoftmaxFlashV3(                                                        \
      const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,                        \
      const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,                      \
      const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,                      \
      const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,                 \
      const LocalTensor<U>& inMaxTensor, Tmp const SoftMaxTiling& tiling,                       \
      const SoftMaxParams& params) {                                                            \
    AKGEN_REQUIRE_DTYPE("SoftmaxFlashV3", "half with float",                                    \
                        (__is_same(T, half) && __is_same(U, float)));                           \
    static_assert(!isDataFormatNZ,                                                              \
                  "Ascend C: isDataFormatNZ of SoftmaxFlashV3 is reserved: false");             \
    AkgenVec v = akgen_impl::Start(AKGEN_OP_SoftmaxFlashMean, dstTensor, srcTensor);            \
    v.src1_type = akgen_impl::Dtype<U>();                                                       \
    v.mode = isUpdate;                                                                          \
    v.scalar = AkgenBits(params.alpha);                                                         \
    v.aux[1] = akgen_impl::Sizes(params.srcM, params.srcK);                                     \
    v.aux[2] = akgen_impl::Sizes(params.loopCnt, params.splitMeanCnt);                          \
    akgen_impl::RunLibrary(v, 5, tmp, dstTensor, meanTensor, expSumTensor, maxTensor,           \
                           expMaxTensor, srcTensor, inMeanTensor, inExpSumTensor, inMaxTensor); \
  }
#define AKGEN_TMP const LocalTensor<uint8_t>&sharedTmpBuffer,
AKGEN_FLASH(AKGEN_TMP, &sharedTmpBuffer)
AKGEN_FLASH(, akgen_impl::NoTmp())
#undef AKGEN_TMP
#undef AKGEN_FLASH

// The tiling that the host function of this name would give, made by the kernel: as many rows at
// once as the working space has room for. `floats`: its size, in them.
__aicore__ inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(
    const uint32_t srcM, const uint32_t srcK, const uint32_t dataTypeSize1,
    const uint32_t dataTypeSize2, const uint32_t floats, const bool isUpdate = false,
    const bool isBasicBlock = false, const bool isDataFormatNZ = false,
    const bool isFlashOutputBrc = false) {
  SoftMaxTiling t;
  const uint32_t block = 32 / dataTypeSize2, unit = isFlashOutputBrc && dataTypeSize1 == 2 ? 16 : 8;
  const uint32_t row = block + 64 + (dataTypeSize1 == 2 ? block + srcK : 0);
  uint32_t rows = floats / row < srcM ? floats / row : srcM;
  if (rows < srcM && rows > unit) rows = rows / unit * unit;
  t.srcM = t.outMaxM = srcM, t.srcK = t.splitK = srcK, t.srcSize = srcM * srcK;
  t.outMaxK = t.reduceK = block, t.outMaxSize = srcM * block;
  t.splitM = t.reduceM = rows, t.splitSize = rows * srcK, t.reduceSize = rows * block;
  t.rangeM = rows ? srcM / rows : 0, t.tailM = rows ? srcM % rows : 0;
  t.tailSplitSize = t.tailM * srcK, t.tailReduceSize = t.tailM * block;
  return t;
}
__aicore__ inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(
    const SoftMaxShapeInfo& shapeInfo, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
    const uint32_t localWorkSpaceSize, const bool isUpdate = false, const bool isBasicBlock = false,
    const bool isDataFormatNZ = false, const bool isFlashOutputBrc = false) {
  return SoftMaxFlashV2TilingFuncImpl(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize1, dataTypeSize2,
                                      localWorkSpaceSize / 4, isUpdate, isBasicBlock,
                                      isDataFormatNZ, isFlashOutputBrc);
}

// Rows whose maximum has the bits `from` are set to `to`. Result: is there one?
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
__aicore__ inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes,
                                        const LocalTensor<T2>& maxTensor, const uint32_t from,
                                        const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo) {
  static_assert(!isDataFormatNZ, "akgen unsupported: AdjustSoftMaxRes of the NZ format");
  constexpr uint32_t step = stepSizeMode ? 1 : 32 / sizeof(T2);
  bool found = false;
  AkgenFlagPair(HardEvent::V_S);
  for (uint32_t r = 0; r < softmaxShapeInfo.srcM; ++r) {
    if (AkgenBits(maxTensor.GetValue(r * step)) != from) continue;
    found = true;
    Duplicate(softMaxRes[r * softmaxShapeInfo.srcK], to,
              static_cast<int32_t>(softmaxShapeInfo.srcK));
  }
  return found;
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_FLASH_H
