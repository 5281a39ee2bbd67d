// Operations that move, choose, join and make elements (operations.h).
#include <algorithm>
#include <numeric>

#include "task/evaluate/elements.h"
#include "task/evaluate/tables.h"

namespace akgen::task::evaluate {
using base::Dtype;
namespace {

std::shared_ptr<Tensor> InShape(const TensorPtr& t, Shape shape) {
  if (Numel(shape) != t->numel()) throw Unsupported("a shape of another size");
  auto out = std::make_shared<Tensor>(*t);
  out->shape = std::move(shape);
  return out;
}
// Element i of the result is element from(i) of t.
template <class F>
TensorPtr Pick(const TensorPtr& t, Shape shape, F from) {
  auto out = Zeros(t->dtype, std::move(shape));
  for (int64_t i = 0, n = out->numel(); i < n; ++i) {
    const size_t at = size_t(from(i));
    if (out->IsReal())
      out->real[size_t(i)] = t->real.at(at);
    else
      out->whole[size_t(i)] = t->whole.at(at);
  }
  return out;
}
// Along one dimension: index i of the result's is from(i) of t's.
template <class F>
TensorPtr PickAlong(const TensorPtr& t, size_t dim, int64_t size, F from) {
  const Cut c = CutAt(t->shape, dim);
  Shape shape = t->shape;
  shape.at(dim) = size;
  return Pick(t, std::move(shape), [&](int64_t i) {
    const int64_t inner = i % c.inner, at = i / c.inner % size, outer = i / c.inner / size;
    return (outer * c.n + from(at)) * c.inner + inner;
  });
}
TensorPtr Permuted(const TensorPtr& t, const std::vector<size_t>& order) {
  Shape shape, stride(t->shape.size());
  int64_t step = 1;
  for (size_t d = t->shape.size(); d-- > 0; step *= t->shape[d]) stride[d] = step;
  for (size_t d : order) shape.push_back(t->shape[d]);
  const Shape out = shape;
  return Pick(t, std::move(shape), [&](int64_t i) {
    int64_t from = 0;
    for (size_t d = out.size(); d-- > 0; i /= out[d]) from += i % out[d] * stride[order[d]];
    return from;
  });
}

Results Reshape(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  Shape shape = a.at(1).Ints();
  int64_t known = 1;
  for (int64_t e : shape) known *= e == -1 ? 1 : e;
  if (std::count(shape.begin(), shape.end(), -1) > 1 || (known == 0 && t->numel() != 0))
    throw Unsupported("a shape");
  for (int64_t& e : shape)
    if (e == -1) {
      if (known == 0) throw Unsupported("a size that anything fits");
      e = t->numel() / known;
    }
  return {TensorPtr(InShape(t, std::move(shape)))};
}
Results FlattenSizes(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  if (t->shape.empty()) return {TensorPtr(InShape(t, {1}))};
  const size_t from = Dim(At(a, 1).IsNone() ? 0 : a[1].Int(), t->rank());
  const size_t to = Dim(At(a, 2).IsNone() ? -1 : a[2].Int(), t->rank());
  if (from > to) throw Unsupported("dimensions in order");
  Shape shape(t->shape.begin(), t->shape.begin() + std::ptrdiff_t(from));
  int64_t n = 1;
  for (size_t d = from; d <= to; ++d) n *= t->shape[d];
  shape.push_back(n);
  shape.insert(shape.end(), t->shape.begin() + std::ptrdiff_t(to) + 1, t->shape.end());
  return {TensorPtr(InShape(t, std::move(shape)))};
}
Results Unsqueeze(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  Shape shape = t->shape;
  shape.insert(shape.begin() + std::ptrdiff_t(Dim(a.at(1).Int(), t->rank() + 1)), 1);
  return {TensorPtr(InShape(t, std::move(shape)))};
}
Results Squeeze(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  Shape shape = t->shape;
  if (a.size() < 2)
    std::erase(shape, 1);
  else if (const size_t d = Dim(a[1].Int(), t->rank()); d < shape.size() && shape[d] == 1)
    shape.erase(shape.begin() + std::ptrdiff_t(d));
  return {TensorPtr(InShape(t, std::move(shape)))};
}
Results Expand(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  Shape shape = a.at(1).Ints();
  const size_t missing = shape.size() - t->shape.size();
  if (t->shape.size() > shape.size()) throw Unsupported("fewer dimensions");
  for (size_t d = missing; d < shape.size(); ++d)
    if (shape[d] == -1) shape[d] = t->shape[d - missing];
  return {Spread(t, shape)};
}
Results Repeat(const Args& a) {
  TensorPtr t = a.at(0).AsTensor();
  const std::vector<int64_t> times = a.at(1).Ints();
  if (times.size() < t->shape.size()) throw Unsupported("fewer dimensions");
  Shape shape(times.size() - t->shape.size(), 1);
  shape.insert(shape.end(), t->shape.begin(), t->shape.end());
  t = InShape(t, shape);
  for (size_t d = 0; d < times.size(); ++d)
    if (times[d] != 1)
      t = PickAlong(t, d, shape[d] * times[d], [&](int64_t i) { return i % shape[d]; });
  return {t};
}
Results Permute(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  std::vector<size_t> order;
  for (int64_t d : a.at(1).Ints()) order.push_back(Dim(d, t->rank()));
  if (order.size() != t->shape.size()) throw Unsupported("an order of other dimensions");
  return {Permuted(t, order)};
}
Results Transpose(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  if (t->shape.size() < 2) return {a[0]};
  if (a.size() == 1 && t->shape.size() > 2) throw Unsupported("t() of more than a matrix");
  std::vector<size_t> order(t->shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (a.size() == 1)
    std::swap(order[0], order.at(1));
  else
    std::swap(order[Dim(a.at(1).Int(), t->rank())], order[Dim(a.at(2).Int(), t->rank())]);
  return {Permuted(t, order)};
}

Results Select(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  if (t->shape.empty()) throw Unsupported("a part of a number");
  const size_t d = Dim(a.at(1).Int(), t->rank());
  const int64_t i = a.at(2).Int(), at = i < 0 ? i + t->shape[d] : i;
  if (at < 0 || at >= t->shape[d]) throw Unsupported("an index out of range");
  const TensorPtr part = PickAlong(t, d, 1, [&](int64_t) { return at; });
  Shape shape = t->shape;
  shape.erase(shape.begin() + std::ptrdiff_t(d));
  return {TensorPtr(InShape(part, std::move(shape)))};
}
Results Slice(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  if (t->shape.empty()) throw Unsupported("a part of a number");
  const size_t d = Dim(At(a, 1).IsNone() ? 0 : a[1].Int(), t->rank());
  const int64_t n = t->shape[d], step = At(a, 4).IsNone() ? 1 : a[4].Int();
  if (step <= 0) throw Unsupported("a slice from the end");
  const auto bound = [&](const Value& v, int64_t otherwise) {
    const int64_t at = v.IsNone() ? otherwise : v.Int();
    return std::clamp<int64_t>(at < 0 ? at + n : at, 0, n);
  };
  const int64_t from = bound(At(a, 2), 0), to = std::max(from, bound(At(a, 3), n));
  return {
      PickAlong(t, d, (to - from + step - 1) / step, [&](int64_t i) { return from + i * step; })};
}
Results Narrow(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  const size_t d = Dim(a.at(1).Int(), t->rank());
  const int64_t i = a.at(2).Int(), from = i < 0 ? i + t->shape.at(d) : i, n = a.at(3).Int();
  if (from < 0 || n < 0 || from + n > t->shape.at(d))
    throw Unsupported("a part that is out of range");
  return {PickAlong(t, d, n, [&](int64_t at) { return from + at; })};
}
Results Chunk(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  const size_t d = Dim(At(a, 2).IsNone() ? 0 : a[2].Int(), t->rank());
  const int64_t n = t->shape.at(d), parts = a.at(1).Int();
  if (parts < 1 || n == 0) throw Unsupported("no parts");
  const int64_t each = (n + parts - 1) / parts;
  std::vector<Value> out;
  for (int64_t from = 0; from < n; from += each)
    out.push_back(PickAlong(t, d, std::min(each, n - from), [&](int64_t i) { return from + i; }));
  return {ListOf(std::move(out))};
}
Results Split(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  const size_t d = Dim(At(a, 2).IsNone() ? 0 : a[2].Int(), t->rank());
  const int64_t n = t->shape.at(d);
  std::vector<int64_t> sizes;
  if (a.at(1).IsList())
    sizes = a[1].Ints();
  else if (const int64_t each = a[1].Int(); each > 0)
    for (int64_t from = 0; from < n; from += each) sizes.push_back(std::min(each, n - from));
  if (std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) != n)
    throw Unsupported("parts that do not make the whole");
  std::vector<Value> out;
  int64_t from = 0;
  for (int64_t size : sizes) {
    out.push_back(PickAlong(t, d, size, [&](int64_t i) { return from + i; }));
    from += size;
  }
  return {ListOf(std::move(out))};
}

Results Cat(const Args& a) {
  const std::vector<Value>& list = a.at(0).AsList();
  std::vector<Operand> parts;
  for (const Value& v : list) {
    parts.push_back({v.AsTensor(), false});
    // Empty ones of one dimension may stand between others; libtorch leaves them out.
    if (parts.back().tensor->shape == Shape{0}) throw Unsupported("an empty part");
  }
  if (parts.empty()) throw Unsupported("nothing to join");
  const Dtype dtype = CommonDtype(parts);
  Shape shape = parts[0].tensor->shape;
  const size_t d = Dim(At(a, 1).IsNone() ? 0 : a[1].Int(), int64_t(shape.size()));
  shape.at(d) = 0;
  for (const Operand& p : parts) {
    Shape other = p.tensor->shape;
    if (other.size() != shape.size()) throw Unsupported("parts of several ranks");
    shape[d] += other[d];
    other[d] = shape[d];
    if (other != shape) throw Unsupported("parts that do not fit");
  }
  auto out = Zeros(dtype, shape);
  const Cut whole = CutAt(shape, d);
  int64_t at = 0;
  for (const Operand& p : parts) {
    const TensorPtr t = Convert(p.tensor, dtype);
    const int64_t n = t->shape[d] * whole.inner;
    for (int64_t o = 0; o < whole.outer; ++o) {
      const int64_t to = o * whole.n * whole.inner + at;
      if (out->IsReal())
        std::copy_n(t->real.begin() + o * n, n, out->real.begin() + to);
      else
        std::copy_n(t->whole.begin() + o * n, n, out->whole.begin() + to);
    }
    at += n;
  }
  return {TensorPtr(out)};
}
Results Stack(const Args& a) {
  std::vector<Value> parts;
  for (const Value& v : a.at(0).AsList())
    parts.push_back(Unsqueeze({v, At(a, 1).IsNone() ? Value(int64_t{0}) : a[1]})[0]);
  const int64_t dim = At(a, 1).IsNone() ? 0 : a[1].Int();
  return Cat({ListOf(std::move(parts)), Value(dim)});
}
Results Flip(const Args& a) {
  TensorPtr t = a.at(0).AsTensor();
  std::vector<bool> turned(t->shape.size());
  for (int64_t dim : a.at(1).Ints()) {
    const size_t d = Dim(dim, t->rank());
    if (turned.at(d)) throw Unsupported("a dimension twice");
    turned[d] = true;
    const int64_t n = t->shape.at(d);
    t = PickAlong(t, d, n, [&](int64_t i) { return n - 1 - i; });
  }
  return {t};
}
Results Roll(const Args& a) {
  TensorPtr t = a.at(0).AsTensor();
  const std::vector<int64_t> by = a.at(1).Ints(), dims = a.at(2).Ints();
  if (by.size() != dims.size()) throw Unsupported("a roll of the flat tensor");
  for (size_t k = 0; k < by.size(); ++k) {
    const size_t d = Dim(dims[k], t->rank());
    const int64_t n = t->shape.at(d);
    if (n > 0) t = PickAlong(t, d, n, [&](int64_t i) { return ((i - by[k]) % n + n) % n; });
  }
  return {t};
}
template <bool lower>
Results Triangle(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  if (t->shape.size() < 2) throw Unsupported("a matrix is expected");
  const int64_t columns = t->shape.back(), rows = t->shape[t->shape.size() - 2],
                k = At(a, 1).IsNone() ? 0 : a[1].Int();
  auto out = std::make_shared<Tensor>(*t);
  for (int64_t i = 0, n = t->numel(); i < n; ++i) {
    const int64_t column = i % columns, row = i / columns % rows;
    if (lower ? column <= row + k : column >= row + k) continue;
    if (out->IsReal())
      out->real[size_t(i)] = 0;
    else
      out->whole[size_t(i)] = 0;
  }
  return {TensorPtr(out)};
}

const TensorPtr& Indices(const Value& v) {
  const TensorPtr& t = v.AsTensor();
  if (t->IsReal() || t->dtype == Dtype::kBool)
    throw Unsupported("integers are expected as indices");
  return t;
}
int64_t Checked(int64_t i, int64_t n, bool from_end) {
  const int64_t at = from_end && i < 0 ? i + n : i;
  if (at < 0 || at >= n) throw Unsupported("an index out of range");
  return at;
}
Results Gather(const Args& a) {
  const TensorPtr &t = a.at(0).AsTensor(), &index = Indices(a.at(2));
  if (t->shape.empty() || t->shape.size() != index->shape.size())
    throw Unsupported("indices of another rank");
  const size_t d = Dim(a.at(1).Int(), t->rank());
  for (size_t k = 0; k < t->shape.size(); ++k)
    if (k != d && index->shape[k] > t->shape[k]) throw Unsupported("indices beyond the tensor");
  return {Pick(t, index->shape, [&](int64_t i) {
    int64_t from = 0, step = 1, rest = i;
    for (size_t k = t->shape.size(); k-- > 0;) {
      const int64_t at = rest % index->shape[k];
      rest /= index->shape[k];
      from += step * (k == d ? Checked(index->whole[size_t(i)], t->shape[k], false) : at);
      step *= t->shape[k];
    }
    return from;
  })};
}
Results IndexSelect(const Args& a) {
  const TensorPtr &t = a.at(0).AsTensor(), &index = Indices(a.at(2));
  if (index->shape.size() > 1 || t->shape.empty())
    throw Unsupported("a list of indices is expected");
  const size_t d = Dim(a.at(1).Int(), t->rank());
  return {PickAlong(t, d, index->numel(), [&](int64_t i) {
    return Checked(index->whole[size_t(i)], t->shape[d], false);
  })};
}
// x[i], x[:, i, …]: one tensor of integers among Nones.
Results IndexBy(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  const std::vector<Value>& indices = a.at(1).AsList();
  const auto given = [](const Value& v) { return !v.IsNone(); };
  if (std::count_if(indices.begin(), indices.end(), given) != 1)
    throw Unsupported("several tensors as indices");
  const size_t d = size_t(std::find_if(indices.begin(), indices.end(), given) - indices.begin());
  const TensorPtr& index = Indices(indices[d]);
  const TensorPtr flat = PickAlong(t, d, index->numel(), [&](int64_t i) {
    return Checked(index->whole[size_t(i)], t->shape.at(d), true);
  });
  Shape shape(t->shape.begin(), t->shape.begin() + std::ptrdiff_t(d));
  shape.insert(shape.end(), index->shape.begin(), index->shape.end());
  shape.insert(shape.end(), t->shape.begin() + std::ptrdiff_t(d) + 1, t->shape.end());
  return {TensorPtr(InShape(flat, std::move(shape)))};
}
Results RepeatInterleave(const Args& a) {
  TensorPtr t = a.at(0).AsTensor();
  if (At(a, 2).IsNone()) t = InShape(t, {t->numel()});
  const size_t d = At(a, 2).IsNone() ? 0 : Dim(a[2].Int(), t->rank());
  std::vector<int64_t> from;
  const int64_t n = t->shape.at(d);
  const Value& times = a.at(1);
  if (times.IsTensor() && times.AsTensor()->numel() != 1 && times.AsTensor()->numel() != n)
    throw Unsupported("counts of other elements");
  for (int64_t i = 0; i < n; ++i) {
    const int64_t k =
        times.IsTensor()
            ? times.AsTensor()->whole.at(times.AsTensor()->numel() == 1 ? 0 : size_t(i))
            : times.Int();
    if (k < 0) throw Unsupported("a negative count");
    if (k > (int64_t{1} << 24) - int64_t(from.size()))
      throw Unsupported("a tensor that is too large");
    from.insert(from.end(), size_t(k), i);
  }
  return {PickAlong(t, d, int64_t(from.size()), [&](int64_t i) { return from[size_t(i)]; })};
}
Results MaskedSelect(const Args& a) {
  const TensorPtr &t = a.at(0).AsTensor(), &mask = a.at(1).AsTensor();
  if (mask->dtype != Dtype::kBool || mask->shape != t->shape)
    throw Unsupported("a mask of the same shape is expected");
  std::vector<int64_t> from;
  for (size_t i = 0; i < mask->whole.size(); ++i)
    if (mask->whole[i]) from.push_back(int64_t(i));
  return {Pick(t, {int64_t(from.size())}, [&](int64_t i) { return from[size_t(i)]; })};
}

const OperationTable kShapes = {
    {"reshape", Reshape},
    {"view", Reshape},
    {"flatten", FlattenSizes},
    {"unsqueeze", Unsqueeze},
    {"squeeze", Squeeze},
    {"expand", Expand},
    {"expand_as",
     [](const Args& a) -> Results {
       return {Spread(a.at(0).AsTensor(), a.at(1).AsTensor()->shape)};
     }},
    {"repeat", Repeat},
    {"permute", Permute},
    {"transpose", Transpose},
    {"t", Transpose},
    {"select", Select},
    {"slice", Slice},
    {"narrow", Narrow},
    {"chunk", Chunk},
    {"split", Split},
    {"split_with_sizes", Split},
    {"cat", Cat},
    {"stack", Stack},
    {"flip", Flip},
    {"roll", Roll},
    {"tril", Triangle<true>},
    {"triu", Triangle<false>},
    {"gather", Gather},
    {"index_select", IndexSelect},
    {"index", IndexBy},
    {"repeat_interleave", RepeatInterleave},
    {"masked_select", MaskedSelect},
};
}  // namespace

const OperationTable& ShapeOperations() { return kShapes; }

}  // namespace akgen::task::evaluate
