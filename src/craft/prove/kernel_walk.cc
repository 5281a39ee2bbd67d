#include "craft/prove/kernel_walk.h"

#include <fmt/format.h>

#include <cmath>

namespace akgen::craft::prove {
using ir::Op;
using ir::Stmt;
using ir::Ty;

namespace {
// The host's names of lists of integers.
const std::string& NameOf(const LaunchSymbols& launch, const std::string& list) {
  const auto at = std::ranges::find(launch.kernel.lists, list) - launch.kernel.lists.begin();
  return launch.lists[static_cast<size_t>(at)];
}
std::vector<std::string> NamesOf(const LaunchSymbols& launch, const ir::Starts& s) {
  std::vector<std::string> out;
  for (const std::string& list : s.lists) out.push_back(NameOf(launch, list));
  return out;
}

// The host refuses a list that is too long, and numbers below 0. What it knows of the sum of all is
// known of the last start.
std::vector<F> FactsOfLists(const LaunchSymbols& launch, Terms& terms) {
  std::vector<F> out;
  for (const std::string& list : launch.lists)
    out.push_back(Le(LengthOf(terms, list), ir::kMaxItems));
  for (const ir::Starts& s : launch.kernel.starts) {
    const std::vector<std::string> lists = NamesOf(launch, s);
    const Poly all = LengthOf(terms, lists[0]);
    out.push_back(Eq(StartOf(terms, lists, all), BeforeOf(terms, lists, all)));
  }
  return out;
}
}  // namespace

KernelWalk::KernelWalk(const LaunchSymbols& launch, Walked& to, int core, bool silent)
    : Evaluator(to), launch_(launch), kernel_(launch.kernel), core_(Poly::Atom(core)) {
  env_ = launch.scalars;
  facts_ = launch.facts;
  const std::vector<F> known = FactsOfLists(launch, to.terms);
  facts_.insert(facts_.end(), known.begin(), known.end());
  silent_ = silent;
}

void KernelWalk::Run() {
  place_ = launch_.place;
  Views();
  facts_.push_back(And({Le(0, core_), Lt(core_, launch_.cores)}));
  Block(kernel_.body);
}

size_t KernelWalk::GmOf(const std::string& name) const {
  size_t g = 0;
  while (g < kernel_.gms.size() && kernel_.gms[g].name != name) ++g;
  return g;
}

// A kernel may say that a tensor is smaller than it is, not larger.
void KernelWalk::Views() {
  for (size_t g = 0; g < kernel_.gms.size(); ++g) {
    if (kernel_.gms[g].is_list) continue;
    Poly said = 1;
    std::vector<F> goal;
    for (const ir::S& d : kernel_.gms[g].dims) {
      const Poly n = Int(d);
      said = said * n;
      goal.push_back(Le(0, n));
    }
    goal.push_back(Le(said, launch_.tensors[g].elements));
    Need("view", And(goal),
         fmt::format("gm[…] of {} has no more elements than {}", kernel_.gms[g].name,
                     launch_.tensors[g].name));
  }
}

void KernelWalk::Block(const ir::Block& b) {
  for (const auto& s : b) One(*s);
}

void KernelWalk::One(const Stmt& s) {
  place_ = s.place;
  switch (s.kind) {
    case Stmt::kLet: {
      Value v = Eval(s.value);
      if (v.text.empty()) v.text = s.name;
      env_[s.name] = v;
      return;
    }
    case Stmt::kIf:
      path_.push_back(&s);
      Branches(s);
      path_.pop_back();
      return;
    case Stmt::kFor:
    case Stmt::kBlocks: return Loop(s);
    case Stmt::kFlag: return;  // made by the lowering
    case Stmt::kSync: ++phase_; return;
    case Stmt::kStage:
      for (const ir::Product& p : s.products) Multiply(p);
      for (const ir::Handover& h : s.handovers) HandOver(h);
      for (const ir::Copy& c : s.copies) Move(c, s.stage == ir::StageKind::kCopyIn);
      return Compute(s);
  }
}

void KernelWalk::Branches(const Stmt& s) {
  const F condition = Condition(s.value);
  {
    Scope scope(*this, condition);
    Block(s.body);
  }
  Scope scope(*this, Not(condition));
  Block(s.other);
}

// tiles(first, last, step): first <= i, 1 <= n <= step, i + n <= last, and n is less than step at
// the end alone.
LoopSymbol KernelWalk::Enter(const Stmt& s, F& known) {
  LoopSymbol loop{Poly::Atom(to_.terms.Fresh({s.name})),
                  {},
                  Int(s.first),
                  Int(s.last),
                  Int(s.step),
                  !s.count_name.empty(),
                  &s};
  Need("step", Le(1, loop.step), to_.terms.Text(loop.step) + " is at least 1");
  const Poly& i = loop.variable;
  std::vector<F> facts = {Le(loop.first, i), Lt(i, loop.last)};
  env_[s.name] = {i, nullptr, s.name};
  if (loop.tiles) {
    loop.count = Poly::Atom(to_.terms.Fresh({s.count_name, false, true}));
    const Poly& n = loop.count;
    facts.push_back(And({Le(1, n), Le(n, loop.step), Le(i + n, loop.last),
                         Or({Eq(n, loop.step), Eq(i + n, loop.last)})}));
    env_[s.count_name] = {n, nullptr, s.count_name};
  }
  known = And(facts);
  return loop;
}

// Whole blocks, and less at the ends, as tiles on each axis; no two cores have the same one
// (races.cc), and each block is one core's (cover.cc). In which order they come is not seen.
std::vector<LoopSymbol> KernelWalk::EnterBlocks(const Stmt& s, F& known) {
  std::vector<LoopSymbol> out;
  std::vector<F> facts;
  auto index = [&](const std::string& name, const Poly& last) {
    const Poly i = Poly::Atom(to_.terms.Fresh({name, false, true}));
    env_[name] = {i, nullptr, name};
    facts.push_back(And({Le(0, i), Lt(i, last)}));
    out.push_back({i, {}, 0, last, 1, false, &s});
  };
  auto axis = [&](const std::string& name, const std::string& count, const ir::S& extent,
                  const ir::S& size) {
    const Poly m = Int(extent), step = Int(size);
    Need("step", And({Le(0, m), Le(1, step)}), to_.terms.Text(step) + " is at least 1");
    index(name, m);
    const Poly i = out.back().variable, n = Poly::Atom(to_.terms.Fresh({count, false, true}));
    env_[count] = {n, nullptr, count};
    facts.push_back(And({Le(1, n), Le(n, step), Le(i + n, m), Or({Eq(n, step), Eq(i + n, m)})}));
    out.back().count = n, out.back().step = step, out.back().tiles = true;
  };
  const ir::Blocks& b = *s.blocks;
  if (!b.group.empty())
    index(b.group, LengthOf(to_.terms, NameOf(launch_, kernel_.StartsOf(b.starts).list)));
  for (const auto& [name, extent] : b.over) {
    const Poly last = Int(extent);
    Need("extent", Le(0, last), to_.terms.Text(last) + " is at least 0");
    index(name, last);
  }
  if (b.order) Eval(b.order);
  Scope of_group(*this, And(facts));
  axis(b.row, b.rows, b.m, b.tm);
  if (b.n) axis(b.col, b.cols, b.n, b.tn);
  known = And(facts);
  return out;
}

void KernelWalk::Loop(const Stmt& s) {
  F known;
  const size_t before = loops_.size();
  if (s.kind == Stmt::kBlocks) {
    const std::vector<LoopSymbol> entered = EnterBlocks(s, known);
    loops_.insert(loops_.end(), entered.begin(), entered.end());
  } else {
    loops_.push_back(Enter(s, known));
  }
  path_.push_back(&s);
  {
    Scope scope(*this, known);
    Block(s.body);
  }
  path_.pop_back();
  loops_.resize(before);
}

Poly CountOf(Terms& terms, const TensorSymbol& list) {
  const int atom =
      terms.Named("count " + list.like, {fmt::format("len({})", list.like), false, true});
  if (terms.At(atom).defined.empty())
    terms.Define(atom, And({Le(1, Poly::Atom(atom)), Le(Poly::Atom(atom), 64)}));
  return Poly::Atom(atom);
}

Poly NumelOf(Terms& terms, const TensorSymbol& list, const Poly& index) {
  const std::string name = fmt::format("numel({}[{}])", list.like, terms.Text(index));
  const int atom = terms.Named("numel " + list.like + index.Key(), {name, false, true});
  if (terms.At(atom).defined.empty()) {
    terms.Define(atom, Le(1, Poly::Atom(atom)));
    terms.FunctionOf(atom, list.like, index);
  }
  return Poly::Atom(atom);
}

std::string KernelWalk::WindowText(const ir::GmRef& ref) const {
  std::string out = kernel_.gms[static_cast<size_t>(ref.gm)].name + "[";
  for (size_t d = 0; d < ref.window.size(); ++d) {
    const auto& [start, extent, room] = ref.window[d];
    out += d && d == ref.of_view ? "][" : d ? ", " : "";
    out += ir::IsConst(extent, 1) ? ir::ToText(start)
                                  : fmt::format("{} +: {}", ir::ToText(start), ir::ToText(extent));
  }
  return out + "]";
}

void KernelWalk::Window(const ir::GmRef& ref, Access& a) {
  a.gm = static_cast<size_t>(ref.gm);
  a.ref = &ref;
  place_ = a.place = ref.place;
  const ir::Gm& gm = kernel_.gms[a.gm];
  const std::string text = WindowText(ref);
  if (gm.is_list) {
    a.in_list = Int(ref.list_index);
    const Poly count = CountOf(to_.terms, launch_.tensors[a.gm]);
    Need("index", And({Le(0, a.in_list), Lt(a.in_list, count)}),
         fmt::format("{} is one of the tensors", text));
  }
  a.of_view = ref.of_view;
  for (size_t d = 0; d < ref.window.size(); ++d) {
    a.dims.push_back(Int(ref.window[d].room));
    a.start.push_back(Int(ref.window[d].start));
    a.extent.push_back(Int(ref.window[d].extent));
    Need("window",
         And({Le(0, a.start[d]), Le(0, a.extent[d]), Le(a.start[d] + a.extent[d], a.dims[d])}),
         ref.window.size() == 1 ? text + " lies in it"
                                : fmt::format("{} lies in dimension {}", text, d));
  }
  a.offset = Int(ref.offset), a.rows = Int(ref.rows), a.cols = Int(ref.cols),
  a.stride = Int(ref.row_stride);
  a.phase = phase_;
  a.order = order_++;
  a.loops = loops_;
  a.path = path_;
}

void KernelWalk::Move(const ir::Copy& c, bool in) {
  Access a;
  a.kind = in ? Access::kLoad : c.atomic_add ? Access::kAdd : Access::kStore;
  Window(c.gm, a);
  const ir::Buffer& b = kernel_.buffers[static_cast<size_t>(c.buffer)];
  if (in)
    Need("buffer", And({Le(a.rows, Int(b.rows)), Le(a.cols, Int(b.cols))}),
         fmt::format("{} has room for {}", b.name, WindowText(c.gm)));
  a.facts = facts_;
  accesses_.push_back(std::move(a));
}

void KernelWalk::Multiply(const ir::Product& p) {
  std::vector<const ir::GmRef*> windows;
  for (const ir::Matrix* m : {&p.a, &p.b})
    if (m->buffer < 0) windows.push_back(&m->gm);
  if (p.row) windows.push_back(&*p.row);
  for (const ir::GmRef* ref : windows) {
    Access a;
    Window(*ref, a);
    a.facts = facts_;
    accesses_.push_back(std::move(a));
  }
  place_ = p.place;
  const ir::Buffer& acc = kernel_.buffers[static_cast<size_t>(p.acc)];
  const Poly m = Int(p.m), n = Int(p.n);
  Need("buffer", And({Le(m, Int(acc.rows)), Le(n, Int(acc.cols))}),
       fmt::format("{} has room for the product", acc.name));
  sums_[p.acc] = {m, n};
}

// The tile's rows are shared by two Vector cores, each with rows of its own of what is stored: the
// lowering sees to it (passes/split_rows.cc).
void KernelWalk::HandOver(const ir::Handover& h) {
  auto made = sums_.find(h.from);
  if (made == sums_.end()) {
    to_.broken = "sums are handed over in another block than they are made in";
    return;
  }
  const ir::Buffer& to = kernel_.buffers[static_cast<size_t>(h.to)];
  Need("buffer", And({Le(made->second.first, Int(to.rows)), Le(made->second.second, Int(to.cols))}),
       fmt::format("{} has room for what is handed over", to.name));
}

// What a tile has room for is an upper bound by the names in its extents; that it is one is asked
// here.
void KernelWalk::Extents(const ir::Value& v) {
  const bool makes = v.op == Op::k_full || v.op == Op::k_iota;
  std::vector<F> goal;
  for (const auto& [extent, room] :
       {std::pair(v.rows, v.most_rows), std::pair(v.cols, v.most_cols)}) {
    if (makes && !ir::AsConst(extent)) goal.push_back(Le(0, Int(extent)));
    if (!ir::Same(extent, room)) goal.push_back(Le(Int(extent), Int(room)));
  }
  if (!goal.empty())
    Need("buffer", And(goal),
         fmt::format("[{}, {}] elements fit in [{}, {}]", ir::ToText(v.rows), ir::ToText(v.cols),
                     ir::ToText(v.most_rows), ir::ToText(v.most_cols)));
}

void KernelWalk::Compute(const Stmt& s) {
  for (const ir::Value& v : s.values) {
    if (v.place.line) place_ = v.place;
    Extents(v);
    if (v.op == Op::kWrite) {
      const ir::Buffer& b = kernel_.buffers[static_cast<size_t>(v.buffer)];
      std::vector<F> goal;
      for (const auto& [extent, room] : {std::pair(v.rows, b.rows), std::pair(v.cols, b.cols)})
        if (!ir::Same(extent, room) && !ir::IsConst(extent, 1))
          goal.push_back(Le(Int(extent), Int(room)));
      if (!goal.empty())
        Need("buffer", And(goal), fmt::format("{} has room for what is written to it", b.name));
    }
    if (!v.numbers.empty()) {
      std::vector<F> goal;
      for (size_t i = 0; i + 1 < v.numbers.size(); ++i) goal.push_back(Le(1, Int(v.numbers[i])));
      Need("windows", And(goal),
           fmt::format("extents, counts and distances of {}() are at least 1", ir::NameOf(v.op)));
    }
    if (v.op == Op::k_row_gather) Gather(s, v);
    if (v.scalar) Eval(v.scalar);
  }
}

// Places computed from iota() and numbers are known; others are elements of data.
void KernelWalk::Gather(const Stmt& s, const ir::Value& v) {
  const Poly column = Poly::Atom(to_.terms.Fresh({"column", false, true}));
  const Poly cols = Int(s.values[static_cast<size_t>(v.args[0])].cols);
  Scope scope(*this, And({Le(0, column), Lt(column, Int(v.cols))}));
  auto at = Pointwise(s, v.args[1], column);
  if (!at) at = Poly::Atom(to_.terms.Fresh({"a place of row_gather()", false, false, true}));
  Need("index", And({Le(0, *at), Lt(*at, cols)}), "places of row_gather() lie in the row");
}

std::optional<Poly> KernelWalk::Pointwise(const Stmt& s, int value, const Poly& column) {
  const ir::Value& v = s.values[static_cast<size_t>(value)];
  // floor(i * 0.5) is i // 2, exact in float for places in a tile; so for other powers of 2.
  if (v.op == Op::k_cast && !base::IsFloating(v.dtype)) {
    const ir::Value& rounded = s.values[static_cast<size_t>(v.args[0])];
    const ir::Value* product =
        rounded.op == Op::k_floor ? &s.values[static_cast<size_t>(rounded.args[0])] : nullptr;
    if (product && product->op == Op::k_mul) {
      const ir::Value& whole = s.values[static_cast<size_t>(product->args[0])];
      const ir::Value& by = s.values[static_cast<size_t>(product->args[1])];
      const ir::Scalar* factor = by.op == Op::kSplat ? ir::AsConst(by.scalar) : nullptr;
      int exponent = 0;
      if (whole.op == Op::k_cast && factor && factor->f > 0 &&
          std::frexp(factor->f, &exponent) == 0.5 && exponent <= 1 && exponent > -20)
        if (auto i = Pointwise(s, whole.args[0], column))
          return to_.terms.FloorDiv(*i, int64_t{1} << (1 - exponent));
    }
  }
  if (base::IsFloating(v.dtype) || v.dtype == base::Dtype::kBool) return std::nullopt;
  if ((v.op == Op::kSplat || v.op == Op::k_full) && v.scalar->type == Ty::kInt)
    return Int(v.scalar);
  if (v.op == Op::k_iota) return Int(v.scalar) + column;
  std::vector<Poly> args;
  for (int a : v.args) {
    auto p = Pointwise(s, a, column);
    if (!p) return p;
    args.push_back(*p);
  }
  switch (v.op) {
    case Op::k_cast: return args[0];
    case Op::k_add: return args[0] + args[1];
    case Op::k_sub: return args[0] - args[1];
    case Op::k_mul: return args[0] * args[1];
    case Op::k_minimum: return to_.terms.Min(args[0], args[1]);
    case Op::k_maximum: return to_.terms.Max(args[0], args[1]);
    default: return std::nullopt;
  }
}

Value KernelWalk::Special(const ir::Scalar& s) {
  Value v;
  if (s.text == "core") return v.number = core_, v;
  if (s.text == "cores") return v.number = launch_.cores, v;
  if (s.text == "length") return v.number = LengthOf(to_.terms, NameOf(launch_, s.tensor)), v;
  if (s.text == "element" || s.text == "start") {
    const Poly at = Int(s.args[0]);
    const bool one = s.text == "element";
    const std::vector<std::string> lists =
        one ? std::vector{NameOf(launch_, s.tensor)} : NamesOf(launch_, kernel_.StartsOf(s.tensor));
    const Poly all = LengthOf(to_.terms, lists[0]);
    v.number = one ? ElementOf(to_.terms, lists[0], at) : StartOf(to_.terms, lists, at);
    Need("index", And({Le(0, at), one ? Lt(at, all) : Le(at, all)}),
         to_.terms.Text(v.number) + " exists");
    return v;
  }
  const size_t g = GmOf(s.tensor);
  if (s.text == "count") return v.number = CountOf(to_.terms, launch_.tensors[g]), v;
  const Poly at = Int(s.args[0]);
  if (s.text == "numel") return v.number = NumelOf(to_.terms, launch_.tensors[g], at), v;
  // item(): an element, of which nothing is known.
  const std::string text = fmt::format("item({}[{}])", s.tensor, ir::ToText(s.args[0]));
  Poly elements = launch_.tensors[g].elements;
  if (s.args.size() > 1) {
    const Poly which = Int(s.args[1]);
    Need("index", And({Le(0, which), Lt(which, CountOf(to_.terms, launch_.tensors[g]))}),
         text + " is of one of the tensors");
    elements = NumelOf(to_.terms, launch_.tensors[g], which);
  }
  Need("index", And({Le(0, at), Lt(at, elements)}), text + " exists");
  if (s.type != Ty::kInt) return v.text = fmt::format("{} #{}", text, items_++), v;
  const int atom = to_.terms.Fresh({text, false, false, true});
  for (InputSymbols& in : to_.inputs)
    if (in.name == launch_.tensors[g].memory) in.items.push_back(atom);
  return v.number = Poly::Atom(atom), v.text = text, v;
}

namespace {
// The kernel once more, with the tensor of a list that is looked at in place of the loop over them.
class OneOfList : public KernelWalk {
 public:
  OneOfList(const LaunchSymbols& launch, Walked& to, int core, const Stmt* loop, const Poly& index)
      : KernelWalk(launch, to, core, true), loop_(loop), index_(index) {}

 private:
  LoopSymbol Enter(const Stmt& s, F& known) override {
    LoopSymbol l = KernelWalk::Enter(s, known);
    if (&s != loop_) return l;
    l.variable = index_;
    env_[s.name] = {index_, nullptr, s.name};
    known = And({Le(l.first, index_), Lt(index_, l.last)});
    return l;
  }
  const Stmt* loop_;
  Poly index_;
};
}  // namespace

Access OfTensor(const LaunchSymbols& launch, Walked& to, int core, const Access& a,
                const Poly& number) {
  for (const LoopSymbol& l : a.loops) {
    if (!(l.variable == a.in_list)) continue;
    OneOfList again(launch, to, core, l.statement, number);
    again.Run();
    for (const Access& b : again.accesses())
      if (b.ref == a.ref) return b;
  }
  return a;
}

void WalkLaunch(const LaunchSymbols& launch, Walked& to) {
  const int core = to.terms.Fresh({"core()", false, true}),
            other = to.terms.Fresh({"core()'", false, true});
  KernelWalk one(launch, to, core, false), second(launch, to, other, true),
      again(launch, to, core, true);
  one.Run();
  second.Run();
  again.Run();
  NeedNoRace(launch, one.accesses(), second.accesses(), core, other, to);
  NeedOrder(launch, one.accesses(), again.accesses(), to);
  NeedCover(launch, one.accesses(), core, to);
}

}  // namespace akgen::craft::prove
