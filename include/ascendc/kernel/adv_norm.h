// Normalisation: LayerNorm and its gradients, Normalize, Welford's running moments, RmsNorm,
// GroupNorm, BatchNorm, DeepNorm.
//
// Shapes come with the tiling structs that the host functions fill (tiling/norm_tiling.h). A
// temporary buffer must have the size that the host function gives as minimum, overlaps no operand
// and loses its contents.
#ifndef AKGEN_KERNEL_ADV_NORM_H
#define AKGEN_KERNEL_ADV_NORM_H
#include "akgen/reduction.h"
#include "kernel/adv_math.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {
namespace akgen_impl {

AKGEN_HELPER constexpr uint64_t Sizes(uint32_t low, uint32_t high) {
  return low | static_cast<uint64_t>(high) << 32;
}

// A library function of many operands, the first `results` of which it writes.
template <typename... Ts>
AKGEN_HELPER void RunLibrary(AkgenVec v, uint8_t results, const LocalTensor<uint8_t>* tmp,
                             const LocalTensor<Ts>&... operands) {
  const void* const list[10] = {Address(operands)...};
  v.aux[0] = reinterpret_cast<uint64_t>(&list[0]);
  v.round_mode = results;
  Scratch(v, tmp);
  Whole(v, 1);
  akgen_vec(&v);
}

// Rows of `pitch` elements, of which `n` count; sums are divided by `divisor`.
template <typename T, typename U>
AKGEN_HELPER AkgenVec StartNorm(uint16_t op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LocalTensor<U>& gamma, float epsilon, uint32_t rows,
                                uint32_t pitch, uint32_t n, uint32_t divisor) {
  AKGEN_REQUIRE_DTYPE("a normalisation", "half, float", kIsMathDtype<T>);
  AkgenVec v = Start(op, dst, src);
  v.src1_type = Dtype<U>();
  v.scalar = AkgenBits(epsilon);
  v.aux[1] = Sizes(rows, pitch);
  v.aux[2] = Sizes(n, divisor);
  (void)gamma;
  return v;
}
}  // namespace akgen_impl

struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
  bool isOutputRstd = true;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
struct LayerNormPara {
  uint32_t aLength;             // rows
  uint32_t rLength;             // elements of a row that count
  uint32_t rLengthWithPadding;  // elements from row to row
};
struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};

// One macro for both forms of each function: with a temporary buffer (`Tmp` its parameter, `tmp`
// its address) and without.
#define AKGEN_NORM_FORMS(Form) Form(AKGEN_NORM_TMP, &sharedTmpBuffer) Form(, akgen_impl::NoTmp())
#define AKGEN_NORM_TMP const LocalTensor<uint8_t>&sharedTmpBuffer,

// [B, S, H]: the mean and the variance of each row come in the dtype of the data.
#define AKGEN_LAYER_NORM(Tmp, tmp)                                                                 \
  template <typename T, bool isReuseSource = false>                                                \
  __aicore__ inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, \
                                   const LocalTensor<T>& outputVariance,                           \
                                   const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,      \
                                   const LocalTensor<T>& beta, Tmp const T epsilon,                \
                                   LayerNormTiling& tiling) {                                      \
    AkgenVec v = akgen_impl::StartNorm(                                                            \
        AKGEN_OP_LayerNorm, output, inputX, gamma, static_cast<float>(epsilon),                    \
        tiling.bLength * tiling.sLength, tiling.hLength, tiling.hLength, tiling.originalHLength);  \
    v.flag = isReuseSource;                                                                        \
    akgen_impl::RunLibrary(v, 3, tmp, output, outputMean, outputVariance, inputX, gamma, beta);    \
  }
AKGEN_NORM_FORMS(AKGEN_LAYER_NORM)
#undef AKGEN_LAYER_NORM

// [A, R]: mean and 1/sqrt(variance + epsilon) of each row, as floats.
namespace akgen_impl {
template <const LayerNormConfig& config, typename U, typename T>
AKGEN_HELPER void LayerNormRows(const LocalTensor<T>& output, const LocalTensor<float>& mean,
                                const LocalTensor<float>& rstd, const LocalTensor<T>& x,
                                const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                                float epsilon, const LocalTensor<uint8_t>* tmp,
                                const LayerNormPara& para) {
  static_assert(!config.isOnlyOutput,
                "Ascend C: LayerNorm gives mean and rstd as well; isOnlyOutput is false");
  static_assert(config.isOutputRstd,
                "Ascend C: LayerNorm gives the variance in this form on later chips only");
  AKGEN_REQUIRE_DTYPE("LayerNorm's gamma", "half, float, at least as wide as the data",
                      kIsMathDtype<U> && sizeof(U) >= sizeof(T));
  AkgenVec v = StartNorm(AKGEN_OP_LayerNorm, output, x, gamma, epsilon, para.aLength,
                         para.rLengthWithPadding, para.rLength, para.rLength);
  v.mode = 3 | (config.isNoGamma ? 4 : 0) | (config.isNoBeta ? 8 : 0);
  RunLibrary(v, 3, tmp, output, mean, rstd, x, gamma, beta);
}
}  // namespace akgen_impl
template <typename U, typename T, bool isReuseSource = false,
          const LayerNormConfig& config = LNCFG_NORM>
__aicore__ inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                                 const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
                                 const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                                 const float epsilon, const LayerNormPara& para,
                                 const LayerNormSeparateTiling& tiling) {
  akgen_impl::LayerNormRows<config>(output, outputMean, outputRstd, inputX, gamma, beta, epsilon,
                                    akgen_impl::NoTmp(), para);
}
template <typename U, typename T, bool isReuseSource = false,
          const LayerNormConfig& config = LNCFG_NORM>
__aicore__ inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                                 const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
                                 const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                                 const float epsilon, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                 const LayerNormPara& para, const LayerNormSeparateTiling& tiling) {
  akgen_impl::LayerNormRows<config>(output, outputMean, outputRstd, inputX, gamma, beta, epsilon,
                                    &sharedTmpBuffer, para);
}

// (x - mean) * rstd * gamma + beta from moments that are known.
struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
struct NormalizePara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};
#define AKGEN_NORMALIZE(Tmp, tmp)                                                                  \
  template <typename U, typename T, bool isReuseSource = false,                                    \
            const NormalizeConfig& config = NLCFG_NORM>                                            \
  __aicore__ inline void Normalize(                                                                \
      const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,                          \
      const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,                \
      const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,       \
      Tmp const float epsilon, const NormalizePara& para) {                                        \
    static_assert(config.reducePattern == ReducePattern::AR,                                       \
                  "Ascend C: Normalize takes ReducePattern::AR");                                  \
    AKGEN_REQUIRE_DTYPE("Normalize's gamma", "half, float, at least as wide as the data",          \
                        akgen_impl::kIsMathDtype<U> && sizeof(U) >= sizeof(T));                    \
    AkgenVec v =                                                                                   \
        akgen_impl::StartNorm(AKGEN_OP_Normalize, output, inputX, gamma, epsilon, para.aLength,    \
                              para.rLengthWithPadding, para.rLength, para.rLength);                \
    v.mode = (config.isNoGamma ? 4 : 0) | (config.isNoBeta ? 8 : 0);                               \
    akgen_impl::RunLibrary(v, 2, tmp, output, outputRstd, inputMean, inputVariance, inputX, gamma, \
                           beta);                                                                  \
  }
AKGEN_NORM_FORMS(AKGEN_NORMALIZE)
#undef AKGEN_NORMALIZE

// LayerNorm of alpha * src + gx.
#define AKGEN_DEEP_NORM(Tmp, tmp)                                                                  \
  template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                        \
  __aicore__ inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal, \
                                  const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal, \
                                  const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,  \
                                  const LocalTensor<T>& gammaLocal, Tmp const T alpha,             \
                                  const T epsilon, DeepNormTiling& tiling) {                       \
    AkgenVec v = akgen_impl::StartNorm(                                                            \
        AKGEN_OP_DeepNorm, dstLocal, srcLocal, gammaLocal, static_cast<float>(epsilon),            \
        tiling.bLength * tiling.sLength, tiling.hLength, tiling.hLength, tiling.originalHLength);  \
    v.flag = isReuseSrc;                                                                           \
    v.aux[3] = AkgenBits(static_cast<float>(alpha));                                               \
    akgen_impl::RunLibrary(v, 3, tmp, dstLocal, meanLocal, rstdLocal, srcLocal, gxLocal,           \
                           gammaLocal, betaLocal);                                                 \
  }
AKGEN_NORM_FORMS(AKGEN_DEEP_NORM)
#undef AKGEN_DEEP_NORM

#define AKGEN_RMS_NORM(Tmp, tmp)                                                                  \
  template <typename T, bool isBasicBlock = false>                                                \
  __aicore__ inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,  \
                                 const LocalTensor<T>& gammaLocal, Tmp const T epsilon,           \
                                 const RmsNormTiling& tiling) {                                   \
    AkgenVec v = akgen_impl::StartNorm(                                                           \
        AKGEN_OP_RmsNorm, dstLocal, srcLocal, gammaLocal, static_cast<float>(epsilon),            \
        tiling.bLength * tiling.sLength, tiling.hLength, tiling.hLength, tiling.originalHLength); \
    akgen_impl::RunLibrary(v, 1, tmp, dstLocal, srcLocal, gammaLocal);                            \
  }
AKGEN_NORM_FORMS(AKGEN_RMS_NORM)
#undef AKGEN_RMS_NORM

#define AKGEN_GROUP_NORM(Tmp, tmp)                                                                 \
  template <typename T, bool isReuseSource = false>                                                \
  __aicore__ inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, \
                                   const LocalTensor<T>& outputVariance,                           \
                                   const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,      \
                                   const LocalTensor<T>& beta, Tmp const T epsilon,                \
                                   GroupNormTiling& tiling) {                                      \
    AkgenVec v = akgen_impl::StartNorm(AKGEN_OP_GroupNorm, output, inputX, gamma,                  \
                                       static_cast<float>(epsilon), tiling.n, tiling.c, tiling.hw, \
                                       tiling.hwAlignSize);                                        \
    v.flag = isReuseSource;                                                                        \
    v.aux[3] = tiling.g;                                                                           \
    akgen_impl::RunLibrary(v, 3, tmp, output, outputMean, outputVariance, inputX, gamma, beta);    \
  }
AKGEN_NORM_FORMS(AKGEN_GROUP_NORM)
#undef AKGEN_GROUP_NORM

// gamm and beta have one entry per batch.
#define AKGEN_BATCH_NORM(Tmp, tmp)                                                                 \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                     \
  __aicore__ inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, \
                                   const LocalTensor<T>& outputVariance,                           \
                                   const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,       \
                                   const LocalTensor<T>& beta, Tmp const T epsilon,                \
                                   BatchNormTiling& tiling) {                                      \
    AkgenVec v = akgen_impl::StartNorm(AKGEN_OP_BatchNorm, output, inputX, gamm,                   \
                                       static_cast<float>(epsilon), tiling.originalBLength,        \
                                       tiling.meanVarSize, 0, 0);                                  \
    v.flag = isBasicBlock;                                                                         \
    akgen_impl::RunLibrary(v, 3, tmp, output, outputMean, outputVariance, inputX, gamm, beta);     \
  }
AKGEN_NORM_FORMS(AKGEN_BATCH_NORM)
#undef AKGEN_BATCH_NORM
#undef AKGEN_NORM_TMP

#define AKGEN_NORM_TMP LocalTensor<uint8_t>&sharedTmpBuffer,
#define AKGEN_LAYER_NORM_GRAD(Tmp, tmp)                                                           \
  template <typename T, bool isReuseSource = false>                                               \
  __aicore__ inline void LayerNormGrad(                                                           \
      const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,                         \
      const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,                                \
      const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,                       \
      const LocalTensor<T>& inputGamma, Tmp T epsilon, LayerNormGradTiling& tiling,               \
      const LayerNormGradShapeInfo& shapeInfo = {}) {                                             \
    AkgenVec v = akgen_impl::StartNorm(                                                           \
        AKGEN_OP_LayerNormGrad, outputPdX, inputX, inputGamma, static_cast<float>(epsilon),       \
        tiling.bLength * tiling.sLength, tiling.hLength, tiling.hLength, tiling.originalHLength); \
    v.flag = isReuseSource;                                                                       \
    akgen_impl::RunLibrary(v, 2, tmp, outputPdX, resForGamma, inputDy, inputX, inputVariance,     \
                           inputMean, inputGamma);                                                \
  }
AKGEN_NORM_FORMS(AKGEN_LAYER_NORM_GRAD)
#undef AKGEN_LAYER_NORM_GRAD
#undef AKGEN_NORM_TMP
#undef AKGEN_NORM_FORMS

namespace akgen_impl {
template <typename T>
AKGEN_HELPER void GradBeta(const LocalTensor<T>& dgamma, const LocalTensor<T>& dbeta,
                           const LocalTensor<T>& res, const LocalTensor<T>& dy,
                           const LocalTensor<uint8_t>* tmp, const LayerNormGradBetaTiling& tiling) {
  AkgenVec v = StartNorm(AKGEN_OP_LayerNormGradBeta, dgamma, res, dy, 0,
                         tiling.bLength * tiling.sLength, tiling.hLength, 0, 0);
  RunLibrary(v, 2, tmp, dgamma, dbeta, res, dy);
}
}  // namespace akgen_impl
template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma,
                                         const LocalTensor<T>& outputPdBeta,
                                         const LocalTensor<T>& resForGamma,
                                         const LocalTensor<T>& inputDy,
                                         const LocalTensor<uint8_t>& sharedTmpBuffer,
                                         const LayerNormGradBetaTiling& tiling) {
  akgen_impl::GradBeta(outputPdGamma, outputPdBeta, resForGamma, inputDy, &sharedTmpBuffer, tiling);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma,
                                         const LocalTensor<T>& outputPdBeta,
                                         const LocalTensor<T>& resForGamma,
                                         const LocalTensor<T>& inputDy,
                                         LayerNormGradBetaTiling& tiling) {
  akgen_impl::GradBeta(outputPdGamma, outputPdBeta, resForGamma, inputDy, akgen_impl::NoTmp(),
                       tiling);
}

// Running mean and sum of squared differences, element by element, over blocks of a long row.
struct WelfordUpdateConfig {
  __aicore__ constexpr WelfordUpdateConfig(const bool isInplaceIn) : isInplace(isInplaceIn) {}
  bool isInplace = false;  // what lies behind abComputeLength is copied
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordUpdateParam {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t abComputeLength;
  float nRec;  // 1 / how many blocks were seen, this one included
};
namespace akgen_impl {
template <bool reuse, const WelfordUpdateConfig& config, typename T, typename U>
AKGEN_HELPER void Update(const LocalTensor<U>& mean, const LocalTensor<U>& m,
                         const LocalTensor<U>& old_mean, const LocalTensor<U>& old_m,
                         const LocalTensor<T>& x, const LocalTensor<uint8_t>* tmp,
                         const WelfordUpdateParam& para) {
  AKGEN_REQUIRE_DTYPE("WelfordUpdate", "half, float data and float moments",
                      kIsMathDtype<T> && __is_same(U, float));
  AkgenVec v = Start(AKGEN_OP_WelfordUpdate, mean, x);
  v.scalar = AkgenBits(para.nRec);
  v.flag = reuse;
  v.mode = config.isInplace;
  v.aux[1] = Sizes(para.rnLength, para.abLength);
  v.aux[2] = para.abComputeLength;
  RunLibrary(v, 2, tmp, mean, m, old_mean, old_m, x);
}
}  // namespace akgen_impl
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
__aicore__ inline void WelfordUpdate(const LocalTensor<U>& outputMean,
                                     const LocalTensor<U>& outputVariance,
                                     const LocalTensor<U>& inputMean,
                                     const LocalTensor<U>& inputVariance,
                                     const LocalTensor<T>& inputX, const WelfordUpdateParam& para) {
  akgen_impl::Update<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance,
                                            inputX, akgen_impl::NoTmp(), para);
}
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
__aicore__ inline void WelfordUpdate(const LocalTensor<U>& outputMean,
                                     const LocalTensor<U>& outputVariance,
                                     const LocalTensor<U>& inputMean,
                                     const LocalTensor<U>& inputVariance,
                                     const LocalTensor<T>& inputX,
                                     const LocalTensor<uint8_t>& sharedTmpBuffer,
                                     const WelfordUpdateParam& para) {
  akgen_impl::Update<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance,
                                            inputX, &sharedTmpBuffer, para);
}

// The moments of all from those of the elements.
struct WelfordFinalizeConfig {
  __aicore__ constexpr WelfordFinalizeConfig(const bool isCorrectionIn)
      : isCorrection(isCorrectionIn) {}
  bool isCorrection = false;
};
constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};
struct WelfordFinalizePara {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t headCount;
  uint32_t headCountLength;
  uint32_t tailCount;
  uint32_t tailCountLength;
  float abRec;
  float rRec;
  float rRecWithCorrection;
};
namespace akgen_impl {
AKGEN_HELPER void Finalize(const LocalTensor<float>& mean, const LocalTensor<float>& variance,
                           const LocalTensor<float>& means, const LocalTensor<float>& ms,
                           const LocalTensor<int32_t>* counts, const LocalTensor<uint8_t>* tmp,
                           const WelfordFinalizePara& p) {
  AkgenVec v = Start(AKGEN_OP_WelfordFinalize, mean, means);
  v.mode = counts != nullptr;
  v.scalar =
      Sizes(static_cast<uint32_t>(AkgenBits(p.abRec)), static_cast<uint32_t>(AkgenBits(p.rRec)));
  v.aux[1] = Sizes(p.abLength, 1);
  v.aux[2] = Sizes(p.headCount, p.headCountLength);
  v.aux[3] = Sizes(p.tailCount, p.tailCountLength);
  if (counts)
    RunLibrary(v, 2, tmp, mean, variance, means, ms, *counts);
  else
    RunLibrary(v, 2, tmp, mean, variance, means, ms);
}
}  // namespace akgen_impl
#define AKGEN_FINALIZE(Counts, counts, Tmp, tmp)                                                   \
  template <bool isReuseSource = false,                                                            \
            const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>                          \
  __aicore__ inline void WelfordFinalize(                                                          \
      const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,              \
      const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,                \
      Counts Tmp WelfordFinalizePara& para) {                                                      \
    static_assert(!config.isCorrection,                                                            \
                  "Ascend C: WelfordFinalize corrects the variance on later chips only");          \
    akgen_impl::Finalize(outputMean, outputVariance, inputMean, inputVariance, counts, tmp, para); \
  }
#define AKGEN_TMP const LocalTensor<uint8_t>&sharedTmpBuffer,
#define AKGEN_COUNTS const LocalTensor<int32_t>&counts,
AKGEN_FINALIZE(, nullptr, AKGEN_TMP, &sharedTmpBuffer)
AKGEN_FINALIZE(, nullptr, , nullptr)
AKGEN_FINALIZE(AKGEN_COUNTS, &counts, AKGEN_TMP, &sharedTmpBuffer)
AKGEN_FINALIZE(AKGEN_COUNTS, &counts, , nullptr)
#undef AKGEN_TMP
#undef AKGEN_COUNTS
#undef AKGEN_FINALIZE

}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_NORM_H
