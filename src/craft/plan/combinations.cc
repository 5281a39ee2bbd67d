#include "craft/plan/combinations.h"

#include <algorithm>
#include <map>
#include <utility>

namespace akgen::craft {

std::optional<NodeMaker::Arg> Combinations::Apply(const std::string& op, const Args& a) {
  static const std::map<std::string, Arg (Combinations::*)(const Args&)> kTable = {
      {"addcmul", &Combinations::PlusProduct},
      {"addcdiv", &Combinations::PlusQuotient},
      {"linear", &Combinations::Linear},
      {"repeat", &Combinations::Repeat},
      {"repeat_interleave", &Combinations::RepeatEach},
      {"masked_fill", &Combinations::Filled},
      {"addmm", &Combinations::PlusMatrices},
      {"baddbmm", &Combinations::PlusMatrices}};
  auto it = kTable.find(op);
  return it == kTable.end() ? std::nullopt : std::optional(((this->*it->second)(a)));
}

NodeMaker::Arg Combinations::Power(const Arg& x, double p) {
  if (p == 2) return Square(x);
  if (p == 3) return Mul(Square(x), x);
  return Two("pow", x, Number(p));
}

NodeMaker::Arg Combinations::PlusProduct(const Args& a) {
  return Add(a[0], Mul(Mul(a[1], a[2]), a[3]));
}

NodeMaker::Arg Combinations::PlusQuotient(const Args& a) {
  return Add(a[0], Mul(Div(a[1], a[2]), a[3]));
}

NodeMaker::Arg Combinations::Matrices(const Arg& a, const Arg& b) {
  Shape out = Of(a);
  out.back() = Of(b).back();
  return make_.Make("matmul", {a, b}, out);
}

NodeMaker::Arg Combinations::Linear(const Args& a) {
  Shape turned = Of(a[1]);
  if (turned.size() != 2) throw Unplanned{"linear() with weights of one dimension"};
  std::swap(turned[0], turned[1]);
  Arg product = Matrices(a[0], make_.Make("transpose", {a[1], Int(0), Int(1)}, turned));
  return a.size() < 3 || a[2].IsNone() ? product : Add(product, a[2]);
}

NodeMaker::Arg Combinations::Repeat(const Args& a) {
  const std::vector<int64_t> times = Dims(a[1]);
  const Shape own = Of(a[0]);
  Shape from(times.size() - std::min(times.size(), own.size()), 1), to;
  from.insert(from.end(), own.begin(), own.end());
  for (size_t d = 0; d < times.size(); ++d) {
    if (times[d] != 1 && from[d] != 1) throw WithoutRule("repeat");
    to.push_back(from[d] * times[d]);
  }
  return make_.Make("expand", {a[0], Arg::List(to), Bool(false)}, to);
}

NodeMaker::Arg Combinations::RepeatEach(const Args& a) {  // repeat_interleave(x, times, dim)
  if (a.size() < 3 || !a[1].IsNumber() || !a[1].number.IsConstant() || a[2].IsNone())
    throw WithoutRule("repeat_interleave");
  Shape wide = Of(a[0]), out = wide;
  const int64_t rank = static_cast<int64_t>(wide.size()), dim = (Dims(a[2])[0] + rank) % rank,
                times = Dims(a[1])[0];
  out[static_cast<size_t>(dim)] *= times;
  wide.insert(wide.begin() + dim + 1, 1);
  Arg x = make_.Make("unsqueeze", {a[0], Int(dim + 1)}, wide);
  wide[static_cast<size_t>(dim) + 1] = times;
  return make_.Reshaped(make_.Make("expand", {x, Arg::List(wide), Bool(false)}, wide), out);
}

NodeMaker::Arg Combinations::Filled(const Args& a) { return make_.Where(a[1], a[2], a[0]); }

NodeMaker::Arg Combinations::PlusMatrices(const Args& a) {  // beta a[0] + alpha a[1] a[2]
  Arg product = Matrices(a[1], a[2]), plus = a[0];
  if (!a[4].Is(1)) product = Mul(product, a[4]);
  return Add(a[3].Is(1) ? plus : Mul(plus, a[3]), product);
}

}  // namespace akgen::craft
