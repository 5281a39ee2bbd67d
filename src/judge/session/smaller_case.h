// Smaller cases that stand for one too large to run.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "task/task.h"

namespace akgen::judge {

// The case with `factor` times less in its leading dimension, when that makes everything as much
// smaller.
std::optional<task::CaseDesc> SmallerCase(const task::TaskSpec& task, task::CaseRow row,
                                          const task::CaseDesc& c, int64_t factor);

// The case with fewer rows, which its full shape is made of when they are repeated. A row is what
// one step of the leading dimension (the first number of the column "shape") takes of each tensor.
struct RepeatedCase {
  task::CaseDesc few;
  int64_t rows = 0, all_rows = 0;     // of `few`, of the full case
  std::vector<bool> inputs, outputs;  // flat; false: the tensor is the same in both, whole
};
// The inputs of `few` fill whole pages, so that memory can repeat them, and its rows are an odd
// multiple of a power of two, so that rows mistaken for each other, which mostly lie powers of two
// apart, differ. AK0104, with the reason as the message: there is no such case.
base::Result<RepeatedCase> RepeatCase(const task::TaskSpec& task, const task::CaseRow& row,
                                      const task::CaseDesc& full);
// The case with `rows` rows; nothing where it has no leading dimension or cannot be resolved.
std::optional<task::CaseDesc> WithRows(const task::TaskSpec& task, task::CaseRow row, int64_t rows);

}  // namespace akgen::judge
