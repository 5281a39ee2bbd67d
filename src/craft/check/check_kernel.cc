// The checks of kernels, statement by statement (craft/check/kernel_checker.h).
#include <fmt/format.h>

#include <algorithm>

#include "craft/check/compute_checker.h"
#include "craft/check/copy_checker.h"
#include "craft/check/cube_checker.h"
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
  for (const ast::Param& p : f_.params) {
    if (!types_.lists.count(p.name)) continue;
    if (!p.annotation || p.annotation->text != "ints")
      scope_.Error("AK1515", p.place, fmt::format("'{}' is a list of integers", p.name),
                   fmt::format("write {}: ints", p.name));
    scope_.Lists().Add(p.name);
  }
  for (const ast::Param& p : f_.params) {
    scope_.Names().Add(p.name);
    if (auto it = types_.scalars.find(p.name); it != types_.scalars.end()) {
      if (p.annotation && (p.annotation->kind == ExprKind::kSubscript ||
                           p.annotation->text == "gms" || p.annotation->text == "ints"))
        scope_.Error("AK1515", p.place,
                     fmt::format("'{}' is a {} here, but the launch gives a number", p.name,
                                 p.annotation->text == "ints" ? "list" : "tensor"));
      scope_.AddNumber(p.name, it->second);
    }
  }
  for (const std::string& name : types_.extents) scope_.AddNumber(name, Ty::kInt);
  for (const ast::Param& p : f_.params) {
    auto it = types_.tensors.find(p.name);
    if (it == types_.tensors.end()) continue;
    const size_t errors = scope_.Errors();
    ir::Gm g;
    g.name = p.name;
    g.dtype = it->second.dtype;
    g.is_list = it->second.is_list;
    const Expr* a = p.annotation.get();
    if (g.is_list) {
      if (!a || a->text != "gms")
        scope_.Error("AK1511", p.place, fmt::format("'{}' is a list of tensors", p.name),
                     fmt::format("write {}: gms", p.name));
    } else if (!a || a->kind != ExprKind::kSubscript || a->args[0]->text != "gm") {
      scope_.Error("AK1511", p.place, fmt::format("tensor '{}' does not say its shape", p.name),
                   fmt::format("write {}: gm[rows, cols]", p.name));
    } else {
      for (size_t i = 1; i < a->args.size(); ++i) {
        S d = scope_.IntScalar(*a->args[i], "an extent");
        g.dims.push_back(d ? d : ir::Int(1));
      }
    }
    if (scope_.Errors() != errors) scope_.SetBroken(p.name);
    scope_.AddTensor(std::move(g));
  }
}

ir::Block KernelChecker::Body(const ast::Block& b) {
  ir::Block out;
  ++nested_;
  contents_.Within([&] {
    scope_.Within([&] {
      for (const auto& s : b) Statement(*s, out);
    });
  });
  --nested_;
  return out;
}

ir::Block KernelChecker::LoopBody(const ast::Block& b, const std::map<std::string, S>& scalars) {
  ++loop_depth_;
  ir::Block out = Body(b);
  --loop_depth_;
  scope_.Scalars() = scalars;
  contents_.EndUnknown();
  return out;
}

void KernelChecker::LetScalar(const std::string& name, const S& value, Place place,
                              ir::Block& out) {
  if (scope_.Taken(name))
    return scope_.Error("AK1510", place, fmt::format("'{}' is assigned twice", name),
                        "a scalar is assigned once; keep running values in a buffer");
  const std::string unique = scope_.Names().Fresh(name, "_");
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kLet;
  st->place = place;
  st->name = unique;
  st->value = value;
  out.push_back(st);
  scope_.Numbers().Let(unique, value);
  scope_.Scalars()[name] = ir::Var(unique, value->type);
}

void KernelChecker::Statement(const ast::Stmt& s, ir::Block& out) {
  scope_.Checked(s, [&] { OneStatement(s, out); });
}

void KernelChecker::OneStatement(const ast::Stmt& s, ir::Block& out) {
  switch (s.kind) {
    case StmtKind::kAssign: return Assign(s, out);
    case StmtKind::kFor: return For(s, out);
    case StmtKind::kIf: return If(s, out);
    case StmtKind::kWith: return Stage(s, out);
    case StmtKind::kPass: return;
    case StmtKind::kReturn:
      return scope_.Error("AK1513", s.place, "a kernel returns nothing",
                          "store the result into a GM tensor");
    case StmtKind::kExpr: {
      std::string call = CalleeName(*s.value);
      if (call == "sync_all") {
        if (nested_ > 0)
          return scope_.Error("AK1513", s.place, "sync_all() below a loop or a condition",
                              "every core must reach it: put it at the kernel's top level");
        auto st = std::make_shared<ir::Stmt>();
        st->kind = ir::Stmt::kSync;
        k_.syncs = true;
        out.push_back(st);
        return;
      }
      if (call == "load")
        return scope_.Error("AK1513", s.place, "load() outside of a copyin stage",
                            "put it below `with copyin:`");
      if (call == "store" || call == "atomic_add")
        return scope_.Error("AK1513", s.place, fmt::format("{}() outside of a copyout stage", call),
                            "put it below `with copyout:`");
      return scope_.Error("AK1514", s.place, "this statement does nothing");
    }
  }
}

void KernelChecker::Assign(const ast::Stmt& s, ir::Block& out) {
  const Expr& made =
      s.value->kind == ExprKind::kList && !s.value->args.empty() ? *s.value->args[0] : *s.value;
  if (std::string call = CalleeName(made); call == "ub" || call == "l1" || call == "acc")
    return MakeBuffers(s);
  if (s.targets[0]->kind != ExprKind::kName)
    return scope_.Error("AK1513", s.place, "a buffer is written outside of a compute stage",
                        "put it below `with compute:`");
  if (made.kind == ExprKind::kCall && made.args[0]->kind == ExprKind::kAttribute &&
      made.args[0]->text == "view" && !made.args[0]->of_module)
    return scope_.View(s);
  std::vector<const Expr*> values;
  if (s.targets.size() == 1)
    values.push_back(s.value.get());
  else if (s.value->kind == ExprKind::kList)
    for (const auto& a : s.value->args) values.push_back(a.get());
  if (values.size() != s.targets.size())
    return scope_.Error("AK1510", s.place, "names and values differ in number");
  std::vector<S> scalars;
  for (const Expr* v : values) scalars.push_back(scope_.Scalar(*v));
  for (size_t i = 0; i < scalars.size(); ++i)
    if (scalars[i]) LetScalar(s.targets[i]->text, scalars[i], s.place, out);
}

// x, y = ub(...), ub(...) makes several.
void KernelChecker::MakeBuffers(const ast::Stmt& s) {
  const bool list = s.value->kind == ExprKind::kList;
  if (s.targets.size() != (list ? s.value->args.size() : 1))
    return scope_.Error("AK1510", s.place, "names and values differ in number");
  for (size_t i = 0; i < s.targets.size(); ++i) {
    if (s.targets[i]->kind != ExprKind::kName)
      return scope_.Error("AK1510", s.targets[i]->place, "only names can be assigned here");
    MakeBuffer(s, s.targets[i]->text, list ? *s.value->args[i] : *s.value);
  }
}

void KernelChecker::MakeBuffer(const ast::Stmt& s, const std::string& name, const Expr& v) {
  const std::string call = CalleeName(v);
  if (call != "ub" && call != "l1" && call != "acc")
    return scope_.Error("AK1510", s.place,
                        "buffers and numbers are made in statements of their own");
  if (loop_depth_ > 0)
    return scope_.Error("AK1513", s.place, "a buffer is made inside a loop",
                        "make it before the loop: buffers live as long as the kernel");
  if (scope_.Names().Has(name))
    return scope_.Error("AK1510", s.place, fmt::format("'{}' is taken", name),
                        "choose another name");
  scope_.Names().Add(name);
  size_t dims = v.args.size() - 1;
  const Expr* dtype = KeywordArg(v, "dtype");
  const bool matrix = call != "ub";
  if (dims < (matrix ? 2 : 1) || dims > 2 || (!dtype && call != "acc"))
    return scope_.Error("AK1514", s.place,
                        fmt::format("{}() takes {} and a dtype", call,
                                    matrix ? "rows, columns" : "one or two extents"),
                        call + "(rows, cols, dtype=f32)");
  ir::Buffer b;
  b.memory = call == "l1" ? ir::Memory::kL1 : call == "acc" ? ir::Memory::kAcc : ir::Memory::kUb;
  b.name = name;
  b.place = s.place;
  b.rows = dims == 2 ? scope_.IntScalar(*v.args[1], "an extent") : ir::Int(1);
  b.cols = scope_.IntScalar(*v.args.back(), "an extent");
  if (!b.rows || !b.cols) return;
  for (S* e : {&b.rows, &b.cols}) {
    if (ir::AsConst(*e) && (*e)->i <= 0)
      return scope_.Error("AK1511", s.place, "a buffer without elements");
    *e = scope_.Numbers().Bound(*e);
  }
  if (!dtype) {
    b.dtype = base::Dtype::kFloat32;
  } else if (dtype->kind == ExprKind::kAttribute && dtype->text == "dtype") {
    S index;
    int g = scope_.TensorOf(*dtype->args[0], index);
    if (g < 0) return;
    b.dtype = k_.gms[g].dtype;
  } else if (auto d = ir::DtypeFromShort(dtype->text)) {
    b.dtype = *d;
  } else {
    return scope_.Error("AK1512", dtype->place, "expected a dtype",
                        "x.dtype, or one of f32, f16, bf16, i8, u8, i16, i32, i64, bool");
  }
  if (call == "acc" && b.dtype != base::Dtype::kFloat32 && b.dtype != base::Dtype::kInt32)
    return scope_.Error("AK1512", s.place, "sums are f32, or i32 for products of i8");
  scope_.AddBuffer(std::move(b));
}

void KernelChecker::For(const ast::Stmt& s, ir::Block& out) {
  std::string call = CalleeName(*s.value);
  if (call == "blocks") return Blocks(s, out);
  if (call != "tiles" && call != "range")
    return scope_.Error("AK1514", s.value->place,
                        "a loop walks tiles(first, last, step), range(n) or blocks(m, tm, n, tn)");
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kFor;
  st->place = s.place;
  std::vector<S> args;
  for (size_t i = 1; i < s.value->args.size(); ++i) {
    args.push_back(scope_.IntScalar(*s.value->args[i], "a bound of a loop"));
    if (!args.back()) return;
  }
  bool tiles = call == "tiles";
  if (tiles ? args.size() != 3 : (args.empty() || args.size() > 3))
    return scope_.Error(
        "AK1514", s.value->place,
        tiles ? "tiles() takes first, last and step" : "range() takes one to three numbers");
  if (s.targets.size() != (tiles ? 2 : 1))
    return scope_.Error(
        "AK1514", s.place,
        tiles ? "a loop over tiles gives two names: where the tile begins and how long it is"
              : "range() gives one name",
        tiles ? "for r, n in tiles(first, last, step):" : "");
  st->first = args.size() > 1 ? args[0] : ir::Int(0);
  st->last = args.size() > 1 ? args[1] : args[0];
  st->step = args.size() > 2 ? args[2] : ir::Int(1);
  const auto saved = scope_.Scalars();
  st->name = scope_.LoopName(s.targets[0]->text, s.place);
  if (tiles) {
    st->count_name = scope_.LoopName(s.targets[1]->text, s.place);
    scope_.Numbers().SetBound(st->count_name, st->step);
  }
  st->body = LoopBody(s.body, saved);
  out.push_back(st);
}

// How many blocks the output of each piece has.
static S SizeOf(const ir::Blocks& b) {
  S size = ir::CeilDiv(b.m, b.tm);
  if (b.n) size = ir::Mul(size, ir::CeilDiv(b.n, b.tn));
  for (const auto& [name, extent] : b.over) size = ir::Mul(extent, size);
  return ir::Substitute(size, [&](const std::string& name) {
    return name == b.group ? ir::Var(ir::kPiece, Ty::kInt) : nullptr;
  });
}

// for i, h, j, w in blocks(m, tm, n, tn, over=[batch], order=3); where m or n is a list of integers
// the index in it comes first.
void KernelChecker::Blocks(const ast::Stmt& s, ir::Block& out) {
  const Expr& e = *s.value;
  auto blocks = std::make_shared<ir::Blocks>();
  const auto saved = scope_.Scalars();
  size_t at = 0;
  auto next = [&] {
    return at < s.targets.size() ? scope_.LoopName(s.targets[at++]->text, s.place) : std::string();
  };
  std::vector<std::string> lists;
  for (size_t i = 1; i < e.args.size(); i += 2)
    if (scope_.Lists().IsList(*e.args[i])) lists.push_back(e.args[i]->text);
  if (!lists.empty()) blocks->group = next();
  const S group = ir::Var(blocks->group, Ty::kInt);
  std::vector<S> numbers;
  for (size_t i = 1; i < e.args.size(); ++i) {
    if (i % 2 && scope_.Lists().IsList(*e.args[i])) {
      numbers.push_back(scope_.Lists().ElementOf(e.args[i]->text, group));
      continue;
    }
    numbers.push_back(scope_.IntScalar(*e.args[i], "an extent of blocks()"));
    if (!numbers.back()) return;
  }
  if (numbers.size() != 2 && numbers.size() != 4)
    return scope_.Error("AK1514", e.place, "blocks() takes extents and sizes of blocks",
                        "blocks(m, tm, n, tn) or blocks(m, tm)");
  std::vector<S> over;
  for (const auto& k : e.keywords) {
    if (k.name == "order") {
      blocks->order = scope_.IntScalar(*k.value, "order");
      if (!blocks->order) return;
    } else if (k.name == "over" && k.value->kind == ExprKind::kList) {
      for (const auto& a : k.value->args) {
        over.push_back(scope_.IntScalar(*a, "an extent of over="));
        if (!over.back()) return;
      }
    } else {
      return scope_.Error("AK1514", e.place, fmt::format("blocks() has no {}=", k.name),
                          "over=[batch, heads], order=3");
    }
  }
  if (loop_depth_ > 0)
    return scope_.Error("AK1513", s.place, "blocks() inside a loop",
                        "blocks() shares an output among the cores: loop inside it");
  const size_t wanted = over.size() + numbers.size() + (lists.empty() ? 0 : 1);
  if (s.targets.size() != wanted)
    return scope_.Error(
        "AK1514", s.place,
        fmt::format("these blocks give {} names, not {}: {}indices of over=, then first and extent",
                    wanted, s.targets.size(), lists.empty() ? "" : "the index in the list, "),
        numbers.size() == 4 ? "for i, h, j, w in blocks(m, tm, n, tn):"
                            : "for i, h in blocks(m, tm):");
  for (const S& extent : over) blocks->over.push_back({next(), extent});
  blocks->row = next();
  blocks->rows = next();
  blocks->m = numbers[0];
  blocks->tm = numbers[1];
  scope_.Numbers().SetBound(blocks->rows, blocks->tm);
  if (numbers.size() == 4) {
    blocks->col = next();
    blocks->cols = next();
    blocks->n = numbers[2];
    blocks->tn = numbers[3];
    scope_.Numbers().SetBound(blocks->cols, blocks->tn);
  }
  if (!lists.empty())
    blocks->starts = scope_.Lists().StartsOf("first_block", lists, SizeOf(*blocks));
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kBlocks;
  st->place = s.place;
  st->blocks = blocks;
  st->body = LoopBody(s.body, saved);
  out.push_back(st);
}

void KernelChecker::If(const ast::Stmt& s, ir::Block& out) {
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kIf;
  st->place = s.place;
  st->value = scope_.Scalar(*s.value);
  st->body = Body(s.body);
  st->other = Body(s.other);
  if (st->value) out.push_back(st);
}

void KernelChecker::Stage(const ast::Stmt& s, ir::Block& out) {
  const std::string& name = s.value->text;
  if (name != "copyin" && name != "compute" && name != "copyout" && name != "cube" &&
      name != "handover")
    return scope_.Error("AK1513", s.value->place, fmt::format("no stage '{}'", name),
                        "stages are copyin, compute, copyout, cube and handover");
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kStage;
  st->place = s.place;
  st->stage = name == "copyin"     ? ir::StageKind::kCopyIn
              : name == "compute"  ? ir::StageKind::kCompute
              : name == "cube"     ? ir::StageKind::kCube
              : name == "handover" ? ir::StageKind::kHandover
                                   : ir::StageKind::kCopyOut;
  scope_.Values().clear();
  CopyChecker copies(scope_, contents_, k_, *st);
  ComputeChecker values(scope_, contents_, k_, *st);
  CubeChecker products(scope_, contents_, k_, *st);
  for (const auto& inner : s.body)
    scope_.Checked(*inner, [&] {
      switch (st->stage) {
        case ir::StageKind::kCompute: return values.Statement(*inner);
        case ir::StageKind::kCube: return products.Product(*inner);
        case ir::StageKind::kHandover: return products.Handover(*inner);
        default: return copies.Statement(*inner);
      }
    });
  scope_.Values().clear();
  out.push_back(st);
}

}  // namespace akgen::craft
