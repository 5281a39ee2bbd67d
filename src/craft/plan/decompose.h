// Compound operations of a graph decomposed into simple ones; for plan/ only.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::craft {

// Builds nodes behind those of a graph. An argument is what record/graph.h calls ARG.
class NodeMaker {
 public:
  using Arg = base::Json;
  using Shape = std::vector<int64_t>;

  static Arg Number(double v) { return {{"s", v}}; }
  Arg Make(const std::string& op, base::Json args, const Shape& shape, const char* dtype = "Double");
  Shape Of(const Arg& a) const;  // of a number: none

  Arg Two(const std::string& op, const Arg& a, const Arg& b);
  Arg One(const std::string& op, const Arg& a) { return Make(op, base::Json::array({a}), Of(a)); }
  Arg Where(const Arg& c, const Arg& a, const Arg& b);
  Arg Within(const Arg& x, const Arg& low, const Arg& high);                              // clamp; null: no bound
  Arg Reduce(const std::string& op, const Arg& x, std::vector<int64_t> dims, bool keep);  // no dims: all
  Arg Reshaped(const Arg& x, const Shape& shape) {
    return Make("reshape", base::Json::array({x, {{"l", shape}}}), shape);
  }

 protected:
  std::map<std::string, Shape> shape_;
  base::Json nodes_ = base::Json::array();

 private:
  int next_ = 0;
};

// Replaces the operations that decompose.cc knows; others stay. Tensors that are written as constants become
// numbers.
base::Json Decomposed(const base::Json& graph, const std::map<std::string, NodeMaker::Shape>& inputs);

}  // namespace akgen::craft
