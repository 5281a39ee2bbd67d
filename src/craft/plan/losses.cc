#include "craft/plan/losses.h"

#include <map>

namespace akgen::craft {

std::optional<NodeMaker::Arg> Losses::Apply(const std::string& op, const Args& a) {
  static const std::map<std::string, Arg (Losses::*)(const Args&)> kTable = {
      {"mse_loss", &Losses::SquareLoss},         {"l1_loss", &Losses::AbsLoss},
      {"smooth_l1_loss", &Losses::SmoothLoss},   {"huber_loss", &Losses::BentLoss},
      {"kl_div", &Losses::Divergence},           {"cosine_similarity", &Losses::Cosine},
      {"cross_entropy_loss", &Losses::Surprise}, {"triplet_margin_loss", &Losses::Triplet},
      {"log_softmax", &Losses::LogOfSoftmax}};
  auto it = kTable.find(op);
  return it == kTable.end() ? std::nullopt : std::optional(((this->*it->second)(a)));
}

NodeMaker::Arg Losses::Whole(const Arg& x, const Arg& how) {
  int64_t h = static_cast<int64_t>(Real(how));
  return h == 0 ? x : Reduce(h == 1 ? "mean" : "sum", x, {}, false);
}

NodeMaker::Arg Losses::SquareLoss(const Args& a) { return Whole(Square(Sub(a[0], a[1])), a[2]); }

NodeMaker::Arg Losses::AbsLoss(const Args& a) { return Whole(One("abs", Sub(a[0], a[1])), a[2]); }

NodeMaker::Arg Losses::SmoothLoss(const Args& a) {
  Arg d = One("abs", Sub(a[0], a[1]));
  double beta = Real(a[3]);
  if (beta == 0) return Whole(d, a[2]);
  return Whole(make_.Where(Two("lt", d, a[3]), Mul(Square(d), Number(0.5 / beta)),
                           Sub(d, Number(0.5 * beta))),
               a[2]);
}

NodeMaker::Arg Losses::BentLoss(const Args& a) {
  Arg d = One("abs", Sub(a[0], a[1]));
  return Whole(make_.Where(Two("le", d, a[3]), Mul(Square(d), Number(0.5)),
                           Mul(Sub(d, Number(0.5 * Real(a[3]))), a[3])),
               a[2]);
}

NodeMaker::Arg Losses::Divergence(const Args& a) {
  if (Flag(a[3])) return Whole(Mul(One("exp", a[1]), Sub(a[1], a[0])), a[2]);
  // 0 log 0 is 0; NaN, and 0 times infinity, stay NaN.
  Arg own = make_.Where(Two("eq", a[1], Number(0)), Number(0), Mul(a[1], One("log", a[1])));
  return Whole(Sub(own, Mul(a[1], a[0])), a[2]);
}

NodeMaker::Arg Losses::Cosine(const Args& a) {
  std::vector<int64_t> dim = Dims(a[2]);
  // Each vector by its own length: products of unscaled ones may not fit where the quotient does.
  auto unit = [&](const Arg& x) {
    return Div(x, make_.Within(One("sqrt", Reduce("sum", Square(x), dim, true)), a[3], Arg()));
  };
  return Reduce("sum", Mul(unit(a[0]), unit(a[1])), dim, false);
}

NodeMaker::Arg Losses::LogOfSoftmax(const Args& a) {
  std::vector<int64_t> dim = Dims(a[1]);
  Arg d = Sub(a[0], Reduce("amax", a[0], dim, true));
  return Sub(d, One("log", Reduce("sum", One("exp", d), dim, true)));
}

NodeMaker::Arg Losses::Surprise(const Args& a) {
  if (!a[2].IsNone() || Of(a[0]).size() < 2) throw Unplanned{"classes by weight"};
  const double smooth = Real(a[5]);
  Arg logs = LogOfSoftmax(Args{a[0], Int(1)});
  auto smoothed = [&](const Arg& of_target, bool keep) {
    if (smooth == 0) return of_target;
    return Add(Mul(of_target, Number(1 - smooth)),
               Mul(Reduce("mean", logs, {1}, keep), Number(smooth)));
  };
  if (Of(a[0]).size() == Of(a[1]).size()) {
    Arg likely = smoothed(Reduce("sum", Mul(logs, a[1]), {1}, false), false);
    return Whole(One("neg", likely), a[3]);
  }
  Shape wide = Of(a[1]);
  wide.insert(wide.begin() + 1, 1);
  Arg which = make_.Make("unsqueeze", Args{a[1], Int(1)}, wide, "Long");
  Arg chosen = smoothed(make_.Make("gather", Args{logs, Int(1), which, Bool(false)}, wide), true);
  Arg counts = make_.Make("where", Args{Two("ne", which, a[4]), Number(1), Number(0)}, wide);
  Arg loss = One("neg", Mul(chosen, counts));
  int64_t how = static_cast<int64_t>(Real(a[3]));
  if (how == 0) return make_.Reshaped(loss, Of(a[1]));
  Arg sum = Reduce("sum", loss, {}, false);
  return how == 2 ? sum : Div(sum, Reduce("sum", counts, {}, false));
}

NodeMaker::Arg Losses::Triplet(const Args& a) {
  auto apart = [&](const Arg& x, const Arg& y) {
    return norms_.NormOf(Add(Sub(x, y), a[5]), Real(a[4]), {-1}, false);
  };
  Arg near = apart(a[0], a[1]), far = apart(a[0], a[2]);
  if (Flag(a[6])) far = Two("minimum", far, apart(a[1], a[2]));
  return Whole(make_.Within(Add(Sub(near, far), a[3]), Number(0), Arg()), a[7]);
}

}  // namespace akgen::craft
