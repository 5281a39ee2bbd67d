// Graphs with matrix products; for plan/ only.
#pragma once
#include <string>

#include "craft/plan/plan.h"

namespace akgen::craft {

// Each product is a launch on Cube cores; what stands before, between and behind products are parts, each planned as a
// graph of its own and called as a host function. What they hand on lies in workspaces: sums of products as f32,
// operands in the dtype of the other side, or that of the inputs.
base::Result<std::string> PlanProducts(const PlanTask& task, const Target& target);
bool HasProducts(const PlanTask& task);

}  // namespace akgen::craft
