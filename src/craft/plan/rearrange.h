// Operations that choose, order or repeat elements, as simpler ones; for plan/ only. All throw
// Unplanned.
#pragma once
#include <optional>
#include <utility>

#include "craft/plan/decompose.h"

namespace akgen::craft {

// Pixels shuffled, diagonals, windows along one dimension, sizes multiplied (nearest, linear),
// buckets, distances, sums at places that an index gives, running values. Nothing for another
// operation. `alone`: nobody uses a second result.
std::optional<NodeMaker::Arg> Rearranged(NodeMaker& make, const record::GraphNode& n, bool alone);

// Values and where they were, for sort, kthvalue, median, and topk of more than what is looked for
// one by one: by counting for each element how many come before it. NaN is the largest number, as
// for PyTorch; equal ones keep their order. Nothing for another operation.
std::optional<std::pair<NodeMaker::Arg, NodeMaker::Arg>> Ordered(NodeMaker& make,
                                                                 const record::GraphNode& n);

// The dimension that sort(x, dim, descending) or sort(x, stable, dim, descending) runs along, and
// which way.
std::pair<int64_t, bool> OrderOf(const record::GraphNode& sort, size_t rank);
// How many of the first elements all users of a sort take, where they are few enough to be looked
// for one by one; 0: not so.
int64_t TakenOf(const record::GraphNode& n, const record::Graph& graph, size_t rank);

}  // namespace akgen::craft
