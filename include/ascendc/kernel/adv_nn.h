// Activations and softmax of the advanced API. Counts are in elements; temporary buffers lose their
// contents.
#ifndef AKGEN_KERNEL_ADV_NN_H
#define AKGEN_KERNEL_ADV_NN_H
#include "kernel/adv_math.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {

template <typename T, bool isReuseSource = false>
__aicore__ inline void Sigmoid(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                               const LocalTensor<uint8_t>& sharedTmpBuffer,
                               const uint32_t calCount) {
  AKGEN_REQUIRE_DTYPE("Sigmoid", "half, float", akgen_impl::kTakes<AKGEN_OP_Sigmoid, T>);
  akgen_impl::Run(akgen_impl::Start(AKGEN_OP_Sigmoid, dstTensor, srcTensor), &sharedTmpBuffer,
                  calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Sigmoid(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                               const uint32_t calCount) {
  AKGEN_REQUIRE_DTYPE("Sigmoid", "half, float", akgen_impl::kTakes<AKGEN_OP_Sigmoid, T>);
  akgen_impl::Run(akgen_impl::Start(AKGEN_OP_Sigmoid, dstTensor, srcTensor), akgen_impl::NoTmp(),
                  calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Sigmoid(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                               const LocalTensor<uint8_t>& sharedTmpBuffer) {
  Sigmoid<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Sigmoid(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  Sigmoid<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());
}

template <typename T, bool isReuseSource = false>
__aicore__ inline void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                            uint32_t dataSize) {
  AKGEN_REQUIRE_DTYPE("Silu", "half, float", akgen_impl::kTakes<AKGEN_OP_Silu, T>);
  akgen_impl::Run(akgen_impl::Start(AKGEN_OP_Silu, dstLocal, srcLocal), akgen_impl::NoTmp(),
                  dataSize);
}
// x / (1 + exp(-scalarValue * x)).
template <typename T, bool isReuseSource = false>
__aicore__ inline void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                             uint32_t dataSize, const T scalarValue) {
  AKGEN_REQUIRE_DTYPE("Swish", "half, float", akgen_impl::kTakes<AKGEN_OP_Swish, T>);
  akgen_impl::Run(akgen_impl::StartWithScalar(AKGEN_OP_Swish, dstLocal, srcLocal, scalarValue),
                  akgen_impl::NoTmp(), dataSize);
}

#define AKGEN_GELU(Name)                                                                         \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                \
  __aicore__ inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,    \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                       \
                              const uint32_t dataSize) {                                         \
    AKGEN_REQUIRE_DTYPE(#Name, "half, float", akgen_impl::kTakes<AKGEN_OP_##Name, T>);           \
    akgen_impl::Run(akgen_impl::Start(AKGEN_OP_##Name, dstLocal, srcLocal), &sharedTmpBuffer,    \
                    dataSize);                                                                   \
  }                                                                                              \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                \
  __aicore__ inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,    \
                              const uint32_t dataSize) {                                         \
    AKGEN_REQUIRE_DTYPE(#Name, "half, float", akgen_impl::kTakes<AKGEN_OP_##Name, T>);           \
    akgen_impl::Run(akgen_impl::Start(AKGEN_OP_##Name, dstLocal, srcLocal), akgen_impl::NoTmp(), \
                    dataSize);                                                                   \
  }
AKGEN_GELU(Gelu)
AKGEN_GELU(FasterGelu)
AKGEN_GELU(FasterGeluV2)
#undef AKGEN_GELU

// Gated linear units: src0 * f(src1), f = swish with the scalar as its beta, gelu (tanh form),
// relu.
#define AKGEN_GLU(Name, Dst, Beta, start)                                                       \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void Name(Dst LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,  \
                              const LocalTensor<T>& srcTensor1 Beta,                            \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                      \
                              const uint32_t calCount) {                                        \
    akgen_impl::Run(start, &sharedTmpBuffer, calCount);                                         \
  }                                                                                             \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void Name(Dst LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,  \
                              const LocalTensor<T>& srcTensor1 Beta, const uint32_t calCount) { \
    akgen_impl::Run(start, akgen_impl::NoTmp(), calCount);                                      \
  }
#define AKGEN_GLU_WHOLE(Name, Dst, Beta, start)                                                \
  template <typename T, bool isReuseSource = false>                                            \
  __aicore__ inline void Name(Dst LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, \
                              const LocalTensor<T>& srcTensor1 Beta,                           \
                              const LocalTensor<uint8_t>& sharedTmpBuffer) {                   \
    akgen_impl::Run(start, &sharedTmpBuffer, srcTensor0.GetSize());                            \
  }                                                                                            \
  template <typename T, bool isReuseSource = false>                                            \
  __aicore__ inline void Name(Dst LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, \
                              const LocalTensor<T>& srcTensor1 Beta) {                         \
    akgen_impl::Run(start, akgen_impl::NoTmp(), srcTensor0.GetSize());                         \
  }
namespace akgen_impl {
template <uint16_t kOp, typename T>
AKGEN_HELPER AkgenVec StartGlu(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                               const LocalTensor<T>& src1, float beta = 0) {
  AKGEN_REQUIRE_DTYPE("a gated linear unit", "half, float, and bfloat16_t for ReGlu",
                      kTakes<kOp, T>);
  AkgenVec v = Start(kOp, dst, src0, src1);
  v.scalar = AkgenBits(beta);
  return v;
}
}  // namespace akgen_impl
#define AKGEN_BETA , const float& scalarValue
AKGEN_GLU(SwiGLU, , AKGEN_BETA,
          akgen_impl::StartGlu<AKGEN_OP_SwiGLU>(dstTensor, srcTensor0, srcTensor1, scalarValue))
AKGEN_GLU_WHOLE(SwiGLU, , AKGEN_BETA,
                akgen_impl::StartGlu<AKGEN_OP_SwiGLU>(dstTensor, srcTensor0, srcTensor1,
                                                      scalarValue))
AKGEN_GLU(GeGLU, const, , akgen_impl::StartGlu<AKGEN_OP_GeGLU>(dstTensor, srcTensor0, srcTensor1))
AKGEN_GLU_WHOLE(GeGLU, const, ,
                akgen_impl::StartGlu<AKGEN_OP_GeGLU>(dstTensor, srcTensor0, srcTensor1))
AKGEN_GLU(ReGlu, const, , akgen_impl::StartGlu<AKGEN_OP_ReGlu>(dstTensor, srcTensor0, srcTensor1))
#undef AKGEN_BETA
#undef AKGEN_GLU
#undef AKGEN_GLU_WHOLE

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
  __aicore__ constexpr SoftmaxConfig(const bool check) : isCheckTiling(check) {}
  __aicore__ constexpr SoftmaxConfig(const bool check, const uint32_t rows, const uint32_t cols)
      : isCheckTiling(check), oriSrcM(rows), oriSrcK(cols) {}
  __aicore__ constexpr SoftmaxConfig(const bool check, const uint32_t rows, const uint32_t cols,
                                     const enum SoftmaxMode modeIn)
      : isCheckTiling(check), oriSrcM(rows), oriSrcK(cols), mode(modeIn) {}
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;  // rows
  uint32_t oriSrcK = 0;  // columns
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

// srcM x srcK as it lies in UB (rows padded to 32 bytes), oriSrcM x oriSrcK the part that counts.
// Elements.
struct SoftMaxShapeInfo {
  uint32_t srcM{0};
  uint32_t srcK{0};
  uint32_t oriSrcM{0};
  uint32_t oriSrcK{0};
};

namespace akgen_impl {
// The shape that counts: the one given, else the one that the source was given by SetShapeInfo,
// else the tiling's.
template <typename T, typename Tiling>
AKGEN_HELPER SoftMaxShapeInfo RowsOf(const LocalTensor<T>& src, const Tiling& tiling,
                                     const SoftMaxShapeInfo& shape) {
  if (shape.srcM != 0 && shape.srcK != 0)
    return {shape.srcM, shape.srcK, shape.oriSrcM ? shape.oriSrcM : shape.srcM,
            shape.oriSrcK ? shape.oriSrcK : shape.srcK};
  const ShapeInfo& own = src.shapeInfo_;
  if (own.shapeDim == 0 || own.originalShapeDim == 0)
    return {tiling.srcM, tiling.srcK, tiling.srcM, tiling.srcK};
  SoftMaxShapeInfo r{1, own.shape[own.shapeDim - 1], 1,
                     own.originalShape[own.originalShapeDim - 1]};
  for (int i = 0; i + 1 < own.shapeDim; ++i) r.srcM *= own.shape[i];
  for (int i = 0; i + 1 < own.originalShapeDim; ++i) r.oriSrcM *= own.originalShape[i];
  return r;
}
template <typename T>
AKGEN_HELPER void RowShape(AkgenVec& v, const LocalTensor<T>& src, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& shape) {
  const SoftMaxShapeInfo rows = RowsOf(src, tiling, shape);
  v.aux[0] = rows.oriSrcM, v.aux[1] = rows.srcK, v.aux[2] = rows.oriSrcK;
  Whole(v, 1);
}

template <typename T, typename U = T>
AKGEN_HELPER void RunSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                             const LocalTensor<uint8_t>* tmp, const SoftMaxTiling& tiling,
                             const SoftMaxShapeInfo& shape, const LocalTensor<U>* sums = nullptr,
                             const LocalTensor<U>* maxima = nullptr) {
  AKGEN_REQUIRE_DTYPE("SoftMax", "half, float", kTakes<AKGEN_OP_SoftMaxRows, T>);
  AkgenVec v = Start(AKGEN_OP_SoftMaxRows, dst, src);
  Scratch(v, tmp);
  RowShape(v, src, tiling, shape);
  if (sums) {
    v.src1 = Address(*sums);
    v.src1_type = Dtype<U>();
    v.aux[3] = reinterpret_cast<uint64_t>(Address(*maxima));
  }
  akgen_vec(&v);
}

// front: one DataBlock per row with sum(grad * y); else dst = (grad - that sum) * y.
template <typename T>
AKGEN_HELPER void RunSoftMaxGrad(const LocalTensor<T>& dst, const LocalTensor<T>& grad,
                                 const LocalTensor<T>& y, const LocalTensor<uint8_t>* tmp,
                                 const SoftMaxTiling& tiling, bool front,
                                 const SoftMaxShapeInfo& shape) {
  AKGEN_REQUIRE_DTYPE("SoftmaxGrad", "half, float", kTakes<AKGEN_OP_SoftMaxGradRows, T>);
  AkgenVec v = Start(AKGEN_OP_SoftMaxGradRows, dst, grad, y);
  Scratch(v, tmp);
  v.flag = front;
  RowShape(v, y, tiling, shape);
  akgen_vec(&v);
}
}  // namespace akgen_impl

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                               const SoftMaxTiling& tiling,
                               const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  akgen_impl::RunSoftMax(dstTensor, srcTensor, nullptr, tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                               const LocalTensor<uint8_t>& sharedTmpBuffer,
                               const SoftMaxTiling& tiling,
                               const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  akgen_impl::RunSoftMax(dstTensor, srcTensor, &sharedTmpBuffer, tiling, softmaxShapeInfo);
}

// The forms that also give the sum and the maximum of each row: each fills one DataBlock. Half data
// may take them in float.
#define AKGEN_SOFTMAX_SUMS(Data, T2)                                                            \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                  \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>     \
  __aicore__ inline void SoftMax(                                                               \
      const LocalTensor<Data>& dstTensor, const LocalTensor<T2>& sumTensor,                     \
      const LocalTensor<T2>& maxTensor, const LocalTensor<Data>& srcTensor,                     \
      const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {             \
    static_assert(!isDataFormatNZ, "akgen: SoftMax of the NZ format is not simulated");         \
    akgen_impl::RunSoftMax(dstTensor, srcTensor, nullptr, tiling, softmaxShapeInfo, &sumTensor, \
                           &maxTensor);                                                         \
  }                                                                                             \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                  \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>     \
  __aicore__ inline void SoftMax(                                                               \
      const LocalTensor<Data>& dstTensor, const LocalTensor<T2>& sumTensor,                     \
      const LocalTensor<T2>& maxTensor, const LocalTensor<Data>& srcTensor,                     \
      const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,                 \
      const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                          \
    static_assert(!isDataFormatNZ, "akgen: SoftMax of the NZ format is not simulated");         \
    akgen_impl::RunSoftMax(dstTensor, srcTensor, &sharedTmpBuffer, tiling, softmaxShapeInfo,    \
                           &sumTensor, &maxTensor);                                             \
  }
AKGEN_SOFTMAX_SUMS(T, T)
AKGEN_SOFTMAX_SUMS(half, float)
#undef AKGEN_SOFTMAX_SUMS

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void SoftmaxGrad(const LocalTensor<T>& dstTensor,
                                   const LocalTensor<T>& gradTensor,
                                   const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                                   bool isFront = false,
                                   const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  akgen_impl::RunSoftMaxGrad(dstTensor, gradTensor, srcTensor, nullptr, tiling, isFront,
                             softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void SoftmaxGrad(const LocalTensor<T>& dstTensor,
                                   const LocalTensor<T>& gradTensor,
                                   const LocalTensor<T>& srcTensor,
                                   const LocalTensor<uint8_t>& sharedTmpBuffer,
                                   const SoftMaxTiling& tiling, bool isFront = false,
                                   const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  akgen_impl::RunSoftMaxGrad(dstTensor, gradTensor, srcTensor, &sharedTmpBuffer, tiling, isFront,
                             softmaxShapeInfo);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
__aicore__ inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor,
                                        const LocalTensor<T>& gradTensor,
                                        const LocalTensor<T>& srcTensor,
                                        const SoftMaxTiling& tiling,
                                        const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  akgen_impl::RunSoftMaxGrad(dstTensor, gradTensor, srcTensor, nullptr, tiling, true,
                             softmaxShapeInfo);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
__aicore__ inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor,
                                        const LocalTensor<T>& gradTensor,
                                        const LocalTensor<T>& srcTensor,
                                        const LocalTensor<uint8_t>& sharedTmpBuffer,
                                        const SoftMaxTiling& tiling,
                                        const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  akgen_impl::RunSoftMaxGrad(dstTensor, gradTensor, srcTensor, &sharedTmpBuffer, tiling, true,
                             softmaxShapeInfo);
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_NN_H
