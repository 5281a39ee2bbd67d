// The planner's input as a short text, which is also the prompt of small language models.
//
//   x0: f16|f32 [A, B]                      one dtype per column; `list`, `optional`; letters are
//   extents that differ x1: f16|f32 [B] a0: float, 1e-05 v0 = x0 * x0                            a
//   value's shape, where its operands' do not tell it v1 = mean(v0, [-1], True) [A, 1] return v1:
//   f16|f32
//
// Cases that need different graphs follow each other, each under a line `when …` with the
// attributes and absent inputs it has.
#pragma once
#include <string>

#include "craft/plan/plan.h"

namespace akgen::craft {

std::string OperationsText(const PlanTask& task);

}  // namespace akgen::craft
