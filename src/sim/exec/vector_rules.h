// What vector instructions ask of their numbers, and library functions of the Unified Buffer beside
// their operands.
#pragma once
#include "sim/exec/core.h"

namespace akgen::sim {

// Reports what is wrong with a vector instruction before it runs; `elements` are what an
// element-wise one works on, 0: not known.
void CheckVectorRules(Core& core, const AkgenVec& v, const IssueState& state, uint32_t elements);

}  // namespace akgen::sim
