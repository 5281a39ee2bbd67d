// Tries every task with answers that are known to be wrong. A task that accepts one of them on
// every case it was tried on would accept a kernel that computes nothing.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "bench/variants.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::bench {

// The answers, for all outputs at once:
//   zero, one              that number everywhere            poison     bytes no kernel wrote
//   mean, first            the mean, or the first element, of the first case's reference,
//   everywhere and in every case other_values           the reference for other values of the same
//   shapes (a stale buffer, a memorised answer) identity <input>       that input, where dtype and
//   shape agree downcast               the reference through a narrower format, where that changes
//   it like <task>            the reference of another task that takes the same inputs wrong_dtype
//   the reference in another dtype of the same size
//
// Further, narrow variants of its reference (variants.h), on the range group (task/range.h) too.
//
// And `zero` once more as upstream would see it: its rule, and inputs in its ranges (`upstream` of
// an input). A task that takes zeros there is not unsound here; the result says so.
struct LintOptions {
  std::string precision = "strict";
  int max_cases = 10;  // of each task, the largest of at most 2^16 elements, one per dtype first;
                       // else the two smallest
  bool all_references = false;  // also run every reference on every case that fits the memory
  bool variants = true;
  bool range = true;  // try them on the range group, as a judgement does
  uint64_t seed = 1;
};

struct LintResult {
  std::string task, error;  // error: the task cannot be tried, or a reference fails
  int cases = 0, answers = 0, references = 0;
  std::vector<std::pair<std::string, std::string>>
      too_large;  // (case, why): references that were not run
  std::vector<std::string>
      taken;  // answers the task takes on every case, less those task.toml calls right
  std::vector<std::pair<std::string, std::string>> weak;  // (case, answer) taken on that case alone
  bool upstream_takes_zero = false;                       // on its smallest cases
  VariantResult variants;
  bool ok() const { return error.empty() && taken.empty() && variants.taken.empty(); }
};

// `others`: tasks whose references are tried as answers.
LintResult LintTask(const task::TaskSpec& task, const std::vector<task::TaskSpec>& others,
                    const LintOptions& options, task::ReferenceClient& reference);
struct LintTotals {
  size_t passed = 0;  // tasks
  int cases = 0, answers = 0, references = 0;
  size_t weak_cases = 0, too_large = 0;
  VariantResult variants;
};
LintTotals TotalsOf(const std::vector<LintResult>& results);
base::Json ToJson(const std::vector<LintResult>& results);

}  // namespace akgen::bench
