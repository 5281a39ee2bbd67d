// What a graph with products says, and which of its values lie in memory; for plan/ only.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "craft/plan/plan.h"

namespace akgen::craft {
using base::Dtype;
using record::GraphArg;
using record::GraphNode;
using record::GraphNumber;
using ColumnDtypes = std::vector<Dtype>;  // by column

// A value in memory: its name in the host function, and what the host writes for its extents.
struct StoredValue {
  std::string name;
  std::vector<std::string> extents;
  ColumnDtypes dtypes;
};

bool IsProduct(const std::string& op);
// Reductions with one result, dimensions of which are gone.
bool ReducesDims(const GraphNode& n);
// A product, and the input whose one row is added to all of its rows; empty: none is.
struct ProductNode {
  const GraphNode* node = nullptr;
  std::string row;
};

// All of it the same in all cases, but for sizes.
struct ProductGraph {
  explicit ProductGraph(const PlanTask& t);  // throws Unplanned

  const PlanTask& task;
  const record::Graph& graph;
  std::map<std::string, const GraphNode*> makers;
  std::map<std::string, int> uses;
  std::map<std::string, StoredValue> inputs;
  std::string params;  // of the host function

  const std::vector<int64_t>& ShapeOf(const std::string& id, const PlanCase& c) const;
  const std::vector<int64_t>& ShapeOf(const std::string& id) const {
    return ShapeOf(id, task.cases[0]);
  }
  // The value that a product's operand is a transposition of, and whether it is one.
  std::pair<std::string, bool> Base(const std::string& id) const;
  // An input of i8: Cube cores multiply it as it is, exactly.
  bool IsSmall(const std::string& id) const;
  // The input that a value is nothing but a rearrangement of; empty: there is none.
  std::string Moved(const std::string& id) const;
  // What Cube cores multiply: the dtype of inputs that are nothing but rearranged; what has been
  // computed is not rounded.
  ColumnDtypes OperandDtypes(const std::string& a, const std::string& b) const;
  // Whether the leading extents of both sides are the same in all cases.
  bool SameBatch(const std::string& a, const std::string& b) const;
  // The product that a value is; no node: it is none.
  ProductNode ProductOf(const std::string& id) const;
  bool CanBeRow(const std::string& input, const GraphNode& product) const;
  Dtype DtypeOf(const std::string& id) const;
  // Whether elements of an input say how large something is that the value is made from.
  bool SizedByElements(const std::string& id) const;
};

// Inputs, and what has been computed so far.
struct ProductMemory {
  const ProductGraph& g;
  std::map<std::pair<std::string, ColumnDtypes>, StoredValue> made{};

  bool HasMade(const std::string& id) const {
    auto it = made.lower_bound({id, {}});
    return it != made.end() && it->first.first == id;
  }
  bool Has(const std::string& id) const { return g.inputs.count(id) || HasMade(id); }
  // Of what it has.
  const StoredValue& At(const std::string& id) const {
    auto it = g.inputs.find(id);
    return it != g.inputs.end() ? it->second : made.lower_bound({id, {}})->second;
  }
};

}  // namespace akgen::craft
