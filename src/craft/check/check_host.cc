// The checks of host functions (craft/check/host_checker.h).
#include "craft/check/expand_calls.h"
#include "craft/check/host_checker.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>

namespace akgen::craft {

namespace {
// Outputs come in the order of `return y, z`, where it names them all.
void InOrderOfReturn(const ast::Block& body, std::vector<HostTensor>& tensors) {
  std::map<std::string, size_t> place;
  for (const auto& s : body) {
    if (s->kind != StmtKind::kReturn || !s->value) continue;
    place.clear();
    const bool several = s->value->kind == ExprKind::kList;
    for (size_t i = 0; i < (several ? s->value->args.size() : 1); ++i)
      place.insert({several ? s->value->args[i]->text : s->value->text, i});
  }
  auto named = [&](const HostTensor& t) {
    return t.kind == HostTensor::kWorkspace || place.count(t.name) > 0;
  };
  if (place.empty() || !std::all_of(tensors.begin(), tensors.end(), named)) return;
  std::stable_sort(tensors.begin(), tensors.end(), [&](const HostTensor& a, const HostTensor& b) {
    return place[a.name] < place[b.name];
  });
}

bool AssignedIn(const ast::Block& b, const std::string& name) {
  for (const auto& s : b) {
    if (s->kind == StmtKind::kAssign)
      for (const auto& t : s->targets)
        if (t->text == name) return true;
    if (s->kind == StmtKind::kIf && AssignedIn(s->body, name) && AssignedIn(s->other, name))
      return true;
  }
  return false;
}

// Lists that measure the same pieces.
void EqualLengths(const ir::Kernel& k, const HostStmt& launch, HostBlock& out) {
  auto host_name = [&](const std::string& list) {
    const auto at = std::find(k.lists.begin(), k.lists.end(), list) - k.lists.begin();
    return launch.lists[static_cast<size_t>(at)];
  };
  std::set<std::pair<std::string, std::string>> said;
  for (const ir::Starts& s : k.starts)
    for (const std::string& other : s.lists) {
      const std::string a = host_name(s.list), b = host_name(other);
      if (a == b || !said.insert({a, b}).second) continue;
      auto h = std::make_shared<HostStmt>();
      h->kind = HostStmt::kRequire;
      h->place = launch.place;
      h->value = ir::Binary("==", LengthOf(a), LengthOf(b), Ty::kBool);
      out.push_back(h);
    }
}
}  // namespace

ir::Program HostChecker::Run() {
  p_.name = f_.host->name;
  for (const ast::Param& p : f_.host->params) Parameter(p);
  p_.body = Body(f_.host->body, true);
  p_.body.insert(p_.body.begin(), named_.begin(), named_.end());
  if (p_.kernels.empty() && diag_.empty())
    scope_.Error("AK1515", f_.host->place,
                 fmt::format("host function {} launches no kernel", f_.host->name),
                 "write name[cores](...)");
  bool launched = false;
  p_.sequence = SecondLaunch(p_.body, launched) != nullptr;
  InOrderOfReturn(f_.host->body, p_.tensors);
  std::vector<HostTensor> ordered;
  for (bool workspace : {false, true})
    for (const HostTensor& t : p_.tensors)
      if ((t.kind == HostTensor::kWorkspace) == workspace) ordered.push_back(t);
  p_.tensors = std::move(ordered);
  return std::move(p_);
}

void HostChecker::Parameter(const ast::Param& p) {
  ir::HostParam h;
  h.name = p.name;
  const Expr* a = p.annotation ? &WithoutExtents(*p.annotation) : nullptr;
  std::string kind = a ? (a->kind == ExprKind::kCall ? CalleeName(*a) : a->text) : "";
  if (kind == "tensor" || kind == "tensors") {
    h.is_list = kind == "tensors";
    h.optional = p.fallback && p.fallback->kind == ExprKind::kNone;
    h.dtype = dtypes_.InAll(p.name, [&](base::Dtype& d) { return d = DtypeOf(*a), true; });
  } else if (kind == "int" || kind == "float" || kind == "bool" || kind == "str" ||
             kind == "ints") {
    h.is_attr = true;
    h.is_int_list = kind == "ints";
    h.type = kind == "float"  ? Ty::kFloat
             : kind == "bool" ? Ty::kBool
             : kind == "str"  ? Ty::kString
                              : Ty::kInt;
    if (p.fallback && !h.is_int_list) h.fallback = scope_.Scalar(*p.fallback);
    if (!h.is_int_list) scope_.Scalars()[p.name] = ir::Var(p.name, h.type);
  } else {
    scope_.Error(
        "AK1512", p.place, fmt::format("parameter '{}' does not say what it is", p.name),
        "write x: tensor(f16, f32), xs: tensors(f32), n: int, eps: float = 1e-5, flag: bool, "
        "mode: str or dims: "
        "ints");
  }
  p_.params.push_back(h);
  if (a != p.annotation.get()) NameExtents(*p.annotation, h);
}

HostBlock HostChecker::Branch(const ast::Block& block, const S& condition, bool wanted,
                              Place place) {
  if (!condition) return Body(block, false);
  HostBlock out;
  dtypes_.Branch(condition, wanted, [&](bool taken) {
    if (!taken && !block.empty())
      scope_.Error("AK1512", place, "no column of dtypes takes this branch",
                   "compare with a dtype that the tensor lists");
    out = Body(block, false);
  });
  return out;
}

HostBlock HostChecker::Body(const ast::Block& block, bool top) {
  HostBlock out;
  for (const auto& s : block) Statement(*s, top, out);
  for (size_t n = 0; n < out.size() && diag_.empty(); ++n)
    if (out[n]->kind == HostStmt::kLet && FitNames::IsFit(out[n]->value) &&
        !ir::LaunchWith(out, n + 1, out[n]->name))
      scope_.Error("AK1514", out[n]->place,
                   "fit() is for a launch, and none after it takes its result",
                   "call fit() in the block of the launch, or around it");
  return out;
}

const HostStmt* HostChecker::SecondLaunch(const HostBlock& b, bool& before) const {
  for (const auto& s : b) {
    if (s->kind == HostStmt::kLaunch && before) return s.get();
    if (s->kind == HostStmt::kLaunch) before = true;
    if (s->kind != HostStmt::kIf) continue;
    bool then = before, other = before;
    const auto settled = dtypes_.Settled(s->value);
    const HostStmt* first = settled == false ? nullptr : SecondLaunch(s->body, then);
    if (const HostStmt* second = first || settled == true ? first : SecondLaunch(s->other, other))
      return second;
    before = then || other;
  }
  return nullptr;
}

void HostChecker::Let(const std::string& name, const S& value, Place place, HostBlock& out) {
  for (const S& a : value->args)
    if (FitNames::HasFit(a))
      return scope_.Error("AK1514", place, "fit() inside an expression",
                          "give it a name of its own: tile = fit(most, step)");
  if (p_.Param(name) || p_.Tensor(name)) {
    scope_.Error("AK1510", place, fmt::format("'{}' is a parameter already", name),
                 "choose another name");
    return;
  }
  auto s = std::make_shared<HostStmt>();
  s->place = place;
  s->name = name;
  s->value = value;
  out.push_back(s);
  scope_.Scalars()[name] = ir::Var(name, value->type);
  fits_.Let(name, value);
}

void HostChecker::Statement(const Stmt& s, bool top, HostBlock& out) {
  scope_.Checked(s, [&] { OneStatement(s, top, out); });
}

void HostChecker::OneStatement(const Stmt& s, bool top, HostBlock& out) {
  switch (s.kind) {
    case StmtKind::kAssign: return Assign(s, top, out);
    case StmtKind::kIf: {
      auto h = std::make_shared<HostStmt>();
      h->kind = HostStmt::kIf;
      h->place = s.place;
      h->value = scope_.Scalar(*s.value);
      auto& scalars = scope_.Scalars();
      const auto before = scalars;
      const FitNames fits = fits_;
      h->body = Branch(s.body, h->value, true, s.place);
      const auto then = scalars;
      const FitNames then_fits = fits_;
      scalars = before;
      fits_ = fits;
      h->other = Branch(s.other, h->value, false, s.place);
      fits_.KeepCommon(then_fits);
      // A name both branches give lives on.
      for (const auto& [n, v] : then)
        if (!scalars.count(n) || before.count(n)) scalars.insert({n, v});
      std::erase_if(scalars, [&](const auto& e) {
        return !before.count(e.first) && !(then.count(e.first) && AssignedIn(s.other, e.first));
      });
      if (h->value) out.push_back(h);
      return;
    }
    case StmtKind::kExpr:
      if (s.value->kind == ExprKind::kCall) return CallStatement(*s.value, out);
      scope_.Error("AK1514", s.place, "this statement does nothing");
      return;
    case StmtKind::kReturn:
    case StmtKind::kPass: return;
    case StmtKind::kFor:
      scope_.Error("AK1514", s.place, "host functions have no loops", "loop in the kernel");
      return;
    case StmtKind::kWith:
      scope_.Error("AK1513", s.place, "stages belong into kernels",
                   "move this into the @kernel function");
      return;
  }
}

void HostChecker::Assign(const Stmt& s, bool top, HostBlock& out) {
  for (const auto& t : s.targets)
    if (t->kind != ExprKind::kName)
      return scope_.Error("AK1510", t->place, "only names can be assigned here");
  const Expr& v = *s.value;
  std::string call = CalleeName(v);
  if (call == "empty" || call == "inplace" || call == "workspace") {
    if (!top)
      return scope_.Error("AK1515", s.place,
                          fmt::format("{}() must not depend on a condition", call),
                          "move it out of the if");
    return MakeTensor(s, call);
  }
  if (s.targets.size() > 1 && scope_.IsShape(v) && v.kind != ExprKind::kList) {
    ir::Shape shape;
    if (!scope_.ShapeOf(v, shape)) return;
    auto h = std::make_shared<HostStmt>();
    h->kind = HostStmt::kRequire;
    h->place = s.place;
    auto rank = std::make_shared<ir::Scalar>(*ir::Call("len", {}, Ty::kInt));
    rank->shape = shape;
    h->value = ir::Binary("==", rank, ir::Int(static_cast<int64_t>(s.targets.size())), Ty::kBool);
    out.push_back(h);
    for (size_t i = 0; i < s.targets.size(); ++i)
      if (S extent = scope_.ExtentAt(shape, ir::Int(static_cast<int64_t>(i)), s.place))
        Let(s.targets[i]->text, extent, s.place, out);
    return;
  }
  if (call == "block") return BlockSizes(s, out);
  if (s.targets.size() > 1 && std::any_of(v.args.begin(), v.args.end(), [](const auto& a) {
        return a && (CalleeName(*a) == "empty" || CalleeName(*a) == "workspace");
      })) {
    for (size_t i = 0; i < s.targets.size() && v.kind == ExprKind::kList && i < v.args.size();
         ++i) {
      Stmt one = s;
      one.targets = {s.targets[i]};
      one.value = v.args[i];
      Assign(one, top, out);
    }
    return;
  }
  if (s.targets.size() > 1) {
    if (v.kind != ExprKind::kList || v.args.size() != s.targets.size())
      return scope_.Error("AK1510", s.place,
                          fmt::format("{} names on the left, but not as many values on the right",
                                      s.targets.size()));
    std::vector<S> values;
    for (const auto& a : v.args) values.push_back(scope_.Scalar(*a));
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i]) Let(s.targets[i]->text, values[i], s.place, out);
    return;
  }
  if (scope_.IsShape(v)) {
    ir::Shape shape;
    if (scope_.ShapeOf(v, shape)) scope_.NameShape(s.targets[0]->text, shape);
    return;
  }
  if (S value = scope_.Scalar(v)) Let(s.targets[0]->text, value, s.place, out);
}

void HostChecker::MakeTensor(const Stmt& s, const std::string& call) {
  const Expr& v = *s.value;
  HostTensor t;
  t.name = s.targets[0]->text;
  if (p_.Param(t.name) || p_.Tensor(t.name))
    return scope_.Error("AK1510", s.place, fmt::format("'{}' is taken", t.name));
  const ir::HostParam* like = v.args.size() >= 2 && v.args[1]->kind == ExprKind::kName
                                  ? p_.Param(v.args[1]->text)
                                  : nullptr;
  if (call == "inplace") {
    if (!like || v.args.size() != 2)
      return scope_.Error("AK1515", s.place, "inplace() takes one input", "y = inplace(x)");
    t.kind = HostTensor::kInplace;
    t.of = like->name;
    t.dtype = like->dtype;
    t.is_list = like->is_list;
    t.shape = {{nullptr, like->name, 0, 0, {}, {}, true}};
  } else {
    if (call == "workspace") t.kind = HostTensor::kWorkspace;
    if (v.args.size() < 2 || v.args.size() > 3)
      return scope_.Error("AK1514", s.place, fmt::format("{}() takes a shape and a dtype", call));
    if (call == "empty" && v.args[1]->kind == ExprKind::kName && v.args[1]->text == "given" &&
        !scope_.IsShape(*v.args[1])) {
      t.given = true;
    } else if (like && like->is_list) {
      t.is_list = true;
      t.of = like->name;
      t.dtype = like->dtype;
    } else if (!(call == "workspace" && !scope_.IsShape(*v.args[1])
                     ? WorkspaceSize(*v.args[1], t)
                     : scope_.ShapeOf(*v.args[1], t.shape))) {
      return;
    }
    t.shape = scope_.ByExtents(t.shape);
    bool ok = true;
    if (v.args.size() == 3)
      t.dtype =
          dtypes_.InAll(t.name, [&](base::Dtype& d) { return ok &= DtypeArg(*v.args[2], d); });
    if (!ok) return;
    if (v.args.size() == 2 && !t.is_list)
      return scope_.Error("AK1512", s.place, fmt::format("{}() names no dtype", call),
                          "empty(x.shape, x.dtype)");
  }
  p_.tensors.push_back(t);
}

bool HostChecker::WorkspaceSize(const Expr& e, HostTensor& t) {
  S n = scope_.IntScalar(e, "the size of a workspace");
  if (n) t.shape = {{n, "", 0, 0, {}, {}, false}};
  return n != nullptr;
}

base::Dtype HostChecker::DtypeOf(const Expr& annotation) {
  size_t n = annotation.args.size() - 1;
  if (n == 0) {
    scope_.Error("AK1512", annotation.place, "tensor() names no dtype",
                 "list the dtypes it takes: tensor(f16, f32)");
    return base::Dtype::kFloat32;
  }
  const Expr& e = *annotation.args[1 + (n == 1 ? 0 : std::min(dtypes_.Column(), n - 1))];
  if (p_.Param(e.text)) return dtypes_.Of(e.text);
  if (auto d = ir::DtypeFromShort(e.text)) return *d;
  scope_.Error(
      "AK1512", e.place, fmt::format("unknown dtype '{}'", e.text),
      "f32, f16, bf16, i8, u8, i16, i32, i64, bool, c64, or a parameter of the same dtype");
  return base::Dtype::kFloat32;
}

bool HostChecker::DtypeArg(const Expr& e, base::Dtype& out) {
  if (e.kind == ExprKind::kAttribute && e.text == "dtype") {
    const HostTensor* made = p_.Tensor(e.args[0]->text);
    const std::string& named = made && !dtypes_.Has(made->name) ? made->of : e.args[0]->text;
    if (made || p_.Param(named)) return out = dtypes_.Of(named), true;
    return scope_.UnknownName(*e.args[0], "tensor"), false;
  }
  if (e.kind == ExprKind::kCall &&
      CalleeName(e) == "column") {  // one dtype per column, as in tensor()
    const Expr& d = *e.args[std::min(dtypes_.Column() + 1, e.args.size() - 1)];
    return DtypeArg(d, out);
  }
  if (auto d = ir::DtypeFromShort(e.text); d && (e.kind == ExprKind::kName || e.of_module))
    return out = *d, true;
  scope_.Error("AK1512", e.place, "expected a dtype",
               "x.dtype, or one of f32, f16, bf16, i8, u8, i16, i32, i64, bool, c64");
  return false;
}

void HostChecker::CallStatement(const Expr& e, HostBlock& out) {
  if (CalleeName(e) == "require" && e.args.size() == 2) {
    auto h = std::make_shared<HostStmt>();
    h->kind = HostStmt::kRequire;
    h->place = e.place;
    h->value = scope_.Scalar(*e.args[1]);
    if (h->value) out.push_back(h);
    return;
  }
  const Expr& callee = *e.args[0];
  if (callee.kind != ExprKind::kSubscript || callee.args.size() != 2 ||
      callee.args[0]->kind != ExprKind::kName) {
    scope_.Error("AK1515", e.place, "expected a launch", "kernel[cores](arguments)");
    return;
  }
  auto it = f_.kernels.find(callee.args[0]->text);
  if (it == f_.kernels.end()) return scope_.UnknownName(*callee.args[0], "kernel");
  Launch(e, *it->second, *callee.args[1], out);
}

void HostChecker::Launch(const Expr& e, const ast::Function& kernel, const Expr& cores,
                         HostBlock& out) {
  auto h = std::make_shared<HostStmt>();
  h->kind = HostStmt::kLaunch;
  h->place = e.place;
  h->value = scope_.IntScalar(cores, "the number of cores");
  size_t given = e.args.size() - 1;
  if (given + e.keywords.size() != kernel.params.size())
    return scope_.Error("AK1515", e.place,
                        fmt::format("{} takes {} arguments, not {}", kernel.name,
                                    kernel.params.size(), given + e.keywords.size()));
  LaunchTypes types;
  std::vector<std::pair<std::string, S>> extents;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ast::Param& p = kernel.params[i];
    const Expr* a = i < given ? e.args[i + 1].get() : KeywordArg(e, p.name);
    if (!a)
      return scope_.Error("AK1515", e.place,
                          fmt::format("argument '{}' of {} is missing", p.name, kernel.name));
    const ir::HostParam* hp = a->kind == ExprKind::kName ? p_.Param(a->text) : nullptr;
    const HostTensor* ht = a->kind == ExprKind::kName ? p_.Tensor(a->text) : nullptr;
    if ((hp && !hp->is_attr) || ht) {
      // Where a list or an input gives its dtype away, it is the same name.
      std::string named = ht && !dtypes_.Has(ht->name) ? ht->of : a->text;
      base::Dtype d = dtypes_.SeenOf(named);
      types.tensors[p.name] = {d == base::Dtype::kComplex64 ? base::Dtype::kFloat32 : d,
                               hp ? hp->is_list : ht->is_list};
      h->tensors.push_back(a->text);
      if (!Extents(kernel, p, *a, extents, out)) return;
      continue;
    }
    if (hp && hp->is_int_list) {
      types.lists.insert(p.name);
      h->lists.push_back(hp->name);
      continue;
    }
    S s = scope_.Scalar(*a);
    if (!s) return;
    if (s->type == Ty::kString)
      return scope_.Error("AK1515", a->place, "a string cannot be given to a kernel",
                          "choose the kernel on the host: if mode == \"sum\": ...");
    if (FitNames::HasFit(s))
      return scope_.Error("AK1514", a->place, "fit() as an argument of a launch",
                          "give it a name of its own: tile = fit(most, step)");
    types.scalars[p.name] = s->type;
    h->scalars.push_back(fits_.Spelled(s));
  }
  for (const auto& [name, value] : extents) {
    types.extents.push_back(name);
    h->scalars.push_back(fits_.Spelled(value));
  }
  if (!h->value) return;
  h->kernel = static_cast<int>(p_.kernels.size());
  p_.kernels.push_back(CheckKernel(kernel, types, diag_));
  EqualLengths(p_.kernels.back(), *h, out);
  out.push_back(h);
}

}  // namespace akgen::craft
