#include "corpus/compose/compose.h"

#include <algorithm>
#include <cmath>

namespace akgen::corpus {
using base::Dtype;
using base::Json;

namespace {

double Rounded(double v, int digits = 3) {
  return std::round(v * std::pow(10.0, digits)) / std::pow(10.0, digits);
}
}  // namespace

SymbolicShape Spread(const SymbolicShape& a, const SymbolicShape& b) {
  SymbolicShape out = a.size() >= b.size() ? a : b;
  const SymbolicShape& other = a.size() >= b.size() ? b : a;
  for (size_t i = 0; i < other.size(); ++i) {
    char& to = out[out.size() - 1 - i];
    if (to == '1') to = other[other.size() - 1 - i];
  }
  return out;
}

void Composer::Family(const char* name) { families_.push_back(name); }
double Composer::Most(size_t v) const {
  return std::max(std::abs(values_[v].low), std::abs(values_[v].high));
}
record::GraphArg Composer::Tensor(size_t v) const {
  return record::GraphArg::Tensor(values_[v].id);
}

double Composer::Constant(double low, double high) {
  if (!whole_ && random_.Chance(15)) {  // with as many digits as sqrt(1/2) has in a reference
    const double v = low + (high - low) * static_cast<double>(random_.Below(uint64_t{1} << 40)) /
                               static_cast<double>(uint64_t{1} << 40);
    return random_.Chance(50) ? v : Rounded(v, 4 + static_cast<int>(random_.Below(5)));
  }
  double v = low + (high - low) * static_cast<double>(random_.Below(65)) / 64;
  return whole_ ? std::round(v) : Rounded(v);
}

size_t Composer::Input(SymbolicShape shape, double low, double high) {
  c_.inputs.push_back({"x" + std::to_string(c_.inputs.size()), shape, low, high});
  values_.push_back({c_.inputs.back().id, std::move(shape), low, high, 0, false, true});
  return values_.size() - 1;
}

size_t Composer::Node(const std::string& op, const Args& args, const SymbolicShape& shape,
                      double low, double high, const std::vector<size_t>& from) {
  int depth = 0;
  for (size_t f : from) {
    values_[f].used = true;
    depth = std::max(depth, values_[f].depth);
  }
  std::string id = "v" + std::to_string(c_.nodes.size());
  c_.nodes.push_back({op, args, {id}, shape});
  values_.push_back({id, shape, low, high, depth + 1, false, false});
  return values_.size() - 1;
}

// An attribute with one value in all cases, or several.
Composer::Scalar Composer::Attribute(double low, double high) {
  std::vector<Json> values;
  Scalar out{{}, high, low};
  for (size_t n = random_.Chance(50) ? 1 : 2 + random_.Below(2); n > 0; --n) {
    double v = Constant(low, high);
    if (v == 0) v = whole_ ? 1 : 0.5;
    values.push_back(v);
    out.low = std::min(out.low, v), out.high = std::max(out.high, v);
  }
  std::string id = "a" + std::to_string(c_.attrs.size());
  c_.attrs.push_back({id, "float", values});
  out.arg = record::GraphArg::Number(AttributeNumber(id));
  return out;
}

// Values that nothing uses yet come first, so that compositions are deep and leave little open.
size_t Composer::Pick() {
  std::vector<size_t> open;
  for (size_t i = 0; i < values_.size(); ++i)
    if (!values_[i].used && !values_[i].result_only) open.push_back(i);
  if (!open.empty() && random_.Chance(75)) return open[random_.Below(open.size())];
  for (;;)
    if (size_t v = random_.Below(values_.size());
        !values_[v].result_only && (!c_.lists || values_[v].shape == full_))
      return v;
}
size_t Composer::PickOther(size_t not_this) {
  for (int i = 0; i < 8; ++i)
    if (size_t v = Pick(); v != not_this) return v;
  return not_this;
}

// ---- building blocks ----
size_t Composer::Simple(const std::string& op, size_t v, double low, double high) {
  return Node(op, {Tensor(v)}, values_[v].shape, std::min(low, high), std::max(low, high), {v});
}
size_t Composer::Add(size_t a, size_t b, const char* op) {
  bool minus = op == std::string("sub");
  double low = values_[a].low + (minus ? -values_[b].high : values_[b].low),
         high = values_[a].high + (minus ? -values_[b].low : values_[b].high);
  return Node(op, {Tensor(a), Tensor(b), IntArg(1)}, Spread(values_[a].shape, values_[b].shape),
              low, high, {a, b});
}
size_t Composer::Mul(size_t a, size_t b) {
  double p[] = {values_[a].low * values_[b].low, values_[a].low * values_[b].high,
                values_[a].high * values_[b].low, values_[a].high * values_[b].high};
  double low = *std::min_element(p, p + 4), high = *std::max_element(p, p + 4);
  if (a == b && low < 0) low = 0;
  return Node("mul", {Tensor(a), Tensor(b)}, Spread(values_[a].shape, values_[b].shape), low, high,
              {a, b});
}
size_t Composer::Scaled(size_t v, double by) {
  return Node("mul", {Tensor(v), whole_ ? IntArg(static_cast<int64_t>(by)) : FloatArg(by)},
              values_[v].shape, std::min(values_[v].low * by, values_[v].high * by),
              std::max(values_[v].low * by, values_[v].high * by), {v});
}
size_t Composer::Shifted(size_t v, double by) {
  return Node("add",
              {Tensor(v), whole_ ? IntArg(static_cast<int64_t>(by)) : FloatArg(by), IntArg(1)},
              values_[v].shape, values_[v].low + by, values_[v].high + by, {v});
}
size_t Composer::Within(size_t v, double most) {
  if (Most(v) <= most) return v;
  if (whole_)
    return Node(
        "clamp",
        {Tensor(v), IntArg(-static_cast<int64_t>(most)), IntArg(static_cast<int64_t>(most))},
        values_[v].shape, std::max(-most, values_[v].low), std::min(most, values_[v].high), {v});
  switch (random_.Below(3)) {
    case 0: return Simple("tanh", Scaled(v, Rounded(std::max(0.002, 1 / Most(v)))), -0.77, 0.77);
    case 1:
      return Node("clamp", {Tensor(v), FloatArg(-most), FloatArg(most)}, values_[v].shape,
                  std::max(-most, values_[v].low), std::min(most, values_[v].high), {v});
    default: return Scaled(v, std::max(0.001, std::floor(most / Most(v) * 1000) / 1000));
  }
}
size_t Composer::Above(size_t v, double least) {
  if (values_[v].low >= least) return v;
  double by = Rounded(least + Constant(0.1, 0.9));
  if (values_[v].low >= 0) return Shifted(v, by);
  if (Most(v) < 30 && random_.Chance(40)) return Shifted(Mul(v, v), by);
  double bottom = values_[v].high < 0 ? -values_[v].high : 0;
  return Shifted(Simple("abs", v, bottom, Most(v)), by);
}

// ---- operations ----
size_t Composer::UnaryPositive(size_t v) {
  static const char* const kOps[] = {"log",  "sqrt",  "rsqrt", "reciprocal",
                                     "log2", "log10", "log1p"};
  std::string op = kOps[random_.Below(std::size(kOps))];
  if (op != "log1p" || values_[v].low < -0.8) v = Above(v, 0.1);
  double a = values_[v].low, b = values_[v].high;
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

size_t Composer::Unary(size_t v) {
  if (whole_)
    return random_.Chance(50) ? Simple("abs", v, 0, Most(v))
                              : Simple("neg", v, -values_[v].low, -values_[v].high);
  if (random_.Chance(25)) return UnaryPositive(v);
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
  size_t at = random_.Below(std::size(kRows));
  if (at >= 17 && at <= 21 && random_.Chance(70))
    at = random_.Below(17);  // steps hide what comes before them
  const Row& row = kRows[at];
  v = Within(v, row.most);
  if (row.op == std::string("abs")) return Simple("abs", v, 0, Most(v));
  return row.f ? Simple(row.op, v, row.f(values_[v].low), row.f(values_[v].high))
               : Simple(row.op, v, row.low, row.high);
}

// The same once more, as references written without care have it.
size_t Composer::Again(size_t v) {
  for (const CompositionNode& n : c_.nodes) {
    if (n.out != std::vector<std::string>{values_[v].id} || n.by >= 0) continue;
    const CompositionNode again = n;
    const Value value = values_[v];
    size_t y = Node(again.op, again.args, again.shape, value.low, value.high, {v});
    values_[v].used = value.used;
    return y;
  }
  return v;
}

size_t Composer::Binary(size_t v) {
  if (random_.Chance(3) && Most(v) < 30) return Mul(v, Again(v));
  size_t other = PickOther(v);
  SymbolicShape both = Spread(values_[v].shape, values_[other].shape);
  if (both != values_[v].shape && both != values_[other].shape) other = v;
  int kind = static_cast<int>(random_.Below(whole_ ? 8 : 10));
  if (other == v) return Most(v) < 30 ? Mul(v, v) : v;
  if (kind < 5) return Add(v, other, kind < 3 ? "add" : "sub");
  if (kind == 5 || kind == 6) {
    if (Most(v) * Most(other) <= kMaxValue) return Mul(v, other);
    return Add(v, other);
  }
  if (kind == 7) {
    bool most = random_.Chance(50);
    const Value &a = values_[v], &b = values_[other];
    double low = most ? std::max(a.low, b.low) : std::min(a.low, b.low),
           high = most ? std::max(a.high, b.high) : std::min(a.high, b.high);
    return Node(most ? "maximum" : "minimum", {Tensor(v), Tensor(other)}, both, low, high,
                {v, other});
  }
  size_t by = Above(other, 0.25);
  double m = Most(v) / values_[by].low;
  return Node("div", {Tensor(v), Tensor(by)}, both, -m, m, {v, by});
}

size_t Composer::WithNumber(size_t v) {
  bool whole = whole_;
  double low = values_[v].low, high = values_[v].high;
  switch (random_.Below(whole ? 3 : 7)) {
    case 0: return Shifted(v, Constant(-3, 3));
    case 1:
      return Scaled(v, whole ? 2 + static_cast<double>(random_.Below(3)) : Constant(-2, 2.03125));
    case 2: {
      double m =
          whole ? std::max(2.0, std::round(Most(v) / 2)) : Rounded(std::max(0.1, Most(v) * 0.6));
      auto number = [&](double x) { return whole ? IntArg(static_cast<int64_t>(x)) : FloatArg(x); };
      return Node("clamp", {Tensor(v), number(-m), number(m)}, values_[v].shape, std::max(low, -m),
                  std::min(high, m), {v});
    }
    case 3:
    case 4: return WithScalar(v);
    case 5: {
      size_t p = Above(Within(v, 20), 0.2);
      double e = random_.Chance(50) ? 1.5 : 0.75;
      return Node("pow", {Tensor(p), FloatArg(e)}, values_[p].shape, std::pow(values_[p].low, e),
                  std::pow(values_[p].high, e), {p});
    }
    default: {
      if (!c_.lists && random_.Chance(35)) {  // by how many elements there are, in a row or in all
        const bool row = random_.Chance(60);
        record::GraphNumber number =
            Operation(row ? "size" : "numel", {TensorNumber(values_[v].id)});
        if (row && values_[v].shape.empty()) return v;
        if (row) number.args.push_back(record::GraphNumber(int64_t{-1}));
        return Node("div", {Tensor(v), record::GraphArg::Number(number)}, values_[v].shape,
                    std::min(low, low / 1000), std::max(high, high / 1000), {v});
      }
      double by = Constant(1, 8);
      return Node("div", {Tensor(v), FloatArg(by)}, values_[v].shape, low / by, high / by, {v});
    }
  }
}

size_t Composer::Choice(size_t v) {
  Family("select");
  bool whole = whole_;
  size_t other = PickOther(v);
  if (values_[other].shape != values_[v].shape) other = v;
  size_t test = 0;
  if (values_[v].shape == full_ && !c_.lists && random_.Chance(32)) {  // the caller says which
    test = Input(full_, 0, 1);
    c_.inputs.back().dtypes.assign(c_.dtypes.size(), Dtype::kBool);
    values_[test].result_only = true;
  } else {
    test = Compare(v);
  }
  if (other == v || random_.Chance(40))
    other = whole ? Shifted(v, 3) : Scaled(v, Constant(0.05, 0.5));
  double low = std::min(values_[v].low, values_[other].low),
         high = std::max(values_[v].high, values_[other].high);
  return Node("where", {Tensor(test), Tensor(v), Tensor(other)}, values_[v].shape, low, high,
              {test, v, other});
}

// Shapes of activations that models use.
size_t Composer::Activation(size_t v) {
  Family("activation");
  v = Within(v, 8);
  double m = Most(v);
  switch (random_.Below(6)) {
    case 0:
      return Mul(v, Simple("sigmoid", random_.Chance(50) ? v : Scaled(v, Constant(1, 1.75)), 0, 1));
    case 1: {
      const record::GraphNumber how(std::string(random_.Chance(50) ? "tanh" : "none"));
      return Node("gelu", {Tensor(v), record::GraphArg::Number(how)}, values_[v].shape, -0.2, m,
                  {v});
    }
    case 2:
      return Simple("log1p", Simple("exp", Within(v, 4), std::exp(-4.0), std::exp(4.0)), 0.018,
                    4.1);
    case 3: {
      size_t up = Shifted(v, 3), gate = Node("clamp", {Tensor(up), FloatArg(0), FloatArg(6)},
                                             values_[v].shape, 0, 6, {up});
      return Scaled(Mul(v, gate), 0.167);
    }
    case 4: {
      size_t soft =
          Simple("log1p", Simple("exp", Within(v, 4), std::exp(-4.0), std::exp(4.0)), 0.018, 4.1);
      return Mul(v, Simple("tanh", soft, 0.01, 1));
    }
    default: {
      size_t below = Scaled(Simple("expm1", Within(v, 4), -1, std::exp(4.0)), Constant(0.5, 1.5));
      size_t test = Node("gt", {Tensor(v), FloatArg(0)}, values_[v].shape, 0, 1, {v});
      values_[test].result_only = true;
      return Node("where", {Tensor(test), Tensor(v), Tensor(below)},
                  Spread(values_[v].shape, values_[below].shape), -2, std::max(m, 80.0),
                  {test, v, below});
    }
  }
}

}  // namespace akgen::corpus
