// Operations that make tensors, and change their dtype (operations.h).
#include <algorithm>

#include "task/evaluate/script_dtype.h"
#include "task/evaluate/tables.h"

namespace akgen::task::evaluate {
using base::Dtype;
namespace {
Dtype DtypeOr(const Value& v, Dtype otherwise) { return v.IsNone() ? otherwise : DtypeOf(v.Int()); }
Results Filled(Dtype dtype, Shape shape, double value) {
  auto out = Zeros(dtype, std::move(shape));
  if (out->IsReal())
    std::fill(out->real.begin(), out->real.end(), value);
  else
    std::fill(out->whole.begin(), out->whole.end(), Wrap(dtype, int64_t(value)));
  return {TensorPtr(out)};
}
// Without a dtype libtorch makes float32 of them.
template <int value>
Results FilledAnew(const Args& a) {
  if (At(a, 1).IsNone()) throw Unsupported("a tensor of float32");
  return Filled(DtypeOf(a[1].Int()), a.at(0).Ints(), value);
}
template <int value>
Results FilledLike(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  return Filled(DtypeOr(At(a, 1), t->dtype), t->shape, value);
}
Results FullLike(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  return Filled(DtypeOr(At(a, 2), t->dtype), t->shape, a.at(1).Real());
}
Results NewZeros(const Args& a) {
  return Filled(DtypeOr(At(a, 2), a.at(0).AsTensor()->dtype), a.at(1).Ints(), 0);
}
Results Eye(const Args& a) {
  const int64_t n = a.at(0).Int(), m = a.at(1).Int();
  if (At(a, 2).IsNone()) throw Unsupported("a tensor of float32");
  auto out = Zeros(DtypeOf(a[2].Int()), {n, m});
  for (int64_t i = 0; i < std::min(n, m); ++i) {
    if (out->IsReal())
      out->real[size_t(i * m + i)] = 1;
    else
      out->whole[size_t(i * m + i)] = 1;
  }
  return {TensorPtr(out)};
}
// arange(end, dtype, layout, device, pin), arange(start, end, …), arange(start, end, step, …)
Results Arange(const Args& a) {
  const size_t numbers = a.size() - 4;
  const Value start = numbers == 1 ? Value(int64_t{0}) : a.at(0),
              end = numbers == 1 ? a.at(0) : a.at(1),
              step = numbers == 3 ? a.at(2) : Value(int64_t{1});
  for (const Value* v : {&start, &end, &step})
    if (std::holds_alternative<double>(*v)) throw Unsupported("a range of real numbers");
  const int64_t low = start.Int(), high = end.Int(), by = step.Int();
  if (by == 0) throw Unsupported("a range without a step");
  const int64_t n =
      std::max<int64_t>(0, by > 0 ? (high - low + by - 1) / by : (low - high - by - 1) / -by);
  auto out = Zeros(Dtype::kInt64, {n});
  for (int64_t i = 0; i < n; ++i) out->whole[size_t(i)] = low + i * by;
  return {Convert(TensorPtr(out), DtypeOr(a.at(numbers), Dtype::kInt64))};
}
// A list of integers.
Results MakeTensor(const Args& a) {
  const std::vector<Value>& list = a.at(0).AsList();
  auto out = Zeros(Dtype::kInt64, {int64_t(list.size())});
  for (size_t i = 0; i < list.size(); ++i) {
    if (!std::holds_alternative<int64_t>(list[i])) throw Unsupported("a tensor of float32");
    out->whole[i] = list[i].Int();
  }
  return {Convert(TensorPtr(out), DtypeOr(At(a, 1), Dtype::kInt64))};
}
Results To(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  for (size_t i = 1; i < a.size() && i < 3;
       ++i)  // to(dtype, …), to(device, dtype, …), to(other, …)
    if (a[i].IsTensor()) return {Convert(t, a[i].AsTensor()->dtype)};
  if (!std::holds_alternative<int64_t>(a.at(1))) throw Unsupported("a device");
  return {Convert(t, DtypeOf(a[1].Int()))};
}
template <Dtype dtype>
Results ConvertTo(const Args& a) {
  return {Convert(a.at(0).AsTensor(), dtype)};
}
Results Same(const Args& a) { return {a.at(0).AsTensor()}; }

const OperationTable kMakers = {
    {"zeros", FilledAnew<0>},
    {"ones", FilledAnew<1>},
    {"zeros_like", FilledLike<0>},
    {"ones_like", FilledLike<1>},
    {"full_like", FullLike},
    {"new_zeros", NewZeros},
    {"eye", Eye},
    {"arange", Arange},
    {"tensor", MakeTensor},
    {"to", To},
    {"type_as",
     [](const Args& a) -> Results {
       return {Convert(a.at(0).AsTensor(), a.at(1).AsTensor()->dtype)};
     }},
    {"double", ConvertTo<Dtype::kFloat64>},
    {"long", ConvertTo<Dtype::kInt64>},
    {"int", ConvertTo<Dtype::kInt32>},
    {"clone", Same},
    {"contiguous", Same},
    {"detach", Same},
    {"alias", Same},
};
}  // namespace

const OperationTable& MakeOperations() { return kMakers; }

}  // namespace akgen::task::evaluate
