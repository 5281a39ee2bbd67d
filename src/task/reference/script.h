// A script as nodes that can be run without libtorch.
#pragma once
#include <torch/csrc/jit/api/function_impl.h>

#include "record/script.h"

namespace akgen::task {

record::ScriptBlock ScriptOf(torch::jit::Function& f);

}  // namespace akgen::task
