// What a framework would launch for a reference: its graph cut into the framework's own kernels.
#pragma once
#include <string>
#include <vector>

#include "record/graph.h"
#include "sim/timing/eager.h"
#include "task/task.h"

namespace akgen::judge {

struct EagerLaunch {
  std::string name;         // of the table's kernel, or of the one operator that it is
  sim::EagerKernel kernel;  // bytes as if every value had the width given
  int64_t first = 0;        // the operator of the graph that it begins with
};

// In the graph's order. Operators that only name bytes in another way are free; what reads and
// writes the tensors of a list is one launch for the list. `width`: bytes of a floating-point
// element.
std::vector<EagerLaunch> EagerLaunches(const task::CaseDesc& c, const record::Graph& graph,
                                       double width, const sim::EagerTable& table);

// Products of matrices: work of the Cube cores.
bool IsProduct(const std::string& op);

// Operators that name the same bytes in another way.
bool IsView(const std::string& op);

}  // namespace akgen::judge
