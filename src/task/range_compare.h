// Comparison on cases of the range group (range.h), element by element: within ten times the mean
// limit of the strict rule (strict.h; small values by its absolute limit), NaN and infinities by
// place and sign, integers and bool exactly. An element that is not is excused
//   where the peer, the same computation in the case's own precision, is wrong too, or
//   where the result does not fit the dtype: integers are undefined there, and what is made of
//   them on the way, floating results
//   infinite or NaN, or where the reference is made of sums or products whose terms fit float32 in
//   some orders only and it is not finite, or what an infinite sum, or a product that is lost in
//   small factors or has lost half of itself there, makes it, or where float32
//   arithmetic decides how it, or something on the way, is rounded to an integer (near_ties.h), or
//   where float32 arithmetic cannot tell: inputs changed by 2^-20 of themselves move the float64
//   reference further, or between finite and infinite, or to the infinity or NaN that the output
//   is; or from one infinity to the other, and the output is not finite either: infinity times what
//   is 0 but for roundings. Or roundings of the reference's own operations move it so: a norm of
//   what hardly differs, terms that cancel; or make it the integer or the condition that the output
//   is: the largest of what hardly differs. A reference that jumps there (a tie of rounding, an
//   equality) excuses nothing: it would also jump for a change of 2^-24, or of 2^-36 in its
//   operations.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "task/compare.h"

namespace akgen::task {

inline constexpr double kNudge = 0x1p-20, kSmallNudge = 0x1p-24;
// Of what arithmetic makes: what float32 rounds, and so little that only jumps show.
inline constexpr double kNoise = 0x1p-24, kSmallNoise = 0x1p-36;

// Bytes of the same output: in the case's own precision, and in float64 from inputs changed by
// kNudge and kSmallNudge. `exact`: as float64 from inputs of float64. Asked for only when needed;
// nothing where it cannot be had.
struct RangeExcuses {
  using Bytes = std::function<std::optional<std::span<const uint8_t>>()>;
  Bytes peer, nudged_less, exact;
  Bytes unrounded,
      unrounded_single;  // float64: what rounded elements are rounded from, in float64 and float32
  // Where the order of the terms of a sum, or of the factors of a product, decides whether it fits:
  // with NaN for it, with either infinity, and with 0 for a product.
  Bytes crowded, crowded_above, crowded_below, crowded_lost;
  Bytes noisy_less;          // in float64, what arithmetic makes changed by kSmallNoise
  std::vector<Bytes> noisy;  // by kNoise, each in another pattern
  // With another integer for what no integer holds: where that shows, nothing is defined.
  Bytes converted_otherwise;
  // With what is rounded on the way moved by kTieShare, up and down.
  std::vector<Bytes> beside_ties;
  std::vector<Bytes> nudged;  // each in another pattern: in one of them changes may cancel
};
inline constexpr double kTieShare = 0x1p-22;  // of itself: four roundings of float32
inline constexpr double kSteep = 4;           // errors allowed for each change that kNudge makes
// Patterns, and each the other way round: of few, all may cancel or end on one side of a limit.
inline constexpr int kNudges = 6;

Comparison CompareRange(const TensorDesc& out_desc, std::span<const uint8_t> out,
                        const TensorDesc& ref_desc, std::span<const uint8_t> ref,
                        const RangeExcuses& excuses);

// Elements that are finite in `ref` and right in `peer`: those that a comparison says something
// about.
int64_t Telling(const TensorDesc& desc, std::span<const uint8_t> ref,
                std::span<const uint8_t> peer);

}  // namespace akgen::task
