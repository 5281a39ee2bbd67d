// TopK, LogSoftMax and SimpleSoftMax, Pad and UnPad, DropOut, AscendAntiQuant, Arange
// (ArithProgression), ReduceXorSum.
//
// A temporary buffer must have the size that the host function gives as minimum, overlaps no
// operand and loses its contents.
#ifndef AKGEN_KERNEL_ADV_LIBRARY_H
#define AKGEN_KERNEL_ADV_LIBRARY_H
#include "kernel/adv_nn.h"
#include "kernel/adv_norm.h"

namespace AscendC {

// Rows of `inner` elements (a multiple of 32), of which n count.
struct TopKInfo {
  int32_t outter = 1;
  int32_t inner;
  int32_t n;
};

namespace akgen_impl {
template <bool with_index, bool finishing, TopKMode mode, typename T>
AKGEN_HELPER void RunTopK(const LocalTensor<T>& values, const LocalTensor<int32_t>& indices,
                          const LocalTensor<T>& src, const LocalTensor<int32_t>& src_index,
                          const LocalTensor<bool>& finished, const LocalTensor<uint8_t>* tmp,
                          int32_t k, const TopKInfo& info, bool largest) {
  AKGEN_REQUIRE_DTYPE("TopK", "half, float", kTakes<AKGEN_OP_TopK, T>);
  AkgenVec v = Start(AKGEN_OP_TopK, values, src);
  v.mode = (with_index ? 1 : 0) | (finishing ? 2 : 0) | (mode == TopKMode::TOPK_NSMALL ? 4 : 0) |
           (largest ? 8 : 0);
  v.aux[1] = Sizes(static_cast<uint32_t>(info.outter), static_cast<uint32_t>(info.inner));
  v.aux[2] = Sizes(static_cast<uint32_t>(info.n), static_cast<uint32_t>(k));
  RunLibrary(v, 2, tmp, values, indices, src, with_index ? src_index : LocalTensor<int32_t>(),
             finishing ? finished : LocalTensor<bool>());
}
}  // namespace akgen_impl
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL>
__aicore__ inline void TopK(
    const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
    const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
    const LocalTensor<bool>& finishLocal, const LocalTensor<uint8_t>& tmpLocal, const int32_t k,
    const TopkTiling& tilling, const TopKInfo& topKInfo, const bool isLargest = true) {
  akgen_impl::RunTopK<isInitIndex, isHasfinish, topkMode>(dstValueLocal, dstIndexLocal, srcLocal,
                                                          srcIndexLocal, finishLocal, &tmpLocal, k,
                                                          topKInfo, isLargest);
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL>
__aicore__ inline void TopK(const LocalTensor<T>& dstValueLocal,
                            const LocalTensor<int32_t>& dstIndexLocal,
                            const LocalTensor<T>& srcLocal,
                            const LocalTensor<int32_t>& srcIndexLocal,
                            const LocalTensor<bool>& finishLocal, const int32_t k,
                            const TopkTiling& tilling, const TopKInfo& topKInfo,
                            const bool isLargest = true) {
  akgen_impl::RunTopK<isInitIndex, isHasfinish, topkMode>(
      dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal, akgen_impl::NoTmp(), k,
      topKInfo, isLargest);
}

namespace akgen_impl {
template <typename T, typename Tiling>
AKGEN_HELPER void RowSizes(AkgenVec& v, const LocalTensor<T>& src, const Tiling& tiling,
                           const SoftMaxShapeInfo& shape) {
  const SoftMaxShapeInfo rows = RowsOf(src, tiling, shape);
  v.aux[1] = Sizes(rows.oriSrcM, rows.srcK);
  v.aux[2] = rows.oriSrcK;
}
template <typename T, typename U>
AKGEN_HELPER void RunSimple(const LocalTensor<T>& dst, const LocalTensor<U>& sum,
                            const LocalTensor<U>& max, const LocalTensor<T>& src,
                            const LocalTensor<uint8_t>* tmp, const SoftMaxTiling& tiling,
                            const SoftMaxShapeInfo& shape) {
  AKGEN_REQUIRE_DTYPE("SimpleSoftMax", "half, float", kTakes<AKGEN_OP_SimpleSoftMax, T>);
  AkgenVec v = Start(AKGEN_OP_SimpleSoftMax, dst, src);
  v.src1_type = Dtype<U>();
  RowSizes(v, src, tiling, shape);
  RunLibrary(v, 1, tmp, dst, sum, max, src);
}
}  // namespace akgen_impl

// The logarithm to base 10 of softmax. sum and max fill a DataBlock for each row.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum,
                                  const LocalTensor<T>& max, const LocalTensor<T>& src,
                                  const LocalTensor<uint8_t>& sharedTmpBuffer,
                                  const LogSoftMaxTiling& tiling,
                                  const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  static_assert(!isDataFormatNZ, "akgen unsupported: LogSoftMax of the NZ format");
  AKGEN_REQUIRE_DTYPE("LogSoftMax", "half, float", akgen_impl::kTakes<AKGEN_OP_LogSoftMax, T>);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_LogSoftMax, dst, src);
  akgen_impl::RowSizes(v, src, tiling, softmaxShapeInfo);
  akgen_impl::RunLibrary(v, 3, &sharedTmpBuffer, dst, sum, max, src);
}

// exp(src - inMax) / inSum.
#define AKGEN_SIMPLE_SOFTMAX(Data, Sums, Tmp, tmp)                                          \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false,              \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG> \
  __aicore__ inline void SimpleSoftMax(                                                     \
      const LocalTensor<Data>& dstTensor, const LocalTensor<Sums>& inSumTensor,             \
      const LocalTensor<Sums>& inMaxTensor, const LocalTensor<Data>& srcTensor,             \
      Tmp const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {     \
    static_assert(!isDataFormatNZ, "akgen unsupported: SimpleSoftMax of the NZ format");    \
    akgen_impl::RunSimple(dstTensor, inSumTensor, inMaxTensor, srcTensor, tmp, tiling,      \
                          softmaxShapeInfo);                                                \
  }
#define AKGEN_TMP const LocalTensor<uint8_t>&sharedTmpBuffer,
AKGEN_SIMPLE_SOFTMAX(T, T, AKGEN_TMP, &sharedTmpBuffer)
AKGEN_SIMPLE_SOFTMAX(T, T, , akgen_impl::NoTmp())
AKGEN_SIMPLE_SOFTMAX(half, float, AKGEN_TMP, &sharedTmpBuffer)
AKGEN_SIMPLE_SOFTMAX(half, float, , akgen_impl::NoTmp())
#undef AKGEN_SIMPLE_SOFTMAX
#undef AKGEN_TMP

// Columns added on either side, up to the next multiple of 32 bytes; or the unused last columns
// filled.
struct PadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
  int32_t padValue = 0;
};
struct UnPadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
};
namespace akgen_impl {
template <typename T>
AKGEN_HELPER void RunPad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const PadParams& p,
                         const LocalTensor<uint8_t>* tmp, const PadTiling& tiling) {
  AKGEN_REQUIRE_DTYPE("Pad", "int16_t, uint16_t, half, int32_t, uint32_t, float",
                      kTakes<AKGEN_OP_Pad, T>);
  AkgenVec v = Start(AKGEN_OP_Pad, dst, src);
  v.aux[1] = Sizes(tiling.srcHeight, tiling.srcWidth);
  v.aux[2] = Sizes(tiling.srcOriWidth, p.leftPad);
  v.aux[3] = Sizes(p.rightPad, static_cast<uint32_t>(p.padValue));
  RunLibrary(v, 1, tmp, dst, src);
}
template <typename T>
AKGEN_HELPER void RunUnPad(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const UnPadParams& p, const LocalTensor<uint8_t>* tmp,
                           const UnPadTiling& tiling) {
  AKGEN_REQUIRE_DTYPE("UnPad", "int16_t, uint16_t, half, int32_t, uint32_t, float",
                      kTakes<AKGEN_OP_UnPad, T>);
  AkgenVec v = Start(AKGEN_OP_UnPad, dst, src);
  v.aux[1] = Sizes(tiling.srcHeight, tiling.srcWidth);
  v.aux[2] = p.rightPad;
  RunLibrary(v, 1, tmp, dst, src);
}
}  // namespace akgen_impl
template <typename T>
__aicore__ inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           PadParams& padParams, const LocalTensor<uint8_t>& sharedTmpBuffer,
                           PadTiling& tiling) {
  akgen_impl::RunPad(dstTensor, srcTensor, padParams, &sharedTmpBuffer, tiling);
}
template <typename T>
__aicore__ inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           PadParams& padParams, PadTiling& tiling) {
  akgen_impl::RunPad(dstTensor, srcTensor, padParams, akgen_impl::NoTmp(), tiling);
}
template <typename T>
__aicore__ inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                             UnPadParams& unPadParams, LocalTensor<uint8_t>& sharedTmpBuffer,
                             UnPadTiling& tiling) {
  akgen_impl::RunUnPad(dstTensor, srcTensor, unPadParams, &sharedTmpBuffer, tiling);
}
template <typename T>
__aicore__ inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                             UnPadParams& unPadParams, UnPadTiling& tiling) {
  akgen_impl::RunUnPad(dstTensor, srcTensor, unPadParams, akgen_impl::NoTmp(), tiling);
}

// Matrices of heads: 1 and 2 swap the heads' axis with the rows' one, 3 and 4 split the last axis
// into heads, 5 and 6 merge it, from NZ to ND or NZ; 7 transposes a matrix. All extents are
// multiples of 16.
namespace akgen_impl {
template <typename T>
AKGEN_HELPER void RunConfusionTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                        const LocalTensor<uint8_t>* tmp, TransposeType type,
                                        const ConfusionTransposeTiling& tiling) {
  AKGEN_REQUIRE_DTYPE("Transpose", "int16_t, uint16_t, half, int32_t, uint32_t, float",
                      kTakes<AKGEN_OP_ConfusionTranspose, T>);
  if (type == TransposeType::TRANSPOSE_TYPE_NONE || type > TransposeType::TRANSPOSE_ND2ND_ONLY)
    return akgen_unsupported("Transpose of this type");
  AkgenVec v = Start(AKGEN_OP_ConfusionTranspose, dst, src);
  v.aux[1] = Sizes(tiling.param0, tiling.param1);
  v.aux[2] = Sizes(tiling.param2, tiling.param3);
  v.aux[3] = Sizes(static_cast<uint32_t>(type), 0);
  RunLibrary(v, 1, tmp, dst, src);
}
}  // namespace akgen_impl
#define AKGEN_TRANSPOSE(name)                                                                  \
  template <typename T>                                                                        \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,            \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                     \
                              TransposeType transposeType, ConfusionTransposeTiling& tiling) { \
    akgen_impl::RunConfusionTranspose(dst, src, &sharedTmpBuffer, transposeType, tiling);      \
  }                                                                                            \
  template <typename T>                                                                        \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,            \
                              TransposeType transposeType, ConfusionTransposeTiling& tiling) { \
    akgen_impl::RunConfusionTranspose(dst, src, akgen_impl::NoTmp(), transposeType, tiling);   \
  }
AKGEN_TRANSPOSE(Transpose)
AKGEN_TRANSPOSE(ConfusionTranspose)  // its older name
#undef AKGEN_TRANSPOSE

// Elements that the mask keeps are divided by keepProb, the others become 0.
struct DropOutShapeInfo {
  __aicore__ DropOutShapeInfo() {}
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;  // bytes
};
namespace akgen_impl {
// dropOutMode 0: bytes where a row of the mask is as long as the data's or longer, bits where it is
// an eighth or less.
AKGEN_HELPER uint8_t DropOutMode(uint32_t mode, const DropOutShapeInfo& info) {
  if (mode != 0) return static_cast<uint8_t>(mode);
  if (info.maskLastAxis >= info.srcLastAxis) return info.maskLastAxis == info.srcLastAxis ? 2 : 1;
  return info.maskLastAxis * 8 == info.srcLastAxis ? 3 : 4;
}
template <typename T>
AKGEN_HELPER void RunDropOut(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                             const LocalTensor<uint8_t>& mask, const LocalTensor<uint8_t>* tmp,
                             float keep, uint32_t mode, const DropOutShapeInfo& info) {
  AKGEN_REQUIRE_DTYPE("DropOut", "half, float", kTakes<AKGEN_OP_DropOut, T>);
  AkgenVec v = Start(AKGEN_OP_DropOut, dst, src);
  v.scalar = AkgenBits(1.0f / keep);
  v.mode = DropOutMode(mode, info);
  v.aux[1] = Sizes(info.firstAxis, info.srcLastAxis);
  v.aux[2] = info.maskLastAxis;
  RunLibrary(v, 1, tmp, dst, src, mask);
}
}  // namespace akgen_impl
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
__aicore__ inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                               const LocalTensor<uint8_t>& maskLocal,
                               const LocalTensor<uint8_t>& sharedTmpBuffer, const float keepProb,
                               const DropOutShapeInfo& info) {
  akgen_impl::RunDropOut(dstLocal, srcLocal, maskLocal, &sharedTmpBuffer, keepProb, dropOutMode,
                         info);
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
__aicore__ inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                               const LocalTensor<uint8_t>& maskLocal, const float keepProb,
                               const DropOutShapeInfo& info) {
  akgen_impl::RunDropOut(dstLocal, srcLocal, maskLocal, akgen_impl::NoTmp(), keepProb, dropOutMode,
                         info);
}

// (src + offset) * scale of int8_t data [k, n], or [n, k] transposed; scales per channel or one for
// all.
struct AntiQuantShapeInfo {
  uint32_t offsetHeight{0};
  uint32_t offsetWidth{0};
  uint32_t scaleHeight{0};
  uint32_t scaleWidth{0};
};
namespace akgen_impl {
template <bool transposed, typename I, typename O>
AKGEN_HELPER void AntiQuant(const LocalTensor<O>& dst, const LocalTensor<I>& src,
                            const LocalTensor<O>* offset, const LocalTensor<O>* scale,
                            float offset_all, float scale_all, bool no_offset,
                            const LocalTensor<uint8_t>* tmp, uint32_t k,
                            const AntiQuantShapeInfo& info) {
  static_assert(!__is_same(I, int4b_t), "akgen unsupported: AscendAntiQuant of int4b_t");
  AKGEN_REQUIRE_DTYPE("AscendAntiQuant", "int8_t to half or bfloat16_t",
                      kTakes<AKGEN_OP_AntiQuant, O, I>);
  AkgenVec v = Start(AKGEN_OP_AntiQuant, dst, src);
  v.mode = (transposed ? 1 : 0) | (no_offset ? 2 : 0);
  const uint32_t n = src.GetSize() / (k ? k : 1);
  v.aux[1] = transposed ? Sizes(n, k) : Sizes(k, n);
  if (scale) {
    const bool given = info.scaleHeight != 0 && info.scaleWidth != 0;
    v.aux[2] = given        ? Sizes(info.scaleHeight, info.scaleWidth)
               : transposed ? Sizes(scale->GetSize(), 1)
                            : Sizes(1, scale->GetSize());
  }
  v.aux[3] = Sizes(static_cast<uint32_t>(AkgenBits(offset_all)),
                   static_cast<uint32_t>(AkgenBits(scale_all)));
  RunLibrary(v, 1, tmp, dst, src, offset ? *offset : LocalTensor<O>(),
             scale ? *scale : LocalTensor<O>());
}
}  // namespace akgen_impl
#define AKGEN_ANTI_QUANT(Offset, Scale, offset, scale, offset_all, scale_all, no_offset, Tmp, tmp) \
  template <typename InputDataType, typename OutputDataType, bool isTranspose>                     \
  __aicore__ inline void AscendAntiQuant(                                                          \
      const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,               \
      Offset Scale Tmp const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}) {               \
    akgen_impl::AntiQuant<isTranspose, InputDataType, OutputDataType>(                             \
        dst, src, offset, scale, offset_all, scale_all, no_offset, tmp, k, shapeInfo);             \
  }
#define AKGEN_TMP const LocalTensor<uint8_t>&sharedTmpBuffer,
#define AKGEN_OFFSETS const LocalTensor<OutputDataType>&offset,
#define AKGEN_SCALES const LocalTensor<OutputDataType>&scale,
#define AKGEN_OFFSET const OutputDataType offset,
#define AKGEN_SCALE const OutputDataType scale,
#define AKGEN_FLOAT(x) static_cast<float>(x)
AKGEN_ANTI_QUANT(AKGEN_OFFSETS, AKGEN_SCALES, &offset, &scale, 0.0f, 0.0f, false, AKGEN_TMP,
                 &sharedTmpBuffer)
AKGEN_ANTI_QUANT(AKGEN_OFFSETS, AKGEN_SCALES, &offset, &scale, 0.0f, 0.0f, false, ,
                 akgen_impl::NoTmp())
AKGEN_ANTI_QUANT(, AKGEN_SCALES, nullptr, &scale, 0.0f, 0.0f, true, AKGEN_TMP, &sharedTmpBuffer)
AKGEN_ANTI_QUANT(AKGEN_OFFSET, AKGEN_SCALE, nullptr, nullptr, AKGEN_FLOAT(offset),
                 AKGEN_FLOAT(scale), false, AKGEN_TMP, &sharedTmpBuffer)
AKGEN_ANTI_QUANT(AKGEN_OFFSET, AKGEN_SCALE, nullptr, nullptr, AKGEN_FLOAT(offset),
                 AKGEN_FLOAT(scale), false, , akgen_impl::NoTmp())
AKGEN_ANTI_QUANT(, AKGEN_SCALE, nullptr, nullptr, 0.0f, AKGEN_FLOAT(scale), true, AKGEN_TMP,
                 &sharedTmpBuffer)
#undef AKGEN_TMP
#undef AKGEN_OFFSETS
#undef AKGEN_SCALES
#undef AKGEN_OFFSET
#undef AKGEN_SCALE
#undef AKGEN_FLOAT
#undef AKGEN_ANTI_QUANT

// firstValue, firstValue + diffValue, … Two names, one function.
template <typename T>
__aicore__ inline void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                              const int32_t count) {
  AKGEN_REQUIRE_DTYPE("Arange", "int16_t, half, int32_t, float",
                      akgen_impl::kTakes<AKGEN_OP_Arange, T>);
  AkgenVec v = akgen_impl::StartFill(AKGEN_OP_Arange, dst);
  v.aux[1] = akgen_impl::Sizes(static_cast<uint32_t>(count), 1);
  v.aux[2] = AkgenBits(firstValue);
  v.aux[3] = AkgenBits(diffValue);
  akgen_impl::RunLibrary(v, 1, akgen_impl::NoTmp(), dst);
}
template <typename T>
__aicore__ inline void ArithProgression(const LocalTensor<T>& dst, const T firstValue,
                                        const T diffValue, const int32_t count) {
  Arange(dst, firstValue, diffValue, count);
}

// The sum of src0 ^ src1, held within int16_t. isReuseSource: less working space.
namespace akgen_impl {
template <bool reuse, typename T>
AKGEN_HELPER void RunReduceXorSum(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<T>& src1, const LocalTensor<uint8_t>* tmp,
                                  uint32_t count) {
  AKGEN_REQUIRE_DTYPE("ReduceXorSum", "int16_t", kTakes<AKGEN_OP_ReduceXorSum, T>);
  AkgenVec v = Start(AKGEN_OP_ReduceXorSum, dst, src0);
  v.flag = reuse;
  v.aux[1] = Sizes(count, 1);
  RunLibrary(v, 1, tmp, dst, src0, src1);
}
}  // namespace akgen_impl
template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                                    const LocalTensor<T>& src1Tensor,
                                    LocalTensor<uint8_t>& sharedTmpBuffer,
                                    const uint32_t calCount) {
  akgen_impl::RunReduceXorSum<isReuseSource>(dstTensor, src0Tensor, src1Tensor, &sharedTmpBuffer,
                                             calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                                    const LocalTensor<T>& src1Tensor, const uint32_t calCount) {
  akgen_impl::RunReduceXorSum<isReuseSource>(dstTensor, src0Tensor, src1Tensor, akgen_impl::NoTmp(),
                                             calCount);
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_LIBRARY_H
