// ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceAny and ReduceAll of a tensor
// [first, last] along the axes that a pattern names: AR over the last, RA over the first. Rows
// begin at DataBlocks.
#ifndef AKGEN_KERNEL_ADV_REDUCE_H
#define AKGEN_KERNEL_ADV_REDUCE_H
#include "kernel/adv_norm.h"

namespace AscendC {
namespace Pattern::Reduce {
#define AKGEN_PATTERN(name, first, last, dims)               \
  struct name {                                              \
    static constexpr ReducePattern ID = ReducePattern::name; \
    static constexpr bool FirstA = first, TailA = last;      \
    static constexpr int32_t Dim = dims;                     \
  };
AKGEN_PATTERN(R, false, false, 1)
AKGEN_PATTERN(AR, true, false, 2)
AKGEN_PATTERN(RA, false, true, 2)
AKGEN_PATTERN(ARA, true, true, 3)
AKGEN_PATTERN(RAR, false, false, 3)
AKGEN_PATTERN(ARAR, true, false, 4)
AKGEN_PATTERN(RARA, false, true, 4)
AKGEN_PATTERN(ARARA, true, true, 5)
AKGEN_PATTERN(RARAR, false, false, 5)
AKGEN_PATTERN(ARARAR, true, false, 6)
AKGEN_PATTERN(RARARA, false, true, 6)
AKGEN_PATTERN(ARARARA, true, true, 7)
AKGEN_PATTERN(RARARAR, false, false, 7)
AKGEN_PATTERN(ARARARAR, true, false, 8)
AKGEN_PATTERN(RARARARA, false, true, 8)
AKGEN_PATTERN(ARARARARA, true, true, 9)
#undef AKGEN_PATTERN
}  // namespace Pattern::Reduce

namespace akgen_impl {
template <typename pattern, bool reuse, typename T>
AKGEN_HELPER void PatternReduce(::akgen::PatternReduction kind, const LocalTensor<T>& dst,
                                const LocalTensor<T>& src, const LocalTensor<uint8_t>* tmp,
                                const uint32_t* shape, bool inner_pad) {
  static_assert(__is_same(pattern, Pattern::Reduce::AR) || __is_same(pattern, Pattern::Reduce::RA),
                "Ascend C: this reduction takes the patterns AR and RA");
  if (!inner_pad)
    akgen_broken_rule("srcInnerPad is true on this chip: rows begin at whole 32 bytes");
  AkgenVec v = Start(AKGEN_OP_PatternReduce, dst, src);
  v.mode = static_cast<uint8_t>(kind) |
           (__is_same(pattern, Pattern::Reduce::RA) ? ::akgen::kPatternOverRows : 0);
  v.flag = reuse;
  v.aux[1] = Sizes(shape[0], shape[1]);
  RunLibrary(v, 1, tmp, dst, src);
}
}  // namespace akgen_impl

#define AKGEN_PATTERN_REDUCE(Name, kind, types, ...)                                               \
  template <class T, class pattern, bool isReuseSource = false>                                    \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,    \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                         \
                              const uint32_t srcShape[], bool srcInnerPad) {                       \
    AKGEN_REQUIRE_DTYPE(#Name " of a pattern", types, (akgen_impl::kIsOneOf<T, __VA_ARGS__>));     \
    akgen_impl::PatternReduce<pattern, isReuseSource>(kind, dstTensor, srcTensor,                  \
                                                      &sharedTmpBuffer, srcShape, srcInnerPad);    \
  }                                                                                                \
  template <class T, class pattern, bool isReuseSource = false>                                    \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,    \
                              const uint32_t srcShape[], bool srcInnerPad) {                       \
    AKGEN_REQUIRE_DTYPE(#Name " of a pattern", types, (akgen_impl::kIsOneOf<T, __VA_ARGS__>));     \
    akgen_impl::PatternReduce<pattern, isReuseSource>(kind, dstTensor, srcTensor,                  \
                                                      akgen_impl::NoTmp(), srcShape, srcInnerPad); \
  }
AKGEN_PATTERN_REDUCE(ReduceSum, ::akgen::kPatternSum, "float", float)
AKGEN_PATTERN_REDUCE(ReduceMean, ::akgen::kPatternMean, "float", float)
AKGEN_PATTERN_REDUCE(ReduceMax, ::akgen::kPatternMax, "half, float", half, float)
AKGEN_PATTERN_REDUCE(ReduceMin, ::akgen::kPatternMin, "half, float", half, float)
AKGEN_PATTERN_REDUCE(ReduceProd, ::akgen::kPatternProd, "float", float)
AKGEN_PATTERN_REDUCE(ReduceAny, ::akgen::kPatternAny, "uint8_t, float", uint8_t, float)
AKGEN_PATTERN_REDUCE(ReduceAll, ::akgen::kPatternAll, "uint8_t, float", uint8_t, float)
#undef AKGEN_PATTERN_REDUCE

}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_REDUCE_H
