// What a search over a kernel's tunables (tile length, buffers, cores) minimises.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "judge/judge.h"
#include "judge/run/lone.h"

namespace akgen::judge {

// Modelled microseconds of the operator project in a folder, summed over the cases; nothing when it
// does not pass them all: a fast wrong kernel is no candidate.
using Objective = std::function<std::optional<double>(const std::string& project_dir)>;

// `judge` and `task` must outlive the objective. `options.time` is switched on.
Objective ModelledObjective(Judge& judge, const task::TaskSpec& task, Options options);

// The same of a standalone kernel's file, on its launch comment or, where it is not empty, on
// `launch`. There is no reference: a kernel that leaves other bytes in its outputs than the first
// one asked about is no candidate either.
Objective LoneObjective(Executor& executor, const std::string& launch, LoneOptions options);

}  // namespace akgen::judge
