// Reductions, scans, products and orders (operations.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "task/evaluate/elements.h"
#include "task/evaluate/script_dtype.h"
#include "task/evaluate/tables.h"
#include "task/evaluate/terms.h"

namespace akgen::task::evaluate {
using base::Dtype;
namespace {
void OnlyDouble(const Value& dtype) {
  if (!dtype.IsNone() && DtypeOf(dtype.Int()) != Dtype::kFloat64)
    throw Unsupported("another dtype for a result");
}

// Which dimensions are reduced: those of a list or a number, all of them where there is none.
std::vector<bool> Reduced(const TensorPtr& t, const Value& dims) {
  std::vector<bool> gone(t->shape.size(),
                         dims.IsNone() || (dims.IsList() && dims.AsList().empty()));
  if (dims.IsNone()) return gone;
  for (int64_t d : dims.Ints())
    if (const size_t at = Dim(d, t->rank()); at < gone.size()) {
      if (gone[at]) throw Unsupported("a dimension twice");
      gone[at] = true;
    }
  return gone;
}
// The tensor with the reduced dimensions last, as rows, and the shape of what each row makes.
struct Rows {
  int64_t count = 1, length = 1;
  Shape shape;
  std::vector<int64_t> start, step;  // of each row; of each element within its row
  size_t At(int64_t row, int64_t i) const { return size_t(start[size_t(row)] + step[size_t(i)]); }
};
Rows RowsOf(const Shape& shape, const std::vector<bool>& gone, bool keep) {
  Rows rows;
  std::vector<int64_t> stride(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0; step *= shape[d]) stride[d] = step;
  rows.start = rows.step = {0};
  for (size_t d = 0; d < shape.size(); ++d) {
    auto& offsets = gone[d] ? rows.step : rows.start;
    std::vector<int64_t> more;
    more.reserve(offsets.size() * size_t(shape[d]));
    for (int64_t o : offsets)
      for (int64_t i = 0; i < shape[d]; ++i) more.push_back(o + i * stride[d]);
    offsets = std::move(more);
    if (!gone[d])
      rows.shape.push_back(shape[d]);
    else if (keep)
      rows.shape.push_back(1);
  }
  rows.count = int64_t(rows.start.size()), rows.length = int64_t(rows.step.size());
  return rows;
}

template <class F>
TensorPtr ReduceReal(const TensorPtr& t, const Rows& rows, F f) {
  auto out = Zeros(Dtype::kFloat64, rows.shape);
  for (int64_t r = 0; r < rows.count; ++r)
    out->real[size_t(r)] = double(f([&](int64_t i) { return t->real[rows.At(r, i)]; }));
  return out;
}
template <class F>
TensorPtr ReduceWhole(const TensorPtr& t, const Rows& rows, Dtype dtype, F f) {
  auto out = Zeros(dtype, rows.shape);
  for (int64_t r = 0; r < rows.count; ++r)
    out->whole[size_t(r)] =
        Wrap(dtype, f([&](int64_t i) {
               return t->IsReal() ? int64_t(t->real[rows.At(r, i)] != 0) : t->whole[rows.At(r, i)];
             }));
  return out;
}

// sum(x, dtype) and sum(x, dims, keepdim, dtype); mean likewise.
struct Reduction {
  Rows rows;
  Value dtype;
};
Reduction ReductionOf(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  if (a.size() <= 2) return {RowsOf(t->shape, Reduced(t, {}), false), At(a, 1)};
  return {RowsOf(t->shape, Reduced(t, a[1]), a[2].Bool()), At(a, 3)};
}
Results SumRows(const Args& a) {
  const TensorPtr& t = a.at(0).AsTensor();
  const auto [rows, dtype] = ReductionOf(a);
  const Dtype to =
      dtype.IsNone() ? (t->IsReal() ? Dtype::kFloat64 : Dtype::kInt64) : DtypeOf(dtype.Int());
  const int64_t n = rows.length;
  if (to != Dtype::kFloat64 && t->IsReal()) throw Unsupported("a sum of real numbers as integers");
  if (to != Dtype::kFloat64)
    return {ReduceWhole(t, rows, to, [n](auto x) {
      uint64_t sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += uint64_t(x(i));
      return int64_t(sum);
    })};
  return {ReduceReal(Convert(t, to), rows, [n](auto x) {
    return SumOf(size_t(n), [&](size_t i) { return x(int64_t(i)); });
  })};
}
Results MeanOfRows(const Args& a) {
  const TensorPtr& t = Reals(a.at(0));
  const auto [rows, dtype] = ReductionOf(a);
  OnlyDouble(dtype);
  const int64_t n = rows.length;
  return {ReduceReal(t, rows, [n](auto x) {
    Terms terms;
    for (int64_t i = 0; i < n; ++i) terms.Add(x(i));
    return terms.Within(terms.sum / static_cast<long double>(n));
  })};
}
Results Product(const Args& a) {
  const TensorPtr& t = Reals(a.at(0));
  const auto [rows, dtype] = ReductionOf(a);
  OnlyDouble(dtype);
  const int64_t n = rows.length;
  return {ReduceReal(t, rows, [n](auto x) {
    Factors factors;
    for (int64_t i = 0; i < n; ++i) factors.Multiply(x(i));
    return factors.Product();
  })};
}

// var(x, unbiased), var(x, dims, unbiased, keepdim), var(x, dims, correction, keepdim)
template <bool root>
Results Variance(const Args& a) {
  const TensorPtr& t = Reals(a.at(0));
  const bool whole = a.size() == 2;
  const Rows rows =
      RowsOf(t->shape, Reduced(t, whole ? Value() : a.at(1)), !whole && a.at(3).Bool());
  const Value& of = whole ? a[1] : a.at(2);
  const int64_t n = rows.length, correction = of.IsNone() ? 1 : of.Int();
  return {ReduceReal(t, rows, [n, correction](auto x) {
    Terms terms;
    long double squares = 0;
    for (int64_t i = 0; i < n; ++i) terms.Add(x(i));
    const long double mean = terms.sum / static_cast<long double>(n);
    for (int64_t i = 0; i < n; ++i) squares += (x(i) - mean) * (x(i) - mean);
    const long double variance =
        squares / static_cast<long double>(std::max<int64_t>(0, n - correction));
    return terms.Within(root ? std::sqrt(variance) : variance);
  })};
}

// The place of the greatest or least element, the first of equal ones; NaN is both.
template <bool greatest, class X>
int64_t ExtremeAt(X x, int64_t n) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    if (x(best) != x(best)) break;
    if (x(i) != x(i) || (greatest ? x(i) > x(best) : x(i) < x(best))) best = i;
  }
  return best;
}
template <bool greatest>
Results Extremes(const TensorPtr& t, const Rows& rows) {
  if (rows.length == 0) throw Unsupported("an extreme of nothing");
  auto values = Zeros(t->dtype, rows.shape), places = Zeros(Dtype::kInt64, rows.shape);
  for (int64_t r = 0; r < rows.count; ++r) {
    const size_t at = size_t(r);
    if (t->IsReal())
      places->whole[at] =
          ExtremeAt<greatest>([&](int64_t i) { return t->real[rows.At(r, i)]; }, rows.length);
    else
      places->whole[at] =
          ExtremeAt<greatest>([&](int64_t i) { return t->whole[rows.At(r, i)]; }, rows.length);
    if (t->IsReal())
      values->real[at] = t->real[rows.At(r, places->whole[at])];
    else
      values->whole[at] = t->whole[rows.At(r, places->whole[at])];
  }
  return {TensorPtr(values), TensorPtr(places)};
}
template <bool greatest>
Results ExtremeValues(const Args& a) {  // amax(x, dims, keepdim)
  const TensorPtr& t = a.at(0).AsTensor();
  return {Extremes<greatest>(
      t, RowsOf(t->shape, Reduced(t, At(a, 1)), !At(a, 2).IsNone() && a[2].Bool()))[0]};
}
template <bool greatest>
Results ExtremePlaces(const Args& a) {  // argmax(x, dim, keepdim)
  const TensorPtr& t = a.at(0).AsTensor();
  return {Extremes<greatest>(
      t, RowsOf(t->shape, Reduced(t, At(a, 1)), !At(a, 2).IsNone() && a[2].Bool()))[1]};
}
template <bool greatest>
Results ExtremeOf(const Args& a) {  // max(x), max(x, other), max(x, dim, keepdim)
  const TensorPtr& t = a.at(0).AsTensor();
  if (a.size() == 1) return {Extremes<greatest>(t, RowsOf(t->shape, Reduced(t, {}), false))[0]};
  if (a.size() == 2) return Apply(greatest ? "maximum" : "minimum", a);
  return Extremes<greatest>(t, RowsOf(t->shape, Reduced(t, a[1]), a[2].Bool()));
}
template <bool all>
Results AnyOrAll(const Args& a) {  // any(x), any(x, dim, keepdim)
  const TensorPtr& t = a.at(0).AsTensor();
  const Rows rows = RowsOf(t->shape, Reduced(t, At(a, 1)), a.size() > 2 && a[2].Bool());
  const int64_t n = rows.length;
  return {ReduceWhole(t, rows, t->dtype == Dtype::kUint8 ? Dtype::kUint8 : Dtype::kBool,
                      [n](auto x) -> int64_t {
                        for (int64_t i = 0; i < n; ++i)
                          if ((x(i) != 0) != all) return !all;
                        return all;
                      })};
}

// Rows along one dimension, each changed as a whole.
template <class F>
TensorPtr AlongRows(const TensorPtr& t, const Value& dim, F f) {
  const Cut c = t->shape.empty() ? Cut{} : CutAt(t->shape, Dim(dim.Int(), t->rank()));
  auto out = std::make_shared<Tensor>(*t);
  std::vector<double> row(static_cast<size_t>(c.n));
  for (int64_t o = 0; o < c.outer; ++o)
    for (int64_t i = 0; i < c.inner; ++i) {
      for (int64_t k = 0; k < c.n; ++k)
        row[size_t(k)] = t->real[size_t((o * c.n + k) * c.inner + i)];
      f(row);
      for (int64_t k = 0; k < c.n; ++k)
        out->real[size_t((o * c.n + k) * c.inner + i)] = row[size_t(k)];
    }
  return out;
}
double Greatest(const std::vector<double>& row) {
  double most = -std::numeric_limits<double>::infinity();
  for (double v : row) most = v > most || std::isnan(v) ? v : most;
  return most;
}
Results Softmax(const Args& a) {
  OnlyDouble(At(a, 2));
  return {AlongRows(Reals(a.at(0)), a.at(1), [](std::vector<double>& row) {
    const double most = Greatest(row);
    long double sum = 0;
    for (double& v : row) sum += v = std::exp(v - most);
    for (double& v : row) v /= double(sum);
  })};
}
Results LogSoftmax(const Args& a) {
  OnlyDouble(At(a, 2));
  return {AlongRows(Reals(a.at(0)), a.at(1), [](std::vector<double>& row) {
    const double most = Greatest(row);
    long double sum = 0;
    for (double v : row) sum += std::exp(v - most);
    const double log = std::log(double(sum));
    for (double& v : row) v = v - most - log;
  })};
}
Results LogSumExp(const Args& a) {
  const TensorPtr& t = Reals(a.at(0));
  const Rows rows = RowsOf(t->shape, Reduced(t, a.at(1)), a.at(2).Bool());
  const int64_t n = rows.length;
  if (n == 0) throw Unsupported("a sum of nothing");
  return {ReduceReal(t, rows, [n](auto x) {
    double most = x(ExtremeAt<true>(x, n));
    if (std::isinf(most)) most = 0;
    long double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(x(i) - most);
    return std::log(double(sum)) + most;
  })};
}
Results CumulativeSum(const Args& a) {
  OnlyDouble(At(a, 2));
  return {AlongRows(Reals(a.at(0)), a.at(1), [](std::vector<double>& row) {
    Terms terms;
    for (double& v : row) {
      terms.Add(v);
      v = terms.Sum();
    }
  })};
}
Results LayerNorm(const Args& a) {
  const TensorPtr& t = Reals(a.at(0));
  const std::vector<int64_t> normalized = a.at(1).Ints();
  if (normalized.size() > t->shape.size()) throw Unsupported("more dimensions than there are");
  if (!std::equal(normalized.rbegin(), normalized.rend(), t->shape.rbegin()))
    throw Unsupported("another shape");
  for (const size_t i : {2u, 3u})
    if (!a.at(i).IsNone() && Reals(a[i])->shape != normalized)
      throw Unsupported("weights of another shape");
  std::vector<bool> gone(t->shape.size());
  for (size_t i = 0; i < normalized.size(); ++i) gone[gone.size() - 1 - i] = true;
  const Rows rows = RowsOf(t->shape, gone, true);
  const double eps = a.at(4).Real();
  auto out = std::make_shared<Tensor>(*t);
  for (int64_t r = 0; r < rows.count; ++r) {
    Terms terms;
    long double squares = 0;
    for (int64_t i = 0; i < rows.length; ++i) terms.Add(t->real[rows.At(r, i)]);
    const double mean = terms.Within(terms.sum / static_cast<long double>(rows.length));
    for (int64_t i = 0; i < rows.length; ++i) {
      const double off = t->real[rows.At(r, i)] - mean;
      squares += off * off;
    }
    const double by = 1 / std::sqrt(double(squares / static_cast<long double>(rows.length)) + eps);
    for (int64_t i = 0; i < rows.length; ++i)
      out->real[rows.At(r, i)] = (t->real[rows.At(r, i)] - mean) * by;
  }
  Value result = TensorPtr(out);
  if (!a.at(2).IsNone()) result = Apply("mul", {result, a[2]})[0];
  if (!a.at(3).IsNone()) result = Apply("add", {result, a[3]})[0];
  return {result};
}

// [.., m, k] by [.., k, n], leading dimensions spread.
TensorPtr Multiply(TensorPtr x, TensorPtr y) {
  if (!x->IsReal() || !y->IsReal()) throw Unsupported("a product of integers");
  const bool row = x->shape.size() == 1, column = y->shape.size() == 1;
  if (x->shape.empty() || y->shape.empty()) throw Unsupported("a product of a number");
  const auto in_shape = [](const TensorPtr& t, Shape shape) {
    auto out = std::make_shared<Tensor>(*t);
    out->shape = std::move(shape);
    return TensorPtr(out);
  };
  if (row) x = in_shape(x, {1, x->shape[0]});
  if (column) y = in_shape(y, {y->shape[0], 1});
  const int64_t m = x->shape[x->shape.size() - 2], k = x->shape.back(), n = y->shape.back();
  if (y->shape[y->shape.size() - 2] != k) throw Unsupported("matrices that do not fit");
  Shape left(x->shape.begin(), x->shape.end() - 2), right(y->shape.begin(), y->shape.end() - 2);
  if (left != right) {
    auto a = std::make_shared<Tensor>(), b = std::make_shared<Tensor>();
    a->shape = left, b->shape = right;
    const Shape both = CommonShape({{a, false}, {b, false}});
    const auto spread = [&](const TensorPtr& t) {
      Shape s = both;
      s.insert(s.end(), t->shape.end() - 2, t->shape.end());
      return Spread(t, s);
    };
    x = spread(x), y = spread(y), left = both;
  }
  Shape shape = left;
  if (!row) shape.push_back(m);
  if (!column) shape.push_back(n);
  auto out = Zeros(Dtype::kFloat64, shape);
  const int64_t batches = Numel(left);
  const bool limited = std::isfinite(limit_of_sums);
  std::vector<Terms> terms(limited ? size_t(n) : 0);
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < m; ++i) {
      double* to = out->real.data() + (b * m + i) * n;
      std::fill(terms.begin(), terms.end(), Terms{});
      for (int64_t j = 0; j < k; ++j) {
        const double by = x->real[size_t((b * m + i) * k + j)];
        const double* from = y->real.data() + (b * k + j) * n;
        for (int64_t at = 0; at < n; ++at) to[at] += by * from[at];
        for (size_t at = 0; at < terms.size(); ++at) terms[at].Add(by * from[at]);
      }
      for (size_t at = 0; at < terms.size(); ++at) to[at] = terms[at].Within(to[at]);
    }
  return out;
}
Results Matmul(const Args& a) { return {Multiply(a.at(0).AsTensor(), a.at(1).AsTensor())}; }
Results Linear(const Args& a) {
  const Value product = Multiply(a.at(0).AsTensor(), Apply("t", {a.at(1)})[0].AsTensor());
  if (At(a, 2).IsNone()) return {product};
  return Apply("add", {product, a[2]});
}
Results AddMatmul(const Args& a) {  // addmm(self, x, y, beta, alpha)
  if (a.at(3).Real() == 0) throw Unsupported("a product that ignores what it is added to");
  const Value product = Multiply(a.at(1).AsTensor(), a.at(2).AsTensor());
  const Value scaled = Apply("mul", {a.at(0), a[3]})[0];
  return Apply("add", {scaled, product, a.at(4)});
}
Results Cross(const Args& a) {
  const TensorPtr &x = Reals(a.at(0)), &y = Reals(a.at(1));
  if (x->shape != y->shape) throw Unsupported("vectors of several shapes");
  size_t d = 0;
  if (!At(a, 2).IsNone())
    d = Dim(a[2].Int(), x->rank());
  else
    while (d < x->shape.size() && x->shape[d] != 3) ++d;
  if (d >= x->shape.size() || x->shape[d] != 3)
    throw Unsupported("vectors of three elements are expected");
  const Cut c = CutAt(x->shape, d);
  auto out = Zeros(Dtype::kFloat64, x->shape);
  for (int64_t o = 0; o < c.outer; ++o)
    for (int64_t i = 0; i < c.inner; ++i) {
      const auto at = [&](int64_t k) { return size_t((o * 3 + k % 3) * c.inner + i); };
      for (int64_t k = 0; k < 3; ++k)
        out->real[at(k)] =
            x->real[at(k + 1)] * y->real[at(k + 2)] - x->real[at(k + 2)] * y->real[at(k + 1)];
    }
  return {TensorPtr(out)};
}

// Values in order with their places; equal ones keep their order, which libtorch promises for a
// stable sort only.
Results InOrder(const TensorPtr& t, const Value& dim, int64_t count, bool descending) {
  Reals(t);
  const size_t d = Dim(dim.Int(), t->rank());
  const Cut c = CutAt(t->shape, d);
  if (count < 0 || count > c.n) throw Unsupported("more elements than there are");
  Shape shape = t->shape;
  shape.at(d) = count;
  auto values = Zeros(Dtype::kFloat64, shape), places = Zeros(Dtype::kInt64, shape);
  std::vector<int64_t> order(static_cast<size_t>(c.n));
  for (int64_t o = 0; o < c.outer; ++o)
    for (int64_t i = 0; i < c.inner; ++i) {
      const auto at = [&](int64_t k) { return t->real[size_t((o * c.n + k) * c.inner + i)]; };
      std::iota(order.begin(), order.end(), 0);
      const auto after = [&](double x, double y) {
        return x > y || (std::isnan(x) && !std::isnan(y));
      };
      std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
        return descending ? after(at(x), at(y)) : after(at(y), at(x));
      });
      for (size_t k = 1; k < order.size(); ++k)
        if (int64_t(k) <= count && at(order[k - 1]) == at(order[k]))
          throw Unsupported("equal elements in an order");
      for (int64_t k = 0; k < count; ++k) {
        const size_t to = size_t((o * count + k) * c.inner + i);
        values->real[to] = at(order[size_t(k)]), places->whole[to] = order[size_t(k)];
      }
    }
  return {TensorPtr(values), TensorPtr(places)};
}
Results TopK(const Args& a) {  // topk(x, k, dim, largest, sorted)
  if (!a.at(4).Bool()) throw Unsupported("elements in no order");
  return InOrder(a.at(0).AsTensor(), a.at(2), a.at(1).Int(), a.at(3).Bool());
}
Results Sort(const Args& a) {  // sort(x, dim, descending)
  if (a.size() != 3) throw Unsupported("a stable sort");
  const TensorPtr& t = a.at(0).AsTensor();
  if (t->shape.empty()) throw Unsupported("a number in order");
  return InOrder(t, a.at(1), t->shape[Dim(a[1].Int(), t->rank())], a.at(2).Bool());
}

const OperationTable kRows = {
    {"sum", SumRows},
    {"mean", MeanOfRows},
    {"prod", Product},
    {"var", Variance<false>},
    {"std", Variance<true>},
    {"amax", ExtremeValues<true>},
    {"amin", ExtremeValues<false>},
    {"argmax", ExtremePlaces<true>},
    {"argmin", ExtremePlaces<false>},
    {"max", ExtremeOf<true>},
    {"min", ExtremeOf<false>},
    {"any", AnyOrAll<false>},
    {"all", AnyOrAll<true>},
    {"softmax", Softmax},
    {"log_softmax", LogSoftmax},
    {"logsumexp", LogSumExp},
    {"cumsum", CumulativeSum},
    {"layer_norm", LayerNorm},
    {"matmul", Matmul},
    {"mm", Matmul},
    {"bmm", Matmul},
    {"mv", Matmul},
    {"dot", Matmul},
    {"linear", Linear},
    {"addmm", AddMatmul},
    {"baddbmm", AddMatmul},
    {"cross", Cross},
    {"topk", TopK},
    {"sort", Sort},
};
}  // namespace

const OperationTable& RowOperations() { return kRows; }

}  // namespace akgen::task::evaluate
