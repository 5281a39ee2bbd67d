// Tries the cases of a task with narrow variants of its reference: computed as a kernel would whose
// author saw few inputs (task/reference/variants.h), or with an attribute that is what it is in the
// first case. Only values are compared; nothing is built.
//
// The cases must refuse each variant that differs from the reference. One that none of them refuses
// is tried on inputs that reach over the whole dtype: if the reference can tell it from itself
// there, the cases are too narrow.
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/lint_case.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::bench {

struct TakenVariant {
  std::string name;   // "short erf@4", "constant epsilon"
  std::string place;  // the line of the reference, or the parameter
  std::string shown;  // the inputs that tell it from the reference
};

struct VariantResult {
  int tried = 0, refused = 0;
  int failed = 0;   // of those refused: that did not run on a case
  int same = 0;     // as good as the reference, wherever it was tried
  int by_name = 0;  // that task.toml calls right
  std::vector<TakenVariant> taken;
};

struct VariantOptions {
  std::string precision = "strict";
  uint64_t seed = 1;
};

// `cases`: scored ones and those of the range group. Errors of the reference process.
base::Result<VariantResult> TryVariants(const task::TaskSpec& task, std::deque<LintCase>& cases,
                                        const VariantOptions& options,
                                        task::ReferenceClient& reference);

// Whether `run`, which all cases take, is the operator itself: inputs that reach over the whole
// dtype were drawn, and on all of them it is right wherever the reference, in the case's own
// precision, is.
using RunAnswer = std::function<std::optional<Tensors>(LintCase&)>;
bool IsSameOperator(const task::TaskSpec& task, const std::deque<LintCase>& cases, uint64_t seed,
                    task::ReferenceClient& reference, const RunAnswer& run);

// What a kind of variant does and how a task refuses it, as a sentence without a full stop.
std::string Explained(const TakenVariant& taken);

}  // namespace akgen::bench
