#include "task/evaluate/elements.h"

namespace akgen::task::evaluate {
using base::Dtype;

Operand OperandOf(const Value& v) {
  if (v.IsTensor()) return {v.AsTensor(), false};
  const bool real = std::holds_alternative<double>(v), boolean = std::holds_alternative<bool>(v);
  auto t = Zeros(real ? Dtype::kFloat64 : boolean ? Dtype::kBool : Dtype::kInt64, {});
  if (real)
    t->real[0] = v.Real();
  else
    t->whole[0] = v.Int();
  return {t, true};
}

namespace {
enum class Kind { kBool, kInteger, kReal };
Kind KindOf(Dtype d) {
  return d == Dtype::kBool ? Kind::kBool : d == Dtype::kFloat64 ? Kind::kReal : Kind::kInteger;
}

// libtorch's table of promotions.
Dtype Promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (KindOf(a) == Kind::kReal || KindOf(b) == Kind::kReal) return Dtype::kFloat64;
  if (a == Dtype::kBool) return b;
  if (b == Dtype::kBool) return a;
  const Dtype wider = base::SizeOf(a) >= base::SizeOf(b) ? a : b;
  return base::SizeOf(a) == base::SizeOf(b) ? Dtype::kInt16 : wider;  // int8 and uint8
}
}  // namespace

// Tensors with dimensions decide; those without, then numbers, only where they are of a higher
// kind.
Dtype CommonDtype(const std::vector<Operand>& operands) {
  constexpr int kClasses = 3;
  std::vector<Dtype> of[kClasses];
  for (const Operand& o : operands)
    of[o.is_number ? 2 : o.tensor->shape.empty() ? 1 : 0].push_back(o.tensor->dtype);
  bool any = false;
  Dtype result = Dtype::kBool;
  for (int i = 0; i < kClasses; ++i) {
    if (of[i].empty()) continue;
    Dtype one = of[i][0];
    for (Dtype d : of[i]) one = Promote(one, d);
    // A real number beside integers makes them float32.
    if (i == 2 && KindOf(one) == Kind::kReal && (!any || KindOf(result) != Kind::kReal))
      throw Unsupported("integers and a real number");
    if (!any)
      result = one;
    else if (KindOf(one) > KindOf(result))
      result = Promote(result, one);
    any = true;
  }
  return result;
}

Shape CommonShape(const std::vector<Operand>& operands) {
  Shape shape;
  for (const Operand& o : operands)
    if (o.tensor->shape.size() > shape.size())
      shape.insert(shape.begin(), o.tensor->shape.size() - shape.size(), 1);
  for (const Operand& o : operands) {
    const Shape& s = o.tensor->shape;
    for (size_t i = 0; i < s.size(); ++i) {
      int64_t& to = shape[shape.size() - s.size() + i];
      if (s[i] != 1 && to != 1 && to != s[i]) throw Unsupported("shapes that do not fit");
      if (s[i] != 1) to = s[i];
    }
  }
  return shape;
}

TensorPtr Spread(const TensorPtr& t, const Shape& shape) {
  if (t->shape == shape) return t;
  if (t->shape.size() > shape.size()) throw Unsupported("shapes that do not fit");
  auto out = Zeros(t->dtype, shape);
  const size_t rank = shape.size(), missing = rank - t->shape.size();
  std::vector<int64_t> stride(rank), index(rank);
  int64_t step = 1;
  for (size_t d = rank; d-- > missing;) {
    const int64_t size = t->shape[d - missing];
    if (size != 1 && size != shape[d]) throw Unsupported("shapes that do not fit");
    stride[d] = size == 1 ? 0 : step;
    step *= size;
  }
  int64_t from = 0;
  for (size_t i = 0, n = static_cast<size_t>(out->numel()); i < n; ++i) {
    if (out->IsReal())
      out->real[i] = t->real[static_cast<size_t>(from)];
    else
      out->whole[i] = t->whole[static_cast<size_t>(from)];
    for (size_t d = rank; d-- > 0;) {
      from += stride[d];
      if (++index[d] < shape[d]) break;
      from -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
  return out;
}

Spreaded Align(const std::vector<Operand>& operands, Dtype dtype) {
  Spreaded out;
  out.shape = CommonShape(operands);
  for (const Operand& o : operands) {
    const bool one = o.tensor->numel() == 1;
    out.t.push_back(one ? Convert(o.tensor, dtype) : Spread(Convert(o.tensor, dtype), out.shape));
    out.step.push_back(one ? 0 : 1);
  }
  return out;
}

}  // namespace akgen::task::evaluate
