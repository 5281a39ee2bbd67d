// What formulas of operations are written in: simple operations behind those of a graph. For plan/
// only.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "craft/plan/decompose.h"
#include "craft/plan/element.h"

namespace akgen::craft {

class Formulas {
 public:
  using Arg = NodeMaker::Arg;
  using Args = NodeMaker::Args;
  using Shape = NodeMaker::Shape;

  static double Real(const Arg& a) { return a.number.Real(); }
  static bool Flag(const Arg& a) { return a.IsNumber() && Real(a) != 0; }
  static std::vector<int64_t> Dims(const Arg& a) {
    if (a.IsNumber()) return {static_cast<int64_t>(Real(a))};
    return a.Ints();
  }

 protected:
  explicit Formulas(NodeMaker& make) : make_(make) {}

  static Arg Number(double v) { return NodeMaker::Number(v); }
  static Arg Int(int64_t v) { return NodeMaker::Int(v); }
  static Arg Bool(bool v) { return NodeMaker::Bool(v); }
  Shape Of(const Arg& a) const { return make_.Of(a); }
  Arg One(const std::string& op, const Arg& a) { return make_.One(op, a); }
  Arg Two(const std::string& op, const Arg& a, const Arg& b) { return make_.Two(op, a, b); }
  Arg Add(const Arg& a, const Arg& b) { return Two("add", a, b); }
  Arg Sub(const Arg& a, const Arg& b) { return Two("sub", a, b); }
  Arg Mul(const Arg& a, const Arg& b) { return Two("mul", a, b); }
  Arg Div(const Arg& a, const Arg& b) { return Two("div", a, b); }
  Arg Square(const Arg& x) { return Mul(x, x); }
  Arg Reduce(const std::string& op, const Arg& x, std::vector<int64_t> dims, bool keep) {
    return make_.Reduce(op, x, std::move(dims), keep);
  }

  NodeMaker& make_;
};

}  // namespace akgen::craft
