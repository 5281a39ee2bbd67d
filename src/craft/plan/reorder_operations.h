// Operations of a graph on rows, those that move their elements among them. For plan/ only.
#pragma once
#include <string>

#include "craft/plan/row_kernel.h"

namespace akgen::craft {

class ReorderOperations {
 public:
  // `windows`: by row_window_…, which needs more of UB than places one by one.
  ReorderOperations(RowKernel& kernel, bool windows) : k_(kernel), windows_(windows) {}

  RowValue Make(const std::string& op, const GraphArgs& a, const Shape& shape);

 private:
  RowValue Element(const std::string& op, const GraphArgs& a);
  RowValue Reshaped(RowValue x, const Shape& shape);
  RowValue Part(const std::string& op, const GraphArgs& a, const Shape& shape);
  RowValue Selected(const GraphArgs& a);
  // Each part at its place among zeros, added up.
  RowValue Joined(const GraphArgs& a, const Shape& shape);
  RowValue Padded(const GraphArgs& a);
  RowValue Running(const std::string& op, const GraphArgs& a);
  RowValue Reduced(const std::string& op, const GraphArgs& a, const Shape& shape);
  // Windows along one dimension after the other.
  RowValue Pooled(const std::string& op, const GraphArgs& a);

  RowKernel& k_;
  const bool windows_;
};

}  // namespace akgen::craft
