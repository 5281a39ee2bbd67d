// A task to a program of the kernel language, by the planner's rules: the planner gets graphs
// without names, the names of operator and attributes are put into its answer.
#pragma once
#include <optional>
#include <string>

#include "base/status.h"
#include "craft/plan/plan.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::judge {

// Why there is no program for a task. AK1540 no rule fits; AK0115 the reference is not a static
// graph; errors of the reference process.
struct PlanFailure {
  base::Error error;
  std::optional<craft::Unplanned> refusal;  // that no rule fits, as the planner says it
};
base::Result<std::string, PlanFailure> PlanTask(task::ReferenceClient& reference,
                                                const task::TaskSpec& task,
                                                const craft::Target& target);

// What the planner is given: parameters, outputs and the graph of every case, with the planner's
// names.
base::Result<craft::PlanTask> GraphsOfTask(task::ReferenceClient& reference,
                                           const task::TaskSpec& task);
// A program with the planner's names (`op`, a0, a1, …) under those of the task.
std::string WithNames(const task::TaskSpec& task, const std::string& program);

// What the reference does in one case, with the planner's names: inputs x0, x1, … and attributes
// a0, a1, … in order. AK0115 and errors of the reference process as above.
base::Result<craft::PlanCase> GraphOfCase(task::ReferenceClient& reference,
                                          const task::TaskSpec& task, task::CaseDesc c);

}  // namespace akgen::judge
