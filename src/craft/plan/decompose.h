// Compound operations of a graph decomposed into simple ones; for plan/ only.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "record/graph.h"

namespace akgen::craft {

// Builds nodes behind those of a graph.
class NodeMaker {
 public:
  using Arg = record::GraphArg;
  using Args = record::GraphArgs;
  using Shape = std::vector<int64_t>;

  static Arg Number(double v) { return Arg::Number(record::GraphConstant(v)); }
  static Arg Int(int64_t v) { return Arg::Number(record::GraphConstant(v)); }
  static Arg Bool(bool v) { return Arg::Number(record::GraphConstant(v)); }
  Arg Make(const std::string& op, Args args, const Shape& shape, const char* dtype = "Double");
  Shape Of(const Arg& a) const;  // of a number: none

  Arg Two(const std::string& op, const Arg& a, const Arg& b);
  Arg One(const std::string& op, const Arg& a) { return Make(op, {a}, Of(a)); }
  Arg Where(const Arg& c, const Arg& a, const Arg& b);
  Arg Within(const Arg& x, const Arg& low, const Arg& high);  // clamp; none: no bound
  Arg Reduce(const std::string& op, const Arg& x, std::vector<int64_t> dims,
             bool keep);  // no dims: all
  Arg Reshaped(const Arg& x, const Shape& shape) {
    return Make("reshape", {x, Arg::List(shape)}, shape);
  }
  Arg SizeOf(const Arg& x, size_t dim) const;      // a number that follows the case
  Arg InOrder(Arg x, std::vector<int64_t> order);  // permute, two dimensions at a time

 protected:
  std::map<std::string, Shape> shape_;
  std::vector<record::GraphNode> nodes_;

 private:
  int next_ = 0;
};

// Replaces the operations that decompose.cc knows; others stay. Tensors that are written as
// constants become numbers.
record::Graph Decomposed(const record::Graph& graph,
                         const std::map<std::string, NodeMaker::Shape>& inputs);

}  // namespace akgen::craft
