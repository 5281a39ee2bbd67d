// What a composition's graph gives, computed in double, operation by operation, element by element:
// it shares no code with the planner, the kernel language, its interpreter or the simulated chip.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "craft/interpret/interpret.h"
#include "record/graph.h"

namespace akgen::corpus {

struct Array {
  std::vector<int64_t> shape;
  std::vector<double> v;
};

// Values of the outputs. Inputs by id; attributes stand in the graph with their values. AK0802: an
// operation that it lacks.
base::Result<std::vector<Array>> Evaluate(const record::Graph& graph,
                                          const std::map<std::string, Array>& inputs);

// Elements as doubles.
Array ArrayOf(const craft::Tensor& t);

}  // namespace akgen::corpus
