// Values of a compute stage.
#include "craft/check/stage_values.h"

#include <fmt/format.h>

#include <limits>
#include <set>

namespace akgen::craft {
using base::Dtype;
using ir::Op;
using ir::OpKind;
using ir::S;
using ir::Ty;
using ir::Value;

Dtype ComputeDtype(Dtype d) {
  if (base::IsFloating(d)) return Dtype::kFloat32;
  return d == Dtype::kInt64 || d == Dtype::kBool || d == Dtype::kComplex64 ? d : Dtype::kInt32;
}
int RankOf(Dtype d) {
  return d == Dtype::kBool ? 0 : d == Dtype::kInt32 ? 1 : d == Dtype::kInt64 ? 2 : 3;
}

int StageValues::Push(Value v) {
  stage_.values.push_back(std::move(v));
  return static_cast<int>(stage_.values.size()) - 1;
}

int StageValues::Splat(const S& s, Dtype dtype, Place place) {
  Value v;
  v.op = Op::kSplat;
  v.scalar = s;
  v.dtype = dtype;
  v.rows = v.cols = v.most_rows = v.most_cols = ir::Int(1);
  v.place = place;
  return Push(v);
}

int StageValues::CastTo(int value, Dtype dtype, Place place) {
  if (value < 0 || At(value).dtype == dtype) return value;
  Value v = At(value);
  // A whole number of the host or of a tensor, which i32 may be too small for.
  const bool number =
      v.op == Op::k_full && v.scalar->type == Ty::kInt &&
      (v.scalar->kind != ir::SKind::kConst || v.scalar->i != int32_t(v.scalar->i)) &&
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

int StageValues::Promote(int value, Place place) {
  return value < 0 ? value : CastTo(value, ComputeDtype(At(value).dtype), place);
}

int StageValues::ToValue(const TileOperand& o, Dtype dtype, Place place) {
  if (o.value >= 0) return CastTo(Promote(o.value, place), dtype, place);
  if (o.scalar->type == Ty::kFloat && dtype != Dtype::kFloat32) return -1;
  return Splat(o.scalar, dtype, place);
}

bool StageValues::Broadcast(const Value& a, const Value& b, Value& out, Place place) {
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
    scope_.Error("AK1511", place,
                 fmt::format("rows with room for {} and for {} elements are combined",
                             ir::ToText(a.most_cols), ir::ToText(b.most_cols)),
                 "give both buffers the same number of columns: ub(rows, cols, ...)");
    return false;
  }
  scope_.Error("AK1511", place,
               fmt::format("shapes [{}, {}] and [{}, {}] do not fit", ir::ToText(a.rows),
                           ir::ToText(a.cols), ir::ToText(b.rows), ir::ToText(b.cols)),
               "extents must be equal as written, or 1");
  return false;
}

TileOperand StageValues::Unary(Op op, const TileOperand& a, Place place) {
  if (!a.ok()) return {};
  std::string name(ir::NameOf(op));
  static const std::set<Op> kNumbers = {
      Op::k_neg,     Op::k_abs,     Op::k_relu,    Op::k_logical_not, Op::k_row_sum,
      Op::k_row_max, Op::k_row_min, Op::k_all_sum, Op::k_all_max,     Op::k_all_min};
  const bool only_float = ir::KindOf(op) != OpKind::column && !kNumbers.count(op);
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
    scope_.Error("AK1512", place, fmt::format("{}() does not take {}", name, ir::ShortName(d)),
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

TileOperand StageValues::Binary(Op op, TileOperand a, TileOperand b, Place place) {
  if (!a.ok() || !b.ok()) return {};
  OpKind kind = ir::KindOf(op);
  Dtype d = Dtype::kBool;
  for (const TileOperand* o : {&a, &b}) {
    Dtype t = o->value >= 0                   ? ComputeDtype(At(o->value).dtype)
              : o->scalar->type == Ty::kFloat ? Dtype::kFloat32
              : o->scalar->type == Ty::kBool  ? Dtype::kBool
                                              : Dtype::kInt32;
    if (RankOf(t) > RankOf(d)) d = t;
  }
  if (kind == OpKind::logic ? d != Dtype::kBool : false) {
    scope_.Error("AK1512", place,
                 fmt::format("'{}' joins conditions, not {}", op == Op::k_logical_and ? "&" : "|",
                             ir::ShortName(d)),
                 "compare first: (x > 0) & (y > 0)");
    return {};
  }
  if ((op == Op::k_div || op == Op::k_pow) && d != Dtype::kFloat32) d = Dtype::kFloat32;
  if ((op == Op::k_floordiv || op == Op::k_mod) && d == Dtype::kFloat32) {
    scope_.Error("AK1512", place, fmt::format("'{}' needs integers", op == Op::k_mod ? "%" : "//"),
                 op == Op::k_mod ? "a - floor(a / b) * b" : "floor(a / b)");
    return {};
  }
  if (kind == OpKind::binary && d == Dtype::kBool) d = Dtype::kInt32;
  // Beyond i32 a number is as small or as large as any of them.
  constexpr std::numeric_limits<int32_t> kLimits;
  for (TileOperand* o : {&a, &b})
    if (kind == OpKind::compare && d == Dtype::kInt32 && o->value < 0 &&
        scope_.Numbers().IsLong(o->scalar))
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

}  // namespace akgen::craft
