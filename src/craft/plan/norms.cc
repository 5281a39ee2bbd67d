#include "craft/plan/norms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace akgen::craft {

std::optional<NodeMaker::Arg> Norms::Apply(const std::string& op, const Args& a) {
  static const std::map<std::string, Arg (Norms::*)(const Args&)> kTable = {
      {"norm", &Norms::Norm},
      {"linalg_vector_norm", &Norms::Norm},
      {"frobenius_norm", &Norms::SquareNorm},
      {"batch_norm", &Norms::OverBatch},
      {"instance_norm", &Norms::OverInstance},
      {"group_norm", &Norms::OverGroups}};
  auto it = kTable.find(op);
  return it == kTable.end() ? std::nullopt : std::optional(((this->*it->second)(a)));
}

NodeMaker::Arg Norms::NormOf(const Arg& x, double p, const std::vector<int64_t>& dims, bool keep) {
  if (p == 2) return One("sqrt", Reduce("sum", Square(x), dims, keep));
  if (p == 1) return Reduce("sum", One("abs", x), dims, keep);
  if (std::isinf(p)) return Reduce(p > 0 ? "amax" : "amin", One("abs", x), dims, keep);
  return Two("pow", Reduce("sum", Two("pow", One("abs", x), Number(p)), dims, keep), Number(1 / p));
}

NodeMaker::Arg Norms::Norm(const Args& a) {
  return NormOf(a[0], a[1].IsNone() ? 2 : Real(a[1]), a.size() > 2 ? Dims(a[2]) : Shape{},
                a.size() > 3 && Flag(a[3]));
}

NodeMaker::Arg Norms::SquareNorm(const Args& a) {
  return NormOf(a[0], 2, a.size() > 1 ? Dims(a[1]) : Shape{}, a.size() > 2 && Flag(a[2]));
}

NodeMaker::Arg Norms::Standard(const Arg& x, const std::vector<int64_t>& dims, const Arg& epsilon,
                               const Arg& weight) {
  Arg mean = Reduce("mean", x, dims, true), d = Sub(x, mean);
  Arg deviation = One("sqrt", Add(Reduce("mean", Square(d), dims, true), epsilon));
  if (weight.IsNone()) return Div(d, deviation);
  Arg by = Div(weight, deviation);
  Arg usual = Two("lt", One("abs", by), Number(std::numeric_limits<double>::infinity()));
  return make_.Where(usual, Mul(d, by), Sub(Mul(x, by), Mul(mean, by)));
}

NodeMaker::Arg Norms::ByChannel(const Arg& v, const Arg& x) {
  if (v.IsNone()) return v;
  Shape wide(Of(x).size(), 1);
  wide[1] = Of(x)[1];
  return make_.Reshaped(v, wide);
}

NodeMaker::Arg Norms::Scaled(Arg y, const Arg& weight, const Arg& bias) {
  if (!weight.IsNone()) y = Mul(y, ByChannel(weight, y));
  return bias.IsNone() ? y : Add(y, ByChannel(bias, y));
}

NodeMaker::Arg Norms::OverBatch(const Args& a) {
  if (Flag(a[5]) || a[3].IsNone())
    return Scaled(Standard(a[0], AllBut(a[0], {1}), a[7], ByChannel(a[1], a[0])), Arg(), a[2]);
  // One product and one sum for each element, as libraries have it: x - mean may not fit where
  // the result does.
  Arg by = Div(Number(1), One("sqrt", Add(a[4], a[7])));
  if (!a[1].IsNone()) by = Mul(a[1], by);
  Arg from = Mul(a[3], by);
  from = a[2].IsNone() ? One("neg", from) : Sub(a[2], from);
  return Add(Mul(a[0], ByChannel(by, a[0])), ByChannel(from, a[0]));
}

NodeMaker::Arg Norms::OverInstance(const Args& a) {
  if (!Flag(a[5])) throw Unplanned{"statistics that are kept between calls"};
  return Scaled(Standard(a[0], AllBut(a[0], {0, 1}), a[7], ByChannel(a[1], a[0])), Arg(), a[2]);
}

NodeMaker::Arg Norms::OverGroups(const Args& a) {
  Shape in = Of(a[0]), groups = in;
  int64_t n = static_cast<int64_t>(Real(a[1]));
  groups[1] /= n;
  groups.insert(groups.begin() + 1, n);
  Arg cut = make_.Make("unflatten", Args{a[0], Int(1), Arg::List(Shape{n, -1})}, groups);
  Arg weight;
  if (!a[2].IsNone()) {
    Shape wide(groups.begin() + 1, groups.end());
    std::fill(wide.begin() + 2, wide.end(), 1);
    weight =
        make_.Make("unflatten", Args{a[2], Int(0), Arg::List(Shape{n, -1})}, Shape{n, groups[2]});
    weight = make_.Reshaped(weight, wide);
  }
  return Scaled(make_.Reshaped(Standard(cut, AllBut(cut, {0, 1}), a[4], weight), in), Arg(), a[3]);
}

std::vector<int64_t> Norms::AllBut(const Arg& x, const std::set<int64_t>& kept) const {
  std::vector<int64_t> out;
  for (size_t i = 0; i < Of(x).size(); ++i)
    if (!kept.count(static_cast<int64_t>(i))) out.push_back(static_cast<int64_t>(i));
  return out;
}

}  // namespace akgen::craft
