// Lists of tensors.
#include "corpus/compose/list_composer.h"

#include <algorithm>

namespace akgen::corpus {
using base::Dtype;

// One number for each tensor of the list, or one for all of them.
size_t ListComposer::Scalars() {
  const bool each = d_.random.Chance(55);
  size_t x = d_.Input(each ? "T" : "1", d_.whole ? 1 : 0.25, d_.whole ? 4 : 1.75);
  CompositionInput& in = d_.c.inputs.back();
  in.single = true;
  if (d_.random.Chance(50)) {
    const bool wide = d_.random.Chance(40);
    for (Dtype d : d_.c.dtypes)
      in.dtypes.push_back(d == Dtype::kBfloat16 || (d == Dtype::kFloat16 && wide) ? Dtype::kFloat32
                          : d == Dtype::kInt32 && wide                            ? Dtype::kInt64
                                                                                  : d);
  }
  if (!each) return x;
  const auto turn = record::GraphNumber::Of(record::GraphNumber::From::kTurn, "");
  size_t y = d_.Node("select", {d_.Tensor(x), IntArg(0), record::GraphArg::Number(turn)}, "",
                     d_.values[x].low, d_.values[x].high, {x});
  return y;
}

void ListComposer::Start() {
  static const char* const kShapes[] = {"C", "RC", "RC", "ARC", "BARC", "BARC"};
  d_.full = kShapes[d_.random.Below(std::size(kShapes))];
  const double reach = d_.whole ? 9 : 0.5 + 0.5 * static_cast<double>(d_.random.Below(6));
  const size_t inputs = 1 + d_.random.Below(3);
  for (size_t i = 0; i < inputs; ++i)
    d_.Input(d_.full, d_.whole ? -9 : d_.random.Chance(30) ? 0.125 : -reach, reach);
}

void ListComposer::Grow(size_t operations) {
  while (d_.c.nodes.size() < operations) {
    size_t v = d_.Pick();
    const int kind = static_cast<int>(d_.random.Below(110));
    if (kind < 35)
      e_.Unary(v);
    else if (kind < 55)
      e_.Binary(v);
    else if (kind >= 100) {  // a + s * b * c, a + s * (b / c)
      size_t a = d_.PickOther(v), b = d_.PickOther(a), by = Scalars();
      if (d_.Most(v) * d_.Most(b) * d_.Most(by) > kMaxValue || d_.Most(v) > kMaxValue / 8) continue;
      const bool quotient = !d_.whole && d_.random.Chance(40);
      if (quotient) {
        b = e_.Above(b, 0.25);
        size_t q = d_.Node("div", {d_.Tensor(v), d_.Tensor(b)}, d_.full, -4 * d_.Most(v),
                           4 * d_.Most(v), {v, b});
        e_.Add(a, d_.random.Chance(50) ? e_.Mul(by, q) : e_.Mul(q, by));
      } else if (d_.random.Chance(60)) {
        e_.Add(a, e_.Mul(d_.random.Chance(60) ? e_.Mul(by, v) : e_.Mul(v, by), b));
      } else {
        e_.Add(a, e_.Mul(by, e_.Mul(v, b)));
      }
    } else if (kind < 70) {
      static const char* const kOps[] = {"add", "sub", "mul", "mul"};
      const std::string op = kOps[d_.random.Below(4)];
      size_t by = Scalars();
      if (op == "mul" && d_.Most(v) * d_.Most(by) <= kMaxValue)
        d_.random.Chance(30) ? e_.Mul(by, v) : e_.Mul(v, by);
      else
        e_.Add(v, by, op == "sub" ? "sub" : "add");
    } else if (kind < 75 && !d_.whole) {
      size_t by = Scalars();
      d_.Node("div", {d_.Tensor(v), d_.Tensor(by)}, d_.full, -4 * d_.Most(v), 4 * d_.Most(v),
              {v, by});
    } else if (kind < 90)
      e_.WithNumber(v);
    else if (kind < 96)
      e_.Choice(v);
    else if (!d_.whole)
      e_.Activation(v);
  }
}

}  // namespace akgen::corpus
