// Tensors of a composition that change shape: halves of any dimension, parts that are joined,
// flattened dimensions.
#pragma once
#include <vector>

#include "corpus/compose/elementwise.h"

namespace akgen::corpus {

class ShapeChanges {
 public:
  ShapeChanges(Draft& draft, Elementwise& elements) : d_(draft), e_(elements) {}

  void StartHalves();
  void StartFlat();
  size_t Joined(size_t v);
  size_t Reshaped(size_t v, const SymbolicShape& shape);
  bool Halved() const { return !halved_.empty(); }
  const SymbolicShape& Unflat() const { return unflat_; }

 private:
  Draft& d_;
  Elementwise& e_;
  std::vector<int> halved_;  // dimensions of which the first input has twice as much: one, or one
                             // for each state of the first switch
  record::GraphNumber halved_dim_;  // a constant, or an attribute
  SymbolicShape unflat_;            // what the output is brought into in the end
};

}  // namespace akgen::corpus
