// Operations on single elements.
#include "corpus/compose/elementwise.h"

#include <algorithm>
#include <cmath>

namespace akgen::corpus {
using base::Dtype;

namespace {
record::GraphArg Number(double v, bool whole) {
  return whole ? IntArg(static_cast<int64_t>(v)) : FloatArg(v);
}
}  // namespace

size_t Elementwise::Simple(const std::string& op, size_t v, double low, double high) {
  return d_.Node(op, {d_.Tensor(v)}, d_.values[v].shape, std::min(low, high), std::max(low, high),
                 {v});
}

size_t Elementwise::Add(size_t a, size_t b, const char* op) {
  bool minus = op == std::string("sub");
  double low = d_.values[a].low + (minus ? -d_.values[b].high : d_.values[b].low),
         high = d_.values[a].high + (minus ? -d_.values[b].low : d_.values[b].high);
  return d_.Node(op, {d_.Tensor(a), d_.Tensor(b), IntArg(1)},
                 Spread(d_.values[a].shape, d_.values[b].shape), low, high, {a, b});
}

size_t Elementwise::Mul(size_t a, size_t b) {
  double p[] = {d_.values[a].low * d_.values[b].low, d_.values[a].low * d_.values[b].high,
                d_.values[a].high * d_.values[b].low, d_.values[a].high * d_.values[b].high};
  double low = *std::min_element(p, p + 4), high = *std::max_element(p, p + 4);
  if (a == b && low < 0) low = 0;
  return d_.Node("mul", {d_.Tensor(a), d_.Tensor(b)},
                 Spread(d_.values[a].shape, d_.values[b].shape), low, high, {a, b});
}

size_t Elementwise::Scaled(size_t v, double by) {
  return d_.Node("mul", {d_.Tensor(v), d_.whole ? IntArg(static_cast<int64_t>(by)) : FloatArg(by)},
                 d_.values[v].shape, std::min(d_.values[v].low * by, d_.values[v].high * by),
                 std::max(d_.values[v].low * by, d_.values[v].high * by), {v});
}

size_t Elementwise::Shifted(size_t v, double by) {
  return d_.Node(
      "add", {d_.Tensor(v), d_.whole ? IntArg(static_cast<int64_t>(by)) : FloatArg(by), IntArg(1)},
      d_.values[v].shape, d_.values[v].low + by, d_.values[v].high + by, {v});
}

size_t Elementwise::Within(size_t v, double most) {
  if (d_.Most(v) <= most) return v;
  if (d_.whole)
    return d_.Node(
        "clamp",
        {d_.Tensor(v), IntArg(-static_cast<int64_t>(most)), IntArg(static_cast<int64_t>(most))},
        d_.values[v].shape, std::max(-most, d_.values[v].low), std::min(most, d_.values[v].high),
        {v});
  switch (d_.random.Below(3)) {
    case 0:
      return Simple("tanh", Scaled(v, RoundedTo(std::max(0.002, 1 / d_.Most(v)))), -0.77, 0.77);
    case 1:
      return d_.Node("clamp", {d_.Tensor(v), FloatArg(-most), FloatArg(most)}, d_.values[v].shape,
                     std::max(-most, d_.values[v].low), std::min(most, d_.values[v].high), {v});
    default: return Scaled(v, std::max(0.001, std::floor(most / d_.Most(v) * 1000) / 1000));
  }
}

size_t Elementwise::Above(size_t v, double least) {
  if (d_.values[v].low >= least) return v;
  double by = RoundedTo(least + d_.Constant(0.1, 0.9));
  if (d_.values[v].low >= 0) return Shifted(v, by);
  if (d_.Most(v) < 30 && d_.random.Chance(40)) return Shifted(Mul(v, v), by);
  double bottom = d_.values[v].high < 0 ? -d_.values[v].high : 0;
  return Shifted(Simple("abs", v, bottom, d_.Most(v)), by);
}

size_t Elementwise::UnaryPositive(size_t v) {
  static const char* const kOps[] = {"log",  "sqrt",  "rsqrt", "reciprocal",
                                     "log2", "log10", "log1p"};
  std::string op = kOps[d_.random.Below(std::size(kOps))];
  if (op != "log1p" || d_.values[v].low < -0.8) v = Above(v, 0.1);
  double a = d_.values[v].low, b = d_.values[v].high;
  auto f = [&](double x) {
    return op == "log"          ? std::log(x)
           : op == "sqrt"       ? std::sqrt(x)
           : op == "rsqrt"      ? 1 / std::sqrt(x)
           : op == "reciprocal" ? 1 / x
           : op == "log2"       ? std::log2(x)
           : op == "log1p"      ? std::log1p(x)
                                : std::log10(x);
  };
  return Simple(op, v, f(a), f(b));
}

size_t Elementwise::Unary(size_t v) {
  if (d_.whole)
    return d_.random.Chance(50) ? Simple("abs", v, 0, d_.Most(v))
                                : Simple("neg", v, -d_.values[v].low, -d_.values[v].high);
  if (d_.random.Chance(25)) return UnaryPositive(v);
  struct Row {
    const char* op;
    double most;          // of |x|
    double (*f)(double);  // monotonous; null: result in [low, high]
    double low, high;
  };
  static const Row kRows[] = {
      {"log1p", 0.8, [](double x) { return std::log1p(x); }, 0, 0},
      {"exp", 4, [](double x) { return std::exp(x); }, 0, 0},
      {"tanh", 20, [](double x) { return std::tanh(x); }, 0, 0},
      {"sigmoid", 20, [](double x) { return 1 / (1 + std::exp(-x)); }, 0, 0},
      {"erf", 6, [](double x) { return std::erf(x); }, 0, 0},
      {"erfc", 2.5, [](double x) { return std::erfc(x); }, 0, 0},
      {"atan", 50, [](double x) { return std::atan(x); }, 0, 0},
      {"asin", 0.9, [](double x) { return std::asin(x); }, 0, 0},
      {"acos", 0.9, [](double x) { return std::acos(x); }, 0, 0},
      {"tan", 1.1, [](double x) { return std::tan(x); }, 0, 0},
      {"sinh", 4, [](double x) { return std::sinh(x); }, 0, 0},
      {"expm1", 4, [](double x) { return std::expm1(x); }, 0, 0},
      {"cosh", 4, nullptr, 1, 27.4},
      {"sin", 20, nullptr, -1, 1},
      {"cos", 20, nullptr, -1, 1},
      {"relu", 1000, [](double x) { return std::max(x, 0.0); }, 0, 0},
      {"neg", 1000, [](double x) { return -x; }, 0, 0},
      {"floor", 100, [](double x) { return std::floor(x); }, 0, 0},
      {"ceil", 100, [](double x) { return std::ceil(x); }, 0, 0},
      {"trunc", 100, [](double x) { return std::trunc(x); }, 0, 0},
      {"round", 100, [](double x) { return std::nearbyint(x); }, 0, 0},
      {"sign", 1000, nullptr, -1, 1},
      {"abs", 1000, nullptr, 0, 1000},
  };
  size_t at = d_.random.Below(std::size(kRows));
  if (at >= 17 && at <= 21 && d_.random.Chance(70))
    at = d_.random.Below(17);  // steps hide what comes before them
  const Row& row = kRows[at];
  v = Within(v, row.most);
  if (row.op == std::string("abs")) return Simple("abs", v, 0, d_.Most(v));
  return row.f ? Simple(row.op, v, row.f(d_.values[v].low), row.f(d_.values[v].high))
               : Simple(row.op, v, row.low, row.high);
}

// The same once more, as references written without care have it.
size_t Elementwise::Again(size_t v) {
  for (const CompositionNode& n : d_.c.nodes) {
    if (n.out != std::vector<std::string>{d_.values[v].id} || n.by >= 0) continue;
    const CompositionNode again = n;
    const Draft::Value value = d_.values[v];
    size_t y = d_.Node(again.op, again.args, again.shape, value.low, value.high, {v});
    d_.values[v].used = value.used;
    return y;
  }
  return v;
}

size_t Elementwise::Binary(size_t v) {
  if (d_.random.Chance(3) && d_.Most(v) < 30) return Mul(v, Again(v));
  size_t other = d_.PickOther(v);
  SymbolicShape both = Spread(d_.values[v].shape, d_.values[other].shape);
  if (both != d_.values[v].shape && both != d_.values[other].shape) other = v;
  int kind = static_cast<int>(d_.random.Below(d_.whole ? 8 : 10));
  if (other == v) return d_.Most(v) < 30 ? Mul(v, v) : v;
  if (kind < 5) return Add(v, other, kind < 3 ? "add" : "sub");
  if (kind == 5 || kind == 6) {
    if (d_.Most(v) * d_.Most(other) <= kMaxValue) return Mul(v, other);
    return Add(v, other);
  }
  if (kind == 7) {
    bool most = d_.random.Chance(50);
    const Draft::Value &a = d_.values[v], &b = d_.values[other];
    double low = most ? std::max(a.low, b.low) : std::min(a.low, b.low),
           high = most ? std::max(a.high, b.high) : std::min(a.high, b.high);
    return d_.Node(most ? "maximum" : "minimum", {d_.Tensor(v), d_.Tensor(other)}, both, low, high,
                   {v, other});
  }
  size_t by = Above(other, 0.25);
  double m = d_.Most(v) / d_.values[by].low;
  return d_.Node("div", {d_.Tensor(v), d_.Tensor(by)}, both, -m, m, {v, by});
}

// A number that is no constant: an attribute, arithmetic on one, or a tensor of one element.
size_t Elementwise::WithScalar(size_t v) {
  const double low = d_.values[v].low, high = d_.values[v].high;
  auto apply = [&](const char* op, const Draft::Scalar& by) {
    double p[] = {low * by.low, low * by.high, high * by.low, high * by.high};
    Args args = {d_.Tensor(v), by.arg};
    if (op == std::string("mul"))
      return d_.Node(op, args, d_.values[v].shape, *std::min_element(p, p + 4),
                     *std::max_element(p, p + 4), {v});
    if (op == std::string("div"))
      return d_.Node(op, args, d_.values[v].shape, std::min(low, low / by.low),
                     std::max(high, high / by.low), {v});
    const bool minus = op == std::string("sub");
    args.push_back(IntArg(1));
    return d_.Node(op, args, d_.values[v].shape, low + (minus ? -by.high : by.low),
                   high + (minus ? -by.low : by.high), {v});
  };
  switch (d_.random.Below(8)) {
    case 0:
    case 1: return apply("mul", d_.Attribute());
    case 2: return apply("add", d_.Attribute());
    case 3: return apply(d_.random.Chance(50) ? "sub" : "div", d_.Attribute());
    case 4: {  // between two of them
      Draft::Scalar from = d_.Attribute(-2, -0.25), to = d_.Attribute(0.25, 2);
      return d_.Node("clamp", {d_.Tensor(v), from.arg, to.arg}, d_.values[v].shape,
                     std::max(low, from.low), std::max(from.low, std::min(high, to.high)), {v});
    }
    case 5: {  // a mean with weights
      size_t other = d_.PickOther(v);
      if (d_.values[other].shape != d_.values[v].shape) other = v;
      Draft::Scalar a = d_.Attribute(0.125, 0.875);
      const auto rest = record::GraphArg::Number(
          Operation("sub", {record::GraphNumber(int64_t{1}), a.arg.number}));
      size_t one = d_.Node("mul", {d_.Tensor(v), rest}, d_.values[v].shape, std::min(low, 0.0),
                           std::max(high, 0.0), {v});
      size_t two = d_.Node("mul", {d_.Tensor(other), a.arg}, d_.values[v].shape,
                           std::min(d_.values[other].low, 0.0),
                           std::max(d_.values[other].high, 0.0), {other});
      return Add(one, two);
    }
    default: {
      size_t one = d_.Input("1", d_.random.Chance(50) ? 0.25 : -1.5, 1.75);
      d_.c.inputs.back().single = d_.c.lists;
      if (!d_.random.Chance(35)) return Mul(v, one);
      return Add(v, one, d_.random.Chance(70) ? "add" : "sub");
    }
  }
}

size_t Elementwise::WithNumber(size_t v) {
  bool whole = d_.whole;
  double low = d_.values[v].low, high = d_.values[v].high;
  switch (d_.random.Below(whole ? 3 : 7)) {
    case 0: return Shifted(v, d_.Constant(-3, 3));
    case 1:
      return Scaled(v,
                    whole ? 2 + static_cast<double>(d_.random.Below(3)) : d_.Constant(-2, 2.03125));
    case 2: {
      double m = whole ? std::max(2.0, std::round(d_.Most(v) / 2))
                       : RoundedTo(std::max(0.1, d_.Most(v) * 0.6));
      auto number = [&](double x) { return whole ? IntArg(static_cast<int64_t>(x)) : FloatArg(x); };
      return d_.Node("clamp", {d_.Tensor(v), number(-m), number(m)}, d_.values[v].shape,
                     std::max(low, -m), std::min(high, m), {v});
    }
    case 3:
    case 4: return WithScalar(v);
    case 5: {
      size_t p = Above(Within(v, 20), 0.2);
      double e = d_.random.Chance(50) ? 1.5 : 0.75;
      return d_.Node("pow", {d_.Tensor(p), FloatArg(e)}, d_.values[p].shape,
                     std::pow(d_.values[p].low, e), std::pow(d_.values[p].high, e), {p});
    }
    default: {
      if (!d_.c.lists &&
          d_.random.Chance(35)) {  // by how many elements there are, in a row or in all
        const bool row = d_.random.Chance(60);
        record::GraphNumber number =
            Operation(row ? "size" : "numel", {TensorNumber(d_.values[v].id)});
        if (row && d_.values[v].shape.empty()) return v;
        if (row) number.args.push_back(record::GraphNumber(int64_t{-1}));
        return d_.Node("div", {d_.Tensor(v), record::GraphArg::Number(number)}, d_.values[v].shape,
                       std::min(low, low / 1000), std::max(high, high / 1000), {v});
      }
      double by = d_.Constant(1, 8);
      return d_.Node("div", {d_.Tensor(v), FloatArg(by)}, d_.values[v].shape, low / by, high / by,
                     {v});
    }
  }
}

// Another tensor, an attribute or a number; the same shape comes out.
size_t Elementwise::Compare(size_t v) {
  static const char* const kOps[] = {"lt", "le", "gt", "ge", "eq", "ne"};
  size_t other = d_.PickOther(v);
  const bool pair =
      other != v && d_.values[other].shape == d_.values[v].shape && d_.random.Chance(45);
  std::string op = kOps[d_.random.Below(pair || d_.whole ? 6 : 4)];
  std::vector<size_t> from = {v};
  Args args = {d_.Tensor(v)};
  if (pair)
    args.push_back(d_.Tensor(other)), from.push_back(other);
  else if (!d_.whole && d_.random.Chance(25))
    args.push_back(
        d_.Attribute(std::max(-2.0, d_.values[v].low * 0.5), std::min(2.0, d_.values[v].high * 0.5))
            .arg);
  else
    args.push_back(Number(d_.Constant(d_.values[v].low * 0.5, d_.values[v].high * 0.5), d_.whole));
  size_t test = d_.Node(op, args, d_.values[v].shape, 0, 1, from);
  d_.values[test].result_only = true;
  return test;
}

size_t Elementwise::Choice(size_t v) {
  d_.Family("select");
  bool whole = d_.whole;
  size_t other = d_.PickOther(v);
  if (d_.values[other].shape != d_.values[v].shape) other = v;
  size_t test = 0;
  if (d_.values[v].shape == d_.full && !d_.c.lists &&
      d_.random.Chance(32)) {  // the caller says which
    test = d_.Input(d_.full, 0, 1);
    d_.c.inputs.back().dtypes.assign(d_.c.dtypes.size(), Dtype::kBool);
    d_.values[test].result_only = true;
  } else {
    test = Compare(v);
  }
  if (other == v || d_.random.Chance(40))
    other = whole ? Shifted(v, 3) : Scaled(v, d_.Constant(0.05, 0.5));
  double low = std::min(d_.values[v].low, d_.values[other].low),
         high = std::max(d_.values[v].high, d_.values[other].high);
  return d_.Node("where", {d_.Tensor(test), d_.Tensor(v), d_.Tensor(other)}, d_.values[v].shape,
                 low, high, {test, v, other});
}

// Shapes of activations that models use.
size_t Elementwise::Activation(size_t v) {
  d_.Family("activation");
  v = Within(v, 8);
  double m = d_.Most(v);
  switch (d_.random.Below(6)) {
    case 0:
      return Mul(
          v, Simple("sigmoid", d_.random.Chance(50) ? v : Scaled(v, d_.Constant(1, 1.75)), 0, 1));
    case 1: {
      const record::GraphNumber how(std::string(d_.random.Chance(50) ? "tanh" : "none"));
      return d_.Node("gelu", {d_.Tensor(v), record::GraphArg::Number(how)}, d_.values[v].shape,
                     -0.2, m, {v});
    }
    case 2:
      return Simple("log1p", Simple("exp", Within(v, 4), std::exp(-4.0), std::exp(4.0)), 0.018,
                    4.1);
    case 3: {
      size_t up = Shifted(v, 3), gate = d_.Node("clamp", {d_.Tensor(up), FloatArg(0), FloatArg(6)},
                                                d_.values[v].shape, 0, 6, {up});
      return Scaled(Mul(v, gate), 0.167);
    }
    case 4: {
      size_t soft =
          Simple("log1p", Simple("exp", Within(v, 4), std::exp(-4.0), std::exp(4.0)), 0.018, 4.1);
      return Mul(v, Simple("tanh", soft, 0.01, 1));
    }
    default: {
      size_t below =
          Scaled(Simple("expm1", Within(v, 4), -1, std::exp(4.0)), d_.Constant(0.5, 1.5));
      size_t test = d_.Node("gt", {d_.Tensor(v), FloatArg(0)}, d_.values[v].shape, 0, 1, {v});
      d_.values[test].result_only = true;
      return d_.Node("where", {d_.Tensor(test), d_.Tensor(v), d_.Tensor(below)},
                     Spread(d_.values[v].shape, d_.values[below].shape), -2, std::max(m, 80.0),
                     {test, v, below});
    }
  }
}

}  // namespace akgen::corpus
