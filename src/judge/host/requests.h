// From a case to what the candidate's halves are asked with: the DTYPE macros that a kernel is
// built with, and the request to a tiling function.
#pragma once
#include <string>

#include "chip/chip.h"
#include "judge/host/messages.h"
#include "task/inputs.h"
#include "task/task.h"

namespace akgen::judge {

// The DT_ name of a dtype in Ascend C, as "DT_FLOAT16".
const char* GeName(base::Dtype dtype);

// Text before the kernel source: DTYPE_X, ORIG_DTYPE_X … for each parameter of the op definition
// `op` (from `host`), and the tiling structs. Two cases with the same text share one kernel object.
std::string KernelPrelude(const Description& host, const OperatorDefinition& op,
                          const task::CaseDesc& c);
// Takes a tiling structure, and those that hold it, out of a prelude. False: it does not define it.
bool LeaveOut(const std::string& structure, std::string* prelude);

// The operator that the task means: by name, else the first. Without a name when there is none.
OperatorDefinition ChooseOp(const Description& host, const task::TaskSpec& task);

// Whether an output of a task is one of its operator's definition. Param: task::ParamSpec or
// task::ParamDesc.
bool InDefinition(const task::ParamSpec& output);
bool InDefinition(const task::ParamDesc& output);

// The input of the tiling function: shapes, dtypes and attributes; values only of inputs that the
// definition asks for and that stand in the task itself (plain numbers and lists), never drawn
// data, unless `show_values`.
TileRequest TileRequestOf(const task::TaskSpec& task, const OperatorDefinition& op,
                          const task::CaseDesc& c, const task::TensorSet& inputs,
                          const chip::Chip& chip, bool show_values = false);

// Whether the host side receives the values of the task's input `i`.
bool ShownToTheHost(const task::TaskSpec& task, const OperatorDefinition& op, size_t i);

}  // namespace akgen::judge
