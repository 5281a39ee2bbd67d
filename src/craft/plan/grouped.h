// A product for each group of rows, or of slices along K, put together; for plan/ only.
#pragma once
#include "craft/plan/plan.h"

namespace akgen::craft {

// for g in range(groups): the product of a[first:last], or of its columns, where first and last are
// elements of a tensor; the other side, scales and the like may be entry g of a tensor. What
// follows a product element by element is computed with it. All pieces of one case, and all cases,
// have to be the same but for g.
PlanResult<std::string> PlanGrouped(const PlanTask& task, const Target& target);

}  // namespace akgen::craft
