// Values of a graph over axes, made from others; for plan/ only. All may throw Unplanned.
#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "craft/plan/nest.h"

namespace akgen::craft::nest {
using Dims = std::vector<Run>;

Dims Fresh(NestGraph& g, const std::vector<int64_t>& shape);
Dims Sized(NestGraph& g, const record::GraphArg& sizes,
           const std::vector<int64_t>& shape);  // numbers: constants
Run Flat(const Dims& d);
int Add(NestGraph& g, NestNode n);
size_t Dim(const record::GraphArg& a, size_t rank);
std::vector<size_t> DimsOf(const record::GraphArg& a, size_t rank);

// An elementwise node over operands that are spread over each other.
NestValue Element(NestGraph& g, const std::string& text, const std::vector<NestValue>& operands,
                  std::optional<std::vector<int64_t>> shape = {});
// No dims: all. `whole`: NestNode::whole.
struct Reduced {
  NestValue value;
  std::string count;  // of the elements that each result is made of, as a text with marks
};
Reduced ReduceCounted(NestGraph& g, const std::string& what, const NestValue& x,
                      std::vector<size_t> dims, bool keep, const std::string& whole = "");
inline NestValue Reduce(NestGraph& g, const std::string& what, const NestValue& x,
                        std::vector<size_t> dims, bool keep) {
  return ReduceCounted(g, what, x, std::move(dims), keep).value;
}
// Positions along a dimension of `of`, seen with its dimensions.
NestValue Index(NestGraph& g, const Dims& of, size_t dim);

}  // namespace akgen::craft::nest
