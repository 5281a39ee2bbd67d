// Compositions whose inputs and outputs are lists of tensors.
#pragma once
#include "corpus/compose/elementwise.h"

namespace akgen::corpus {

class ListComposer {
 public:
  ListComposer(Draft& draft, Elementwise& elements) : d_(draft), e_(elements) {}

  void Start();
  void Grow(size_t operations);

 private:
  size_t Scalars();

  Draft& d_;
  Elementwise& e_;
};

}  // namespace akgen::corpus
