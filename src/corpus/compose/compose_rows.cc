// Compositions along rows and over everything: reductions, normalisations, what losses and
// gradients of parameters end with.
#include <algorithm>
#include <cmath>

#include "corpus/compose/compose.h"

namespace akgen::corpus {
namespace {
constexpr int64_t kMaxColumns = 168;  // of a case
}  // namespace

// A constant, or an attribute.
record::GraphArg Composer::Epsilon(double value) {
  if (!random_.Chance(50)) return FloatArg(value);
  std::string id = "a" + std::to_string(c_.attrs.size());
  c_.attrs.push_back({id, "float", {value}});
  if (random_.Chance(15)) c_.attrs.back().values.push_back(value * 4);
  return record::GraphArg::Number(AttributeNumber(id));
}

void Composer::Keep(size_t v, int percent, bool statistic) {
  if (kept_.size() < 3 && random_.Chance(percent)) kept_.emplace_back(v, statistic);
}

// Along the last dimension, which stays with one element.
size_t Composer::Reduced(const std::string& op, size_t v) {
  SymbolicShape shape = values_[v].shape;
  std::vector<int64_t> dims;
  for (int d = 1; d <= row_dims_; ++d) {
    shape[shape.size() - static_cast<size_t>(d)] = '1';
    dims.push_back(-d);
  }
  double low = values_[v].low, high = values_[v].high;
  if (op == "sum")
    low = std::min(low * kMaxColumns, low), high = std::max(high * kMaxColumns, high);
  if (op == "logsumexp") high += 5.2;
  Args args = {Tensor(v), record::GraphArg::List(dims), BoolArg(true)};
  if (op == "sum" || op == "mean") args.emplace_back();
  return Node(op, args, shape, low, high, {v});
}
size_t Composer::Reduction(size_t v) {
  if (values_[v].shape.back() != 'C' || (row_dims_ > 1 && values_[v].shape != full_))
    return Unary(v);
  Family("reduction");
  static const char* const kOps[] = {"mean", "mean", "sum", "sum", "amax", "amin", "logsumexp"};
  std::string op = kOps[random_.Below(std::size(kOps))];
  if (op == "sum" && (row_dims_ > 1 || Most(v) * kMaxColumns > kMaxValue)) op = "mean";
  if (op == "logsumexp") v = Within(v, 8);
  size_t r = Reduced(op, v);
  if (!random_.Chance(70)) return r;
  return random_.Chance(60)               ? Add(v, r, "sub")
         : Most(v) * Most(r) <= kMaxValue ? Mul(v, r)
                                          : Add(v, r);
}

size_t Composer::Norm(size_t v) {
  if (values_[v].shape.back() != 'C' || (row_dims_ > 1 && values_[v].shape != full_))
    return Unary(v);
  static const double kEpsilon[] = {1e-3, 1e-2, 0.0625, 1e-4, 1e-5, 1e-5, 1e-6, 1e-6};
  double eps = kEpsilon[random_.Below(std::size(kEpsilon))];
  SymbolicShape row = full_.substr(full_.size() - static_cast<size_t>(row_dims_));
  switch (row_dims_ > 1 ? 2 + random_.Below(2) : random_.Below(4)) {
    case 0:
      Family("softmax");
      v = Within(v, 8);
      return Node("softmax", {Tensor(v), IntArg(-1), {}}, values_[v].shape, 0, 1, {v});
    case 1: {
      Family("norm");
      Args args = {Tensor(v),    record::GraphArg::List(std::vector<int64_t>{0}),
                   {},           {},
                   Epsilon(eps), BoolArg(random_.Chance(50))};
      std::vector<size_t> from = {v};
      if (random_.Chance(60)) from.push_back(Input(row, 0.5, 1.5)), args[2] = Tensor(from.back());
      if (random_.Chance(50)) from.push_back(Input(row, -1, 1)), args[3] = Tensor(from.back());
      return Node("layer_norm", args, values_[v].shape, -20, 20, from);
    }
    case 2: {
      Family("norm");
      v = Within(v, 20);
      size_t square = Reduced("mean", Mul(v, v));
      size_t raised = Node("add", {Tensor(square), Epsilon(eps), IntArg(1)}, values_[square].shape,
                           eps, kMaxValue, {square});
      size_t scale = Simple("rsqrt", raised, 0.05, 1 / std::sqrt(eps));
      Keep(scale, 52);
      size_t y = Mul(v, scale);
      values_[y].low = -13, values_[y].high = 13;
      return random_.Chance(60) ? Mul(y, Input(row, 0.5, 1.5)) : y;
    }
    default: {
      Family("norm");
      v = Within(v, 20);
      size_t mean = Reduced("mean", v), d = Add(v, mean, "sub"),
             variance = Reduced("mean", Mul(d, d));
      size_t raised = Node("add", {Tensor(variance), Epsilon(eps), IntArg(1)},
                           values_[variance].shape, eps, kMaxValue, {variance});
      Keep(mean, 50);
      size_t y;
      if (random_.Chance(50)) {
        size_t deviation = Simple("sqrt", raised, std::sqrt(eps), 20);
        y = Node("div", {Tensor(d), Tensor(deviation)}, values_[v].shape, -13, 13, {d, deviation});
      } else {
        size_t scale = Simple("rsqrt", raised, 0.05, 1 / std::sqrt(eps));
        Keep(scale, 52);
        y = Mul(d, scale);
        values_[y].low = -13, values_[y].high = 13;
      }
      if (random_.Chance(50)) y = Mul(y, Input(row, 0.5, 1.5));
      return random_.Chance(40) ? Add(y, Input(row, -1, 1)) : y;
    }
  }
}

// Over rows, or over everything: what losses and gradients of parameters end with.
size_t Composer::Whole(size_t v) {
  Family("whole");
  v = Within(v, 5);
  const SymbolicShape shape = values_[v].shape;
  const int rank = static_cast<int>(shape.size());
  if (rank >= 2 && random_.Chance(60)) {  // all but the last one, or one of them
    std::vector<int64_t> dims;
    SymbolicShape left;
    const int only =
        random_.Chance(50) ? static_cast<int>(random_.Below(static_cast<uint64_t>(rank - 1))) : -1;
    for (int d = 0; d < rank; ++d)
      if (d < rank - 1 && (only < 0 || d == only))
        dims.push_back(d);
      else
        left += shape[static_cast<size_t>(d)];
    Args args = {Tensor(v), record::GraphArg::List(dims), BoolArg(false), {}};
    return Node(random_.Chance(50) ? "sum" : "mean", args, left, -kMaxValue, kMaxValue, {v});
  }
  return Node("mean", {Tensor(v), {}}, "", values_[v].low, values_[v].high, {v});
}

}  // namespace akgen::corpus
