// Expressions of `compute`. Values are tiles in the dtype the vector unit computes in: f32 for the
// float dtypes, i32 for the integers up to 32 bits, i64; comparisons give bool. Buffers widen when
// read and round when written.
#include <fmt/format.h>

#include <limits>

#include "craft/check/kernel_checker.h"
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
Dtype ComputeDtype(Dtype d) {
  if (base::IsFloating(d)) return Dtype::kFloat32;
  return d == Dtype::kInt64 || d == Dtype::kBool || d == Dtype::kComplex64 ? d : Dtype::kInt32;
}
int Rank(Dtype d) {
  return d == Dtype::kBool ? 0 : d == Dtype::kInt32 ? 1 : d == Dtype::kInt64 ? 2 : 3;
}

const std::map<std::string, Op>& BinaryOps() {
  static const std::map<std::string, Op> kOps = {
      {"+", Op::k_add},  {"-", Op::k_sub},         {"*", Op::k_mul},        {"/", Op::k_div},
      {"**", Op::k_pow}, {"&", Op::k_logical_and}, {"|", Op::k_logical_or}, {"==", Op::k_eq},
      {"!=", Op::k_ne},  {"<", Op::k_lt},          {"<=", Op::k_le},        {">", Op::k_gt},
      {">=", Op::k_ge}};
  return kOps;
}
}  // namespace

int KernelChecker::Push(Value v) {
  stage_->values.push_back(std::move(v));
  return static_cast<int>(stage_->values.size()) - 1;
}

int KernelChecker::Splat(const S& s, Dtype dtype, Place place) {
  Value v;
  v.op = Op::kSplat;
  v.scalar = s;
  v.dtype = dtype;
  v.rows = v.cols = v.most_rows = v.most_cols = ir::Int(1);
  v.place = place;
  return Push(v);
}

int KernelChecker::CastTo(int value, Dtype dtype, Place place) {
  if (value < 0 || At(value).dtype == dtype) return value;
  Value v = At(value);
  // A whole number of the host or of a tensor, which i32 may be too small for.
  const bool number = v.op == Op::k_full && v.scalar->type == Ty::kInt &&
                      v.scalar->kind != ir::SKind::kConst &&
                      (dtype == Dtype::kInt64 || dtype == Dtype::kFloat32);
  if (v.op == Op::kSplat || number) {
    v.dtype = dtype;
    return Push(v);
  }
  v.op = Op::k_cast;
  v.args = {value};
  v.buffer = -1;
  v.scalar = nullptr;
  v.numbers.clear();
  v.dtype = dtype;
  v.place = place;
  return Push(v);
}

int KernelChecker::Promote(int value, Place place) {
  return value < 0 ? value : CastTo(value, ComputeDtype(At(value).dtype), place);
}

int KernelChecker::ToValue(const Operand& o, Dtype dtype, Place place) {
  if (o.value >= 0) return CastTo(Promote(o.value, place), dtype, place);
  if (o.scalar->type == Ty::kFloat && dtype != Dtype::kFloat32) return -1;
  return Splat(o.scalar, dtype, place);
}

bool KernelChecker::Broadcast(const Value& a, const Value& b, Value& out, Place place) {
  auto join = [&](const S& x, const S& y, const S& mx, const S& my, S& e, S& m) {
    if (ir::Same(x, y)) return e = x, m = mx, true;
    if (ir::IsConst(x, 1)) return e = y, m = my, true;
    if (ir::IsConst(y, 1)) return e = x, m = mx, true;
    return false;
  };
  if (join(a.rows, b.rows, a.most_rows, b.most_rows, out.rows, out.most_rows) &&
      join(a.cols, b.cols, a.most_cols, b.most_cols, out.cols, out.most_cols)) {
    // Instructions run through all rows of both at once.
    bool rows = !ir::IsConst(out.rows, 1),
         wide = !ir::IsConst(a.cols, 1) && !ir::IsConst(b.cols, 1);
    if (!rows || !wide || ir::Same(a.most_cols, b.most_cols)) return true;
    Error("AK1511", place,
          fmt::format("rows with room for {} and for {} elements are combined",
                      ir::ToText(a.most_cols), ir::ToText(b.most_cols)),
          "give both buffers the same number of columns: ub(rows, cols, ...)");
    return false;
  }
  Error("AK1511", place,
        fmt::format("shapes [{}, {}] and [{}, {}] do not fit", ir::ToText(a.rows),
                    ir::ToText(a.cols), ir::ToText(b.rows), ir::ToText(b.cols)),
        "extents must be equal as written, or 1");
  return false;
}

KernelChecker::Operand KernelChecker::UnaryOp(Op op, const Operand& a, Place place) {
  if (!a.ok()) return {};
  std::string name(ir::NameOf(op));
  bool only_float = ir::KindOf(op) != OpKind::column && op != Op::k_neg && op != Op::k_abs &&
                    op != Op::k_relu && op != Op::k_logical_not;
  int x = a.value >= 0
              ? Promote(a.value, place)
              : Splat(a.scalar,
                      only_float || a.scalar->type == Ty::kFloat ? Dtype::kFloat32 : Dtype::kInt32,
                      place);
  Dtype d = At(x).dtype;
  bool rounds = op == Op::k_floor || op == Op::k_ceil || op == Op::k_trunc || op == Op::k_round;
  if (rounds && (d == Dtype::kInt32 || d == Dtype::kInt64 || d == Dtype::kBool))
    return {nullptr, x};  // integers are whole already
  if ((op == Op::k_logical_not) != (d == Dtype::kBool) || (only_float && d != Dtype::kFloat32) ||
      d == Dtype::kComplex64) {
    Error("AK1512", place, fmt::format("{}() does not take {}", name, ir::ShortName(d)),
          only_float                ? "convert first: cast(v, f32)"
          : op == Op::k_logical_not ? "it takes the result of a comparison"
                                    : "");
    return {};
  }
  Value v = At(x);
  v.op = op;
  v.args = {x};
  v.buffer = -1;
  v.scalar = nullptr;
  v.numbers.clear();
  v.place = place;
  switch (ir::KindOf(op)) {
    case OpKind::row: v.cols = v.most_cols = ir::Int(1); break;
    case OpKind::column: v.rows = v.most_rows = ir::Int(1); break;
    case OpKind::all: v.rows = v.cols = v.most_rows = v.most_cols = ir::Int(1); break;
    default: break;
  }
  if (op == Op::k_row_argmax || op == Op::k_row_argmin) v.dtype = Dtype::kInt32;
  return {nullptr, Push(v)};
}

KernelChecker::Operand KernelChecker::BinaryOp(Op op, Operand a, Operand b, Place place) {
  if (!a.ok() || !b.ok()) return {};
  OpKind kind = ir::KindOf(op);
  Dtype d = Dtype::kBool;
  for (const Operand* o : {&a, &b}) {
    Dtype t = o->value >= 0                   ? ComputeDtype(At(o->value).dtype)
              : o->scalar->type == Ty::kFloat ? Dtype::kFloat32
              : o->scalar->type == Ty::kBool  ? Dtype::kBool
                                              : Dtype::kInt32;
    if (Rank(t) > Rank(d)) d = t;
  }
  if (kind == OpKind::logic ? d != Dtype::kBool : false) {
    Error("AK1512", place,
          fmt::format("'{}' joins conditions, not {}", op == Op::k_logical_and ? "&" : "|",
                      ir::ShortName(d)),
          "compare first: (x > 0) & (y > 0)");
    return {};
  }
  if ((op == Op::k_div || op == Op::k_pow) && d != Dtype::kFloat32) d = Dtype::kFloat32;
  if (kind == OpKind::binary && d == Dtype::kBool) d = Dtype::kInt32;
  // Beyond i32 a number is as small or as large as any of them.
  constexpr std::numeric_limits<int32_t> kLimits;
  for (Operand* o : {&a, &b})
    if (kind == OpKind::compare && d == Dtype::kInt32 && o->value < 0 && IsLong(o->scalar))
      o->scalar = ir::Call(
          "min",
          {ir::Call("max", {o->scalar, ir::Int(kLimits.min())}, Ty::kInt), ir::Int(kLimits.max())},
          Ty::kInt);
  int x = ToValue(a, d, place), y = ToValue(b, d, place);
  if (x < 0 || y < 0) return {};
  Value v;
  v.op = op;
  v.args = {x, y};
  v.dtype = kind == OpKind::compare ? Dtype::kBool : d;
  v.place = place;
  if (!Broadcast(At(x), At(y), v, place)) return {};
  return {nullptr, Push(v)};
}

KernelChecker::Operand KernelChecker::Eval(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kName: {
      if (auto it = value_.find(e.text); it != value_.end()) return {nullptr, it->second};
      if (auto it = buffer_.find(e.text); it != buffer_.end()) {
        const ir::Buffer& b = k_.buffers[it->second];
        if (b.memory != ir::Memory::kUb) {
          Error("AK1513", e.place, fmt::format("'{}' lies on the Cube core", b.name),
                "a vector core has what is stored to a tensor and loaded from there");
          return {};
        }
        auto extent = extent_.find(it->second);
        if (extent == extent_.end()) {
          NothingIn(it->second, e.place, "read before anything was loaded or written",
                    "load it in a copyin stage, or write it in compute");
          return {};
        }
        Value v;
        v.op = Op::kRead;
        v.buffer = it->second;
        v.dtype = b.dtype;
        v.rows = extent->second.rows;
        v.cols = extent->second.cols;
        v.most_rows = b.rows;
        v.most_cols = b.cols;
        v.place = e.place;
        return {nullptr, Push(v)};
      }
      if (gm_.count(e.text)) {
        Error("AK1513", e.place, fmt::format("'{}' lies in global memory", e.text),
              "load it into a buffer in a copyin stage");
        return {};
      }
      if (Broken(e.text)) return {};
      return {Scalar(e)};
    }
    case ExprKind::kUnary: {
      Operand a = Eval(*e.args[0]);
      if (!a.ok()) return {};
      if (e.text == "+") return a;
      if (a.scalar && e.text != "~") return {ir::Unary(e.text, a.scalar)};
      return UnaryOp(e.text == "-" ? Op::k_neg : Op::k_logical_not, a, e.place);
    }
    case ExprKind::kBinary:
    case ExprKind::kCompare: {
      if (e.text == "@")
        return Error("AK1513", e.place, "a product of matrices outside of a cube stage",
                     "put it below `with cube:`"),
               Operand{};
      if (e.text == "//" || e.text == "%") return {Scalar(e)};
      Operand a = Eval(*e.args[0]), b = Eval(*e.args[1]);
      if (!a.ok() || !b.ok()) return {};
      if (a.scalar && b.scalar && e.text != "**" && e.text != "&" && e.text != "|") {
        if (e.kind == ExprKind::kCompare)
          return {ir::Binary(e.text, a.scalar, b.scalar, Ty::kBool)};
        return {Arithmetic(e.text, a.scalar, b.scalar, e.place)};
      }
      return BinaryOp(BinaryOps().at(e.text), a, b, e.place);
    }
    case ExprKind::kLogic:
      if (value_.size() || buffer_.size()) return {Scalar(e)};
      return {Scalar(e)};
    case ExprKind::kCall: return EvalCall(e);
    case ExprKind::kSubscript:
      Error("AK1511", e.place, "a tile is used whole", "choose the window in load()");
      return {};
    default: return {Scalar(e)};
  }
}

KernelChecker::Operand KernelChecker::EvalCall(const Expr& e) {
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
    std::vector<Operand> o;
    for (size_t i = 1; i < e.args.size(); ++i) {
      o.push_back(Eval(*e.args[i]));
      tile |= o.back().value >= 0;
      if (!o.back().ok()) return {};
    }
    if (!tile) return {Scalar(e)};
    if (o.size() == 2)
      return BinaryOp(name == "min" ? Op::k_minimum : Op::k_maximum, o[0], o[1], e.place);
  }
  auto op = ir::OpFromName(name);
  if (!op) {
    static const std::vector<std::string> kScalarCalls = {
        "core", "cores", "len", "numel", "item", "ceil_div", "align", "int", "float"};
    for (const auto& s : kScalarCalls)
      if (s == name) return {Scalar(e)};
    std::vector<std::string> names;
    for (int i = 3; i <= static_cast<int>(Op::k_iota); ++i)
      names.emplace_back(ir::NameOf(static_cast<Op>(i)));
    return NoFunction(e, "in compute", std::move(names)), Operand{};
  }
  OpKind kind = ir::KindOf(*op);
  size_t wanted = kind == OpKind::binary || kind == OpKind::compare ||
                          (kind == OpKind::logic && *op != Op::k_logical_not)
                      ? 2
                      : 1;
  if (n != wanted) {
    Error("AK1514", e.place,
          fmt::format("{}() takes {} value{}, not {}", name, wanted, wanted == 1 ? "" : "s", n));
    return {};
  }
  Operand a = Eval(*e.args[1]);
  if (wanted == 1) return UnaryOp(*op, a, e.place);
  return BinaryOp(*op, a, Eval(*e.args[2]), e.place);
}

KernelChecker::Operand KernelChecker::Where(const Expr& e) {
  if (e.args.size() != 4)
    return Error("AK1514", e.place, "where() takes a condition and two values"), Operand{};
  Operand c = Eval(*e.args[1]), a = Eval(*e.args[2]), b = Eval(*e.args[3]);
  if (!c.ok() || !a.ok() || !b.ok()) return {};
  if (c.value < 0 || At(c.value).dtype != Dtype::kBool) {
    Error("AK1512", e.args[1]->place, "the condition of where() is not a comparison of tiles",
          "where(x > 0, a, b)");
    return {};
  }
  Dtype d = Dtype::kInt32;
  for (const Operand* o : {&a, &b}) {
    Dtype t = o->value >= 0                   ? ComputeDtype(At(o->value).dtype)
              : o->scalar->type == Ty::kFloat ? Dtype::kFloat32
                                              : Dtype::kInt32;
    if (Rank(t) > Rank(d)) d = t;
  }
  int x = ToValue(a, d, e.place), y = ToValue(b, d, e.place);
  if (x < 0 || y < 0) return {};
  Value v, shape;
  v.op = Op::k_where;
  v.args = {c.value, x, y};
  v.dtype = d;
  v.place = e.place;
  if (!Broadcast(At(x), At(y), shape, e.place) || !Broadcast(At(c.value), shape, v, e.place))
    return {};
  return {nullptr, Push(v)};
}

void KernelChecker::WriteBuffer(int buffer, int value, Place place) {
  const ir::Buffer& b = k_.buffers[buffer];
  Dtype from = At(value).dtype, to = b.dtype;
  if (from == Dtype::kFloat32 && !base::IsFloating(to)) {
    Error("AK1512", place, fmt::format("{} holds {}, the value is f32", b.name, ir::ShortName(to)),
          fmt::format("say how: cast(trunc(v), {})", ir::ShortName(to)));
    return;
  }
  Value w = At(value);
  bool splat = ir::IsConst(w.rows, 1) && ir::IsConst(w.cols, 1) &&
               !(ir::IsConst(b.rows, 1) && ir::IsConst(b.cols, 1));
  auto fits = [](const S& extent, const S& most, const S& capacity) {
    return ir::Same(extent, capacity) || ir::Same(most, capacity) || ir::IsConst(extent, 1);
  };
  bool apart = !splat && !ir::IsConst(w.rows, 1) && !ir::Same(w.most_cols, b.cols);
  if (apart ||
      (!splat && (!fits(w.rows, w.most_rows, b.rows) || !fits(w.cols, w.most_cols, b.cols)))) {
    Error("AK1511", place,
          fmt::format("{} has room for [{}, {}], the value has up to [{}, {}]", b.name,
                      ir::ToText(b.rows), ir::ToText(b.cols), ir::ToText(w.most_rows),
                      ir::ToText(w.most_cols)));
    return;
  }
  int x = CastTo(value, to, place);
  w = At(x);
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
  Push(w);
  extent_[buffer] = {w.rows, w.cols};
}

void KernelChecker::ComputeStatement(const ast::Stmt& s) {
  if (s.kind == StmtKind::kPass) return;
  if (s.kind == StmtKind::kExpr) {
    std::string call = CalleeName(*s.value);
    if (call == "load" || call == "store" || call == "atomic_add")
      return Error(
          "AK1513", s.place, fmt::format("{}() in compute", call),
          fmt::format("it belongs below `with {}:`", call == "load" ? "copyin" : "copyout"));
    return Error("AK1514", s.place, "this statement does nothing",
                 "give the value a name, or write it to a buffer");
  }
  if (s.kind != StmtKind::kAssign || s.targets.size() != 1)
    return Error("AK1513", s.place, "compute holds assignments only",
                 "loops and conditions go around the stage");
  const Expr& t = *s.targets[0];
  Operand o = Eval(*s.value);
  if (!o.ok()) return SetBroken(t.kind == ExprKind::kSubscript ? t.args[0]->text : t.text);
  if (t.kind == ExprKind::kName) {
    if (buffer_.count(t.text))
      return Error("AK1513", t.place, fmt::format("'{}' is a buffer", t.text),
                   fmt::format("assign to the buffer: {}[:] = ...", t.text));
    if (gm_.count(t.text) || scalars_.count(t.text))
      return Error("AK1510", t.place, fmt::format("'{}' is taken", t.text));
    if (o.scalar)
      o.value =
          Splat(o.scalar, o.scalar->type == Ty::kFloat ? Dtype::kFloat32 : Dtype::kInt32, s.place);
    value_[t.text] = o.value;
    return;
  }
  bool whole = t.kind == ExprKind::kSubscript;
  for (size_t i = 1; whole && i < t.args.size(); ++i)
    whole = t.args[i]->kind == ExprKind::kSlice && !t.args[i]->args[0] && !t.args[i]->args[1] &&
            !t.args[i]->args[2];
  if (!whole) return Error("AK1511", t.place, "a buffer is written whole", "buffer[:] = ...");
  int b = BufferOf(*t.args[0]);
  if (b < 0) return;
  if (o.scalar) {
    Dtype d = ComputeDtype(k_.buffers[b].dtype);
    if (o.scalar->type == Ty::kFloat && d != Dtype::kFloat32)
      return Error("AK1512", s.place,
                   fmt::format("{} holds {}, the value is a float", k_.buffers[b].name,
                               ir::ShortName(k_.buffers[b].dtype)));
    o.value = Splat(o.scalar, d == Dtype::kBool ? Dtype::kInt32 : d, s.place);
  }
  WriteBuffer(b, o.value, s.place);
}

}  // namespace akgen::craft
