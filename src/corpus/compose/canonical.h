// A canonical form of what a graph computes: names, constants, attributes, dtypes and shapes do not
// count.
#pragma once
#include <cstdint>
#include <string>

#include "record/graph.h"

namespace akgen::corpus {

// 16 hex digits. Equal for graphs that differ in names, order of independent operations, numbers,
// shapes, dtypes, order of operands where it does not matter, and in operations that only copy,
// convert or give another shape. Graphs with the same hash are taken for the same: distinct graphs
// are never counted too high, overlap never too low.
std::string CanonicalHash(const record::Graph& graph);

}  // namespace akgen::corpus
