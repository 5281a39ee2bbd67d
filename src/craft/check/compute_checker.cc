// Statements and expressions of a compute stage.
#include "craft/check/compute_checker.h"

#include <fmt/format.h>

#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ast::StmtKind;
using base::Dtype;
using ir::Op;
using ir::OpKind;
using ir::S;
using ir::Ty;
using ir::Value;

namespace {
const std::map<std::string, Op>& BinaryOps() {
  static const std::map<std::string, Op> kOps = {
      {"+", Op::k_add},  {"-", Op::k_sub},         {"*", Op::k_mul},        {"/", Op::k_div},
      {"**", Op::k_pow}, {"&", Op::k_logical_and}, {"|", Op::k_logical_or}, {"==", Op::k_eq},
      {"!=", Op::k_ne},  {"<", Op::k_lt},          {"<=", Op::k_le},        {">", Op::k_gt},
      {">=", Op::k_ge},  {"//", Op::k_floordiv},   {"%", Op::k_mod}};
  return kOps;
}
}  // namespace

TileOperand ComputeChecker::Name(const Expr& e) {
  const auto& named = scope_.Values();
  if (auto it = named.find(e.text); it != named.end()) return {nullptr, it->second};
  if (const int buffer = scope_.FindBuffer(e.text); buffer >= 0) {
    const ir::Buffer& b = k_.buffers[buffer];
    if (b.memory != ir::Memory::kUb) {
      scope_.Error("AK1513", e.place, fmt::format("'{}' lies on the Cube core", b.name),
                   "a vector core has what is stored to a tensor and loaded from there");
      return {};
    }
    const auto* extent = contents_.Find(buffer);
    if (!extent) {
      contents_.SayNothingIn(buffer, e.place, "read before anything was loaded or written",
                             "load it in a copyin stage, or write it in compute");
      return {};
    }
    Value v;
    v.op = Op::kRead;
    v.buffer = buffer;
    v.dtype = b.dtype;
    v.rows = extent->rows;
    v.cols = extent->cols;
    v.most_rows = b.rows;
    v.most_cols = b.cols;
    v.place = e.place;
    return {nullptr, values_.Push(v)};
  }
  if (scope_.IsTensor(e.text)) {
    scope_.Error("AK1513", e.place, fmt::format("'{}' lies in global memory", e.text),
                 "load it into a buffer in a copyin stage");
    return {};
  }
  if (scope_.Broken(e.text)) return {};
  return {scope_.Scalar(e)};
}

TileOperand ComputeChecker::Eval(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kName: return Name(e);
    case ExprKind::kUnary: {
      TileOperand a = Eval(*e.args[0]);
      if (!a.ok()) return {};
      if (e.text == "+") return a;
      if (a.scalar && e.text != "~") return {ir::Unary(e.text, a.scalar)};
      return values_.Unary(e.text == "-" ? Op::k_neg : Op::k_logical_not, a, e.place);
    }
    case ExprKind::kBinary:
    case ExprKind::kCompare: {
      if (e.text == "@")
        return scope_.Error("AK1513", e.place, "a product of matrices outside of a cube stage",
                            "put it below `with cube:`"),
               TileOperand{};
      TileOperand a = Eval(*e.args[0]), b = Eval(*e.args[1]);
      if (!a.ok() || !b.ok()) return {};
      if (a.scalar && b.scalar && e.text != "**" && e.text != "&" && e.text != "|") {
        if (e.kind == ExprKind::kCompare)
          return {ir::Binary(e.text, a.scalar, b.scalar, Ty::kBool)};
        return {scope_.Arithmetic(e.text, a.scalar, b.scalar, e.place)};
      }
      return values_.Binary(BinaryOps().at(e.text), a, b, e.place);
    }
    case ExprKind::kCall: return Call(e);
    case ExprKind::kSubscript:
      scope_.Error("AK1511", e.place, "a tile is used whole", "choose the window in load()");
      return {};
    default: return {scope_.Scalar(e)};
  }
}

TileOperand ComputeChecker::Call(const Expr& e) {
  std::string name = CalleeName(e);
  if (name == "where") return Where(e);
  if (name == "row_gather") return Gather(e);
  if (name.rfind("row_window_", 0) == 0 && ir::OpFromName(name)) return Windows(e);
  if (name == "cast") return Cast(e);
  if (name == "full") return Full(e);
  if (name == "iota") return Iota(e);
  size_t n = e.args.size() - 1;
  if (name == "min" || name == "max") {
    bool tile = false;
    std::vector<TileOperand> o;
    for (size_t i = 1; i < e.args.size(); ++i) {
      o.push_back(Eval(*e.args[i]));
      tile |= o.back().value >= 0;
      if (!o.back().ok()) return {};
    }
    if (!tile) return {scope_.Scalar(e)};
    if (o.size() == 2)
      return values_.Binary(name == "min" ? Op::k_minimum : Op::k_maximum, o[0], o[1], e.place);
  }
  auto op = ir::OpFromName(name);
  if (!op) {
    static const std::vector<std::string> kScalarCalls = {
        "core", "cores", "len", "numel", "item", "ceil_div", "align", "int", "float"};
    for (const auto& s : kScalarCalls)
      if (s == name) return {scope_.Scalar(e)};
    std::vector<std::string> names;
    for (int i = 3; i <= static_cast<int>(Op::k_iota); ++i)
      names.emplace_back(ir::NameOf(static_cast<Op>(i)));
    return scope_.NoFunction(e, "in compute", std::move(names)), TileOperand{};
  }
  OpKind kind = ir::KindOf(*op);
  size_t wanted = kind == OpKind::binary || kind == OpKind::compare ||
                          (kind == OpKind::logic && *op != Op::k_logical_not)
                      ? 2
                      : 1;
  if (n != wanted) {
    scope_.Error(
        "AK1514", e.place,
        fmt::format("{}() takes {} value{}, not {}", name, wanted, wanted == 1 ? "" : "s", n));
    return {};
  }
  TileOperand a = Eval(*e.args[1]);
  if (wanted == 1) return values_.Unary(*op, a, e.place);
  return values_.Binary(*op, a, Eval(*e.args[2]), e.place);
}

TileOperand ComputeChecker::Where(const Expr& e) {
  if (e.args.size() != 4)
    return scope_.Error("AK1514", e.place, "where() takes a condition and two values"),
           TileOperand{};
  TileOperand c = Eval(*e.args[1]), a = Eval(*e.args[2]), b = Eval(*e.args[3]);
  if (!c.ok() || !a.ok() || !b.ok()) return {};
  if (c.value < 0 || values_.At(c.value).dtype != Dtype::kBool) {
    scope_.Error("AK1512", e.args[1]->place,
                 "the condition of where() is not a comparison of tiles", "where(x > 0, a, b)");
    return {};
  }
  Dtype d = Dtype::kInt32;
  for (const TileOperand* o : {&a, &b}) {
    Dtype t = o->value >= 0                   ? ComputeDtype(values_.At(o->value).dtype)
              : o->scalar->type == Ty::kFloat ? Dtype::kFloat32
                                              : Dtype::kInt32;
    if (RankOf(t) > RankOf(d)) d = t;
  }
  int x = values_.ToValue(a, d, e.place), y = values_.ToValue(b, d, e.place);
  if (x < 0 || y < 0) return {};
  Value v, shape;
  v.op = Op::k_where;
  v.args = {c.value, x, y};
  v.dtype = d;
  v.place = e.place;
  if (!values_.Broadcast(values_.At(x), values_.At(y), shape, e.place) ||
      !values_.Broadcast(values_.At(c.value), shape, v, e.place))
    return {};
  return {nullptr, values_.Push(v)};
}

void ComputeChecker::WriteBuffer(int buffer, int value, Place place) {
  const ir::Buffer& b = k_.buffers[buffer];
  Dtype from = values_.At(value).dtype, to = b.dtype;
  if (from == Dtype::kFloat32 && !base::IsFloating(to)) {
    scope_.Error("AK1512", place,
                 fmt::format("{} holds {}, the value is f32", b.name, ir::ShortName(to)),
                 fmt::format("say how: cast(trunc(v), {})", ir::ShortName(to)));
    return;
  }
  Value w = values_.At(value);
  bool splat = ir::IsConst(w.rows, 1) && ir::IsConst(w.cols, 1) &&
               !(ir::IsConst(b.rows, 1) && ir::IsConst(b.cols, 1));
  auto fits = [](const S& extent, const S& most, const S& capacity) {
    return ir::Same(extent, capacity) || ir::Same(most, capacity) || ir::IsConst(extent, 1);
  };
  bool apart = !splat && !ir::IsConst(w.rows, 1) && !ir::Same(w.most_cols, b.cols);
  if (apart ||
      (!splat && (!fits(w.rows, w.most_rows, b.rows) || !fits(w.cols, w.most_cols, b.cols)))) {
    scope_.Error("AK1511", place,
                 fmt::format("{} has room for [{}, {}], the value has up to [{}, {}]", b.name,
                             ir::ToText(b.rows), ir::ToText(b.cols), ir::ToText(w.most_rows),
                             ir::ToText(w.most_cols)));
    return;
  }
  int x = values_.CastTo(value, to, place);
  w = values_.At(x);
  w.op = Op::kWrite;
  w.args = {x};
  w.buffer = buffer;
  w.scalar = nullptr;
  w.numbers.clear();
  if (splat) {
    w.rows = w.most_rows = b.rows;
    w.cols = w.most_cols = b.cols;
  }
  w.place = place;
  values_.Push(w);
  contents_.Write(buffer, {w.rows, w.cols});
}

void ComputeChecker::Statement(const ast::Stmt& s) {
  if (s.kind == StmtKind::kPass) return;
  if (s.kind == StmtKind::kExpr) {
    std::string call = CalleeName(*s.value);
    if (call == "load" || call == "store" || call == "atomic_add")
      return scope_.Error(
          "AK1513", s.place, fmt::format("{}() in compute", call),
          fmt::format("it belongs below `with {}:`", call == "load" ? "copyin" : "copyout"));
    return scope_.Error("AK1514", s.place, "this statement does nothing",
                        "give the value a name, or write it to a buffer");
  }
  if (s.kind != StmtKind::kAssign || s.targets.size() != 1)
    return scope_.Error("AK1513", s.place, "compute holds assignments only",
                        "loops and conditions go around the stage");
  const Expr& t = *s.targets[0];
  TileOperand o = Eval(*s.value);
  if (!o.ok()) return scope_.SetBroken(t.kind == ExprKind::kSubscript ? t.args[0]->text : t.text);
  if (t.kind == ExprKind::kName) {
    if (scope_.FindBuffer(t.text) >= 0)
      return scope_.Error("AK1513", t.place, fmt::format("'{}' is a buffer", t.text),
                          fmt::format("assign to the buffer: {}[:] = ...", t.text));
    if (scope_.IsTensor(t.text) || scope_.Scalars().count(t.text))
      return scope_.Error("AK1510", t.place, fmt::format("'{}' is taken", t.text));
    if (o.scalar)
      o.value = values_.Splat(
          o.scalar, o.scalar->type == Ty::kFloat ? Dtype::kFloat32 : Dtype::kInt32, s.place);
    scope_.Values()[t.text] = o.value;
    return;
  }
  bool whole = t.kind == ExprKind::kSubscript;
  for (size_t i = 1; whole && i < t.args.size(); ++i)
    whole = t.args[i]->kind == ExprKind::kSlice && !t.args[i]->args[0] && !t.args[i]->args[1] &&
            !t.args[i]->args[2];
  if (!whole)
    return scope_.Error("AK1511", t.place, "a buffer is written whole", "buffer[:] = ...");
  int b = scope_.BufferOf(*t.args[0]);
  if (b < 0) return;
  if (o.scalar) {
    Dtype d = ComputeDtype(k_.buffers[b].dtype);
    if (o.scalar->type == Ty::kFloat && d != Dtype::kFloat32)
      return scope_.Error("AK1512", s.place,
                          fmt::format("{} holds {}, the value is a float", k_.buffers[b].name,
                                      ir::ShortName(k_.buffers[b].dtype)));
    o.value = values_.Splat(o.scalar, d == Dtype::kBool ? Dtype::kInt32 : d, s.place);
  }
  WriteBuffer(b, o.value, s.place);
}

}  // namespace akgen::craft
