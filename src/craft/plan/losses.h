// Losses, by simple operations. For plan/ only.
#pragma once
#include <optional>
#include <string>

#include "craft/plan/formulas.h"
#include "craft/plan/norms.h"

namespace akgen::craft {

class Losses : private Formulas {
 public:
  explicit Losses(NodeMaker& make) : Formulas(make), norms_(make) {}

  // Nothing: another operation.
  std::optional<Arg> Apply(const std::string& op, const Args& args);

 private:
  // 0: as it is, 1: mean, 2: sum.
  Arg Whole(const Arg& x, const Arg& how);
  Arg SquareLoss(const Args& a);
  Arg AbsLoss(const Args& a);
  Arg SmoothLoss(const Args& a);
  Arg BentLoss(const Args& a);
  Arg Divergence(const Args& a);
  Arg Cosine(const Args& a);
  Arg LogOfSoftmax(const Args& a);
  // Of classes, counted along dimension 1, by their numbers or their probabilities.
  Arg Surprise(const Args& a);
  Arg Triplet(const Args& a);

  Norms norms_;
};

}  // namespace akgen::craft
