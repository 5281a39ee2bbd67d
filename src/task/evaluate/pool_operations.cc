// Pooling, padding, products by labels, and sums by index (operations.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "task/evaluate/tables.h"
#include "task/evaluate/terms.h"
#include "task/evaluate/windows.h"

namespace akgen::task::evaluate {
using base::Dtype;
namespace {
// The windows of each plane of x: `f` is given the plane, the first and the last place along each
// dimension, and how many places the window has with padding.
template <class Ranges, class F>
TensorPtr Pooled(const TensorPtr& x, size_t rank, const Three& size, Ranges ranges, F f) {
  const size_t lead = x->shape.size() - rank;
  Shape shape(x->shape.begin(), x->shape.begin() + std::ptrdiff_t(lead));
  for (size_t d = 3 - rank; d < 3; ++d) {
    if (size[d] < 1) throw Unsupported("a result without elements");
    shape.push_back(size[d]);
  }
  auto out = Zeros(Dtype::kFloat64, shape);
  const Three in = ThreeOf(x->shape, lead);
  const int64_t planes = Numel(Shape(x->shape.begin(), x->shape.begin() + std::ptrdiff_t(lead)));
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t i = 0; i < Count(size); ++i)
      out->real[size_t(p * Count(size) + i)] =
          f(x->real.data() + p * Count(in), ranges(PlaceOf(i, size)));
  return out;
}
struct Range {
  Three first{}, last{}, step{1, 1, 1};  // last: behind it
  int64_t places = 1;                    // with padding
};
template <class F>
void ForEach(const Range& r, const Three& in, F f) {
  for (int64_t a = r.first[0]; a < r.last[0]; a += r.step[0])
    for (int64_t b = r.first[1]; b < r.last[1]; b += r.step[1])
      for (int64_t c = r.first[2]; c < r.last[2]; c += r.step[2]) f((a * in[1] + b) * in[2] + c);
}

template <size_t rank, bool mean>
Results Pool(const Args& a) {  // max_pool(x, size, step, pad, apart, ceil); avg_pool(x, size, step,
                               // pad, ceil, …)
  const TensorPtr& x = Reals(a.at(0));
  if (x->shape.size() < rank + 1 || At(a, mean ? 4 : 5).IsNone() || a[mean ? 4 : 5].Bool())
    throw Unsupported("windows of other tensors");
  const Three size = ThreeOf(a.at(1), rank, 1), pad = ThreeOf(a.at(3), rank, 0),
              step = At(a, 2).IsNone() || a[2].Ints().empty() ? size : ThreeOf(a[2], rank, 1),
              apart = mean ? Three{1, 1, 1} : ThreeOf(a.at(4), rank, 1),
              in = ThreeOf(x->shape, x->shape.size() - rank);
  const bool with_padding = mean && a.at(5).Bool();
  const bool divided = mean && rank > 1 && !At(a, 6).IsNone();
  const int64_t divisor = divided ? a[6].Int() : 0;
  if (divided && divisor == 0) throw Unsupported("a division by zero");
  Three out{1, 1, 1};
  for (size_t d = 3 - rank; d < 3; ++d) {
    if (step[d] < 1) throw Unsupported("windows that do not move");
    if (2 * pad[d] > size[d]) throw Unsupported("windows of padding alone");
    const int64_t left = in[d] + 2 * pad[d] - apart[d] * (size[d] - 1) - 1;
    out[d] = left < 0 ? 0 : left / step[d] + 1;
  }
  const auto ranges = [&](const Three& at) {
    Range r;
    for (size_t d = 0; d < 3; ++d) {
      int64_t first = at[d] * step[d] - pad[d];
      const int64_t last = first + apart[d] * (size[d] - 1) + 1;
      r.places *= std::min(last, in[d] + pad[d]) - first;
      while (first < 0) first += apart[d];
      r.first[d] = first, r.last[d] = std::min(last, in[d]), r.step[d] = apart[d];
    }
    return r;
  };
  return {Pooled(x, rank, out, ranges, [&](const double* plane, const Range& r) {
    Terms terms;
    int64_t n = 0;
    double most = -std::numeric_limits<double>::infinity();
    ForEach(r, in, [&](int64_t i) {
      ++n;
      if (mean)
        terms.Add(plane[i]);
      else if (plane[i] > most || std::isnan(plane[i]))
        most = plane[i];
    });
    if (!mean) return most;
    const int64_t by = divisor ? divisor : with_padding ? r.places : n;
    return terms.Within(terms.sum / static_cast<long double>(by));
  })};
}

template <size_t rank>
Results AdaptiveMean(const Args& a) {
  const TensorPtr& x = Reals(a.at(0));
  if (x->shape.size() < rank + 1 || Numel(x->shape) == 0)
    throw Unsupported("windows of other tensors");
  for (const Value& v : a.at(1).IsList() ? a[1].AsList() : std::vector<Value>{})
    if (v.IsNone()) throw Unsupported("a size that is left out");
  const Three out = ThreeOf(a[1], rank, 1), in = ThreeOf(x->shape, x->shape.size() - rank);
  const auto ranges = [&](const Three& at) {
    Range r;
    for (size_t d = 0; d < 3; ++d) {
      r.first[d] = at[d] * in[d] / out[d], r.last[d] = ((at[d] + 1) * in[d] + out[d] - 1) / out[d];
      r.places *= r.last[d] - r.first[d];
    }
    return r;
  };
  return {Pooled(x, rank, out, ranges, [&](const double* plane, const Range& r) {
    Terms terms;
    ForEach(r, in, [&](int64_t i) { terms.Add(plane[i]); });
    return terms.Within(terms.sum / static_cast<long double>(r.places));
  })};
}

Results Padded(
    const Args& a) {  // constant_pad_nd(x, pads, value): those of the last dimension first
  const TensorPtr& x = a.at(0).AsTensor();
  const std::vector<int64_t> pads = a.at(1).Ints();
  const size_t rank = x->shape.size();
  if (pads.size() % 2 || pads.size() / 2 > rank) throw Unsupported("padding of more dimensions");
  std::vector<int64_t> before(rank);
  Shape shape = x->shape;
  for (size_t p = 0; p < pads.size() / 2; ++p) {
    before[rank - 1 - p] = pads[2 * p];
    shape[rank - 1 - p] += pads[2 * p] + pads[2 * p + 1];
    if (shape[rank - 1 - p] < 0) throw Unsupported("less than nothing");
  }
  auto out = Zeros(x->dtype, shape);
  const Value& value = At(a, 2);
  const double fill = value.IsNone() ? 0 : value.Real();
  for (int64_t i = 0; i < out->numel(); ++i) {
    int64_t from = 0, step = 1, rest = i;
    bool inside = true;
    for (size_t d = rank; d-- > 0;) {
      const int64_t at = rest % shape[d] - before[d];
      rest /= shape[d];
      inside &= at >= 0 && at < x->shape[d];
      from += at * step;
      step *= x->shape[d];
    }
    if (x->IsReal())
      out->real[size_t(i)] = inside ? x->real[size_t(from)] : fill;
    else
      out->whole[size_t(i)] = inside ? x->whole[size_t(from)] : Wrap(x->dtype, int64_t(fill));
  }
  return {TensorPtr(out)};
}

// Where each element of this shape lies, with these distances along its dimensions.
std::vector<int64_t> Places(const Shape& shape, const int64_t* strides) {
  std::vector<int64_t> out = {0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> more;
    more.reserve(out.size() * size_t(shape[d]));
    for (int64_t o : out)
      for (int64_t i = 0; i < shape[d]; ++i) more.push_back(o + i * strides[d]);
    out = std::move(more);
  }
  return out;
}

// einsum(equation, tensors): one letter for each dimension.
Results ByLabels(const Args& a) {
  std::string said = a.at(0).Text();
  std::erase(said, ' ');
  const std::vector<Value>& list = a.at(1).AsList();
  const size_t arrow = said.find("->");
  if (arrow == std::string::npos || said.find('.') != std::string::npos)
    throw Unsupported("labels left out");
  std::vector<std::string> labels(1);
  for (char c : said.substr(0, arrow))
    if (c == ',')
      labels.emplace_back();
    else
      labels.back() += c;
  std::string order = said.substr(arrow + 2);
  const size_t kept = order.size();
  if (labels.size() != list.size()) throw Unsupported("another number of tensors");
  std::map<char, int64_t> extents;
  for (size_t t = 0; t < list.size(); ++t) {
    const TensorPtr& x = Reals(list[t]);
    if (labels[t].size() != x->shape.size()) throw Unsupported("another number of labels");
    for (size_t d = 0; d < labels[t].size(); ++d) {
      const auto [at, fresh] = extents.emplace(labels[t][d], x->shape[d]);
      if (!fresh && at->second != x->shape[d]) throw Unsupported("dimensions that are spread");
      if (fresh && order.find(labels[t][d]) == std::string::npos) order += labels[t][d];
    }
  }
  Shape all;
  for (char c : order) all.push_back(extents.at(c));
  if (double(Numel(all)) > kMaxProducts) throw Unsupported("more work than libtorch's start");
  const auto middle = all.begin() + std::ptrdiff_t(kept);
  const Shape shape(all.begin(), middle), summed(middle, all.end());
  std::vector<std::vector<int64_t>> outer, inner;  // of each tensor: where it is read
  for (size_t t = 0; t < list.size(); ++t) {
    std::vector<int64_t> strides(order.size());
    int64_t step = 1;
    for (size_t d = labels[t].size(); d-- > 0; step *= list[t].AsTensor()->shape[d])
      strides[order.find(labels[t][d])] += step;
    outer.push_back(Places(shape, strides.data()));
    inner.push_back(Places(summed, strides.data() + kept));
  }
  auto out = Zeros(Dtype::kFloat64, shape);
  const size_t terms = size_t(Numel(summed));
  for (size_t i = 0; i < out->real.size(); ++i) {
    auto factor = [&](size_t t) { return list[t].AsTensor()->real.data() + outer[t][i]; };
    if (list.size() == 2) {
      const double *a = factor(0), *b = factor(1);
      const int64_t *at_a = inner[0].data(), *at_b = inner[1].data();
      out->real[i] = SumOf(terms, [=](size_t j) { return a[at_a[j]] * b[at_b[j]]; });
      continue;
    }
    out->real[i] = SumOf(terms, [&](size_t j) {
      double product = 1;
      for (size_t t = 0; t < list.size(); ++t) product *= factor(t)[inner[t][j]];
      return product;
    });
  }
  return {TensorPtr(out)};
}

// x with elements of `source` added, each at the place in x that `place` says.
template <class Place>
Results Added(const TensorPtr& x, const TensorPtr& source, double by, Place place) {
  std::vector<Terms> sums(x->real.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i].Add(x->real[i]);
  for (int64_t i = 0; i < source->numel(); ++i) sums[place(i)].Add(by * source->real[size_t(i)]);
  auto out = std::make_shared<Tensor>(*x);
  for (size_t i = 0; i < sums.size(); ++i) out->real[i] = sums[i].Sum();
  return {TensorPtr(out)};
}
int64_t Inside(int64_t i, int64_t n) {
  if (i < 0 || i >= n) throw Unsupported("an index that is not there");
  return i;
}
Results IndexAdd(const Args& a) {  // index_add(x, dim, index, source, alpha)
  const TensorPtr &x = Reals(a.at(0)), &index = a.at(2).AsTensor(), &source = Reals(a.at(3));
  const size_t d = Dim(a.at(1).Int(), x->rank());
  if (index->IsReal() || index->shape.size() != 1 || x->shape.empty())
    throw Unsupported("a list of indices is expected");
  Shape expected = x->shape;
  expected[d] = index->numel();
  if (source->shape != expected) throw Unsupported("rows of another shape");
  const Cut c = CutAt(source->shape, d);
  return Added(x, source, At(a, 4).IsNone() ? 1 : a[4].Real(), [&, n = x->shape[d]](int64_t i) {
    const int64_t row = Inside(index->whole[size_t(i / c.inner % c.n)], n);
    return size_t((i / c.inner / c.n * n + row) * c.inner + i % c.inner);
  });
}
Results ScatterAdd(const Args& a) {  // scatter_add(x, dim, index, source)
  const TensorPtr &x = Reals(a.at(0)), &index = a.at(2).AsTensor(), &source = Reals(a.at(3));
  const size_t d = Dim(a.at(1).Int(), x->rank());
  if (index->IsReal() || index->shape != source->shape || index->shape.size() != x->shape.size())
    throw Unsupported("indices of another shape");
  return Added(x, source, 1, [&](int64_t i) {
    int64_t to = 0, step = 1, rest = i;
    for (size_t k = x->shape.size(); k-- > 0; step *= x->shape[k]) {
      to += step * Inside(k == d ? index->whole[size_t(i)] : rest % index->shape[k], x->shape[k]);
      rest /= index->shape[k];
    }
    return size_t(to);
  });
}

// Of log-probabilities of classes, dimension 1: nll_loss(x, target, weight, reduction, ignored),
// smoothed.
Value Likelihood(const Value& of, const Args& a, double smooth) {
  const TensorPtr &x = Reals(of), &target = a.at(1).AsTensor();
  const size_t at = x->shape.size() == 1 ? 0 : 1;
  if (!At(a, 2).IsNone() || target->IsReal() || x->shape.empty())
    throw Unsupported("weights of classes");
  const Cut c = CutAt(x->shape, at);
  if (target->numel() != c.outer * c.inner) throw Unsupported("targets of another shape");
  const int64_t how = a.at(3).Int(), ignored = a.at(4).Int();
  auto out = Zeros(Dtype::kFloat64, target->shape);
  Terms terms;
  int64_t counted = 0;
  for (int64_t o = 0; o < c.outer; ++o)
    for (int64_t i = 0; i < c.inner; ++i) {
      const int64_t which = target->whole[size_t(o * c.inner + i)];
      if (which == ignored) continue;
      const auto log = [&](int64_t k) { return x->real[size_t((o * c.n + k) * c.inner + i)]; };
      double loss = -log(Inside(which, c.n));
      if (smooth > 0) {
        Terms every;
        for (int64_t k = 0; k < c.n; ++k) every.Add(-log(k));
        loss = (1 - smooth) * loss + smooth / double(c.n) * every.Sum();
      }
      out->real[size_t(o * c.inner + i)] = loss;
      terms.Add(loss);
      ++counted;
    }
  if (how == 0) return TensorPtr(out);
  auto one = Zeros(Dtype::kFloat64, {});
  one->real[0] = terms.Within(how == 1 ? terms.sum / static_cast<long double>(counted) : terms.sum);
  return TensorPtr(one);
}
Results NegativeLikelihood(const Args& a) { return {Likelihood(a.at(0), a, 0)}; }
Results CrossEntropy(const Args& a) {
  const int64_t classes = a.at(0).AsTensor()->shape.size() == 1 ? 0 : 1;
  const Value logs = Apply("log_softmax", {a[0], classes, {}}).at(0);
  return {Likelihood(logs, a, At(a, 5).IsNone() ? 0 : a[5].Real())};
}

Results CumulativeProduct(const Args& a) {
  const TensorPtr& x = Reals(a.at(0));
  if (!At(a, 2).IsNone() || x->shape.empty()) throw Unsupported("another dtype for a result");
  const Cut c = CutAt(x->shape, Dim(a.at(1).Int(), x->rank()));
  auto out = std::make_shared<Tensor>(*x);
  for (int64_t o = 0; o < c.outer; ++o)
    for (int64_t i = 0; i < c.inner; ++i) {
      Factors factors;
      for (int64_t k = 0; k < c.n; ++k) {
        double& v = out->real[size_t((o * c.n + k) * c.inner + i)];
        factors.Multiply(v);
        v = factors.Product();
      }
    }
  return {TensorPtr(out)};
}

const OperationTable kPools = {
    {"max_pool1d", Pool<1, false>},
    {"max_pool2d", Pool<2, false>},
    {"max_pool3d", Pool<3, false>},
    {"avg_pool1d", Pool<1, true>},
    {"avg_pool2d", Pool<2, true>},
    {"avg_pool3d", Pool<3, true>},
    {"adaptive_avg_pool1d", AdaptiveMean<1>},
    {"adaptive_avg_pool2d", AdaptiveMean<2>},
    {"adaptive_avg_pool3d", AdaptiveMean<3>},
    {"constant_pad_nd", Padded},
    {"einsum", ByLabels},
    {"index_add", IndexAdd},
    {"scatter_add", ScatterAdd},
    {"nll_loss", NegativeLikelihood},
    {"nll_loss_nd", NegativeLikelihood},
    {"cross_entropy_loss", CrossEntropy},
    {"cumprod", CumulativeProduct},
};
}  // namespace

const OperationTable& PoolOperations() { return kPools; }

}  // namespace akgen::task::evaluate
