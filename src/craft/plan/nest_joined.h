// Values that are joined from parts; for plan/ only. All may throw Unplanned.
#pragma once
#include "craft/plan/nest_values.h"

namespace akgen::craft::nest {

// As Element and ReduceCounted, for each part, with the part of every other operand that lies
// beside it.
NestValue ByParts(NestGraph& g, const std::string& text, const std::vector<NestValue>& operands,
                  const NestValue& joined);
Reduced ReducedParts(NestGraph& g, const std::string& what, const NestValue& x,
                     const std::vector<size_t>& dims, bool keep, const std::string& whole);
// A slice along parts of one element.
std::optional<NestValue> SomeParts(NestGraph& g, const NestValue& x, size_t dim, int64_t start,
                                   int64_t length);
std::vector<NestValue> Chunk(NestGraph& g, const NestValue& x, size_t dim, size_t parts);
NestValue Join(NestGraph& g, const std::vector<NestValue>& parts, size_t dim);
// A complex value as its two parts, side by side.
NestValue Paired(NestGraph& g, const NestValue& v);

}  // namespace akgen::craft::nest
