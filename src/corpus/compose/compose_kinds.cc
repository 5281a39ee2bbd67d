// Compositions of kinds that elementwise chains do not show: comparisons, inputs that may be
// missing, attributes that choose, lists, results in the memory of inputs.
#include <algorithm>
#include <cmath>

#include "corpus/compose/compose.h"

namespace akgen::corpus {
using base::Dtype;
using base::Json;

namespace {
record::GraphArg Number(double v, bool whole) {
  return whole ? IntArg(static_cast<int64_t>(v)) : FloatArg(v);
}
}  // namespace

// Another tensor, an attribute or a number; the same shape comes out.
size_t Composer::Compare(size_t v) {
  static const char* const kOps[] = {"lt", "le", "gt", "ge", "eq", "ne"};
  size_t other = PickOther(v);
  const bool pair = other != v && values_[other].shape == values_[v].shape && random_.Chance(45);
  std::string op = kOps[random_.Below(pair || whole_ ? 6 : 4)];
  std::vector<size_t> from = {v};
  Args args = {Tensor(v)};
  if (pair)
    args.push_back(Tensor(other)), from.push_back(other);
  else if (!whole_ && random_.Chance(25))
    args.push_back(
        Attribute(std::max(-2.0, values_[v].low * 0.5), std::min(2.0, values_[v].high * 0.5)).arg);
  else
    args.push_back(Number(Constant(values_[v].low * 0.5, values_[v].high * 0.5), whole_));
  size_t test = Node(op, args, values_[v].shape, 0, 1, from);
  values_[test].result_only = true;
  return test;
}

// A number that is no constant: an attribute, arithmetic on one, or a tensor of one element.
size_t Composer::WithScalar(size_t v) {
  const double low = values_[v].low, high = values_[v].high;
  auto apply = [&](const char* op, const Scalar& by) {
    double p[] = {low * by.low, low * by.high, high * by.low, high * by.high};
    Args args = {Tensor(v), by.arg};
    if (op == std::string("mul"))
      return Node(op, args, values_[v].shape, *std::min_element(p, p + 4),
                  *std::max_element(p, p + 4), {v});
    if (op == std::string("div"))
      return Node(op, args, values_[v].shape, std::min(low, low / by.low),
                  std::max(high, high / by.low), {v});
    const bool minus = op == std::string("sub");
    args.push_back(IntArg(1));
    return Node(op, args, values_[v].shape, low + (minus ? -by.high : by.low),
                high + (minus ? -by.low : by.high), {v});
  };
  switch (random_.Below(8)) {
    case 0:
    case 1: return apply("mul", Attribute());
    case 2: return apply("add", Attribute());
    case 3: return apply(random_.Chance(50) ? "sub" : "div", Attribute());
    case 4: {  // between two of them
      Scalar from = Attribute(-2, -0.25), to = Attribute(0.25, 2);
      return Node("clamp", {Tensor(v), from.arg, to.arg}, values_[v].shape, std::max(low, from.low),
                  std::max(from.low, std::min(high, to.high)), {v});
    }
    case 5: {  // a mean with weights
      size_t other = PickOther(v);
      if (values_[other].shape != values_[v].shape) other = v;
      Scalar a = Attribute(0.125, 0.875);
      const auto rest = record::GraphArg::Number(
          Operation("sub", {record::GraphNumber(int64_t{1}), a.arg.number}));
      size_t one = Node("mul", {Tensor(v), rest}, values_[v].shape, std::min(low, 0.0),
                        std::max(high, 0.0), {v});
      size_t two =
          Node("mul", {Tensor(other), a.arg}, values_[v].shape, std::min(values_[other].low, 0.0),
               std::max(values_[other].high, 0.0), {other});
      return Add(one, two);
    }
    default: {
      size_t one = Input("1", random_.Chance(50) ? 0.25 : -1.5, 1.75);
      c_.inputs.back().single = c_.lists;
      if (!random_.Chance(35)) return Mul(v, one);
      return Add(v, one, random_.Chance(70) ? "add" : "sub");
    }
  }
}

// A question with its answers, one graph for each.
size_t Composer::Switch(const std::string& type, std::vector<Json> values) {
  const size_t which = c_.switches.size();
  c_.switches.push_back(values.size());
  c_.attrs.push_back(
      {"a" + std::to_string(c_.attrs.size()), type, std::move(values), static_cast<int>(which)});
  return which;
}

// A factor, a summand or both that may be missing.
size_t Composer::Optional(size_t v, bool summand) {
  if (c_.switches.size() > 1 || whole_ || c_.lists || values_[v].shape != full_ ||
      Most(v) > kMaxValue / 4)
    return Unary(v);
  Family("optional");
  const int which = static_cast<int>(c_.switches.size());
  c_.switches.push_back(2);
  const SymbolicShape shape = summand              ? full_
                              : random_.Chance(50) ? full_.substr(full_.size() - 1)
                              : random_.Chance(60) ? full_
                                                   : SymbolicShape("1");
  const int kind = summand ? 3 : static_cast<int>(random_.Below(4));
  auto with = [&](const char* op, double low, double high) {
    size_t x = Input(shape, low, high);
    c_.inputs.back().without = which;
    size_t y = op == std::string("mul") ? Mul(v, x) : Add(v, x, op);
    CompositionNode& n = c_.nodes.back();
    n.by = which;
    n.others = {{"", {Tensor(v)}, values_[v].shape}};
    values_[y].low = std::min(values_[y].low, values_[v].low),
    values_[y].high = std::max(values_[y].high, values_[v].high);
    values_[x].result_only = true;  // nothing else may take what can be missing
    v = y;
  };
  if (kind < 3) with(kind == 2 ? "add" : "mul", kind == 2 ? -1 : 0.5, 1.5);
  if (kind == 0 || kind == 3) with(random_.Chance(80) ? "add" : "sub", -1, 1);
  return v;
}

// An attribute that says which of several operations.
size_t Composer::Switched(size_t v) {
  if (c_.switches.size() > 1 || whole_ || c_.lists || values_[v].shape != full_) return Unary(v);
  Family("chosen");
  v = Within(v, 4);
  if (random_.Chance(35)) {
    std::vector<Json> how = {"tanh", "none"};
    if (random_.Chance(50)) std::swap(how[0], how[1]);
    size_t y =
        Node("gelu",
             {Tensor(v),
              record::GraphArg::Number(AttributeNumber("a" + std::to_string(c_.attrs.size())))},
             values_[v].shape, -0.2, 4, {v});
    const int which = static_cast<int>(Switch("string", how));
    c_.nodes.back().by = which;
    c_.nodes.back().others = {{"gelu", c_.nodes.back().args, values_[v].shape}};
    return y;
  }
  static const char* const kOps[] = {"sigmoid", "tanh", "erf", "sin",  "cos",
                                     "relu",    "neg",  "abs", "atan", "exp"};
  const size_t states = random_.Chance(70) ? 2 : 3, first = random_.Below(std::size(kOps));
  std::vector<Alternative> others;
  for (size_t k = 1; k < states; ++k)
    others.push_back({random_.Chance(15) ? "" : kOps[(first + k) % std::size(kOps)],
                      {Tensor(v)},
                      values_[v].shape});
  size_t y = Node(kOps[first], {Tensor(v)}, values_[v].shape, -4, std::exp(4.0), {v});
  static const std::vector<Json> kWords = {"fast", "exact", "none"}, kNumbers = {0, 1, 2};
  std::vector<Json> values = states == 2 && random_.Chance(40) ? std::vector<Json>{true, false}
                             : random_.Chance(50)              ? kNumbers
                                                               : kWords;
  values.resize(states);
  if (random_.Chance(30)) std::reverse(values.begin(), values.end());
  const std::string type = values[0].is_boolean()  ? "bool"
                           : values[0].is_number() ? "int"
                                                   : "string";
  c_.nodes.back().by = static_cast<int>(Switch(type, values));
  c_.nodes.back().others = others;
  return y;
}

// As losses and their gradients end: an attribute says whether with the mean or the sum of
// everything, or with neither.
size_t Composer::ByMode(size_t v) {
  if (c_.switches.size() > 1) return Whole(v);
  Family("mode");
  v = Within(v, 5);
  if (random_.Chance(30)) {
    size_t other = PickOther(v);
    if (values_[other].shape != full_ || values_[other].result_only) other = Input(full_, -2, 2);
    size_t d = Add(v, other, "sub");
    v = Within(Mul(d, random_.Chance(50) ? d : Again(d)), 5);
  }
  std::vector<std::string> modes = {"mean", "sum"};
  if (random_.Chance(40)) std::swap(modes[0], modes[1]);
  if (random_.Chance(60)) modes.insert(modes.begin() + (random_.Chance(70) ? 2 : 1), "none");
  const bool gradient = random_.Chance(50);  // nothing is summed: the mean's gradient is divided
  size_t size_of = v;
  for (size_t i = 0; i < values_.size(); ++i)
    if (values_[i].leaf && values_[i].shape == full_ && random_.Chance(70)) size_of = i;
  std::vector<Alternative> all;
  for (const std::string& mode : modes) {
    const Args self = {Tensor(v)};
    if (mode == "none" || (gradient && mode == "sum"))
      all.push_back({"", self, full_});
    else if (gradient)
      all.push_back({"div",
                     {Tensor(v), record::GraphArg::Number(
                                     Operation("numel", {TensorNumber(values_[size_of].id)}))},
                     full_});
    else
      all.push_back({mode, {Tensor(v), {}}, ""});
  }
  const auto makes =
      std::find_if(all.begin(), all.end(), [](const Alternative& a) { return !a.op.empty(); }) -
      all.begin();
  std::swap(all[0], all[static_cast<size_t>(makes)]),
      std::swap(modes[0], modes[static_cast<size_t>(makes)]);  // the first one makes a value
  const Alternative first = all[0];
  size_t y = Node(first.op, first.args, first.shape, -kMaxValue, kMaxValue, {v});
  c_.nodes.back().by = static_cast<int>(Switch("string", {modes.begin(), modes.end()}));
  c_.nodes.back().others.assign(all.begin() + 1, all.end());
  return y;
}

// To eight bits: a scale that is a number, an element or a row, and sometimes an offset.
size_t Composer::Quantised(size_t v) {
  if (full_.back() == 'C' && row_dims_ == 1 && random_.Chance(40)) return QuantisedByRow(v);
  const double by = std::round(std::max(0.05, 120 / std::max(0.1, Most(v))) * 1000) / 1000;
  if (random_.Chance(40))
    v = Scaled(v, by);
  else {
    size_t x = Input(random_.Chance(60) ? "C" : "1", by * 0.5, by);
    if (random_.Chance(50)) {
      c_.inputs.back().low = values_[x].low = 1 / by,
      c_.inputs.back().high = values_[x].high = 2 / by;
      v = Node("div", {Tensor(v), Tensor(x)}, full_, -130, 130, {v, x});
    } else {
      v = Node("mul", {Tensor(v), Tensor(x)}, full_, -130, 130, {v, x});
    }
    if (random_.Chance(50)) v = Add(v, Input(c_.inputs.back().shape, -8, 8));
  }
  size_t whole = Simple("round", v, -150, 150);
  return Node("clamp", {Tensor(whole), IntArg(-128), IntArg(127)}, full_, -128, 127, {whole});
}

// By the largest of each row, which is a result as well.
size_t Composer::QuantisedByRow(size_t v) {
  const double most = Most(v);
  size_t size = Simple("abs", Within(v, 100), 0, most), largest, by;
  if (random_.Chance(50)) {
    largest = Reduced("amax", size);
    by = largest = Node("div", {Tensor(largest), IntArg(127)}, values_[largest].shape, 0.001,
                        most / 127, {largest});
  } else {  // without the dimension, which comes back for the division
    const SymbolicShape rows = full_.substr(0, full_.size() - 1);
    largest = Node("amax",
                   {Tensor(size), record::GraphArg::List(std::vector<int64_t>{-1}), BoolArg(false)},
                   rows, 0, most, {size});
    largest = Node("div", {Tensor(largest), IntArg(127)}, rows, 0.001, most / 127, {largest});
    by = Node("unsqueeze", {Tensor(largest), IntArg(-1)}, rows + "1", 0.001, most / 127, {largest});
  }
  values_[largest].result_only = true;
  if (kept_.size() < 3) kept_.emplace_back(largest, true);
  size_t y =
      Simple("round", Node("div", {Tensor(v), Tensor(by)}, full_, -127, 127, {v, by}), -127, 127);
  return Node("clamp", {Tensor(y), IntArg(-128), IntArg(127)}, full_, -128, 127, {y});
}

// Sums in which rows, columns and elements weigh, over one of the dimensions.
size_t Composer::Weighted() {
  Family("weighted");
  size_t v = 0;
  SymbolicShape row = full_, column = full_;
  std::fill(row.begin(), row.end() - 1, '1');
  column.back() = '1';
  for (size_t n = 2 + random_.Below(4); n > 0; --n) {
    if (random_.Chance(30)) {
      v = Unary(v);
      continue;
    }
    const SymbolicShape shape = random_.Chance(25)   ? row
                                : random_.Chance(40) ? column
                                : random_.Chance(50) ? SymbolicShape("1")
                                                     : full_;
    size_t x = Input(shape, -1, 1.5);
    v = Within(v, 20);
    v = random_.Chance(65) ? Mul(v, x) : Add(v, x);
  }
  v = Within(v, 5);
  const int rank = static_cast<int>(full_.size()),
            dim = static_cast<int>(random_.Below(full_.size()));
  SymbolicShape left = full_;
  const bool keep = random_.Chance(30);
  if (keep)
    left[static_cast<size_t>(dim)] = '1';
  else
    left.erase(static_cast<size_t>(dim), 1);
  return Node(random_.Chance(60) ? "sum" : "mean",
              {Tensor(v),
               record::GraphArg::List(std::vector<int64_t>{random_.Chance(50) ? dim - rank : dim}),
               BoolArg(keep),
               {}},
              left, -kMaxValue, kMaxValue, {v});
}

// ---- lists ----
// One number for each tensor of the list, or one for all of them.
size_t Composer::Scalars() {
  const bool each = random_.Chance(55);
  size_t x = Input(each ? "T" : "1", whole_ ? 1 : 0.25, whole_ ? 4 : 1.75);
  CompositionInput& in = c_.inputs.back();
  in.single = true;
  if (random_.Chance(50)) {
    const bool wide = random_.Chance(40);
    for (Dtype d : c_.dtypes)
      in.dtypes.push_back(d == Dtype::kBfloat16 || (d == Dtype::kFloat16 && wide) ? Dtype::kFloat32
                          : d == Dtype::kInt32 && wide                            ? Dtype::kInt64
                                                                                  : d);
  }
  if (!each) return x;
  const auto turn = record::GraphNumber::Of(record::GraphNumber::From::kTurn, "");
  size_t y = Node("select", {Tensor(x), IntArg(0), record::GraphArg::Number(turn)}, "",
                  values_[x].low, values_[x].high, {x});
  return y;
}

void Composer::StartList() {
  static const char* const kShapes[] = {"C", "RC", "RC", "ARC", "BARC", "BARC"};
  full_ = kShapes[random_.Below(std::size(kShapes))];
  const double reach = whole_ ? 9 : 0.5 + 0.5 * static_cast<double>(random_.Below(6));
  const size_t inputs = 1 + random_.Below(3);
  for (size_t i = 0; i < inputs; ++i)
    Input(full_, whole_ ? -9 : random_.Chance(30) ? 0.125 : -reach, reach);
}

void Composer::GrowList(size_t operations) {
  while (c_.nodes.size() < operations) {
    size_t v = Pick();
    const int kind = static_cast<int>(random_.Below(110));
    if (kind < 35)
      Unary(v);
    else if (kind < 55)
      Binary(v);
    else if (kind >= 100) {  // a + s * b * c, a + s * (b / c)
      size_t a = PickOther(v), b = PickOther(a), by = Scalars();
      if (Most(v) * Most(b) * Most(by) > kMaxValue || Most(v) > kMaxValue / 8) continue;
      const bool quotient = !whole_ && random_.Chance(40);
      if (quotient) {
        b = Above(b, 0.25);
        size_t q = Node("div", {Tensor(v), Tensor(b)}, full_, -4 * Most(v), 4 * Most(v), {v, b});
        Add(a, random_.Chance(50) ? Mul(by, q) : Mul(q, by));
      } else if (random_.Chance(60)) {
        Add(a, Mul(random_.Chance(60) ? Mul(by, v) : Mul(v, by), b));
      } else {
        Add(a, Mul(by, Mul(v, b)));
      }
    } else if (kind < 70) {
      static const char* const kOps[] = {"add", "sub", "mul", "mul"};
      const std::string op = kOps[random_.Below(4)];
      size_t by = Scalars();
      if (op == "mul" && Most(v) * Most(by) <= kMaxValue)
        random_.Chance(30) ? Mul(by, v) : Mul(v, by);
      else
        Add(v, by, op == "sub" ? "sub" : "add");
    } else if (kind < 75 && !whole_) {
      size_t by = Scalars();
      Node("div", {Tensor(v), Tensor(by)}, full_, -4 * Most(v), 4 * Most(v), {v, by});
    } else if (kind < 90)
      WithNumber(v);
    else if (kind < 96)
      Choice(v);
    else if (!whole_)
      Activation(v);
  }
}

// ---- comparisons in any dtype ----
void Composer::Narrow() {
  Family("narrow");
  whole_ = true;
  static const std::vector<Dtype> kAll = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kInt8,
                                          Dtype::kInt32,   Dtype::kUint8,   Dtype::kInt64,
                                          Dtype::kBfloat16};
  for (Dtype d : kAll)
    if (random_.Chance(70)) c_.dtypes.push_back(d);
  if (c_.dtypes.empty()) c_.dtypes = {Dtype::kInt8};
  static const char* const kShapes[] = {"C", "RC", "RC", "ARC", "BARC"};
  full_ = kShapes[random_.Below(std::size(kShapes))];
  const size_t inputs = 1 + random_.Below(3);
  for (size_t i = 0; i < inputs; ++i) Input(i && random_.Chance(20) ? ShapeOfInput() : full_, 0, 7);
  for (size_t n = random_.Below(3); n > 0; --n) {
    size_t v = Pick(), other = PickOther(v);
    if (other == v || Spread(values_[v].shape, values_[other].shape) != full_) continue;
    if (random_.Chance(60))
      Node(random_.Chance(50) ? "maximum" : "minimum", {Tensor(v), Tensor(other)}, full_, 0, 7,
           {v, other});
    else if (values_[v].shape == full_) {
      size_t test = Compare(v);
      Node("where", {Tensor(test), Tensor(v), Tensor(other)}, full_, 0, 7, {test, v, other});
    }
  }
  std::vector<size_t> open;
  for (;;) {
    open.clear();
    for (size_t i = 0; i < values_.size(); ++i)
      if (!values_[i].used) open.push_back(i);
    if (open.size() <= 1) break;
    size_t a = open[open.size() - 2], b = open.back();
    if (open.size() == 2 && Spread(values_[a].shape, values_[b].shape) == full_) {
      static const char* const kOps[] = {"lt", "le", "gt", "ge", "eq", "ne"};
      open = {Node(kOps[random_.Below(6)], {Tensor(a), Tensor(b)}, full_, 0, 1, {a, b})};
      values_[open[0]].result_only = true;
      break;
    }
    Node(random_.Chance(50) ? "maximum" : "minimum", {Tensor(a), Tensor(b)},
         Spread(values_[a].shape, values_[b].shape), 0, 7, {a, b});
  }
  if (values_[open[0]].leaf || (!values_[open[0]].result_only && random_.Chance(50)))
    open = {Compare(open[0])};
  Outputs(open);
}

// ---- sums that go on, results over inputs, attributes without a part ----
void Composer::Residual() {
  if (whole_ || values_.empty() || values_[0].shape != full_ || values_[0].used) return;
  Family("residual");
  size_t x = 0, other = values_.size() > 1 && values_[1].leaf && values_[1].shape == full_
                            ? 1
                            : Input(full_, values_[0].low, values_[0].high);
  if (random_.Chance(20)) {
    Scalar a = Attribute(0.125, 0.875);
    x = Node("mul", {Tensor(x), a.arg}, full_, std::min(values_[0].low, 0.0),
             std::max(values_[0].high, 0.0), {x});
  }
  size_t sum = Add(x, other);
  if (random_.Chance(15)) sum = Optional(sum, true);
  Keep(sum, 60, false);
  if (random_.Chance(60)) Norm(sum);
}

// As gradients of norms: products with sums along the row, rows' statistics that the caller hands
// over, and sums over all rows as further results.
void Composer::Gradients() {
  const size_t inner = static_cast<size_t>(row_dims_);
  if (whole_ || full_.size() <= inner || full_.back() != 'C') return;
  const size_t outer = full_.size() - inner;
  const SymbolicShape row = full_.substr(outer),
                      column = full_.substr(0, outer) + SymbolicShape(inner, '1');
  auto full = [&] {
    for (int i = 0; i < 8; ++i)
      if (size_t v = Pick(); values_[v].shape == full_) return Within(v, 4);
    return Input(full_, -2, 2);
  };
  auto statistic = [&](double low, double high) {
    size_t x = Input(column, low, high);
    if (random_.Chance(60)) c_.inputs.back().dtypes.assign(c_.dtypes.size(), Dtype::kFloat32);
    return x;
  };
  Family("gradient");
  size_t v = full(), by = random_.Chance(60) ? full() : Input(full_, -2, 2), scale = by;
  if (random_.Chance(45)) {
    if (random_.Chance(55)) by = Add(by, statistic(-0.5, 0.5), "sub");
    scale = statistic(0.5, 1.5);
    if (random_.Chance(70)) by = Mul(by, scale);
  }
  const bool weight = random_.Chance(50);
  const std::string of_weight = "x" + std::to_string(c_.inputs.size());
  if (weight) v = Mul(v, Input(row, 0.5, 1.5));
  by = Within(by, 4);
  size_t product = Mul(v, by), left = v;
  for (size_t n = random_.Below(3); n > 0; --n) {
    const size_t of = n == 2 ? v : product;
    const bool counted = weight && random_.Chance(inner > 1 ? 60 : 25),
               sized = !counted && inner == 1 && random_.Chance(60);
    size_t mean = Reduced(counted || sized ? "sum" : "mean", of);
    if (counted || sized) {
      const auto size =
          counted
              ? Operation("numel", {TensorNumber(of_weight)})
              : Operation("size", {TensorNumber(values_[of].id), record::GraphNumber(int64_t{-1})});
      mean = Node("div", {Tensor(mean), record::GraphArg::Number(size)}, values_[mean].shape, -16,
                  16, {mean});
    }
    left = Add(left, n == 2 ? mean : Mul(by, mean), "sub");
  }
  if (scale != by && left != v && values_[scale].shape == column && random_.Chance(60))
    Mul(left, scale);
  std::vector<int64_t> dims;
  for (size_t d = 0; d < outer; ++d) dims.push_back(static_cast<int64_t>(d));
  for (size_t n = 1 + random_.Below(2); n > 0; --n) {
    size_t of = n == 1 ? product : v;
    std::vector<int64_t> over = dims;
    if (inner == 1 && random_.Chance(30))
      if (size_t flat = Reshaped(of, "LC"); flat != of) of = flat, over = {0};
    size_t total = Node("sum", {Tensor(of), record::GraphArg::List(over), BoolArg(false), {}}, row,
                        -kMaxValue, kMaxValue, {of});
    values_[total].used = true, values_[total].result_only = true;  // a result alone
    kept_.emplace_back(total, true);
  }
}

}  // namespace akgen::corpus
