// Graphs with matrix products; for plan/ only.
#pragma once
#include <set>
#include <string>

#include "craft/plan/plan.h"

namespace akgen::craft {

// Each product is a launch on Cube cores; what stands before, between and behind products are
// parts, each planned as a graph of its own and called as a host function. What they hand on lies
// in workspaces: sums of products as f32, operands in the dtype of the other side, or that of the
// inputs. `cut`: which other operations are launches of their own (IsCut); where there are such
// (HasCuts), graphs without products are planned so, too.
PlanResult<std::string> PlanProducts(const PlanTask& task, const Target& target, int cut);
bool HasProducts(const PlanTask& task);
// relu_(v) of a value that nobody else sees as a new value; other changes stay. `made`: inputs
// whose changes are no result.
record::Graph WithoutChanges(record::Graph graph, std::set<std::string> made);

// 0: padding; 1: what is neither elementwise nor a view nor a reduction, too; 2: reductions, too;
// 3: all but views; 4: all. windows and folds: they read memory at more than one place.
bool IsWindowed(const std::string& op);
inline constexpr int kMaxCuts = 4;
bool IsCut(const record::GraphNode& node, int cut);
// Whether such an operation stands before another one, or what windows are taken of is computed.
bool HasCuts(const PlanTask& task, int cut);

}  // namespace akgen::craft
