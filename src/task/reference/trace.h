// A TorchScript reference as a static graph: the tensor operations one case executes, in order.
// Control flow is followed, shapes come from tensors without storage, so that a case of any size
// costs nothing.
#pragma once
#include <torch/script.h>

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "record/graph.h"

namespace akgen::task {

struct TraceInput {
  c10::IValue value;  // tensors on the meta device
  std::string name;
  std::vector<at::Tensor> real;  // the same tensors with their values, for item()
};

// AK0115 the reference does something that a static graph cannot express.
base::Result<record::Graph> Trace(torch::jit::Function& f, const std::vector<TraceInput>& inputs,
                                  const std::string& where);

}  // namespace akgen::task
