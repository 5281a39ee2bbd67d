// The strict rule: by dtype, mean and maximum relative error of a tensor (MERE, MARE) against the
// float64 reference rounded once, relative error = |out - ref| / (|ref| + 1e-7). A floating tensor
// passes when MERE < t and MARE < 10 t. Otherwise every element beyond 10 t must be excused, by
// comparison with the peer, the reference run in the case's own precision:
//   small values   |ref| < s: counts as an error only when |out - ref| > s_abs
//   cancellation   |out|, |ref| < c: relative error means little here
//   (in both, at most twice the errors the peer makes there; where the peer makes none, 2 and at
//   most 0.1 % of all) elsewhere      only where the peer is beyond 10 t too
// Of float32 also those are excused of which float32 arithmetic cannot tell: inputs changed by
// 2^-20 of themselves move the reference a quarter of the error or more, and further than a change
// of 2^-24 does. Terms that cancel are as large as they are in whatever order they are added. And
// over the remaining domain MERE < t or at most twice the peer's. In half and bfloat16 none is
// free, and an error in the first two domains is at most twice the largest that the peer makes
// there, unless the peer errs at the same element: sums cancel anywhere, but the order of the
// reference's multiplications is part of what it asks for, because another order overflows or
// underflows elsewhere. Integers and bool are exact (but for rounded ones, below), NaN and
// infinities by place and sign, dtype and shape exact.
//            float16  bfloat16  float32, float64, complex64
//   t        2^-10    2^-7      2^-13
//   s        2^-11    2^-8      2^-14
//   s_abs    2^-16    2^-16     2^-30
//   c        2^-5     2^-3      2^-8
// The numbers are those cann-bench publishes for its checker.
//
// And half and bfloat16 are to be rounded to nearest. A step is less than t there, so that the mean
// alone would take results that were cut off: a tensor that passes is looked at once more. Where a
// quarter of its distinct values or more came out one way (nearer to zero, further from it, down or
// up) and hardly any the other way, it fails, unless the peer leans that way too. Fewer than 64
// distinct values say nothing.
//
// Rounded integers (quantised outputs): the neighbour of the reference is right exactly where
// float32 arithmetic in the reference's order lands on it. That is, for an element whose value
// before rounding is v (float64) and whose two candidates have the tie h between them:
//   - where the reference evaluated in float32, or in the case's own precision, gives that
//   neighbour; or
//   - where |v - h| <= max(2 D, 2^-22) max(1, |v|), at most 2^-8: float32 decides. D is the largest
//   error, in units of
//     max(1, |v|), that the reference makes in float32 in this tensor, so that its conditioning
//     counts; another evaluation in the same order may err as far to the other side (2 D). 2^-22
//     are four roundings of float32, for functions whose last bits differ between libraries. 2^-8
//     keeps an ill-conditioned tensor from excusing steps.
//   In a floating dtype, too, a rounded element is compared as its neighbour where float32 decides.
//   And where the reference rounds on the way (a quantised value that is scaled back), an element
//   is right as well that is within 10 t of what the reference gives in float32, or with everything
//   that it rounds moved up, or down, by 2^-22 of itself.
//   A tie that float64 and float32 both hit exactly is no excuse: rounding to even is what the
//   reference says.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "task/compare.h"

namespace akgen::task {

struct StrictLimits {
  double mere = 0, small = 0, small_abs = 0, cancel = 0;
};
// Nothing for integers and bool.
std::optional<StrictLimits> StrictLimitsFor(base::Dtype dtype);

struct StrictComparison {
  Comparison result;
  bool peer_may_excuse =
      false;  // failed without a peer, and could pass with one: ask for it and compare again
};

// Bytes of an output of float32 whose inputs are moved by kNudge in several patterns, and by
// kSmallNudge.
struct StrictNudges {
  std::vector<std::span<const uint8_t>> moved;
  std::span<const uint8_t> less;
};

// The reference evaluated in other ways, each empty where it is not known.
struct StrictPeers {
  std::span<const uint8_t> own;     // in the case's own precision
  std::span<const uint8_t> single;  // in float32; of rounded integers only, as the two below
  std::span<const double> before_rounding, before_rounding_single;
  std::vector<std::span<const uint8_t>> beside_ties;  // of references that round on the way
  std::function<StrictNudges()> nudges;  // asked where few elements of float32 are beyond the limit
  bool any() const { return !own.empty() || !single.empty() || !before_rounding.empty(); }
};

// `rounded`: integers that the reference rounds, so that a peer may excuse a neighbour.
StrictComparison CompareStrict(bool rounded, const TensorDesc& out_desc,
                               std::span<const uint8_t> out, const TensorDesc& ref_desc,
                               std::span<const uint8_t> ref, const StrictPeers& peers);
// With the peer in the case's own precision alone, or without one.
StrictComparison CompareStrict(bool rounded, const TensorDesc& out_desc,
                               std::span<const uint8_t> out, const TensorDesc& ref_desc,
                               std::span<const uint8_t> ref, std::span<const uint8_t> peer = {});

}  // namespace akgen::task
