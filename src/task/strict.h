// The strict rule: by dtype, mean and maximum relative error of a tensor (MERE, MARE) against the float64 reference
// rounded once, relative error = |out - ref| / (|ref| + 1e-7). A floating tensor passes when MERE < t and MARE < 10 t.
// Otherwise every element beyond 10 t must be excused, by comparison with the peer, the reference run in the case's own
// precision:
//   small values   |ref| < s: counts as an error only when |out - ref| > s_abs
//   cancellation   |out|, |ref| < c: relative error means little here
//   (in both, at most twice the errors the peer makes there; where the peer makes none, 2 and at most 0.1 % of all)
//   elsewhere      only where the peer is beyond 10 t too
// and over the remaining domain MERE < t or at most twice the peer's. Integers and bool are exact (quantised outputs,
// rule Q: a neighbour is an error the peer may excuse), NaN and infinities by place and sign, dtype and shape exact.
//            float16  bfloat16  float32, float64, complex64
//   t        2^-10    2^-7      2^-13
//   s        2^-11    2^-8      2^-14
//   s_abs    2^-16    2^-16     2^-30
//   c        2^-5     2^-3      2^-8
// The numbers are those cann-bench publishes for its checker.
//
// And half and bfloat16 are to be rounded to nearest. A step is less than t there, so that the mean alone would take
// results that were cut off: a tensor that passes is looked at once more. Where a quarter of its distinct values or
// more came out one way (nearer to zero, further from it, down or up) and hardly any the other way, it fails, unless
// the peer leans that way too. Fewer than 64 distinct values say nothing.
#pragma once
#include <optional>
#include <span>

#include "task/compare.h"

namespace akgen::task {

struct StrictLimits {
  double mere = 0, small = 0, small_abs = 0, cancel = 0;
};
// Nothing for integers and bool.
std::optional<StrictLimits> StrictLimitsFor(base::Dtype dtype);

struct StrictComparison {
  Comparison result;
  bool peer_may_excuse = false;  // failed without a peer, and could pass with one: ask for it and compare again
};
// `peer`: the tensor as computed in the case's own precision, or empty. `quantised`: rule Q.
StrictComparison CompareStrict(bool quantised, const TensorDesc& out_desc, std::span<const uint8_t> out,
                               const TensorDesc& ref_desc, std::span<const uint8_t> ref,
                               std::span<const uint8_t> peer = {});

}  // namespace akgen::task
