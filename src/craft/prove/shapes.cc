#include "craft/prove/shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace akgen::craft::prove {
using ir::S;

namespace {
class ShapeUses {
 public:
  explicit ShapeUses(const ir::Program& p) {
    for (const auto& param : p.params)
      if (!param.is_attr) uses_[param.name];
    for (const auto& t : p.tensors) {
      if (t.given) uses_[t.name];
      ShapeParts(t.shape);
    }
    for (const auto& s : p.body)
      if (s->kind == ir::HostStmt::kRequire) FixedRank(*s->value);
    Block(p.body);
  }
  std::map<std::string, ShapeUse> uses_;

 private:
  // len(x.shape) == 2
  void FixedRank(const ir::Scalar& s) {
    if (s.kind == ir::SKind::kBinary && s.text == "and") {
      FixedRank(*s.args[0]);
      FixedRank(*s.args[1]);
    }
    if (s.kind != ir::SKind::kBinary || s.text != "==" || s.args[0]->text != "len" ||
        s.args[0]->shape.size() != 1)
      return;
    const ir::ShapePart& part = s.args[0]->shape[0];
    const bool whole = !part.value && part.from == 0 && part.to_end && !part.first;
    if (whole && ir::AsConst(s.args[1]) && uses_.count(part.tensor))
      uses_[part.tensor].fixed = static_cast<int>(s.args[1]->i);
  }
  void Block(const ir::HostBlock& b) {
    for (const auto& s : b) {
      Scalar(s->value);
      for (const S& a : s->scalars) Scalar(a);
      Block(s->body);
      Block(s->other);
    }
  }
  void Cut(const std::string& tensor, int64_t at) {
    ShapeUse& u = uses_[tensor];
    if (at > 0) u.front = std::max(u.front, at);
    if (at < 0) u.back = std::max(u.back, -at);
  }
  void ShapeParts(const ir::Shape& shape) {
    for (const ir::ShapePart& p : shape) {
      for (const S& s : {p.value, p.first, p.last})
        if (s) Scalar(s);
      if (p.value) continue;
      if (!p.first) Cut(p.tensor, p.from);
      if (!p.last && !p.to_end) Cut(p.tensor, p.to);
    }
  }
  void Scalar(const S& s) {
    if (!s) return;
    for (const S& a : s->args) Scalar(a);
    if (s->kind != ir::SKind::kCall) return;
    if (s->text == "dim" && uses_.count(s->tensor))
      if (const ir::Scalar* at = ir::AsConst(s->args[0])) {
        Cut(s->tensor, at->i);
        Cut(s->tensor, at->i >= 0 ? at->i + 1 : at->i);
      }
    if (s->text == "len")
      for (const ir::ShapePart& p : s->shape)
        if (!p.value) uses_[p.tensor].rank = true;
    ShapeParts(s->shape);
  }
};
}  // namespace

std::map<std::string, ShapeUse> UsesOf(const ir::Program& program) {
  return ShapeUses(program).uses_;
}

std::vector<Ranks> RankChoices(const ir::Program& program) {
  constexpr size_t kLimit = 64;
  std::vector<Ranks> all(1);
  for (const auto& [name, use] : UsesOf(program)) {
    std::vector<int> ranks = {-1};
    if (use.fixed >= 0)
      ranks = {use.fixed};
    else if (use.rank || (use.front && use.back))
      for (int r = 0; r < use.front + use.back; ++r) ranks.push_back(r);
    std::vector<Ranks> next;
    for (const Ranks& before : all)
      for (int r : ranks) {
        next.push_back(before);
        next.back()[name] = r;
      }
    if (next.size() > kLimit) return {};
    all = std::move(next);
  }
  return all;
}

TensorShape::TensorShape(Terms& terms, const std::string& name, const ShapeUse& use, int rank) {
  auto extent = [&](const std::string& text) {
    const int atom = terms.Named("extent " + text, {text, false, true});
    if (terms.At(atom).defined.empty()) terms.Define(atom, Le(1, Poly::Atom(atom)));
    parts_.push_back(Poly::Atom(atom));
  };
  joined_ = rank < 0;
  front_ = static_cast<size_t>(joined_ ? use.front : rank);
  for (size_t i = 0; i < front_; ++i) extent(fmt::format("{}.shape[{}]", name, i));
  rank_ = static_cast<int64_t>(front_);
  if (!joined_) return;
  extent(use.front || use.back ? fmt::format("prod({}.shape[{}:{}])", name,
                                             use.front ? std::to_string(use.front) : "",
                                             use.back ? std::to_string(-use.back) : "")
                               : name + ".numel");
  for (int64_t i = use.back; i > 0; --i) extent(fmt::format("{}.shape[{}]", name, -i));
  const int atom = terms.Named("rank " + name, {fmt::format("len({}.shape)", name), false, true});
  rank_ = Poly::Atom(atom);
  if (!terms.At(atom).defined.empty()) return;
  // With fewer dimensions than are named, those that are missing count as 1: of the same product.
  const Poly least = use.rank || (use.front && use.back) ? use.front + use.back : 0;
  terms.Define(atom, And({Le(least, rank_), Le(0, rank_), Le(rank_, 8)}));
  terms.Define(atom, Implies(Eq(rank_, use.front + use.back), Eq(parts_[front_], 1)));
}

Poly TensorShape::Dim(int64_t index) const {
  if (!joined_) {
    if (index < 0) index += static_cast<int64_t>(parts_.size());
    return index >= 0 && index < static_cast<int64_t>(parts_.size())
               ? parts_[static_cast<size_t>(index)]
               : Poly(1);
  }
  return index >= 0 ? parts_[static_cast<size_t>(index)]
                    : parts_[parts_.size() - static_cast<size_t>(-index)];
}

size_t TensorShape::Cut(int64_t at) const {
  const auto size = static_cast<int64_t>(parts_.size());
  if (at < 0) return static_cast<size_t>(std::max<int64_t>(0, at + size));
  return static_cast<size_t>(std::min(at, size));
}

Poly TensorShape::Product(int64_t from, int64_t to, bool to_end) const {
  Poly out = 1;
  const size_t end = to_end ? parts_.size() : Cut(to);
  for (size_t i = Cut(from); i < end; ++i) out = out * parts_[i];
  return out;
}

}  // namespace akgen::craft::prove
