// Sums of products, repetitions and choices, by simple operations. For plan/ only.
#pragma once
#include <optional>
#include <string>

#include "craft/plan/formulas.h"

namespace akgen::craft {

class Combinations : private Formulas {
 public:
  explicit Combinations(NodeMaker& make) : Formulas(make) {}

  // Nothing: another operation.
  std::optional<Arg> Apply(const std::string& op, const Args& args);
  Arg Power(const Arg& x, double p);
  Arg Filled(const Args& a);

 private:
  Arg PlusProduct(const Args& a);
  Arg PlusQuotient(const Args& a);
  Arg Matrices(const Arg& a, const Arg& b);
  Arg Linear(const Args& a);
  // What is repeated along dimensions of one element alone is spread.
  Arg Repeat(const Args& a);
  Arg RepeatEach(const Args& a);
  Arg PlusMatrices(const Args& a);
};

}  // namespace akgen::craft
