// The range group of a task: cases that reach beyond what its published cases draw. They are made
// by rule from the dtypes, the shapes and the reference, once for a task; a judgement draws their
// values from its own seed. A kernel passes only when it is right there too (range_compare.h). By
// set of dtypes:
//   wide        magnitudes over the whole exponent range, or the widest part of it where the
//   reference stays finite;
//               integers over their whole range
//   edges       zeros of both signs, infinities, NaN, ties of rounding, integers next to 2^24: each
//   with each, for
//               any two inputs
//   limits      the same with subnormal, smallest and largest numbers instead of infinities and NaN
//   overflow    values around those where results become too large for their dtype
//   lines       lines along the last (and the first) axis that are offset, constant, sorted, tiny,
//   large, clustered at
//               their maximum, or hold one NaN or infinity; "alike": of one kind in all inputs
//   row         one line alone
//   whole       where an output is a reduction over much of an input: each kind of line in all of
//   it, NaN or an
//               infinity at one place (each of a task once)
//   indices     first, last and repeated indices, where the operator takes indices
//   weights     any magnitude in tensors of fewer dimensions than the largest, the others as
//   published numbers     zero, a fraction, infinities, NaN and codes as numbers (scalars and the
//   like) spots       one NaN or infinity in one input, where the edges do not tell (likewise)
//   small       all inputs a thousandth of what is published; "stretched": four times; "scales":
//   lines of 1.5 to 4
//               times; "large": beyond what half holds (each of a task once)
//   special     what tells a kernel that takes NaN of one input for zero, or its infinities for the
//   largest number,
//               where no case above does (special_values.h; likewise)
//   attribute   each attribute with other values than the published ones (OtherValues);
//   "attributes": all at once
// Of a task whose shapes cannot be drawn small, the smallest published one, and fewer of the kinds.
// An input whose values the operator restricts says so in task.toml (`domain`); where the reference
// refuses what was drawn for an input, the input keeps its `dist`.
#pragma once
#include <vector>

#include "base/status.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::task {

inline constexpr int64_t kRangeElements = 1 << 13;  // inputs and outputs of a case together

// The cases, with ids "range-…" and `range` set: a function of the task alone, kept below
// CacheDir()/ranges. Empty for a task without a reference. Errors of the reference process; AK0102
// for a malformed task.
base::Result<std::vector<CaseRow>> RangeCases(const TaskSpec& task, ReferenceClient& reference);
// Those of them that have other attributes, and inputs as published.
base::Result<std::vector<CaseRow>> AttributeCases(const TaskSpec& task, ReferenceClient& reference);

}  // namespace akgen::task
