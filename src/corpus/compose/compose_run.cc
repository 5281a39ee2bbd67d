// A composition from its inputs to its cases: how it grows, what becomes its outputs, and in which
// shapes it is asked for.
#include <algorithm>
#include <cmath>

#include "corpus/compose/compose.h"

namespace akgen::corpus {
using base::Dtype;
using base::Json;

void Composer::Grow(size_t operations) {
  while (c_.nodes.size() < operations) {
    size_t v = Pick();
    if (Most(v) > kMaxValue) v = Within(v, 50);
    int kind = static_cast<int>(random_.Below(106));
    if (whole_) kind = kind % 80;
    if (kind < 20)
      Unary(v);
    else if (kind < 46)
      Binary(v);
    else if (kind < 68)
      WithNumber(v);
    else if (kind < 78)
      Choice(v);
    else if (kind < 80 || (kind >= 101 && kind < 103))
      Optional(v);
    else if (kind < 87)
      Activation(v);
    else if (kind < 93)
      Reduction(v);
    else if (kind < 101)
      Norm(v);
    else
      Switched(v);
  }
}

// What most operators are: one thing, and little around it.
void Composer::Alone() {
  size_t v = Pick();
  if (random_.Chance(15)) v = Choice(v);
  const int kind = static_cast<int>(random_.Below(100));
  size_t out = kind < 55   ? Norm(v)
               : kind < 80 ? Activation(v)
               : kind < 90 ? Reduction(v)
                           : WithNumber(v);
  if (random_.Chance(25)) out = random_.Chance(50) ? Activation(out) : WithNumber(out);
}

// One dtype, or several as columns, mostly in the order in which tasks have them.
void Composer::Dtypes() {
  int kind = static_cast<int>(random_.Below(100));
  whole_ = kind >= 90;
  if (kind >= 95)
    c_.dtypes = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kInt32, Dtype::kBfloat16};
  else if (whole_)
    c_.dtypes = {Dtype::kInt32};
  else if (kind < 40)
    c_.dtypes = {kind < 15 ? Dtype::kFloat32 : kind < 30 ? Dtype::kFloat16 : Dtype::kBfloat16};
  else if (kind < 45)
    c_.dtypes = {Dtype::kFloat16, Dtype::kBfloat16};
  else {
    c_.dtypes = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16};
    if (random_.Chance(20))
      std::rotate(c_.dtypes.begin(), c_.dtypes.begin() + static_cast<long>(random_.Below(3)),
                  c_.dtypes.end());
    if (kind < 60) c_.dtypes.pop_back();
  }
}

void Composer::Start(size_t inputs) {
  bool whole = whole_;
  static const char* const kShapes[] = {"C",   "RC",  "RC",  "RC",   "RC",
                                        "ARC", "ARC", "ARC", "BARC", "BARC"};
  full_ = kShapes[random_.Below(std::size(kShapes))];
  double reach = whole ? 9 : 0.5 + 0.5 * static_cast<double>(random_.Below(6));
  Input(full_, random_.Chance(20) && !whole ? 0.125 : -reach, reach);
  if (!whole && random_.Chance(17)) return StartHalves();
  if (!whole && full_.size() >= 3 && random_.Chance(8)) StartFlat();
  if (full_.size() >= 3 && full_.back() == 'C' && random_.Chance(9)) row_dims_ = 2;
  for (size_t i = 1; i < inputs; ++i) {
    Input(ShapeOfInput(), whole ? -9 : -reach, reach);
  }
}

// Mostly whole; else one row, with ones before it or without, one column, or one element.
SymbolicShape Composer::ShapeOfInput() {
  if (random_.Chance(70)) return full_;
  SymbolicShape row = full_, column = full_;
  std::fill(row.begin(), row.end() - 1, '1');
  column.back() = '1';
  switch (random_.Below(5)) {
    case 0:
    case 1: return full_.substr(full_.size() - 1);
    case 2: return row;
    case 3: return column;
    default: return "1";
  }
}

void Composer::Last(std::vector<size_t>& open) {
  bool plain = open.size() == 1 && values_[open[0]].shape == full_ && !whole_ && !c_.lists &&
               !values_[open[0]].result_only;
  if (!plain) return;
  int kind = static_cast<int>(random_.Below(104));
  if (kind >= 96) {
    Family("truth");
    open = {Compare(open[0])};
    return;
  }
  if (kind >= 90) {  // to eight bits
    Family("quantised");
    open = {Quantised(open[0])};
    eight_bits_ = true;
    return;
  }
  if (kind < 8)
    open = {ByMode(open[0])};
  else if (kind < 15)
    open = {Whole(open[0])};
  else if (kind < 18 && full_.size() > 1) {
    Family("triangle");
    open = {Node(random_.Chance(50) ? "tril" : "triu",
                 {Tensor(open[0]), IntArg(static_cast<int>(random_.Below(5)) - 2)}, full_,
                 values_[open[0]].low, values_[open[0]].high, {open[0]})};
  } else if (kind < 24 || (!halved_.empty() && kind < 55)) {
    open = {Joined(open[0])};
  }
}

// What is open is joined until one or two outputs are left.
void Composer::Finish() {
  size_t outputs = !c_.lists && random_.Chance(12) ? 2 : 1;
  std::vector<size_t> open;
  for (;;) {
    open.clear();
    for (size_t i = 0; i < values_.size(); ++i)
      if (!values_[i].used) open.push_back(i);
    if (open.size() <= outputs) break;
    size_t a = open[open.size() - 2], b = open.back();
    if (Most(a) * Most(b) <= kMaxValue && random_.Chance(50))
      Mul(a, b);
    else if (random_.Chance(20) && !whole_)
      Node("maximum", {Tensor(a), Tensor(b)}, Spread(values_[a].shape, values_[b].shape),
           -kMaxValue, kMaxValue, {a, b});
    else
      Add(a, b, random_.Chance(70) ? "add" : "sub");
  }
  if (unflat_.empty()) Last(open);
  for (size_t& v : open)
    if (!unflat_.empty() && values_[v].shape == full_) v = Reshaped(v, unflat_);
  Outputs(open);
}

// The first output has the inputs' dtype, unless it is a boolean; a further one is sometimes float,
// as statistics are.
void Composer::Outputs(const std::vector<size_t>& open) {
  for (size_t v : open) {
    c_.outputs.push_back(values_[v].id);
    c_.depth = std::max(c_.depth, values_[v].depth);
    c_.fixed.emplace_back();
    if (values_[v].result_only)
      c_.fixed.back() = Dtype::kBool;
    else if (eight_bits_)
      c_.fixed.back() = Dtype::kInt8;
    else if (c_.fixed.size() > 1 && !whole_ && random_.Chance(50))
      c_.fixed.back() = Dtype::kFloat32;
  }
  for (auto [v, statistic] : kept_) {
    if (std::find(c_.outputs.begin(), c_.outputs.end(), values_[v].id) != c_.outputs.end())
      continue;
    c_.outputs.push_back(values_[v].id);
    c_.fixed.emplace_back();
    if (statistic) c_.fixed.back() = Dtype::kFloat32;
  }
  const bool half = std::all_of(c_.dtypes.begin(), c_.dtypes.end(), [](Dtype d) {
    return base::IsFloating(d) && d != Dtype::kFloat32;
  });
  if (half && !c_.lists && !c_.fixed[0] && random_.Chance(28)) {  // in float32 as well
    c_.outputs.insert(c_.outputs.begin(), c_.outputs[0]);
    c_.fixed.insert(c_.fixed.begin(), Dtype::kFloat32);
  } else if (!c_.lists && !c_.fixed[0] && !whole_ && random_.Chance(4)) {
    c_.fixed[0] = Dtype::kFloat32;
  }
  if (!c_.lists && !whole_ && random_.Chance(3)) Zeros();
  AnyOrder();
  InPlace();
}

// Few elements: every run is checked access by access.
void Composer::Cases() {
  const size_t rank = std::max(full_.size(), unflat_.size());
  const bool one_row = random_.Chance(12), square = rank > 1 && random_.Chance(8);
  auto extents = [&](int64_t rows, int64_t columns) {
    Extents e;
    e.b = rank > 3 ? 1 + static_cast<int64_t>(random_.Below(2)) : 1;
    e.a = rank > 2 && !one_row ? 1 + static_cast<int64_t>(random_.Below(3)) : 1;
    e.r = rank > 1 ? std::max<int64_t>(1, rows / e.a / e.b) : 1;
    e.c = columns;
    if (square) e.r = e.c = std::min<int64_t>(e.c, 40);
    return e;
  };
  int64_t ragged = 3 + 2 * static_cast<int64_t>(random_.Below(30)),
          wide = 16 * (1 + static_cast<int64_t>(random_.Below(8)));
  if (random_.Chance(25)) wide += 1 + static_cast<int64_t>(random_.Below(7));
  c_.cases = {extents(2 + static_cast<int64_t>(random_.Below(5)), ragged),
              extents(9 + static_cast<int64_t>(random_.Below(40)), wide)};
  size_t answers = 1;
  for (size_t states : c_.switches) answers *= states;
  // Each answer in two dtypes, so that a dtype cannot be taken for what the answer depends on.
  const size_t columns = c_.dtypes.size(), wanted = answers == 1   ? std::max(size_t{2}, columns)
                                                    : columns == 1 ? answers
                                                                   : 2 * answers + columns - 2;
  while (c_.cases.size() < wanted)
    c_.cases.insert(c_.cases.begin() + 1,
                    extents(1 + static_cast<int64_t>(random_.Below(7)),
                            ragged + 2 * static_cast<int64_t>(c_.cases.size() - 1)));
  const bool longer = random_.Chance(50);
  for (size_t i = 0; i < c_.cases.size(); ++i) {
    Extents& e = c_.cases[i];
    e.column = (c_.cases.size() - 1 - i) / answers % columns;  // the last case is of the first
    e.number = i;
    size_t rest = i;
    for (size_t states : c_.switches) e.states.push_back(rest % states), rest /= states;
    if (c_.lists && longer) e.tensors = 1 + random_.Below(3);
  }
}

Composition Composer::Run() {
  if (random_.Chance(5)) {
    Narrow();
  } else {
    Dtypes();
    c_.lists = random_.Chance(14);
    const size_t operations =
        random_.Chance(40) ? 1 + random_.Below(4) : 3 + random_.Below(random_.Chance(15) ? 16 : 9);
    if (c_.lists) {
      StartList();
      GrowList(random_.Chance(25) ? 1 : std::min<size_t>(operations, 5));
    } else {
      const bool alone = !whole_ && random_.Chance(30);
      Start(alone ? 1 : 1 + random_.Below(3));
      const bool weighted = alone && halved_.empty() && unflat_.empty() && row_dims_ == 1 &&
                            full_.size() > 1 && random_.Chance(25);
      if (weighted)
        Weighted();
      else if (random_.Chance(alone ? 30 : 14))
        Residual();
      if (alone && !weighted)
        Alone();
      else if (!alone)
        Grow(operations);
      if (!weighted && random_.Chance(13)) Gradients();
    }
    Finish();
  }
  if (random_.Chance(10)) Idle();
  MoreInputs();
  Cases();
  if (families_.empty()) Family("elementwise");
  std::sort(families_.begin(), families_.end());
  families_.erase(std::unique(families_.begin(), families_.end()), families_.end());
  c_.families = families_;
  return std::move(c_);
}

void Composer::InPlace() {
  c_.inplace.assign(c_.outputs.size(), "");
  if (c_.lists || !random_.Chance(15)) return;
  c_.over = random_.Chance(40);
  size_t next = 0;
  for (size_t o = 0; o < c_.outputs.size(); ++o) {
    if (c_.fixed[o] || ShapeOfValue(c_, c_.outputs[o]) != full_) continue;
    while (next < c_.inputs.size() &&
           (c_.inputs[next].shape != full_ || !c_.inputs[next].dtypes.empty() ||
            c_.inputs[next].without >= 0 || c_.inputs[next].by >= 0))
      ++next;
    if (next < c_.inputs.size()) c_.inplace[o] = c_.inputs[next++].id;
  }
}

void Composer::Idle() {
  const std::string id = "a" + std::to_string(c_.attrs.size());
  switch (random_.Below(3)) {
    case 0: c_.attrs.push_back({id, "int", {-1}}); break;
    case 1: c_.attrs.push_back({id, "bool", {true}}); break;
    default: c_.attrs.push_back({id, "string", {"default"}});
  }
}

}  // namespace akgen::corpus
