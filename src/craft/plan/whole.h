// Values that kernels hold as integers, exactly; for plan/ only.
#pragma once
#include <set>
#include <string>

#include "craft/plan/plan.h"

namespace akgen::craft {

// Integer inputs, views of them, and what arithmetic of integers makes of them. Conditions and
// integers that were made of floats are float32 in kernels.
std::set<std::string> WholeValues(const PlanTask& task, const record::Graph& graph);

// remainder and div rounded down, of such values, as operations of their own.
record::Graph WithWholeQuotients(const PlanTask& task, record::Graph graph);

// Whether rows are to sum integers, or to find extremes of them: float32 holds few of those.
bool ReducesWhole(const PlanTask& task, const record::Graph& graph);

}  // namespace akgen::craft
