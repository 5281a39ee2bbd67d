// Activations, by simple operations. For plan/ only.
#pragma once
#include <optional>
#include <string>

#include "craft/plan/formulas.h"

namespace akgen::craft {

class Activations : private Formulas {
 public:
  explicit Activations(NodeMaker& make) : Formulas(make) {}

  // Nothing: another operation.
  std::optional<Arg> Apply(const std::string& op, const Args& args);

 private:
  Arg Elu(const Args& a);
  Arg EluOf(const Arg& x, double alpha, double scale, double inner);
  Arg ScaledElu(const Args& a);
  Arg SmoothElu(const Args& a);
  Arg Leaky(const Args& a);
  Arg Clamped(const Args& a);
  Arg Relu6(const Args& a);
  Arg HardSig(const Args& a);
  Arg HardSwi(const Args& a);
  Arg Silu(const Args& a);
  Arg Plus(const Args& a);
  Arg Mish(const Args& a);
  Arg LogSig(const Args& a);
};

}  // namespace akgen::craft
