// The mathematical functions of the advanced API.
//
// Usual shape: {with, without sharedTmpBuffer} × {with, without calCount}; calCount counts
// elements, without it the whole source is meant. A temporary buffer that is passed loses its
// contents. isReuseSource allows upstream to overwrite the source; nothing here does. Results are
// computed in float and rounded once.
#ifndef AKGEN_KERNEL_ADV_MATH_H
#define AKGEN_KERNEL_ADV_MATH_H
#include "kernel/vec_detail.h"

namespace AscendC {
namespace akgen_impl {

template <typename T>
constexpr bool kIsMathDtype = kIsOneOf<T, half, float>;

AKGEN_HELPER void Run(AkgenVec v, const LocalTensor<uint8_t>* tmp, uint32_t count) {
  Scratch(v, tmp);
  Count(v, count);
  akgen_vec(&v);
}
AKGEN_HELPER const LocalTensor<uint8_t>* NoTmp() { return nullptr; }

template <typename T>
AKGEN_HELPER AkgenVec StartWithScalar(uint16_t op, const LocalTensor<T>& dst,
                                      const LocalTensor<T>& src, T scalar) {
  AkgenVec v = Start(op, dst, src);
  v.scalar = AkgenBits(scalar);
  return v;
}

}  // namespace akgen_impl

#define AKGEN_MATH_REQUIRE(api, op, rule) \
  AKGEN_REQUIRE_DTYPE(api, rule, (akgen_impl::kTakes<op, T>))

// (dst, src, tmp, count) and (dst, src, count).
#define AKGEN_MATH_COUNT(Name, rule)                                                               \
  template <typename T, bool isReuseSource = false>                                                \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,    \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                         \
                              const uint32_t calCount) {                                           \
    AKGEN_MATH_REQUIRE(#Name, AKGEN_OP_##Name, rule);                                              \
    akgen_impl::Run(akgen_impl::Start(AKGEN_OP_##Name, dstTensor, srcTensor), &sharedTmpBuffer,    \
                    calCount);                                                                     \
  }                                                                                                \
  template <typename T, bool isReuseSource = false>                                                \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,    \
                              const uint32_t calCount) {                                           \
    AKGEN_MATH_REQUIRE(#Name, AKGEN_OP_##Name, rule);                                              \
    akgen_impl::Run(akgen_impl::Start(AKGEN_OP_##Name, dstTensor, srcTensor), akgen_impl::NoTmp(), \
                    calCount);                                                                     \
  }
// The same without a count.
#define AKGEN_MATH_WHOLE(Name)                                                                    \
  template <typename T, bool isReuseSource = false>                                               \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,   \
                              const LocalTensor<uint8_t>& sharedTmpBuffer) {                      \
    Name<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());           \
  }                                                                                               \
  template <typename T, bool isReuseSource = false>                                               \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) { \
    Name<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());                            \
  }
#define AKGEN_MATH(Name, rule) AKGEN_MATH_COUNT(Name, rule) AKGEN_MATH_WHOLE(Name)

// Log and Log10 need no temporary buffer.
#define AKGEN_LOG(Name, rule)                                                                      \
  template <typename T, bool isReuseSource = false>                                                \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,    \
                              uint32_t calCount) {                                                 \
    AKGEN_MATH_REQUIRE(#Name, AKGEN_OP_##Name, rule);                                              \
    akgen_impl::Run(akgen_impl::Start(AKGEN_OP_##Name, dstTensor, srcTensor), akgen_impl::NoTmp(), \
                    calCount);                                                                     \
  }                                                                                                \
  template <typename T, bool isReuseSource = false>                                                \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {  \
    Name<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());                             \
  }

// Exp by Taylor series: more exact than the instruction; taylorExpandLevel = 0 is the instruction
// itself.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                           const uint32_t calCount) {
  AKGEN_MATH_REQUIRE("Exp", AKGEN_OP_Exp, "half, float");
  constexpr uint16_t kOp = taylorExpandLevel == 0 ? AKGEN_OP_Exp : AKGEN_OP_ExpHp;
  akgen_impl::Run(akgen_impl::Start(kOp, dstLocal, srcLocal), akgen_impl::NoTmp(), calCount);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  AKGEN_MATH_REQUIRE("Exp", AKGEN_OP_Exp, "half, float");
  constexpr uint16_t kOp = taylorExpandLevel == 0 ? AKGEN_OP_Exp : AKGEN_OP_ExpHp;
  akgen_impl::Run(akgen_impl::Start(kOp, dstLocal, srcLocal), &sharedTmpBuffer, calCount);
}

// Two tensors in, four overloads.
#define AKGEN_MATH2(Name, rule)                                                                  \
  template <typename T, bool isReuseSource = false>                                              \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, \
                              const LocalTensor<T>& src1Tensor,                                  \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                       \
                              const uint32_t calCount) {                                         \
    AKGEN_MATH_REQUIRE(#Name, AKGEN_OP_##Name, rule);                                            \
    akgen_impl::Run(akgen_impl::Start(AKGEN_OP_##Name, dstTensor, src0Tensor, src1Tensor),       \
                    &sharedTmpBuffer, calCount);                                                 \
  }                                                                                              \
  template <typename T, bool isReuseSource = false>                                              \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, \
                              const LocalTensor<T>& src1Tensor, const uint32_t calCount) {       \
    AKGEN_MATH_REQUIRE(#Name, AKGEN_OP_##Name, rule);                                            \
    akgen_impl::Run(akgen_impl::Start(AKGEN_OP_##Name, dstTensor, src0Tensor, src1Tensor),       \
                    akgen_impl::NoTmp(), calCount);                                              \
  }                                                                                              \
  template <typename T, bool isReuseSource = false>                                              \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, \
                              const LocalTensor<T>& src1Tensor,                                  \
                              const LocalTensor<uint8_t>& sharedTmpBuffer) {                     \
    Name<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer,                   \
                           src0Tensor.GetSize());                                                \
  }                                                                                              \
  template <typename T, bool isReuseSource = false>                                              \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, \
                              const LocalTensor<T>& src1Tensor) {                                \
    Name<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());             \
  }
// Only on 3510: two tensors in, a configuration that says nothing yet, with its default or without.
namespace akgen_impl {
struct BitwiseConfig {
  bool isReuseSource;
};
}  // namespace akgen_impl
#define AKGEN_BITWISE2(Name, rule)                                                            \
  using Name##Config = akgen_impl::BitwiseConfig;                                             \
  template <const akgen_impl::BitwiseConfig& config, typename T>                              \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,          \
                              const LocalTensor<T>& src1, const uint32_t count) {             \
    AKGEN_REQUIRE_3510(#Name, T, "use And, Or, Xor and Not of 16 bits");                      \
    AKGEN_MATH_REQUIRE(#Name, AKGEN_OP_##Name, rule);                                         \
    akgen_impl::Run(akgen_impl::Start(AKGEN_OP_##Name, dst, src0, src1), akgen_impl::NoTmp(), \
                    count);                                                                   \
  }                                                                                           \
  template <typename T>                                                                       \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,          \
                              const LocalTensor<T>& src1, const uint32_t count) {             \
    static constexpr Name##Config kConfig = {false};                                          \
    Name<kConfig, T>(dst, src0, src1, count);                                                 \
  }

// Rows of akgen/vec_ops.inc declare the functions of the usual shape.
#define AKGEN_DECLARE_own(Name, rule)
#define AKGEN_DECLARE_unary(Name, rule)
#define AKGEN_DECLARE_binary(Name, rule)
#define AKGEN_DECLARE_bitwise(Name, rule)
#define AKGEN_DECLARE_scalar(Name, rule)
#define AKGEN_DECLARE_math(Name, rule) AKGEN_MATH(Name, rule)
#define AKGEN_DECLARE_math_count(Name, rule) AKGEN_MATH_COUNT(Name, rule)
#define AKGEN_DECLARE_math_log(Name, rule) AKGEN_LOG(Name, rule)
#define AKGEN_DECLARE_math2(Name, rule) AKGEN_MATH2(Name, rule)
#define AKGEN_DECLARE_bitwise2(CONSTANT)                                     \
  constexpr akgen_impl::BitwiseConfig DEFAULT_##CONSTANT##_CONFIG = {false}; \
  AKGEN_BITWISE2
#define AKGEN_VEC_OP(Name, family, api, types, columns) AKGEN_DECLARE_##api(Name, AKGEN_TEXT types)
#include "akgen/vec_ops.inc"
#undef AKGEN_DECLARE_own
#undef AKGEN_DECLARE_unary
#undef AKGEN_DECLARE_binary
#undef AKGEN_DECLARE_bitwise
#undef AKGEN_DECLARE_scalar
#undef AKGEN_DECLARE_math
#undef AKGEN_DECLARE_math_count
#undef AKGEN_DECLARE_math_log
#undef AKGEN_DECLARE_math2
#undef AKGEN_DECLARE_bitwise2
#undef AKGEN_BITWISE2
#undef AKGEN_MATH
#undef AKGEN_MATH_WHOLE
#undef AKGEN_MATH_COUNT
#undef AKGEN_LOG
#undef AKGEN_MATH2

// Power with one scalar: Base and Exponent are the parameter types, Op the row, tensor and scalar
// which is which.
#define AKGEN_POWER(Base, Exponent, Op, tensor, scalar)                                          \
  template <typename T, bool isReuseSource = false>                                              \
  __aicore__ inline void Power(const LocalTensor<T>& dstTensor, Base base, Exponent exponent,    \
                               const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) { \
    AKGEN_MATH_REQUIRE("Power", AKGEN_OP_##Op, "half, float, int32_t");                          \
    akgen_impl::Run(akgen_impl::StartWithScalar(AKGEN_OP_##Op, dstTensor, tensor, scalar),       \
                    &sharedTmpBuffer, calCount);                                                 \
  }                                                                                              \
  template <typename T, bool isReuseSource = false>                                              \
  __aicore__ inline void Power(const LocalTensor<T>& dstTensor, Base base, Exponent exponent,    \
                               uint32_t calCount) {                                              \
    AKGEN_MATH_REQUIRE("Power", AKGEN_OP_##Op, "half, float, int32_t");                          \
    akgen_impl::Run(akgen_impl::StartWithScalar(AKGEN_OP_##Op, dstTensor, tensor, scalar),       \
                    akgen_impl::NoTmp(), calCount);                                              \
  }                                                                                              \
  template <typename T, bool isReuseSource = false>                                              \
  __aicore__ inline void Power(const LocalTensor<T>& dstTensor, Base base, Exponent exponent,    \
                               const LocalTensor<uint8_t>& sharedTmpBuffer) {                    \
    Power<T, isReuseSource>(dstTensor, base, exponent, sharedTmpBuffer, tensor.GetSize());       \
  }                                                                                              \
  template <typename T, bool isReuseSource = false>                                              \
  __aicore__ inline void Power(const LocalTensor<T>& dstTensor, Base base, Exponent exponent) {  \
    Power<T, isReuseSource>(dstTensor, base, exponent, tensor.GetSize());                        \
  }
AKGEN_POWER(const LocalTensor<T>&, const T&, PowerScalar, base, exponent)
AKGEN_POWER(const T&, const LocalTensor<T>&, ScalarPower, exponent, base)
#undef AKGEN_POWER

#define AKGEN_CLAMP(Name)                                                                       \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, \
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar,      \
                              const uint32_t calCount) {                                        \
    AKGEN_MATH_REQUIRE(#Name, AKGEN_OP_##Name, "half, float");                                  \
    akgen_impl::Run(akgen_impl::StartWithScalar(AKGEN_OP_##Name, dstTensor, srcTensor, scalar), \
                    &sharedTmpBuffer, calCount);                                                \
  }                                                                                             \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, \
                              const T scalar, const uint32_t calCount) {                        \
    AKGEN_MATH_REQUIRE(#Name, AKGEN_OP_##Name, "half, float");                                  \
    akgen_impl::Run(akgen_impl::StartWithScalar(AKGEN_OP_##Name, dstTensor, srcTensor, scalar), \
                    akgen_impl::NoTmp(), calCount);                                             \
  }
AKGEN_CLAMP(ClampMax)
AKGEN_CLAMP(ClampMin)
#undef AKGEN_CLAMP

// dst += src * scalar, with a temporary buffer.
template <typename T, typename U, bool isReuseSource = false>
__aicore__ inline void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor,
                            const U scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const uint32_t calCount) {
  AKGEN_REQUIRE_DTYPE("Axpy", "(dst, src) half/half, float/float or float/half",
                      akgen_impl::kTakes<AKGEN_OP_Axpy, T, U>);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Axpy, dstTensor, srcTensor);
  v.scalar = AkgenBits(scalarValue);
  akgen_impl::Run(v, &sharedTmpBuffer, calCount);
}

// Running sums of an outter x inner matrix: along rows (isLastAxis) or down columns. inner is a
// multiple of 32 bytes.
enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
  bool isLastAxis{true};
  bool isReuseSource{false};
  bool outputLastRow{false};
  CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
struct CumSumInfo {
  uint32_t outter{0};  // rows
  uint32_t inner{0};   // columns
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

namespace akgen_impl {
template <typename T>
AKGEN_HELPER void RunCumSum(const CumSumConfig& config, const LocalTensor<T>& dst,
                            const LocalTensor<T>& last_row, const LocalTensor<T>& src,
                            const LocalTensor<uint8_t>* tmp, const CumSumInfo& info) {
  AKGEN_REQUIRE_DTYPE("CumSum", "half, float", kTakes<AKGEN_OP_CumSum, T>);
  AkgenVec v = Start(AKGEN_OP_CumSum, dst, src);
  Scratch(v, tmp);
  v.aux[0] = info.outter;
  v.aux[1] = info.inner;
  v.aux[2] = config.isLastAxis;
  Whole(v, 1);
  akgen_vec(&v);
  if (!config.outputLastRow || info.outter == 0) return;
  AkgenVec row = Start(AKGEN_OP_Copy, last_row, dst[(info.outter - 1) * info.inner]);
  Count(row, info.inner);
  akgen_vec(&row);
}
}  // namespace akgen_impl

template <typename T, const CumSumConfig& config = defaultCumSumConfig>
__aicore__ inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor,
                              const LocalTensor<T>& srcTensor,
                              LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& cumSumInfo) {
  akgen_impl::RunCumSum(config, dstTensor, lastRowTensor, srcTensor, &sharedTmpBuffer, cumSumInfo);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
__aicore__ inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor,
                              const LocalTensor<T>& srcTensor, const CumSumInfo& cumSumInfo) {
  akgen_impl::RunCumSum(config, dstTensor, lastRowTensor, srcTensor, nullptr, cumSumInfo);
}
#undef AKGEN_MATH_REQUIRE

}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_MATH_H
