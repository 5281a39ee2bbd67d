// Expressions that move elements, change their dtype or make tiles of nothing.
#include "craft/check/compute_checker.h"

#include <fmt/format.h>

#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using base::Dtype;
using ir::Op;
using ir::S;
using ir::Ty;
using ir::Value;

// Element (r, j) is element index[r, j] of row r.
TileOperand ComputeChecker::Gather(const Expr& e) {
  if (e.args.size() != 3)
    return scope_.Error("AK1514", e.place,
                        "row_gather() takes a tile and the places of its elements",
                        "row_gather(v, n - 1 - iota(0, n))"),
           TileOperand{};
  TileOperand a = Eval(*e.args[1]), i = Eval(*e.args[2]);
  if (!a.ok() || !i.ok()) return {};
  int x = values_.Promote(a.value, e.place), at = values_.Promote(i.value, e.place);
  if (x < 0 || at < 0 || values_.At(at).dtype != Dtype::kInt32 ||
      (values_.At(x).dtype != Dtype::kFloat32 && values_.At(x).dtype != Dtype::kInt32)) {
    scope_.Error("AK1512", e.place, "row_gather() takes a tile of f32 or i32 and a tile of i32",
                 "make the places whole numbers: cast(v, i32)");
    return {};
  }
  Value v = values_.At(at), rows = values_.At(x);
  v.op = Op::k_row_gather;
  v.args = {x, at};
  v.buffer = -1;
  v.scalar = nullptr;
  v.numbers.clear();
  v.dtype = values_.At(x).dtype;
  v.place = e.place;
  if (ir::IsConst(v.rows, 1)) {
    v.rows = rows.rows;
    v.most_rows = rows.most_rows;
  } else if (!ir::IsConst(rows.rows, 1) && !ir::Same(rows.rows, v.rows)) {
    scope_.Error(
        "AK1511", e.place,
        fmt::format("{} rows of places for {} rows", ir::ToText(v.rows), ir::ToText(rows.rows)),
        "extents must be equal as written, or 1");
    return {};
  }
  return {nullptr, values_.Push(v)};
}

// A row is [outer, extent, inner]; windows along the middle make it [outer, count, inner].
TileOperand ComputeChecker::Windows(const Expr& e) {
  std::string name = CalleeName(e);
  static const char* const kNumbers[] = {"outer", "extent", "inner", "count",
                                         "size",  "step",   "apart", "before"};
  if (e.args.size() != 10)
    return scope_.Error(
               "AK1514", e.place,
               name + "() takes a tile and outer, extent, inner, count, size, step, apart, before",
               name + "(v, 1, cols, 1, cols // 2, 2, 2, 1, 0)"),
           TileOperand{};
  TileOperand a = Eval(*e.args[1]);
  std::vector<S> numbers;
  for (size_t i = 0; i < 8; ++i) {
    numbers.push_back(scope_.IntScalar(*e.args[i + 2], kNumbers[i]));
    if (!numbers.back()) return {};
  }
  if (!a.ok()) return {};
  int x = a.value >= 0 ? values_.Promote(a.value, e.place) : -1;
  if (x < 0 || values_.At(x).dtype != Dtype::kFloat32)
    return scope_.Error("AK1512", e.place, name + "() takes a tile of f32",
                        "convert first: cast(v, f32)"),
           TileOperand{};
  if (S all = ir::Mul(ir::Mul(numbers[0], numbers[1]), numbers[2]);
      !ir::Same(values_.At(x).cols, all))
    return scope_.Error("AK1511", e.place,
                        fmt::format("rows of {} are not outer * extent * inner, {}",
                                    ir::ToText(values_.At(x).cols), ir::ToText(all)),
                        "extents must be equal as written"),
           TileOperand{};
  Value v = values_.At(x);
  v.op = *ir::OpFromName(name);
  v.args = {x};
  v.buffer = -1;
  v.scalar = nullptr;
  v.numbers = numbers;
  v.cols = ir::Mul(ir::Mul(numbers[0], numbers[3]), numbers[2]);
  v.most_cols = scope_.Numbers().Bound(v.cols);
  v.place = e.place;
  return {nullptr, values_.Push(v)};
}

TileOperand ComputeChecker::Cast(const Expr& e) {
  if (e.args.size() != 3)
    return scope_.Error("AK1514", e.place, "cast() takes a value and a dtype", "cast(v, f32)"),
           TileOperand{};
  TileOperand a = Eval(*e.args[1]);
  if (!a.ok()) return {};
  const Expr& t = *e.args[2];
  std::optional<Dtype> d = ir::DtypeFromShort(t.text);
  if (t.kind == ExprKind::kAttribute && !t.of_module) {
    S index;
    int g = scope_.TensorOf(*t.args[0], index);
    if (g < 0) return {};
    d = k_.gms[g].dtype;
  }
  if (!d || *d == Dtype::kComplex64)
    return scope_.Error("AK1512", t.place, "expected a dtype",
                        "x.dtype, or one of f32, f16, bf16, i8, u8, i16, i32, i64"),
           TileOperand{};
  int x =
      a.value >= 0
          ? values_.Promote(a.value, e.place)
          : values_.Splat(a.scalar, a.scalar->type == Ty::kFloat ? Dtype::kFloat32 : Dtype::kInt32,
                          e.place);
  if (*d == Dtype::kBool) {
    if (values_.At(x).dtype == Dtype::kBool) return {nullptr, x};
    return values_.Binary(Op::k_ne, {nullptr, x}, {ir::Int(0)}, e.place);
  }
  return {nullptr, values_.CastTo(x, *d, e.place)};
}

TileOperand ComputeChecker::Full(const Expr& e) {
  if (e.args.size() != 4)
    return scope_.Error("AK1514", e.place, "full() takes rows, columns and a value",
                        "full(1, cols, 0.0)"),
           TileOperand{};
  S rows = scope_.IntScalar(*e.args[1], "rows"), cols = scope_.IntScalar(*e.args[2], "columns"),
    value = scope_.Scalar(*e.args[3]);
  if (!rows || !cols || !value) return {};
  Value v;
  v.op = Op::k_full;
  v.scalar = value;
  v.dtype = value->type == Ty::kFloat ? Dtype::kFloat32 : Dtype::kInt32;
  v.rows = rows;
  v.cols = cols;
  v.most_rows = scope_.Numbers().Bound(rows);
  v.most_cols = scope_.Numbers().Bound(cols);
  v.place = e.place;
  return {nullptr, values_.Push(v)};
}

TileOperand ComputeChecker::Iota(const Expr& e) {
  if (e.args.size() != 3)
    return scope_.Error("AK1514", e.place, "iota() takes the first number and how many",
                        "iota(c, m)"),
           TileOperand{};
  S first = scope_.IntScalar(*e.args[1], "the first number"),
    cols = scope_.IntScalar(*e.args[2], "the number of elements");
  if (!first || !cols) return {};
  Value v;
  v.op = Op::k_iota;
  v.scalar = first;
  v.dtype = Dtype::kInt32;
  v.rows = v.most_rows = ir::Int(1);
  v.cols = cols;
  v.most_cols = scope_.Numbers().Bound(cols);
  v.place = e.place;
  return {nullptr, values_.Push(v)};
}

}  // namespace akgen::craft
