// The checks of kernels, statement by statement (craft/check/kernel_checker.h).
#include <fmt/format.h>

#include <algorithm>

#include "craft/check/kernel_checker.h"
#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ast::StmtKind;
using ir::S;
using ir::Ty;

ir::Kernel CheckKernel(const ast::Function& f, const LaunchTypes& types, Diagnostics& diagnostics) {
  return KernelChecker(f, types, diagnostics).Run();
}

ir::Kernel KernelChecker::Run() {
  k_.name = f_.name;
  Parameters();
  k_.body = Body(f_.body);
  return std::move(k_);
}

void KernelChecker::Parameters() {
  ListParameters();
  for (const ast::Param& p : f_.params) {
    names_.insert(p.name);
    if (auto it = types_.scalars.find(p.name); it != types_.scalars.end()) {
      if (p.annotation && (p.annotation->kind == ExprKind::kSubscript ||
                           p.annotation->text == "gms" || p.annotation->text == "ints"))
        Error("AK1515", p.place,
              fmt::format("'{}' is a {} here, but the launch gives a number", p.name,
                          p.annotation->text == "ints" ? "list" : "tensor"));
      scalars_[p.name] = ir::Var(p.name, it->second);
      k_.params.push_back({p.name, it->second});
    }
  }
  for (const std::string& name : types_.extents) {
    names_.insert(name);
    scalars_[name] = ir::Var(name, Ty::kInt);
    k_.params.push_back({name, Ty::kInt});
  }
  for (const ast::Param& p : f_.params) {
    auto it = types_.tensors.find(p.name);
    if (it == types_.tensors.end()) continue;
    const size_t errors = Errors();
    ir::Gm g;
    g.name = p.name;
    g.dtype = it->second.dtype;
    g.is_list = it->second.is_list;
    const Expr* a = p.annotation.get();
    if (g.is_list) {
      if (!a || a->text != "gms")
        Error("AK1511", p.place, fmt::format("'{}' is a list of tensors", p.name),
              fmt::format("write {}: gms", p.name));
    } else if (!a || a->kind != ExprKind::kSubscript || a->args[0]->text != "gm") {
      Error("AK1511", p.place, fmt::format("tensor '{}' does not say its shape", p.name),
            fmt::format("write {}: gm[rows, cols]", p.name));
    } else {
      for (size_t i = 1; i < a->args.size(); ++i) {
        S d = IntScalar(*a->args[i], "an extent");
        g.dims.push_back(d ? d : ir::Int(1));
      }
    }
    if (Errors() != errors) SetBroken(p.name);
    gm_[p.name] = static_cast<int>(k_.gms.size());
    k_.gms.push_back(std::move(g));
  }
}

std::vector<std::string> KernelChecker::NamesInScope() const {
  std::vector<std::string> n = {"core",    "cores",      "tiles",    "range", "ub",     "load",
                                "store",   "atomic_add", "sync_all", "item",  "len",    "numel",
                                "min",     "max",        "ceil_div", "align", "copyin", "compute",
                                "copyout", "cast",       "where",    "full",  "iota",   "blocks",
                                "l1",      "acc",        "cube",     "before"};
  for (const auto& [k, v] : scalars_) n.push_back(k);
  for (const auto& [k, v] : gm_) n.push_back(k);
  for (const auto& [k, v] : views_) n.push_back(k);
  for (const std::string& k : lists_) n.push_back(k);
  for (const auto& [k, v] : buffer_) n.push_back(k);
  for (const auto& [k, v] : value_) n.push_back(k);
  return n;
}

ir::Block KernelChecker::Body(const ast::Block& b) {
  ir::Block out;
  auto scalars = scalars_;
  auto views = views_;
  ++nested_;
  std::set<int> outer;
  std::swap(loaded_, outer);
  for (const auto& s : b) Statement(*s, out);
  --nested_;
  scalars_ = scalars;
  views_ = views;
  for (int buffer : loaded_)
    End(buffer, "what was loaded into it ends with the loop or condition it was loaded in");
  loaded_ = outer;
  EndExtents();
  return out;
}

void KernelChecker::End(int buffer, const std::string& why) {
  extent_.erase(buffer);
  ended_[buffer] = why;
}

// A tile whose extent is said in a name ends with that name: nothing could say how much of it there
// is.
void KernelChecker::EndExtents() {
  std::set<std::string> known;
  for (const auto& [name, value] : scalars_) ir::Variables(value, known);
  std::vector<std::pair<int, std::string>> ending;
  for (const auto& [buffer, extent] : extent_) {
    std::set<std::string> used;
    ir::Variables(extent.rows, used);
    ir::Variables(extent.cols, used);
    for (const std::string& name : used)
      if (!known.count(name)) ending.push_back({buffer, name});
  }
  for (const auto& [buffer, name] : ending)
    End(buffer, fmt::format("its extent is said in '{}', which is not known here", name));
}

void KernelChecker::NothingIn(int buffer, Place place, const std::string& what,
                              const std::string& fix) {
  const std::string& name = k_.buffers[static_cast<size_t>(buffer)].name;
  auto ended = ended_.find(buffer);
  if (Broken(name) || (ended == ended_.end() && lost_load_)) return void(SaidOf(name));
  if (ended == ended_.end())
    return Error("AK1513", place, fmt::format("{} is {}", name, what), fix);
  Error("AK1513", place, fmt::format("{} is used too late: {}", name, ended->second),
        "use it there, or write what is needed later to a buffer made for that");
}

void KernelChecker::Statement(const ast::Stmt& s, ir::Block& out) {
  Checked(s, [&] { OneStatement(s, out); });
}

void KernelChecker::OneStatement(const ast::Stmt& s, ir::Block& out) {
  switch (s.kind) {
    case StmtKind::kAssign: return Assign(s, out);
    case StmtKind::kFor: return For(s, out);
    case StmtKind::kIf: return If(s, out);
    case StmtKind::kWith: return Stage(s, out);
    case StmtKind::kPass: return;
    case StmtKind::kReturn:
      return Error("AK1513", s.place, "a kernel returns nothing",
                   "store the result into a GM tensor");
    case StmtKind::kExpr: {
      std::string call = CalleeName(*s.value);
      if (call == "sync_all") {
        if (nested_ > 0)
          return Error("AK1513", s.place, "sync_all() below a loop or a condition",
                       "every core must reach it: put it at the kernel's top level");
        auto st = std::make_shared<ir::Stmt>();
        st->kind = ir::Stmt::kSync;
        k_.syncs = true;
        out.push_back(st);
        return;
      }
      if (call == "load")
        return Error("AK1513", s.place, "load() outside of a copyin stage",
                     "put it below `with copyin:`");
      if (call == "store" || call == "atomic_add")
        return Error("AK1513", s.place, fmt::format("{}() outside of a copyout stage", call),
                     "put it below `with copyout:`");
      return Error("AK1514", s.place, "this statement does nothing");
    }
  }
}

void KernelChecker::LetScalar(const std::string& name, const S& value, Place place,
                              ir::Block& out) {
  if (gm_.count(name) || buffer_.count(name) || scalars_.count(name) || views_.count(name) ||
      lists_.count(name))
    return Error("AK1510", place, fmt::format("'{}' is assigned twice", name),
                 "a scalar is assigned once; keep running values in a buffer");
  std::string unique = name;
  for (int i = 2; names_.count(unique); ++i) unique = fmt::format("{}_{}", name, i);
  names_.insert(unique);
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kLet;
  st->place = place;
  st->name = unique;
  st->value = value;
  out.push_back(st);
  bounds_[unique] = Bound(value);
  values_[unique] = Spelled(value);
  scalars_[name] = ir::Var(unique, value->type);
  if (IsLong(value)) long_names_.insert(unique);
}

S KernelChecker::Spelled(const S& s) const {
  return ir::Substitute(s, [&](const std::string& name) {
    auto it = values_.find(name);
    return it == values_.end() ? nullptr : it->second;
  });
}

bool KernelChecker::IsLong(const S& s) const {
  if (s->kind == ir::SKind::kVar) return long_names_.count(s->text) > 0;
  if (s->kind == ir::SKind::kCall && s->text == "item")
    return std::ranges::any_of(
        k_.gms, [&](const ir::Gm& g) { return g.name == s->tensor && g.dtype == Dtype::kInt64; });
  return std::ranges::any_of(s->args, [&](const S& a) { return IsLong(a); });
}

void KernelChecker::Assign(const ast::Stmt& s, ir::Block& out) {
  const Expr& made =
      s.value->kind == ExprKind::kList && !s.value->args.empty() ? *s.value->args[0] : *s.value;
  if (std::string call = CalleeName(made); call == "ub" || call == "l1" || call == "acc")
    return MakeBuffers(s);
  if (s.targets[0]->kind != ExprKind::kName)
    return Error("AK1513", s.place, "a buffer is written outside of a compute stage",
                 "put it below `with compute:`");
  if (made.kind == ExprKind::kCall && made.args[0]->kind == ExprKind::kAttribute &&
      made.args[0]->text == "view" && !made.args[0]->of_module)
    return View(s);
  std::vector<const Expr*> values;
  if (s.targets.size() == 1)
    values.push_back(s.value.get());
  else if (s.value->kind == ExprKind::kList)
    for (const auto& a : s.value->args) values.push_back(a.get());
  if (values.size() != s.targets.size())
    return Error("AK1510", s.place, "names and values differ in number");
  std::vector<S> scalars;
  for (const Expr* v : values) scalars.push_back(Scalar(*v));
  for (size_t i = 0; i < scalars.size(); ++i)
    if (scalars[i]) LetScalar(s.targets[i]->text, scalars[i], s.place, out);
}

// x, y = ub(...), ub(...) makes several.
void KernelChecker::MakeBuffers(const ast::Stmt& s) {
  const bool list = s.value->kind == ExprKind::kList;
  if (s.targets.size() != (list ? s.value->args.size() : 1))
    return Error("AK1510", s.place, "names and values differ in number");
  for (size_t i = 0; i < s.targets.size(); ++i) {
    if (s.targets[i]->kind != ExprKind::kName)
      return Error("AK1510", s.targets[i]->place, "only names can be assigned here");
    MakeBuffer(s, s.targets[i]->text, list ? *s.value->args[i] : *s.value);
  }
}

void KernelChecker::MakeBuffer(const ast::Stmt& s, const std::string& name, const Expr& v) {
  const std::string call = CalleeName(v);
  if (call != "ub" && call != "l1" && call != "acc")
    return Error("AK1510", s.place, "buffers and numbers are made in statements of their own");
  if (loop_depth_ > 0)
    return Error("AK1513", s.place, "a buffer is made inside a loop",
                 "make it before the loop: buffers live as long as the kernel");
  if (names_.count(name))
    return Error("AK1510", s.place, fmt::format("'{}' is taken", name), "choose another name");
  names_.insert(name);
  size_t dims = v.args.size() - 1;
  const Expr* dtype = KeywordArg(v, "dtype");
  const bool matrix = call != "ub";
  if (dims < (matrix ? 2 : 1) || dims > 2 || (!dtype && call != "acc"))
    return Error("AK1514", s.place,
                 fmt::format("{}() takes {} and a dtype", call,
                             matrix ? "rows, columns" : "one or two extents"),
                 call + "(rows, cols, dtype=f32)");
  ir::Buffer b;
  b.memory = call == "l1" ? ir::Memory::kL1 : call == "acc" ? ir::Memory::kAcc : ir::Memory::kUb;
  b.name = name;
  b.place = s.place;
  b.rows = dims == 2 ? IntScalar(*v.args[1], "an extent") : ir::Int(1);
  b.cols = IntScalar(*v.args.back(), "an extent");
  if (!b.rows || !b.cols) return;
  for (S* e : {&b.rows, &b.cols}) {
    if (ir::AsConst(*e) && (*e)->i <= 0)
      return Error("AK1511", s.place, "a buffer without elements");
    *e = Bound(*e);
  }
  if (!dtype) {
    b.dtype = base::Dtype::kFloat32;
  } else if (dtype->kind == ExprKind::kAttribute && dtype->text == "dtype") {
    S index;
    int g = GmOf(*dtype->args[0], index);
    if (g < 0) return;
    b.dtype = k_.gms[g].dtype;
  } else if (auto d = ir::DtypeFromShort(dtype->text)) {
    b.dtype = *d;
  } else {
    return Error("AK1512", dtype->place, "expected a dtype",
                 "x.dtype, or one of f32, f16, bf16, i8, u8, i16, i32, i64, bool");
  }
  if (call == "acc" && b.dtype != base::Dtype::kFloat32 && b.dtype != base::Dtype::kInt32)
    return Error("AK1512", s.place, "sums are f32, or i32 for products of i8");
  buffer_[name] = static_cast<int>(k_.buffers.size());
  k_.buffers.push_back(b);
}

namespace {
// Does it depend on anything but the kernel's parameters?
bool Varies(const S& s, const std::vector<ir::KernelParam>& params) {
  static const std::set<std::string> kOwn = {"core",   "item",  "numel", "element",
                                             "length", "start", "group"};
  if (s->kind == ir::SKind::kCall && kOwn.count(s->text)) return true;
  if (s->kind == ir::SKind::kVar)
    return std::none_of(params.begin(), params.end(),
                        [&](const auto& p) { return p.name == s->text; });
  return std::any_of(s->args.begin(), s->args.end(), [&](const S& a) { return Varies(a, params); });
}
}  // namespace

// Loop counts are at most their step and at least 0, as core() is; scalars are what they were
// assigned; of the smaller one of two numbers the one that is known before the kernel runs is a
// bound.
S KernelChecker::Bound(const S& s) const {
  if (s->kind == ir::SKind::kVar) {
    auto it = bounds_.find(s->text);
    return it == bounds_.end() ? s : it->second;
  }
  if (s->args.empty()) return s;
  bool smaller = s->kind == ir::SKind::kCall && s->text == "min";
  if (smaller && Varies(s->args[0], k_.params) != Varies(s->args[1], k_.params))
    return s->args[Varies(s->args[0], k_.params) ? 1 : 0];
  std::vector<S> args;
  for (const S& a : s->args) args.push_back(Bound(a));
  bool difference = s->kind == ir::SKind::kBinary && s->text == "-";
  if (difference && Varies(s->args[1], k_.params)) return args[0];
  return ir::MapScalar(s, args);
}

void KernelChecker::For(const ast::Stmt& s, ir::Block& out) {
  std::string call = CalleeName(*s.value);
  if (call == "blocks") return BlocksLoop(s, out);
  if (call != "tiles" && call != "range")
    return Error("AK1514", s.value->place,
                 "a loop walks tiles(first, last, step), range(n) or blocks(m, tm, n, tn)");
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kFor;
  st->place = s.place;
  std::vector<S> args;
  for (size_t i = 1; i < s.value->args.size(); ++i) {
    args.push_back(IntScalar(*s.value->args[i], "a bound of a loop"));
    if (!args.back()) return;
  }
  bool tiles = call == "tiles";
  if (tiles ? args.size() != 3 : (args.empty() || args.size() > 3))
    return Error(
        "AK1514", s.value->place,
        tiles ? "tiles() takes first, last and step" : "range() takes one to three numbers");
  if (s.targets.size() != (tiles ? 2 : 1))
    return Error("AK1514", s.place,
                 tiles
                     ? "a loop over tiles gives two names: where the tile begins and how long it is"
                     : "range() gives one name",
                 tiles ? "for r, n in tiles(first, last, step):" : "");
  st->first = args.size() > 1 ? args[0] : ir::Int(0);
  st->last = args.size() > 1 ? args[1] : args[0];
  st->step = args.size() > 2 ? args[2] : ir::Int(1);
  auto saved = scalars_;
  st->name = LoopName(s.targets[0]->text, s.place);
  if (tiles) {
    st->count_name = LoopName(s.targets[1]->text, s.place);
    bounds_[st->count_name] = Bound(st->step);
  }
  ++loop_depth_;
  st->body = Body(s.body);
  --loop_depth_;
  scalars_ = saved;
  EndExtents();
  out.push_back(st);
}

void KernelChecker::If(const ast::Stmt& s, ir::Block& out) {
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kIf;
  st->place = s.place;
  st->value = Scalar(*s.value);
  st->body = Body(s.body);
  st->other = Body(s.other);
  if (st->value) out.push_back(st);
}

void KernelChecker::Stage(const ast::Stmt& s, ir::Block& out) {
  const std::string& name = s.value->text;
  if (name != "copyin" && name != "compute" && name != "copyout" && name != "cube" &&
      name != "handover")
    return Error("AK1513", s.value->place, fmt::format("no stage '{}'", name),
                 "stages are copyin, compute, copyout, cube and handover");
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kStage;
  st->place = s.place;
  st->stage = name == "copyin"     ? ir::StageKind::kCopyIn
              : name == "compute"  ? ir::StageKind::kCompute
              : name == "cube"     ? ir::StageKind::kCube
              : name == "handover" ? ir::StageKind::kHandover
                                   : ir::StageKind::kCopyOut;
  stage_ = st.get();
  value_.clear();
  for (const auto& inner : s.body)
    Checked(*inner, [&] {
      if (st->stage == ir::StageKind::kCompute)
        ComputeStatement(*inner);
      else if (st->stage == ir::StageKind::kCube)
        CubeStatement(*inner);
      else if (st->stage == ir::StageKind::kHandover)
        HandoverStatement(*inner);
      else
        CopyStatement(*inner, *st);
    });
  stage_ = nullptr;
  value_.clear();
  out.push_back(st);
}

S KernelChecker::Special(const Expr& e, bool& handled) {
  if (S number = OfLists(e, handled); handled) return number;
  handled = true;
  std::string call = CalleeName(e);
  size_t n = e.kind == ExprKind::kCall ? e.args.size() - 1 : 0;
  if (call == "core" && n == 0) return ir::Call("core", {}, Ty::kInt);
  if (call == "cores" && n == 0) return ir::Call("cores", {}, Ty::kInt);
  if ((call == "len" || call == "numel") && n == 1) {
    S index;
    int g = GmOf(*e.args[1], index);
    if (g < 0) return nullptr;
    if (!k_.gms[g].is_list || (call == "numel") != (index != nullptr))
      return Error("AK1514", e.place, "len() takes a list of tensors, numel() one of its tensors",
                   "len(xs), numel(xs[i])"),
             nullptr;
    auto s = std::make_shared<ir::Scalar>(
        *ir::Call(call == "len" ? "count" : "numel",
                  index ? std::vector<S>{index} : std::vector<S>{}, Ty::kInt));
    s->tensor = k_.gms[g].name;
    return s;
  }
  if (call == "item" && n == 1) {
    ir::GmRef w;
    if (!Window(*e.args[1], w)) return nullptr;
    if (!ir::IsConst(w.rows, 1) || !ir::IsConst(w.cols, 1))
      return Error("AK1511", e.place, "item() reads one element", "item(x[i])"), nullptr;
    base::Dtype d = k_.gms[w.gm].dtype;
    std::vector<S> args = {w.offset};
    if (w.list_index) args.push_back(w.list_index);
    auto s = std::make_shared<ir::Scalar>(
        *ir::Call("item", args, base::IsFloating(d) ? Ty::kFloat : Ty::kInt));
    s->tensor = k_.gms[w.gm].name;
    return s;
  }
  if (e.kind == ExprKind::kName && (buffer_.count(e.text) || value_.count(e.text))) {
    Error("AK1513", e.place, fmt::format("'{}' is a tile, not a number", e.text),
          "tiles are used below `with compute:`");
    return nullptr;
  }
  handled = false;
  return nullptr;
}

}  // namespace akgen::craft
