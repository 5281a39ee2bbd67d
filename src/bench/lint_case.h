// One case that the linter tries answers on: its inputs, what the reference gives, and whether an
// answer is taken.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "task/range_case.h"
#include "task/reference_client.h"
#include "task/strict_case.h"
#include "task/task.h"

namespace akgen::bench {

using Tensors = std::vector<std::vector<uint8_t>>;  // outputs, flat

struct LintCase {
  task::CaseDesc c;
  uint64_t seed = 0;
  task::TensorSet inputs, golden;
  // Once they were asked for. They keep references to the case: it stays where it is from then on.
  std::unique_ptr<task::StrictCase> strict;
  std::unique_ptr<task::RangeCase> on_range;
  std::vector<bool> compared;  // by flat output
};

// Errors of the generator and of the reference.
base::Result<LintCase> MakeLintCase(const task::TaskSpec& task, const task::CaseRow& row,
                                    uint64_t seed, task::ReferenceClient& reference);

// Whether a judge would take the answer on this case, by its precision: "strict", or "upstream" for
// the task's rule; element by element on a case of the range group.
bool Takes(const task::TaskSpec& task, LintCase& tried, const Tensors& answer,
           const std::string& precision, task::ReferenceClient& reference);

}  // namespace akgen::bench
