// Expressions that move elements, change their dtype or make tiles of nothing.
#include <fmt/format.h>

#include "craft/check/kernel_checker.h"
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
KernelChecker::Operand KernelChecker::Gather(const Expr& e) {
  if (e.args.size() != 3)
    return Error("AK1514", e.place, "row_gather() takes a tile and the places of its elements",
                 "row_gather(v, n - 1 - iota(0, n))"),
           Operand{};
  Operand a = Eval(*e.args[1]), i = Eval(*e.args[2]);
  if (!a.ok() || !i.ok()) return {};
  int x = Promote(a.value, e.place), at = Promote(i.value, e.place);
  if (x < 0 || at < 0 || At(at).dtype != Dtype::kInt32 ||
      (At(x).dtype != Dtype::kFloat32 && At(x).dtype != Dtype::kInt32)) {
    Error("AK1512", e.place, "row_gather() takes a tile of f32 or i32 and a tile of i32",
          "make the places whole numbers: cast(v, i32)");
    return {};
  }
  Value v = At(at), rows = At(x);
  v.op = Op::k_row_gather;
  v.args = {x, at};
  v.buffer = -1;
  v.scalar = nullptr;
  v.numbers.clear();
  v.dtype = At(x).dtype;
  v.place = e.place;
  if (ir::IsConst(v.rows, 1)) {
    v.rows = rows.rows;
    v.most_rows = rows.most_rows;
  } else if (!ir::IsConst(rows.rows, 1) && !ir::Same(rows.rows, v.rows)) {
    Error("AK1511", e.place,
          fmt::format("{} rows of places for {} rows", ir::ToText(v.rows), ir::ToText(rows.rows)),
          "extents must be equal as written, or 1");
    return {};
  }
  return {nullptr, Push(v)};
}

// A row is [outer, extent, inner]; windows along the middle make it [outer, count, inner].
KernelChecker::Operand KernelChecker::Windows(const Expr& e) {
  std::string name = CalleeName(e);
  static const char* const kNumbers[] = {"outer", "extent", "inner", "count",
                                         "size",  "step",   "apart", "before"};
  if (e.args.size() != 10)
    return Error(
               "AK1514", e.place,
               name + "() takes a tile and outer, extent, inner, count, size, step, apart, before",
               name + "(v, 1, cols, 1, cols // 2, 2, 2, 1, 0)"),
           Operand{};
  Operand a = Eval(*e.args[1]);
  std::vector<S> numbers;
  for (size_t i = 0; i < 8; ++i) {
    numbers.push_back(IntScalar(*e.args[i + 2], kNumbers[i]));
    if (!numbers.back()) return {};
  }
  if (!a.ok()) return {};
  int x = a.value >= 0 ? Promote(a.value, e.place) : -1;
  if (x < 0 || At(x).dtype != Dtype::kFloat32)
    return Error("AK1512", e.place, name + "() takes a tile of f32", "convert first: cast(v, f32)"),
           Operand{};
  if (S all = ir::Mul(ir::Mul(numbers[0], numbers[1]), numbers[2]); !ir::Same(At(x).cols, all))
    return Error("AK1511", e.place,
                 fmt::format("rows of {} are not outer * extent * inner, {}",
                             ir::ToText(At(x).cols), ir::ToText(all)),
                 "extents must be equal as written"),
           Operand{};
  Value v = At(x);
  v.op = *ir::OpFromName(name);
  v.args = {x};
  v.buffer = -1;
  v.scalar = nullptr;
  v.numbers = numbers;
  v.cols = ir::Mul(ir::Mul(numbers[0], numbers[3]), numbers[2]);
  v.most_cols = Bound(v.cols);
  v.place = e.place;
  return {nullptr, Push(v)};
}

KernelChecker::Operand KernelChecker::Cast(const Expr& e) {
  if (e.args.size() != 3)
    return Error("AK1514", e.place, "cast() takes a value and a dtype", "cast(v, f32)"), Operand{};
  Operand a = Eval(*e.args[1]);
  if (!a.ok()) return {};
  const Expr& t = *e.args[2];
  std::optional<Dtype> d = ir::DtypeFromShort(t.text);
  if (t.kind == ExprKind::kAttribute && !t.of_module) {
    S index;
    int g = GmOf(*t.args[0], index);
    if (g < 0) return {};
    d = k_.gms[g].dtype;
  }
  if (!d || *d == Dtype::kComplex64)
    return Error("AK1512", t.place, "expected a dtype",
                 "x.dtype, or one of f32, f16, bf16, i8, u8, i16, i32, i64"),
           Operand{};
  int x = a.value >= 0
              ? Promote(a.value, e.place)
              : Splat(a.scalar, a.scalar->type == Ty::kFloat ? Dtype::kFloat32 : Dtype::kInt32,
                      e.place);
  if (*d == Dtype::kBool) {
    if (At(x).dtype == Dtype::kBool) return {nullptr, x};
    return BinaryOp(Op::k_ne, {nullptr, x}, {ir::Int(0)}, e.place);
  }
  return {nullptr, CastTo(x, *d, e.place)};
}

KernelChecker::Operand KernelChecker::Full(const Expr& e) {
  if (e.args.size() != 4)
    return Error("AK1514", e.place, "full() takes rows, columns and a value", "full(1, cols, 0.0)"),
           Operand{};
  S rows = IntScalar(*e.args[1], "rows"), cols = IntScalar(*e.args[2], "columns"),
    value = Scalar(*e.args[3]);
  if (!rows || !cols || !value) return {};
  Value v;
  v.op = Op::k_full;
  v.scalar = value;
  v.dtype = value->type == Ty::kFloat ? Dtype::kFloat32 : Dtype::kInt32;
  v.rows = rows;
  v.cols = cols;
  v.most_rows = Bound(rows);
  v.most_cols = Bound(cols);
  v.place = e.place;
  return {nullptr, Push(v)};
}

KernelChecker::Operand KernelChecker::Iota(const Expr& e) {
  if (e.args.size() != 3)
    return Error("AK1514", e.place, "iota() takes the first number and how many", "iota(c, m)"),
           Operand{};
  S first = IntScalar(*e.args[1], "the first number"),
    cols = IntScalar(*e.args[2], "the number of elements");
  if (!first || !cols) return {};
  Value v;
  v.op = Op::k_iota;
  v.scalar = first;
  v.dtype = Dtype::kInt32;
  v.rows = v.most_rows = ir::Int(1);
  v.cols = cols;
  v.most_cols = Bound(cols);
  v.place = e.place;
  return {nullptr, Push(v)};
}

}  // namespace akgen::craft
