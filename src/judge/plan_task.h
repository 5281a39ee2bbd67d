// A task to a program of the kernel language, by the planner's rules: the planner gets graphs without names, the names
// of operator and attributes are put into its answer.
#pragma once
#include <string>

#include "base/status.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::judge {

// AK1540 no rule fits; AK0115 the reference is no plain graph; errors of the reference process.
base::Result<std::string> PlanTask(task::ReferenceClient& reference, const task::TaskSpec& task);

}  // namespace akgen::judge
