// Values seen in another shape or in part; for plan/ only. All may throw Unplanned.
#pragma once
#include "craft/plan/nest_values.h"

namespace akgen::craft::nest {

inline constexpr int kShapeOnly = -2;  // a node that nobody but zeros_like() may want
NestValue Reshaped(NestGraph& g, const NestValue& x, const std::vector<int64_t>& shape);
// Sizes that are said are the same for every shape.
NestValue Unflattened(NestGraph& g, const NestValue& x, size_t dim,
                      const std::vector<int64_t>& sizes, const std::vector<int64_t>& shape);
NestValue Spread(NestGraph& g, const NestValue& x, const std::vector<int64_t>& shape);
// The value with one of its axes walked like this: what it is made of is walked so, and computed
// again.
NestValue View(NestGraph& g, const NestValue& x, int axis, const AxisRole& role, const Dims& dims);
// An axis that operands walk along different dimensions: one of them walks it by another axis.
// Nothing: there is none.
std::optional<std::vector<NestValue>> Apart(NestGraph& g, const std::vector<NestValue>& operands);
// The one axis that a dimension is.
int Single(const NestGraph& g, const Run& r);
int64_t SizeOf(const NestGraph& g, const Run& r);

}  // namespace akgen::craft::nest
