// Where a graph with products is cut into launches; for plan/ only.
#pragma once
#include <functional>
#include <set>

#include "craft/plan/product_graph.h"

namespace akgen::craft {

class ProductCuts {
 public:
  // `cut`: what lies in memory beside inputs and products (IsCut).
  ProductCuts(const ProductGraph& g, const ProductMemory& memory, int cut);

  // The nodes that a value needs, back to what lies in memory, which is `outside`. `target`: the
  // part's own value. Padding lies in memory: it is planned alone.
  void Closure(const std::string& id, std::set<std::string>& needed,
               std::vector<std::string>& outside, bool target) const;

 private:
  // Tensors whose elements a part reads: of those in memory the host knows the extents.
  void ForEachRead(const GraphArg& a, const std::function<void(const std::string&)>& visit) const;
  bool IsKnownExtent(const GraphNumber& n) const;

  const ProductGraph& g_;
  const ProductMemory& memory_;
  const int cut_;
  std::set<std::string> shared_;  // values that several launches read
};

}  // namespace akgen::craft
