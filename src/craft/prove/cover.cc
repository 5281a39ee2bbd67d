// Every element of an output is stored: for a point of it, the core, the turn of each loop and so
// the tile that has it are computed from its place, and it is proven that they are there and that
// it lies in the tile.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "craft/prove/kernel_walk.h"

namespace akgen::craft::prove {
using ir::Stmt;

namespace {
// Atoms that depend on the core or a loop, and what they have to be for a point.
class Targets {
 public:
  Targets(Terms& terms, int core, const Access& a, const std::vector<Poly>& point)
      : terms_(terms), access_(a) {
    chosen_.push_back(core);
    for (const LoopSymbol& l : a.loops) {
      const int v = l.variable.AsAtom();
      const bool known = std::ranges::any_of(point, [&](const Poly& p) { return p.AsAtom() == v; });
      if (known)
        targets_[v] = l.variable;  // the tensor of a list
      else
        chosen_.push_back(v);
    }
    if (a.of_view > 0) {
      InView(point[0]);
    } else {
      for (size_t d = 0; d < a.start.size(); ++d) Aim(a.start[d], point[d]);
      if (point.size() > a.start.size()) Aim(a.in_list, point.back());
    }
    // What a loop begins at was chosen by an outer one: that one's tile has the point, too.
    for (size_t i = a.loops.size(); i-- > 0;) {
      const LoopSymbol& l = a.loops[i];
      auto t = targets_.find(l.variable.AsAtom());
      if (t != targets_.end() && !(l.first == Poly::Atom(core))) Aim(l.first, t->second);
    }
  }
  // What it is besides what a core or a loop decides.
  Poly Base(const Poly& p) const {
    Poly out;
    for (const auto& [product, c] : p.terms())
      if (!Depends(Poly::Of(product, c))) out = out + Poly::Of(product, c);
    return out;
  }
  // A place in pieces that lie one behind the other, and the piece that has it: there is one if the
  // place is before the end of all.
  struct Piece {
    Poly place, end;
    F has;
  };
  const std::vector<Piece>& pieces() const { return pieces_; }
  // The place as the view of its piece has it: row and column.
  const std::vector<Poly>& in_view() const { return in_view_; }
  std::optional<Poly> Of(int atom) const {
    if (auto it = targets_.find(atom); it != targets_.end()) return it->second;
    // The digits of a number that is taken apart by // and %.
    std::optional<Poly> sum;
    for (const auto& [digit, value] : targets_)
      if (auto place = Place(digit, atom)) sum = (sum ? *sum : Poly(0)) + value * *place;
    return sum;
  }

 private:
  bool Depends(int atom) const {
    if (std::ranges::find(chosen_, atom) != chosen_.end()) return true;
    for (const LoopSymbol& l : access_.loops)
      if (l.count.AsAtom() == atom) return true;
    const AtomInfo& info = terms_.At(atom);
    return Depends(info.of) || Depends(info.by);
  }
  bool Depends(const Poly& p) const {
    return std::ranges::any_of(p.terms(), [&](const auto& t) {
      return std::ranges::any_of(t.first, [&](int a) { return Depends(a); });
    });
  }
  // p begins a tile that has `point`: the atoms of p that may be chosen are aimed at. Several of
  // them, as in i * rows * cols + j * cols + c, are the digits of the place: what is multiplied by
  // most comes first.
  void Aim(const Poly& p, const Poly& point) {
    Poly left = point;
    std::vector<std::pair<int, Poly>> digits;
    for (const auto& [product, c] : p.terms()) {
      if (c == 1 && product.size() == 1 && InPiece(product[0], left)) continue;
      if (!Depends(Poly::Of(product, c))) {
        left = left - Poly::Of(product, c);
        continue;
      }
      Product free;
      int chosen = -1, many = 0;
      for (int a : product) {
        if (Depends(a))
          chosen = a, ++many;
        else
          free.push_back(a);
      }
      if (many != 1) return;
      digits.push_back({chosen, Poly::Of(free, c)});
    }
    std::ranges::stable_sort(
        digits, [](const auto& x, const auto& y) { return Weight(x.second) > Weight(y.second); });
    for (const auto& [atom, by] : digits) {
      const Poly turn = by == Poly(1) ? left : terms_.FloorDiv(left, by);
      if (by == Poly(1) && terms_.At(atom).made == 'm' && digits.size() == 1) {
        const AtomInfo& info = terms_.At(atom);
        return Aim(Depends(info.of) ? info.of : info.by, left);
      }
      targets_.insert({atom, turn});
      if (digits.size() > 1) left = by == Poly(1) ? Poly(0) : terms_.Modulo(left, by);
    }
  }
  // The place of a flat tensor in the piece that has it, seen as rows and columns.
  void InView(Poly place) {
    if (access_.of_view != 1 || access_.dims.size() != 3) return;
    const Poly& from = access_.start[0];
    if (from.AsAtom() < 0 || !InPiece(from.AsAtom(), place)) return;
    const Poly chosen = terms_.At(from.AsAtom()).of, piece = targets_.at(chosen.AsAtom());
    const AtomInfo cols = terms_.At(std::max(0, access_.dims[2].AsAtom()));
    if (access_.dims[2].AsAtom() < 0 || cols.lists.empty() || !(cols.of == chosen)) return;
    const Poly wide = ElementOf(terms_, cols.lists[0], piece);
    in_view_ = {terms_.FloorDiv(place, wide), terms_.Modulo(place, wide)};
    for (size_t d : {0, 1}) Aim(access_.start[d + 1], in_view_[d]);
  }
  // The start of a piece that a loop chooses: of the one that has the place, which becomes one in
  // it.
  bool InPiece(int start, Poly& place) {
    const AtomInfo info = terms_.At(start);
    if (info.made != 's' || !Depends(info.of) || info.of.AsAtom() < 0) return false;
    const Poly piece = Poly::Atom(terms_.Fresh({"piece", false, true}));
    const Poly first = StartOf(terms_, info.lists, piece), size = terms_.At(first.AsAtom()).by,
               all = LengthOf(terms_, info.lists[0]);
    pieces_.push_back(
        {place, StartOf(terms_, info.lists, all),
         And({Le(0, piece), Lt(piece, all), Le(first, place), Lt(place, first + size)})});
    targets_.insert({info.of.AsAtom(), piece});
    place = place - first;
    return true;
  }
  static std::pair<size_t, int64_t> Weight(const Poly& p) {
    const auto& [product, c] = *p.terms().begin();
    return {product.size(), c};
  }
  // What one more of the digit adds to the number.
  std::optional<Poly> Place(int digit, int number) const {
    if (digit == number) return Poly(1);
    const AtomInfo& info = terms_.At(digit);
    if ((info.made != 'q' && info.made != 'r') || info.of.AsAtom() < 0) return std::nullopt;
    auto place = Place(info.of.AsAtom(), number);
    if (place && info.made == 'q') place = *place * info.by;
    return place;
  }

  Terms& terms_;
  const Access& access_;
  std::vector<int> chosen_;
  std::map<int, Poly> targets_;
  std::vector<Piece> pieces_;
  std::vector<Poly> in_view_;
};

// The kernel as far as one store, with the turns that a point needs.
class CoverWalk : public KernelWalk {
 public:
  CoverWalk(const LaunchSymbols& launch, Walked& to, int core, const Access& store,
            const Targets& targets, const std::vector<Poly>& point, int way, Place place)
      : KernelWalk(launch, to, core, true),
        store_(store),
        targets_(targets),
        point_(point),
        way_(way),
        said_at_(place) {
    for (size_t i = 0; i < store.loops.size(); ++i)
      loops_of_[store.loops[i].statement] = &store.loops[i];
    core_atom_ = core;
  }
  void Run(std::vector<F> facts) {
    facts_.insert(facts_.end(), facts.begin(), facts.end());
    for (const Targets::Piece& p : targets_.pieces()) {
      Ask(And({Le(0, p.place), Lt(p.place, p.end)}));
      facts_.push_back(p.has);
    }
    ChooseCore();
    Block(kernel_.body);
  }

 private:
  void Ask(const F& goal) {
    Obligation o{"cover", said_at_, what_, facts_, goal, way_, {}};
    to_.obligations.push_back(o);
    if (goal->kind != Formula::kTrue) facts_.push_back(goal);
  }
  void ChooseCore() {
    Terms& terms = to_.terms;
    // Every block is some core's.
    for (const LoopSymbol& l : store_.loops)
      if (l.statement->kind == Stmt::kBlocks)
        return facts_.push_back(And({Le(0, core_), Lt(core_, launch_.cores)}));
    auto target = targets_.Of(core_atom_);
    if (!target) {
      for (const LoopSymbol& l : store_.loops)
        if (l.first == core_ && l.step == launch_.cores)
          if (auto job = targets_.Of(l.variable.AsAtom()))
            target = terms.Modulo(*job, launch_.cores);
    }
    core_ = target ? *target : Poly(0);
    Ask(And({Le(0, core_), Lt(core_, launch_.cores)}));
  }
  LoopSymbol Enter(const Stmt& s, F& known) override {
    known = True();
    LoopSymbol loop{{}, {}, Int(s.first), Int(s.last), Int(s.step), !s.count_name.empty(), &s};
    auto of = loops_of_.find(&s);
    loop.variable = loop.first;
    if (of == loops_of_.end()) return loop;  // not around the store: what is in it is not looked at
    auto target = targets_.Of(of->second->variable.AsAtom());
    const bool cyclic = loop.first == core_ && loop.step == launch_.cores;
    if (target && (cyclic || loop.step == Poly(1)))
      loop.variable = *target;
    else if (target)
      loop.variable = loop.first + to_.terms.FloorDiv(*target - loop.first, loop.step) * loop.step;
    Ask(And({Le(loop.first, loop.variable), Lt(loop.variable, loop.last)}));
    env_[s.name] = {loop.variable, nullptr, s.name};
    if (loop.tiles) {
      loop.count = to_.terms.Min(loop.step, loop.last - loop.variable);
      env_[s.count_name] = {loop.count, nullptr, s.count_name};
    }
    return loop;
  }
  std::vector<LoopSymbol> EnterBlocks(const Stmt& s, F& known) override {
    known = True();
    std::vector<LoopSymbol> out;
    for (const LoopSymbol& l : store_.loops) {
      if (l.statement != &s) continue;
      LoopSymbol loop = l;
      // What the extents are in the piece that was chosen.
      if (!s.blocks->group.empty() && loop.tiles)
        loop.last = Int(to_.terms.At(l.variable.AsAtom()).name == s.blocks->row ? s.blocks->m
                                                                                : s.blocks->n);
      if (auto target = targets_.Of(l.variable.AsAtom())) {
        Ask(And({Le(0, *target), Lt(*target, loop.last)}));
        loop.variable = to_.terms.FloorDiv(*target, l.step) * l.step;
        facts_.push_back(And({Le(loop.variable, *target), Lt(*target, loop.variable + l.step)}));
      }
      env_[to_.terms.At(l.variable.AsAtom()).name] = {loop.variable, nullptr, ""};
      if (loop.tiles) {
        loop.count = to_.terms.Min(l.step, loop.last - loop.variable);
        env_[to_.terms.At(l.count.AsAtom()).name] = {loop.count, nullptr, ""};
      }
      out.push_back(loop);
    }
    return out;
  }
  void Branches(const Stmt& s) override {
    if (std::ranges::find(store_.path, &s) == store_.path.end()) return;
    const bool in_body = Has(s.body);
    const F condition = Condition(s.value);
    Ask(in_body ? condition : Not(condition));
    Block(in_body ? s.body : s.other);
  }
  bool Has(const ir::Block& b) const {
    return std::ranges::any_of(b, [&](const auto& s) {
      return std::ranges::any_of(s->copies,
                                 [&](const ir::Copy& c) { return &c.gm == store_.ref; }) ||
             Has(s->body) || Has(s->other);
    });
  }
  void Move(const ir::Copy& c, bool) override {
    if (&c.gm != store_.ref) return;
    std::vector<F> inside;
    std::vector<Poly> at = point_;
    if (c.gm.of_view > 0) {
      const std::vector<Poly>& in_view = targets_.in_view();
      at.insert(at.end(), in_view.begin(), in_view.end());
      inside.push_back(
          Eq(Int(c.gm.window[0].start) + at[1] * Int(c.gm.window[2].room) + at[2], at[0]));
    }
    for (size_t d = 0; d < c.gm.window.size(); ++d) {
      const Poly start = Int(c.gm.window[d].start), extent = Int(c.gm.window[d].extent);
      inside.push_back(And({Le(start, at[d]), Lt(at[d], start + extent)}));
    }
    if (point_.size() > c.gm.window.size())
      inside.push_back(Eq(Int(c.gm.list_index), point_.back()));
    Ask(And(inside));
  }
  void Compute(const Stmt&) override {}

 public:
  std::string what_;

 private:
  const Access& store_;
  const Targets& targets_;
  const std::vector<Poly>& point_;
  int way_, core_atom_ = -1;
  Place said_at_;
  std::map<const Stmt*, const LoopSymbol*> loops_of_;
};
}  // namespace

namespace {
// A part of an output: places of a dimension from one number on, up to another one.
struct Part {
  size_t dimension = 0;
  std::optional<Poly> from, to;
};

struct Cover {
  const LaunchSymbols& launch;
  int core;
  std::string what;
  Place place;
  Walked& to;

  void By(Access a, int way, const Part& part = {}) const {
    const TensorSymbol& t = launch.tensors[a.gm];
    std::vector<Poly> point;
    std::vector<F> facts;
    auto one = [&](const std::string& name, const Poly& most) {
      point.push_back(Poly::Atom(to.terms.Fresh({name, false, true})));
      facts.push_back(And({Le(0, point.back()), Lt(point.back(), most)}));
    };
    if (t.is_list) {
      one("number of the tensor", CountOf(to.terms, t));
      a = OfTensor(launch, to, core, a, point[0]);
      one("place", NumelOf(to.terms, t, point[0]));
      std::swap(point[0], point[1]);
    } else {
      Poly said = 1;
      for (size_t d = 0; d < (a.of_view > 0 ? a.of_view : a.dims.size()); ++d) {
        one(fmt::format("place {}", d), a.dims[d]);
        said = said * a.dims[d];
      }
      to.obligations.push_back({"cover", place, what, launch.facts, Eq(said, t.elements), way, {}});
    }
    if (part.from) facts.push_back(Le(*part.from, point[part.dimension]));
    if (part.to) facts.push_back(Lt(point[part.dimension], *part.to));
    Targets targets(to.terms, core, a, point);
    if (a.of_view > 0 && targets.in_view().empty())
      return to.obligations.push_back({"cover", place, what, launch.facts, False(), way,
                                       "it is stored by way of a view whose pieces are not known"});
    CoverWalk walk(launch, to, core, a, targets, point, way, place);
    walk.what_ = what;
    walk.Run(facts);
  }

  // Stores side by side, as those of a join: each has what lies before the next one's first place.
  // Whatever these numbers are, every place is before the first of them, or between two, or behind.
  bool Together(const std::vector<Access>& stores, int way) const {
    if (stores.size() < 2 || launch.tensors[stores[0].gm].is_list) return false;
    std::vector<std::vector<Poly>> first;  // by store and dimension
    for (const Access& a : stores) {
      if (a.gm != stores[0].gm) return false;
      const Targets targets(to.terms, core, a, std::vector<Poly>(a.start.size()));
      first.emplace_back();
      for (const Poly& p : a.start) first.back().push_back(targets.Base(p));
    }
    std::optional<size_t> beside;
    for (size_t d = 0; d < first[0].size(); ++d) {
      if (std::ranges::all_of(first, [&](const auto& f) { return f[d] == first[0][d]; })) continue;
      if (beside) return false;
      beside = d;
    }
    if (!beside) return false;
    for (size_t i = 0; i < stores.size(); ++i) {
      Part part{*beside, {}, {}};
      if (i > 0) part.from = first[i][*beside];
      if (i + 1 < stores.size()) part.to = first[i + 1][*beside];
      By(stores[i], way, part);
    }
    return true;
  }
};
}  // namespace

void NeedCover(const LaunchSymbols& launch, const std::vector<Access>& accesses, int core,
               Walked& to) {
  std::set<std::string> seen;
  for (const TensorSymbol& t : launch.tensors) {
    const ir::HostTensor* made = launch.program.Tensor(t.name);
    if (!made || made->kind != ir::HostTensor::kOutput || !seen.insert(t.memory).second) continue;
    const std::string what = fmt::format("every element of {} is stored", t.name);
    std::vector<Access> stores;
    for (const Access& a : accesses)
      if (a.kind == Access::kStore && launch.tensors[a.gm].memory == t.memory) stores.push_back(a);
    if (stores.empty()) {
      to.obligations.push_back(
          {"cover", launch.place, what, launch.facts, False(), 0, "nothing stores into it"});
      continue;
    }
    const Cover cover{launch, core, what, stores[0].place, to};
    int way = 0;
    if (cover.Together(stores, way)) ++way;
    for (const Access& a : stores) cover.By(a, way++);
  }
}

}  // namespace akgen::craft::prove
