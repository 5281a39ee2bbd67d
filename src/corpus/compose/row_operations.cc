// Operations along rows and over everything.
#include "corpus/compose/row_operations.h"

#include <algorithm>
#include <cmath>

namespace akgen::corpus {
using base::Dtype;

namespace {
constexpr int64_t kMaxColumns = 168;  // of a case
}  // namespace

// A constant, or an attribute.
record::GraphArg RowOperations::Epsilon(double value) {
  if (!d_.random.Chance(50)) return FloatArg(value);
  std::string id = "a" + std::to_string(d_.c.attrs.size());
  d_.c.attrs.push_back({id, "float", {value}});
  if (d_.random.Chance(15)) d_.c.attrs.back().values.push_back(value * 4);
  return record::GraphArg::Number(AttributeNumber(id));
}

// Along the last dimension, which stays with one element.
size_t RowOperations::Reduced(const std::string& op, size_t v) {
  SymbolicShape shape = d_.values[v].shape;
  std::vector<int64_t> dims;
  for (int d = 1; d <= d_.row_dims; ++d) {
    shape[shape.size() - static_cast<size_t>(d)] = '1';
    dims.push_back(-d);
  }
  double low = d_.values[v].low, high = d_.values[v].high;
  if (op == "sum")
    low = std::min(low * kMaxColumns, low), high = std::max(high * kMaxColumns, high);
  if (op == "logsumexp") high += 5.2;
  Args args = {d_.Tensor(v), record::GraphArg::List(dims), BoolArg(true)};
  if (op == "sum" || op == "mean") args.emplace_back();
  return d_.Node(op, args, shape, low, high, {v});
}

size_t RowOperations::Reduction(size_t v) {
  if (d_.values[v].shape.back() != 'C' || (d_.row_dims > 1 && d_.values[v].shape != d_.full))
    return e_.Unary(v);
  d_.Family("reduction");
  static const char* const kOps[] = {"mean", "mean", "sum", "sum", "amax", "amin", "logsumexp"};
  std::string op = kOps[d_.random.Below(std::size(kOps))];
  if (op == "sum" && (d_.row_dims > 1 || d_.Most(v) * kMaxColumns > kMaxValue)) op = "mean";
  if (op == "logsumexp") v = e_.Within(v, 8);
  size_t r = Reduced(op, v);
  if (!d_.random.Chance(70)) return r;
  return d_.random.Chance(60)                   ? e_.Add(v, r, "sub")
         : d_.Most(v) * d_.Most(r) <= kMaxValue ? e_.Mul(v, r)
                                                : e_.Add(v, r);
}

size_t RowOperations::Norm(size_t v) {
  if (d_.values[v].shape.back() != 'C' || (d_.row_dims > 1 && d_.values[v].shape != d_.full))
    return e_.Unary(v);
  static const double kEpsilon[] = {1e-3, 1e-2, 0.0625, 1e-4, 1e-5, 1e-5, 1e-6, 1e-6};
  double eps = kEpsilon[d_.random.Below(std::size(kEpsilon))];
  SymbolicShape row = d_.full.substr(d_.full.size() - static_cast<size_t>(d_.row_dims));
  switch (d_.row_dims > 1 ? 2 + d_.random.Below(2) : d_.random.Below(4)) {
    case 0:
      d_.Family("softmax");
      v = e_.Within(v, 8);
      return d_.Node("softmax", {d_.Tensor(v), IntArg(-1), {}}, d_.values[v].shape, 0, 1, {v});
    case 1: {
      d_.Family("norm");
      Args args = {d_.Tensor(v), record::GraphArg::List(std::vector<int64_t>{0}),
                   {},           {},
                   Epsilon(eps), BoolArg(d_.random.Chance(50))};
      std::vector<size_t> from = {v};
      if (d_.random.Chance(60))
        from.push_back(d_.Input(row, 0.5, 1.5)), args[2] = d_.Tensor(from.back());
      if (d_.random.Chance(50))
        from.push_back(d_.Input(row, -1, 1)), args[3] = d_.Tensor(from.back());
      return d_.Node("layer_norm", args, d_.values[v].shape, -20, 20, from);
    }
    case 2: {
      d_.Family("norm");
      v = e_.Within(v, 20);
      size_t square = Reduced("mean", e_.Mul(v, v));
      size_t raised = d_.Node("add", {d_.Tensor(square), Epsilon(eps), IntArg(1)},
                              d_.values[square].shape, eps, kMaxValue, {square});
      size_t scale = e_.Simple("rsqrt", raised, 0.05, 1 / std::sqrt(eps));
      d_.Keep(scale, 52);
      size_t y = e_.Mul(v, scale);
      d_.values[y].low = -13, d_.values[y].high = 13;
      return d_.random.Chance(60) ? e_.Mul(y, d_.Input(row, 0.5, 1.5)) : y;
    }
    default: {
      d_.Family("norm");
      v = e_.Within(v, 20);
      size_t mean = Reduced("mean", v), d = e_.Add(v, mean, "sub"),
             variance = Reduced("mean", e_.Mul(d, d));
      size_t raised = d_.Node("add", {d_.Tensor(variance), Epsilon(eps), IntArg(1)},
                              d_.values[variance].shape, eps, kMaxValue, {variance});
      d_.Keep(mean, 50);
      size_t y;
      if (d_.random.Chance(50)) {
        size_t deviation = e_.Simple("sqrt", raised, std::sqrt(eps), 20);
        y = d_.Node("div", {d_.Tensor(d), d_.Tensor(deviation)}, d_.values[v].shape, -13, 13,
                    {d, deviation});
      } else {
        size_t scale = e_.Simple("rsqrt", raised, 0.05, 1 / std::sqrt(eps));
        d_.Keep(scale, 52);
        y = e_.Mul(d, scale);
        d_.values[y].low = -13, d_.values[y].high = 13;
      }
      if (d_.random.Chance(50)) y = e_.Mul(y, d_.Input(row, 0.5, 1.5));
      return d_.random.Chance(40) ? e_.Add(y, d_.Input(row, -1, 1)) : y;
    }
  }
}

// Over rows, or over everything: what losses and gradients of parameters end with.
size_t RowOperations::Whole(size_t v) {
  d_.Family("whole");
  v = e_.Within(v, 5);
  const SymbolicShape shape = d_.values[v].shape;
  const int rank = static_cast<int>(shape.size());
  if (rank >= 2 && d_.random.Chance(60)) {  // all but the last one, or one of them
    std::vector<int64_t> dims;
    SymbolicShape left;
    const int only = d_.random.Chance(50)
                         ? static_cast<int>(d_.random.Below(static_cast<uint64_t>(rank - 1)))
                         : -1;
    for (int d = 0; d < rank; ++d)
      if (d < rank - 1 && (only < 0 || d == only))
        dims.push_back(d);
      else
        left += shape[static_cast<size_t>(d)];
    Args args = {d_.Tensor(v), record::GraphArg::List(dims), BoolArg(false), {}};
    return d_.Node(d_.random.Chance(50) ? "sum" : "mean", args, left, -kMaxValue, kMaxValue, {v});
  }
  return d_.Node("mean", {d_.Tensor(v), {}}, "", d_.values[v].low, d_.values[v].high, {v});
}

// To eight bits: a scale that is a number, an element or a row, and sometimes an offset.
size_t RowOperations::Quantised(size_t v) {
  if (d_.full.back() == 'C' && d_.row_dims == 1 && d_.random.Chance(40)) return QuantisedByRow(v);
  const double by = std::round(std::max(0.05, 120 / std::max(0.1, d_.Most(v))) * 1000) / 1000;
  if (d_.random.Chance(40))
    v = e_.Scaled(v, by);
  else {
    size_t x = d_.Input(d_.random.Chance(60) ? "C" : "1", by * 0.5, by);
    if (d_.random.Chance(50)) {
      d_.c.inputs.back().low = d_.values[x].low = 1 / by,
      d_.c.inputs.back().high = d_.values[x].high = 2 / by;
      v = d_.Node("div", {d_.Tensor(v), d_.Tensor(x)}, d_.full, -130, 130, {v, x});
    } else {
      v = d_.Node("mul", {d_.Tensor(v), d_.Tensor(x)}, d_.full, -130, 130, {v, x});
    }
    if (d_.random.Chance(50)) v = e_.Add(v, d_.Input(d_.c.inputs.back().shape, -8, 8));
  }
  size_t whole = e_.Simple("round", v, -150, 150);
  return d_.Node("clamp", {d_.Tensor(whole), IntArg(-128), IntArg(127)}, d_.full, -128, 127,
                 {whole});
}

// By the largest of each row, which is a result as well.
size_t RowOperations::QuantisedByRow(size_t v) {
  const double most = d_.Most(v);
  size_t size = e_.Simple("abs", e_.Within(v, 100), 0, most), largest, by;
  if (d_.random.Chance(50)) {
    largest = Reduced("amax", size);
    by = largest = d_.Node("div", {d_.Tensor(largest), IntArg(127)}, d_.values[largest].shape,
                           0.001, most / 127, {largest});
  } else {  // without the dimension, which comes back for the division
    const SymbolicShape rows = d_.full.substr(0, d_.full.size() - 1);
    largest = d_.Node(
        "amax", {d_.Tensor(size), record::GraphArg::List(std::vector<int64_t>{-1}), BoolArg(false)},
        rows, 0, most, {size});
    largest = d_.Node("div", {d_.Tensor(largest), IntArg(127)}, rows, 0.001, most / 127, {largest});
    by = d_.Node("unsqueeze", {d_.Tensor(largest), IntArg(-1)}, rows + "1", 0.001, most / 127,
                 {largest});
  }
  d_.values[largest].result_only = true;
  if (d_.kept.size() < 3) d_.kept.push_back({largest, true});
  size_t y =
      e_.Simple("round", d_.Node("div", {d_.Tensor(v), d_.Tensor(by)}, d_.full, -127, 127, {v, by}),
                -127, 127);
  return d_.Node("clamp", {d_.Tensor(y), IntArg(-128), IntArg(127)}, d_.full, -128, 127, {y});
}

// Sums in which rows, columns and elements weigh, over one of the dimensions.
size_t RowOperations::Weighted() {
  d_.Family("weighted");
  size_t v = 0;
  SymbolicShape row = d_.full, column = d_.full;
  std::fill(row.begin(), row.end() - 1, '1');
  column.back() = '1';
  for (size_t n = 2 + d_.random.Below(4); n > 0; --n) {
    if (d_.random.Chance(30)) {
      v = e_.Unary(v);
      continue;
    }
    const SymbolicShape shape = d_.random.Chance(25)   ? row
                                : d_.random.Chance(40) ? column
                                : d_.random.Chance(50) ? SymbolicShape("1")
                                                       : d_.full;
    size_t x = d_.Input(shape, -1, 1.5);
    v = e_.Within(v, 20);
    v = d_.random.Chance(65) ? e_.Mul(v, x) : e_.Add(v, x);
  }
  v = e_.Within(v, 5);
  const int rank = static_cast<int>(d_.full.size()),
            dim = static_cast<int>(d_.random.Below(d_.full.size()));
  SymbolicShape left = d_.full;
  const bool keep = d_.random.Chance(30);
  if (keep)
    left[static_cast<size_t>(dim)] = '1';
  else
    left.erase(static_cast<size_t>(dim), 1);
  return d_.Node(
      d_.random.Chance(60) ? "sum" : "mean",
      {d_.Tensor(v),
       record::GraphArg::List(std::vector<int64_t>{d_.random.Chance(50) ? dim - rank : dim}),
       BoolArg(keep),
       {}},
      left, -kMaxValue, kMaxValue, {v});
}

// As gradients of norms: products with sums along the row, rows' statistics that the caller hands
// over, and sums over all rows as further results.
void RowOperations::Gradients() {
  const size_t inner = static_cast<size_t>(d_.row_dims);
  if (d_.whole || d_.full.size() <= inner || d_.full.back() != 'C') return;
  const size_t outer = d_.full.size() - inner;
  const SymbolicShape row = d_.full.substr(outer),
                      column = d_.full.substr(0, outer) + SymbolicShape(inner, '1');
  auto full = [&] {
    for (int i = 0; i < 8; ++i)
      if (size_t v = d_.Pick(); d_.values[v].shape == d_.full) return e_.Within(v, 4);
    return d_.Input(d_.full, -2, 2);
  };
  auto statistic = [&](double low, double high) {
    size_t x = d_.Input(column, low, high);
    if (d_.random.Chance(60)) d_.c.inputs.back().dtypes.assign(d_.c.dtypes.size(), Dtype::kFloat32);
    return x;
  };
  d_.Family("gradient");
  size_t v = full(), by = d_.random.Chance(60) ? full() : d_.Input(d_.full, -2, 2), scale = by;
  if (d_.random.Chance(45)) {
    if (d_.random.Chance(55)) by = e_.Add(by, statistic(-0.5, 0.5), "sub");
    scale = statistic(0.5, 1.5);
    if (d_.random.Chance(70)) by = e_.Mul(by, scale);
  }
  const bool weight = d_.random.Chance(50);
  const std::string of_weight = "x" + std::to_string(d_.c.inputs.size());
  if (weight) v = e_.Mul(v, d_.Input(row, 0.5, 1.5));
  by = e_.Within(by, 4);
  size_t product = e_.Mul(v, by), left = v;
  for (size_t n = d_.random.Below(3); n > 0; --n) {
    const size_t of = n == 2 ? v : product;
    const bool counted = weight && d_.random.Chance(inner > 1 ? 60 : 25),
               sized = !counted && inner == 1 && d_.random.Chance(60);
    size_t mean = Reduced(counted || sized ? "sum" : "mean", of);
    if (counted || sized) {
      const auto size = counted ? Operation("numel", {TensorNumber(of_weight)})
                                : Operation("size", {TensorNumber(d_.values[of].id),
                                                     record::GraphNumber(int64_t{-1})});
      mean = d_.Node("div", {d_.Tensor(mean), record::GraphArg::Number(size)},
                     d_.values[mean].shape, -16, 16, {mean});
    }
    left = e_.Add(left, n == 2 ? mean : e_.Mul(by, mean), "sub");
  }
  if (scale != by && left != v && d_.values[scale].shape == column && d_.random.Chance(60))
    e_.Mul(left, scale);
  std::vector<int64_t> dims;
  for (size_t d = 0; d < outer; ++d) dims.push_back(static_cast<int64_t>(d));
  for (size_t n = 1 + d_.random.Below(2); n > 0; --n) {
    size_t of = n == 1 ? product : v;
    std::vector<int64_t> over = dims;
    if (inner == 1 && d_.random.Chance(30))
      if (size_t flat = shapes_.Reshaped(of, "LC"); flat != of) of = flat, over = {0};
    size_t total = d_.Node("sum", {d_.Tensor(of), record::GraphArg::List(over), BoolArg(false), {}},
                           row, -kMaxValue, kMaxValue, {of});
    d_.values[total].used = true, d_.values[total].result_only = true;  // a result alone
    d_.kept.push_back({total, true});
  }
}

}  // namespace akgen::corpus
