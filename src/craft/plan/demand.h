// What a planned program takes for granted of its inputs, said by require().
#pragma once
#include <string>

#include "craft/plan/plan.h"

namespace akgen::craft {

// A kernel says gm[…] of each tensor; the rules took extents from one tensor and trust that the
// others go with it. Before each launch that is not sure of it, the program asks: an output has as
// many elements as the kernel says, other tensors at least as many, lists that are looked at
// together are alike, divisors are at least 1, extents at least 0. What a case of the task
// contradicts is not asked.
//
//     kernel0[parts](x0, x1, y0, rows, cols)
//
// becomes, for x1: gm[cols] and y0: gm[rows, cols],
//
//     require(cols <= x1.numel and rows * cols == y0.numel)
//     kernel0[parts](x0, x1, y0, rows, cols)
std::string WithDemands(const std::string& program, const PlanTask& task, const Target& target);

}  // namespace akgen::craft
