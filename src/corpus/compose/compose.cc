// A composition from its inputs to its cases: how it grows, what becomes its outputs, and in which
// shapes it is asked for.
#include "corpus/compose/compose.h"

#include <algorithm>
#include <cmath>

namespace akgen::corpus {
using base::Dtype;

// One dtype, or several as columns, mostly in the order in which tasks have them.
void Composer::Dtypes() {
  int kind = static_cast<int>(d_.random.Below(100));
  d_.whole = kind >= 90;
  if (kind >= 95)
    d_.c.dtypes = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kInt32, Dtype::kBfloat16};
  else if (d_.whole)
    d_.c.dtypes = {Dtype::kInt32};
  else if (kind < 40)
    d_.c.dtypes = {kind < 15 ? Dtype::kFloat32 : kind < 30 ? Dtype::kFloat16 : Dtype::kBfloat16};
  else if (kind < 45)
    d_.c.dtypes = {Dtype::kFloat16, Dtype::kBfloat16};
  else {
    d_.c.dtypes = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16};
    if (d_.random.Chance(20))
      std::rotate(d_.c.dtypes.begin(), d_.c.dtypes.begin() + static_cast<long>(d_.random.Below(3)),
                  d_.c.dtypes.end());
    if (kind < 60) d_.c.dtypes.pop_back();
  }
}

void Composer::Start(size_t inputs) {
  bool whole = d_.whole;
  static const char* const kShapes[] = {"C",   "RC",  "RC",  "RC",   "RC",
                                        "ARC", "ARC", "ARC", "BARC", "BARC"};
  d_.full = kShapes[d_.random.Below(std::size(kShapes))];
  double reach = whole ? 9 : 0.5 + 0.5 * static_cast<double>(d_.random.Below(6));
  d_.Input(d_.full, d_.random.Chance(20) && !whole ? 0.125 : -reach, reach);
  if (!whole && d_.random.Chance(17)) return shapes_.StartHalves();
  if (!whole && d_.full.size() >= 3 && d_.random.Chance(8)) shapes_.StartFlat();
  if (d_.full.size() >= 3 && d_.full.back() == 'C' && d_.random.Chance(9)) d_.row_dims = 2;
  for (size_t i = 1; i < inputs; ++i) {
    d_.Input(d_.ShapeOfInput(), whole ? -9 : -reach, reach);
  }
}

void Composer::Grow(size_t operations) {
  while (d_.c.nodes.size() < operations) {
    size_t v = d_.Pick();
    if (d_.Most(v) > kMaxValue) v = e_.Within(v, 50);
    int kind = static_cast<int>(d_.random.Below(106));
    if (d_.whole) kind = kind % 80;
    if (kind < 20)
      e_.Unary(v);
    else if (kind < 46)
      e_.Binary(v);
    else if (kind < 68)
      e_.WithNumber(v);
    else if (kind < 78)
      e_.Choice(v);
    else if (kind < 80 || (kind >= 101 && kind < 103))
      choices_.Optional(v);
    else if (kind < 87)
      e_.Activation(v);
    else if (kind < 93)
      rows_.Reduction(v);
    else if (kind < 101)
      rows_.Norm(v);
    else
      choices_.Switched(v);
  }
}

// What most operators are: one thing, and little around it.
void Composer::Alone() {
  size_t v = d_.Pick();
  if (d_.random.Chance(15)) v = e_.Choice(v);
  const int kind = static_cast<int>(d_.random.Below(100));
  size_t out = kind < 55   ? rows_.Norm(v)
               : kind < 80 ? e_.Activation(v)
               : kind < 90 ? rows_.Reduction(v)
                           : e_.WithNumber(v);
  if (d_.random.Chance(25)) out = d_.random.Chance(50) ? e_.Activation(out) : e_.WithNumber(out);
}

void Composer::Narrow() {
  d_.Family("narrow");
  d_.whole = true;
  static const std::vector<Dtype> kAll = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kInt8,
                                          Dtype::kInt32,   Dtype::kUint8,   Dtype::kInt64,
                                          Dtype::kBfloat16};
  for (Dtype d : kAll)
    if (d_.random.Chance(70)) d_.c.dtypes.push_back(d);
  if (d_.c.dtypes.empty()) d_.c.dtypes = {Dtype::kInt8};
  static const char* const kShapes[] = {"C", "RC", "RC", "ARC", "BARC"};
  d_.full = kShapes[d_.random.Below(std::size(kShapes))];
  const size_t inputs = 1 + d_.random.Below(3);
  for (size_t i = 0; i < inputs; ++i)
    d_.Input(i && d_.random.Chance(20) ? d_.ShapeOfInput() : d_.full, 0, 7);
  for (size_t n = d_.random.Below(3); n > 0; --n) {
    size_t v = d_.Pick(), other = d_.PickOther(v);
    if (other == v || Spread(d_.values[v].shape, d_.values[other].shape) != d_.full) continue;
    if (d_.random.Chance(60))
      d_.Node(d_.random.Chance(50) ? "maximum" : "minimum", {d_.Tensor(v), d_.Tensor(other)},
              d_.full, 0, 7, {v, other});
    else if (d_.values[v].shape == d_.full) {
      size_t test = e_.Compare(v);
      d_.Node("where", {d_.Tensor(test), d_.Tensor(v), d_.Tensor(other)}, d_.full, 0, 7,
              {test, v, other});
    }
  }
  std::vector<size_t> open;
  for (;;) {
    open.clear();
    for (size_t i = 0; i < d_.values.size(); ++i)
      if (!d_.values[i].used) open.push_back(i);
    if (open.size() <= 1) break;
    size_t a = open[open.size() - 2], b = open.back();
    if (open.size() == 2 && Spread(d_.values[a].shape, d_.values[b].shape) == d_.full) {
      static const char* const kOps[] = {"lt", "le", "gt", "ge", "eq", "ne"};
      open = {
          d_.Node(kOps[d_.random.Below(6)], {d_.Tensor(a), d_.Tensor(b)}, d_.full, 0, 1, {a, b})};
      d_.values[open[0]].result_only = true;
      break;
    }
    d_.Node(d_.random.Chance(50) ? "maximum" : "minimum", {d_.Tensor(a), d_.Tensor(b)},
            Spread(d_.values[a].shape, d_.values[b].shape), 0, 7, {a, b});
  }
  if (d_.values[open[0]].leaf || (!d_.values[open[0]].result_only && d_.random.Chance(50)))
    open = {e_.Compare(open[0])};
  outputs_.Take(open, eight_bits_);
}

void Composer::Residual() {
  if (d_.whole || d_.values.empty() || d_.values[0].shape != d_.full || d_.values[0].used) return;
  d_.Family("residual");
  size_t x = 0, other = d_.values.size() > 1 && d_.values[1].leaf && d_.values[1].shape == d_.full
                            ? 1
                            : d_.Input(d_.full, d_.values[0].low, d_.values[0].high);
  if (d_.random.Chance(20)) {
    Draft::Scalar a = d_.Attribute(0.125, 0.875);
    x = d_.Node("mul", {d_.Tensor(x), a.arg}, d_.full, std::min(d_.values[0].low, 0.0),
                std::max(d_.values[0].high, 0.0), {x});
  }
  size_t sum = e_.Add(x, other);
  if (d_.random.Chance(15)) sum = choices_.Optional(sum, true);
  d_.Keep(sum, 60, false);
  if (d_.random.Chance(60)) rows_.Norm(sum);
}

void Composer::Last(std::vector<size_t>& open) {
  bool plain = open.size() == 1 && d_.values[open[0]].shape == d_.full && !d_.whole &&
               !d_.c.lists && !d_.values[open[0]].result_only;
  if (!plain) return;
  int kind = static_cast<int>(d_.random.Below(104));
  if (kind >= 96) {
    d_.Family("truth");
    open = {e_.Compare(open[0])};
    return;
  }
  if (kind >= 90) {  // to eight bits
    d_.Family("quantised");
    open = {rows_.Quantised(open[0])};
    eight_bits_ = true;
    return;
  }
  if (kind < 8)
    open = {choices_.ByMode(open[0])};
  else if (kind < 15)
    open = {rows_.Whole(open[0])};
  else if (kind < 18 && d_.full.size() > 1) {
    d_.Family("triangle");
    open = {d_.Node(d_.random.Chance(50) ? "tril" : "triu",
                    {d_.Tensor(open[0]), IntArg(static_cast<int>(d_.random.Below(5)) - 2)}, d_.full,
                    d_.values[open[0]].low, d_.values[open[0]].high, {open[0]})};
  } else if (kind < 24 || (shapes_.Halved() && kind < 55)) {
    open = {shapes_.Joined(open[0])};
  }
}

// What is open is joined until one or two outputs are left.
void Composer::Finish() {
  size_t outputs = !d_.c.lists && d_.random.Chance(12) ? 2 : 1;
  std::vector<size_t> open;
  for (;;) {
    open.clear();
    for (size_t i = 0; i < d_.values.size(); ++i)
      if (!d_.values[i].used) open.push_back(i);
    if (open.size() <= outputs) break;
    size_t a = open[open.size() - 2], b = open.back();
    if (d_.Most(a) * d_.Most(b) <= kMaxValue && d_.random.Chance(50))
      e_.Mul(a, b);
    else if (d_.random.Chance(20) && !d_.whole)
      d_.Node("maximum", {d_.Tensor(a), d_.Tensor(b)},
              Spread(d_.values[a].shape, d_.values[b].shape), -kMaxValue, kMaxValue, {a, b});
    else
      e_.Add(a, b, d_.random.Chance(70) ? "add" : "sub");
  }
  if (shapes_.Unflat().empty()) Last(open);
  for (size_t& v : open)
    if (!shapes_.Unflat().empty() && d_.values[v].shape == d_.full)
      v = shapes_.Reshaped(v, shapes_.Unflat());
  outputs_.Take(open, eight_bits_);
}

// Parameters of float32 beside halves, some that may be left out though they never are, and some
// that never come.
void Composer::MoreInputs() {
  if (d_.c.lists) return;
  const bool wide = !d_.whole && d_.random.Chance(12);
  for (CompositionInput& i : d_.c.inputs) {
    const bool small = i.shape != d_.full && i.dtypes.empty() && i.shapes.empty() &&
                       i.shape.find_first_of("Dbar") == std::string::npos;
    if (wide && small && d_.random.Chance(70)) i.dtypes.assign(d_.c.dtypes.size(), Dtype::kFloat32);
    if (small && i.without < 0 && d_.random.Chance(4)) i.optional = true;
  }
  for (int n = d_.random.Chance(5) ? 1 + static_cast<int>(d_.random.Below(2)) : 0; n > 0; --n) {
    CompositionInput i{"x" + std::to_string(d_.c.inputs.size()),
                       d_.random.Chance(50) ? SymbolicShape("C") : SymbolicShape("1"), 0, 1};
    i.optional = i.missing = true;
    if (d_.random.Chance(50)) i.dtypes.assign(d_.c.dtypes.size(), Dtype::kFloat32);
    d_.c.inputs.push_back(i);
  }
}

void Composer::Idle() {
  const std::string id = "a" + std::to_string(d_.c.attrs.size());
  switch (d_.random.Below(3)) {
    case 0: d_.c.attrs.push_back({id, "int", {-1}}); break;
    case 1: d_.c.attrs.push_back({id, "bool", {true}}); break;
    default: d_.c.attrs.push_back({id, "string", {"default"}});
  }
}

// Few elements: every run is checked access by access.
void Composer::Cases() {
  const size_t rank = std::max(d_.full.size(), shapes_.Unflat().size());
  const bool one_row = d_.random.Chance(12), square = rank > 1 && d_.random.Chance(8);
  auto extents = [&](int64_t rows, int64_t columns) {
    Extents e;
    e.b = rank > 3 ? 1 + static_cast<int64_t>(d_.random.Below(2)) : 1;
    e.a = rank > 2 && !one_row ? 1 + static_cast<int64_t>(d_.random.Below(3)) : 1;
    e.r = rank > 1 ? std::max<int64_t>(1, rows / e.a / e.b) : 1;
    e.c = columns;
    if (square) e.r = e.c = std::min<int64_t>(e.c, 40);
    return e;
  };
  int64_t ragged = 3 + 2 * static_cast<int64_t>(d_.random.Below(30)),
          wide = 16 * (1 + static_cast<int64_t>(d_.random.Below(8)));
  if (d_.random.Chance(25)) wide += 1 + static_cast<int64_t>(d_.random.Below(7));
  d_.c.cases = {extents(2 + static_cast<int64_t>(d_.random.Below(5)), ragged),
                extents(9 + static_cast<int64_t>(d_.random.Below(40)), wide)};
  size_t answers = 1;
  for (size_t states : d_.c.switches) answers *= states;
  // Each answer in two dtypes, so that a dtype cannot be taken for what the answer depends on.
  const size_t columns = d_.c.dtypes.size(), wanted = answers == 1   ? std::max(size_t{2}, columns)
                                                      : columns == 1 ? answers
                                                                     : 2 * answers + columns - 2;
  while (d_.c.cases.size() < wanted)
    d_.c.cases.insert(d_.c.cases.begin() + 1,
                      extents(1 + static_cast<int64_t>(d_.random.Below(7)),
                              ragged + 2 * static_cast<int64_t>(d_.c.cases.size() - 1)));
  const bool longer = d_.random.Chance(50);
  for (size_t i = 0; i < d_.c.cases.size(); ++i) {
    Extents& e = d_.c.cases[i];
    e.column = (d_.c.cases.size() - 1 - i) / answers % columns;  // the last case is of the first
    e.number = i;
    size_t rest = i;
    for (size_t states : d_.c.switches) e.states.push_back(rest % states), rest /= states;
    if (d_.c.lists && longer) e.tensors = 1 + d_.random.Below(3);
  }
}

Composition Composer::Run() {
  if (d_.random.Chance(5)) {
    Narrow();
  } else {
    Dtypes();
    d_.c.lists = d_.random.Chance(14);
    const size_t operations = d_.random.Chance(40)
                                  ? 1 + d_.random.Below(4)
                                  : 3 + d_.random.Below(d_.random.Chance(15) ? 16 : 9);
    if (d_.c.lists) {
      lists_.Start();
      lists_.Grow(d_.random.Chance(25) ? 1 : std::min<size_t>(operations, 5));
    } else {
      const bool alone = !d_.whole && d_.random.Chance(30);
      Start(alone ? 1 : 1 + d_.random.Below(3));
      const bool weighted = alone && !shapes_.Halved() && shapes_.Unflat().empty() &&
                            d_.row_dims == 1 && d_.full.size() > 1 && d_.random.Chance(25);
      if (weighted)
        rows_.Weighted();
      else if (d_.random.Chance(alone ? 30 : 14))
        Residual();
      if (alone && !weighted)
        Alone();
      else if (!alone)
        Grow(operations);
      if (!weighted && d_.random.Chance(13)) rows_.Gradients();
    }
    Finish();
  }
  if (d_.random.Chance(10)) Idle();
  MoreInputs();
  Cases();
  if (d_.c.families.empty()) d_.Family("elementwise");
  auto& families = d_.c.families;
  std::sort(families.begin(), families.end());
  families.erase(std::unique(families.begin(), families.end()), families.end());
  return std::move(d_.c);
}

}  // namespace akgen::corpus
