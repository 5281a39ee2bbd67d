#include "task/evaluate/tensor.h"

#include <cmath>

namespace akgen::task::evaluate {
using base::Dtype;

int64_t Numel(const Shape& shape) {
  int64_t n = 1;
  for (int64_t e : shape) {
    if (e < 0) throw Unsupported("a negative size");
    if (e != 0 && n > INT64_MAX / e) throw Unsupported("a tensor that is too large");
    n *= e;
  }
  return n;
}

std::shared_ptr<Tensor> Zeros(Dtype dtype, Shape shape) {
  constexpr int64_t kMaxElements = int64_t{1} << 24;
  auto t = std::make_shared<Tensor>();
  const int64_t n = Numel(shape);
  if (n > kMaxElements) throw Unsupported("a tensor of more than 2^24 elements");
  t->dtype = dtype;
  t->shape = std::move(shape);
  if (t->IsReal())
    t->real.resize(static_cast<size_t>(n));
  else
    t->whole.resize(static_cast<size_t>(n));
  return t;
}

int64_t Wrap(Dtype dtype, int64_t v) {
  switch (dtype) {
    case Dtype::kInt8: return static_cast<int8_t>(v);
    case Dtype::kUint8: return static_cast<uint8_t>(v);
    case Dtype::kInt16: return static_cast<int16_t>(v);
    case Dtype::kInt32: return static_cast<int32_t>(v);
    case Dtype::kInt64: return v;
    case Dtype::kBool: return v != 0;
    default: throw Unsupported("elements of " + std::string(base::NameOf(dtype)));
  }
}

TensorPtr Convert(const TensorPtr& t, Dtype dtype) {
  if (t->dtype == dtype) return t;
  auto out = Zeros(dtype, t->shape);
  const size_t n = static_cast<size_t>(t->numel());
  for (size_t i = 0; i < n; ++i) {
    if (out->IsReal()) {
      out->real[i] = static_cast<double>(t->whole[i]);
    } else if (!t->IsReal()) {
      out->whole[i] = Wrap(dtype, t->whole[i]);
    } else if (dtype == Dtype::kBool) {
      out->whole[i] = t->real[i] != 0;
    } else {
      const double v = std::trunc(t->real[i]);
      const bool fits = v >= -0x1p63 && v < 0x1p63;
      out->whole[i] = fits ? static_cast<int64_t>(v) : 0;
      // What C++ leaves undefined is the processor's matter.
      if (!fits || Wrap(dtype, out->whole[i]) != out->whole[i])
        throw Unsupported("a number beyond its integer type");
    }
  }
  return out;
}

const TensorPtr& Value::AsTensor() const {
  if (!IsTensor()) throw Unsupported("a tensor is expected");
  return std::get<TensorPtr>(*this);
}
std::vector<Value>& Value::AsList() const {
  if (!IsList()) throw Unsupported("a list is expected");
  return *std::get<ListPtr>(*this);
}
int64_t Value::Int() const {
  if (const bool* b = std::get_if<bool>(this)) return *b;
  if (const int64_t* i = std::get_if<int64_t>(this)) return *i;
  throw Unsupported("an integer is expected");
}
double Value::Real() const {
  if (const double* d = std::get_if<double>(this)) return *d;
  return static_cast<double>(Int());
}
bool Value::Bool() const {
  if (const bool* b = std::get_if<bool>(this)) return *b;
  throw Unsupported("a boolean is expected");
}
const std::string& Value::Text() const {
  if (const std::string* s = std::get_if<std::string>(this)) return *s;
  throw Unsupported("a string is expected");
}
std::vector<int64_t> Value::Ints() const {
  if (!IsList()) return {Int()};
  std::vector<int64_t> out;
  for (const Value& v : AsList()) out.push_back(v.Int());
  return out;
}

}  // namespace akgen::task::evaluate
