// Operations on each element: broadcast and types of results as in libtorch.
#pragma once
#include <algorithm>

#include "task/evaluate/tensor.h"

namespace akgen::task::evaluate {

// A number beside tensors gives way to their dtype where that can hold its kind.
struct Operand {
  TensorPtr tensor;
  bool is_number = false;
};
Operand OperandOf(const Value& v);
// What libtorch computes in. Unsupported where that is float32.
base::Dtype CommonDtype(const std::vector<Operand>& operands);
Shape CommonShape(const std::vector<Operand>& operands);
// The same elements in another shape, repeated where a size was 1.
TensorPtr Spread(const TensorPtr& t, const Shape& shape);
// Operands in one dtype and one shape; those of one element are left so, with a step of 0.
struct Spreaded {
  std::vector<TensorPtr> t;
  std::vector<size_t> step;
  Shape shape;
};
Spreaded Align(const std::vector<Operand>& operands, base::Dtype dtype);

// A real function of one real tensor.
template <class F>
Value MapReal(const Value& v, F f) {
  const TensorPtr& x = v.AsTensor();
  if (!x->IsReal()) throw Unsupported("a function of integers, which libtorch computes in float32");
  auto out = Zeros(base::Dtype::kFloat64, x->shape);
  std::transform(x->real.begin(), x->real.end(), out->real.begin(), f);
  return TensorPtr(out);
}

// Two operands, their elements as `dtype`; results by `real` or `whole` in that dtype.
template <class R, class W>
Value MapTwo(const Value& a, const Value& b, R real, W whole) {
  const std::vector<Operand> operands{OperandOf(a), OperandOf(b)};
  const base::Dtype dtype = CommonDtype(operands);
  const Spreaded x = Align(operands, dtype);
  auto out = Zeros(dtype, x.shape);
  const size_t n = static_cast<size_t>(out->numel()), p = x.step[0], q = x.step[1];
  if (out->IsReal())
    for (size_t i = 0; i < n; ++i) out->real[i] = real(x.t[0]->real[i * p], x.t[1]->real[i * q]);
  else
    for (size_t i = 0; i < n; ++i)
      out->whole[i] = Wrap(dtype, whole(x.t[0]->whole[i * p], x.t[1]->whole[i * q]));
  return TensorPtr(out);
}

// The same with booleans as results.
template <class F>
Value Compare(const Value& a, const Value& b, F f) {
  const std::vector<Operand> operands{OperandOf(a), OperandOf(b)};
  const base::Dtype dtype = CommonDtype(operands);
  const Spreaded x = Align(operands, dtype);
  auto out = Zeros(base::Dtype::kBool, x.shape);
  const size_t n = static_cast<size_t>(out->numel()), p = x.step[0], q = x.step[1];
  for (size_t i = 0; i < n; ++i)
    out->whole[i] = dtype == base::Dtype::kFloat64 ? f(x.t[0]->real[i * p], x.t[1]->real[i * q])
                                                   : f(x.t[0]->whole[i * p], x.t[1]->whole[i * q]);
  return TensorPtr(out);
}

}  // namespace akgen::task::evaluate
