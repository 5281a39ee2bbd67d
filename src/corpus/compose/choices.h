// What a caller of a composition chooses: inputs that may be missing, attributes that say what is
// computed.
#pragma once
#include "corpus/compose/elementwise.h"
#include "corpus/compose/row_operations.h"

namespace akgen::corpus {

class Choices {
 public:
  Choices(Draft& draft, Elementwise& elements, RowOperations& rows)
      : d_(draft), e_(elements), rows_(rows) {}

  size_t Optional(size_t v, bool summand = false);  // or just a summand of the whole shape
  size_t Switched(size_t v);
  size_t ByMode(size_t v);

 private:
  Draft& d_;
  Elementwise& e_;
  RowOperations& rows_;
};

}  // namespace akgen::corpus
