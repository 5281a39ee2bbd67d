// The operations by kind (operations.h puts them together).
#pragma once
#include <map>
#include <string>

#include "task/evaluate/operations.h"

namespace akgen::task::evaluate {

using Args = std::vector<Value>;
using Results = std::vector<Value>;
using OperationTable = std::map<std::string, Operation>;

const OperationTable&
NumberOperations();  // of numbers, strings and lists, and what tensors say of themselves
const OperationTable& ElementOperations();     // each element by itself
const OperationTable& ShapeOperations();       // elements moved, chosen and joined
const OperationTable& MakeOperations();        // tensors made, and of another dtype
const OperationTable& RowOperations();         // reductions, scans, products, order
const OperationTable& WindowOperations();      // convolutions
const OperationTable& PoolOperations();        // pooling, padding, sums by label and by index
const OperationTable& ActivationOperations();  // activations, losses, norms

// A dimension counted from the end, too.
inline size_t Dim(int64_t dim, int64_t rank) {
  const int64_t most = rank == 0 ? 1 : rank;
  if (dim < -most || dim >= most) throw Unsupported("a dimension that is not there");
  return static_cast<size_t>(dim < 0 ? dim + most : dim);
}
// A tensor of real numbers.
inline const TensorPtr& Reals(const Value& v) {
  const TensorPtr& t = v.AsTensor();
  if (!t->IsReal())
    throw Unsupported("a function of integers, which libtorch refuses or computes in float32");
  return t;
}

// The dimensions before, at and after one of them.
struct Cut {
  int64_t outer = 1, n = 1, inner = 1;
};
inline Cut CutAt(const Shape& s, size_t dim) {
  Cut c;
  for (size_t d = 0; d < s.size(); ++d) (d < dim ? c.outer : d == dim ? c.n : c.inner) *= s[d];
  return c;
}
// An argument that may have been left out.
inline const Value& At(const Args& a, size_t i) {
  static const Value none;
  return i < a.size() ? a[i] : none;
}

}  // namespace akgen::task::evaluate
