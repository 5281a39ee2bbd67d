// The reference of a task in one case, without libtorch.
#pragma once
#include "record/script.h"
#include "task/inputs.h"
#include "task/nudge.h"

namespace akgen::task::evaluate {

// The outputs, each rounded once to its dtype; floating inputs are moved by `nudge`. Throws
// Unsupported, also where the results are not what the task declares: libtorch's process says that
// in words.
TensorSet EvaluateCase(const record::ScriptBlock& script, const CaseDesc& c,
                       const TensorSet& inputs, const Nudge& nudge = {});

}  // namespace akgen::task::evaluate
