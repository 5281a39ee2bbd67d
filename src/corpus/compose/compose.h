// Composes random references of operators, from their inputs to their cases; for corpus/ only.
#pragma once
#include <vector>

#include "corpus/compose/choices.h"
#include "corpus/compose/composed_outputs.h"
#include "corpus/compose/draft.h"
#include "corpus/compose/elementwise.h"
#include "corpus/compose/list_composer.h"
#include "corpus/compose/row_operations.h"
#include "corpus/compose/shape_changes.h"

namespace akgen::corpus {

class Composer {
 public:
  Composer(uint64_t seed, uint64_t index) : d_(seed, index) {}
  Composition Run();

 private:
  void Dtypes();
  void Start(size_t inputs);
  void Grow(size_t operations);
  void Alone();
  void Narrow();
  void Residual();
  void Finish();
  void Last(std::vector<size_t>& open);
  void MoreInputs();
  void Idle();
  void Cases();

  Draft d_;
  Elementwise e_{d_};
  ShapeChanges shapes_{d_, e_};
  RowOperations rows_{d_, e_, shapes_};
  Choices choices_{d_, e_, rows_};
  ListComposer lists_{d_, e_};
  ComposedOutputs outputs_{d_};
  bool eight_bits_ = false;  // what the first output becomes
};

}  // namespace akgen::corpus
