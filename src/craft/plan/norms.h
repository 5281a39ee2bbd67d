// Norms of vectors and over batches, by simple operations. For plan/ only.
#pragma once
#include <optional>
#include <string>

#include <cstdint>
#include <set>
#include <vector>
#include "craft/plan/formulas.h"

namespace akgen::craft {

class Norms : private Formulas {
 public:
  explicit Norms(NodeMaker& make) : Formulas(make) {}

  // Nothing: another operation.
  std::optional<Arg> Apply(const std::string& op, const Args& args);
  Arg NormOf(const Arg& x, double p, const std::vector<int64_t>& dims, bool keep);

 private:
  Arg Norm(const Args& a);
  Arg SquareNorm(const Args& a);
  // Mean 0 and variance 1 over `dims`, times the weights; x * by - mean * by, as libraries have it,
  // where they are infinite.
  Arg Standard(const Arg& x, const std::vector<int64_t>& dims, const Arg& epsilon,
               const Arg& weight);
  // A number for each channel, dimension 1, spread over the others.
  Arg ByChannel(const Arg& v, const Arg& x);
  Arg Scaled(Arg y, const Arg& weight, const Arg& bias);
  Arg OverBatch(const Args& a);
  Arg OverInstance(const Args& a);
  Arg OverGroups(const Args& a);
  std::vector<int64_t> AllBut(const Arg& x, const std::set<int64_t>& kept) const;
};

}  // namespace akgen::craft
