// Operations of a composition along rows and over everything: reductions, normalisations,
// quantisation, what losses and gradients of parameters end with.
#pragma once
#include <string>

#include "corpus/compose/elementwise.h"
#include "corpus/compose/shape_changes.h"

namespace akgen::corpus {

class RowOperations {
 public:
  RowOperations(Draft& draft, Elementwise& elements, ShapeChanges& shapes)
      : d_(draft), e_(elements), shapes_(shapes) {}

  size_t Reduction(size_t v);
  size_t Norm(size_t v);
  size_t Whole(size_t v);
  size_t Weighted();
  size_t Quantised(size_t v);
  void Gradients();

 private:
  size_t Reduced(const std::string& op, size_t v);
  size_t QuantisedByRow(size_t v);
  record::GraphArg Epsilon(double value);

  Draft& d_;
  Elementwise& e_;
  ShapeChanges& shapes_;
};

}  // namespace akgen::corpus
