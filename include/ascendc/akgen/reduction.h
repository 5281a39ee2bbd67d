// Reductions of a tensor [first, last] along one of its axes: what kernel, host and chip name
// alike.
#ifndef AKGEN_REDUCTION_H
#define AKGEN_REDUCTION_H
#include <stdint.h>

namespace akgen {
enum PatternReduction : uint8_t {
  kPatternSum,
  kPatternMean,
  kPatternMax,
  kPatternMin,
  kPatternProd,
  kPatternAny,
  kPatternAll
};
constexpr uint8_t kPatternOverRows = 16;  // beside it in AkgenVec::mode
}  // namespace akgen

namespace AscendC {
enum class ReducePattern : uint32_t {
  AR = 0,
  RA = 1,
  R,
  ARA,
  ARAR,
  ARARA,
  ARARAR,
  ARARARA,
  ARARARAR,
  ARARARARA,
  RAR,
  RARA,
  RARAR,
  RARARA,
  RARARAR,
  RARARARA,
};
}  // namespace AscendC
#endif  // AKGEN_REDUCTION_H
