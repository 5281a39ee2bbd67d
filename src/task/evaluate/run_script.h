// A reference is run without libtorch.
#pragma once
#include <optional>
#include <vector>

#include "record/script.h"
#include "task/evaluate/tensor.h"

namespace akgen::task::evaluate {

// Whether every operation of the script is known here.
bool CanRun(const record::ScriptBlock& script);

// The results in order: tensors, and those of lists and tuples. Throws Unsupported, also where it
// would take longer than starting libtorch does: more than 2^24 elements are passed through
// operations.
std::vector<TensorPtr> RunScript(const record::ScriptBlock& script, std::vector<Value> arguments);

}  // namespace akgen::task::evaluate
