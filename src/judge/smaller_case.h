// A smaller case that represents one too large to run.
#pragma once
#include <cstdint>
#include <optional>

#include "task/task.h"

namespace akgen::judge {

// The case with `factor` times less in its leading dimension, when that makes everything as much smaller.
std::optional<task::CaseDesc> SmallerCase(const task::TaskSpec& task, task::CaseRow row, const task::CaseDesc& c,
                                          int64_t factor);

}  // namespace akgen::judge
