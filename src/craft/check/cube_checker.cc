// Products, and sums that are handed over.
#include "craft/check/cube_checker.h"

#include <fmt/format.h>

#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ast::StmtKind;
using base::Dtype;
using ir::Memory;
using ir::S;

// a, a.T: a tile in L1 or a window of a tensor.
bool CubeChecker::MatrixOf(const Expr& e, ir::Matrix& out, Dtype& dtype) {
  if (e.kind == ExprKind::kAttribute && e.text == "T") {
    if (!MatrixOf(*e.args[0], out, dtype)) return false;
    out.transposed = !out.transposed;
    std::swap(out.rows, out.cols);
    return true;
  }
  if (e.kind == ExprKind::kName && scope_.FindBuffer(e.text) >= 0) {
    out.buffer = scope_.FindBuffer(e.text);
    const ir::Buffer& b = k_.buffers[out.buffer];
    if (b.memory != Memory::kL1)
      return scope_.Error("AK1513", e.place, fmt::format("'{}' is no operand of a product", e.text),
                          b.memory == Memory::kAcc
                              ? "sums become an operand by way of L1: with handover: move(p, c)"
                              : "products read tiles made with l1(...) and windows of tensors"),
             false;
    const auto* extent = contents_.Find(out.buffer);
    if (!extent)
      return contents_.SayNothingIn(out.buffer, e.place, "read before anything was loaded",
                                    "load it in a copyin stage"),
             false;
    out.rows = extent->rows;
    out.cols = extent->cols;
    dtype = b.dtype;
    return true;
  }
  if (e.kind != ExprKind::kSubscript)
    return scope_.Error("AK1511", e.place,
                        fmt::format("'{}' is no operand of a product", ToText(e)),
                        "a window of a tensor or a tile in L1: a[i : i + h, :] @ b[:, j : j + w]"),
           false;
  if (!scope_.Window(e, out.gm)) return false;
  out.rows = out.gm.rows;
  out.cols = out.gm.cols;
  dtype = k_.gms[out.gm.gm].dtype;
  if (k_.gms[out.gm.gm].is_list)
    return scope_.Error("AK1512", e.place, "products do not read lists of tensors",
                        "give the tensor a parameter of its own"),
           false;
  return true;
}

// c[:] = a @ b, c[:] = a @ b + row, c[:] += a @ b
void CubeChecker::Product(const ast::Stmt& s) {
  const Expr* target =
      s.kind == StmtKind::kAssign && s.targets.size() == 1 ? s.targets[0].get() : nullptr;
  const bool whole = target && target->kind == ExprKind::kSubscript && target->args.size() == 2 &&
                     target->args[0]->kind == ExprKind::kName && target->args[1] &&
                     target->args[1]->kind == ExprKind::kSlice;
  if (!whole)
    return scope_.Error("AK1513", s.place, "a cube stage holds products",
                        "c[:] = a[i : i + h, :] @ b[:, j : j + w]");
  ir::Product p;
  p.place = s.place;
  p.acc = scope_.BufferOf(*target->args[0]);
  if (p.acc < 0) return;
  const ir::Buffer& acc = k_.buffers[p.acc];
  if (acc.memory != Memory::kAcc)
    return scope_.Error("AK1513", s.place, fmt::format("'{}' holds no sums", acc.name),
                        "make it with acc(rows, cols)");
  const Expr* value = s.value.get();
  const Expr* row = nullptr;
  auto is_product = [](const Expr& e) { return e.kind == ExprKind::kBinary && e.text == "@"; };
  if (value->kind == ExprKind::kBinary && value->text == "+") {
    const Expr *left = value->args[0].get(), *right = value->args[1].get();
    if (!is_product(*left)) std::swap(left, right);
    value = left;
    p.accumulate = right->kind == ExprKind::kName && right->text == acc.name;
    if (!p.accumulate) row = right;
  }
  if (!is_product(*value))
    return scope_.Error("AK1513", s.value->place, "a cube stage only multiplies matrices",
                        "other arithmetic belongs into compute, on a tile that was handed over");
  Dtype a = Dtype::kFloat32, b = Dtype::kFloat32;
  if (!MatrixOf(*value->args[0], p.a, a) || !MatrixOf(*value->args[1], p.b, b)) return;
  if (a != b)
    return scope_.Error("AK1512", value->place,
                        fmt::format("{} @ {}: both sides of a product have one dtype",
                                    ir::ShortName(a), ir::ShortName(b)));
  const Dtype sums = a == Dtype::kInt8 ? Dtype::kInt32 : Dtype::kFloat32;
  if (a != Dtype::kInt8 && a != Dtype::kFloat16 && a != Dtype::kBfloat16 && a != Dtype::kFloat32)
    return scope_.Error("AK1512", value->place,
                        fmt::format("the Cube core does not multiply {}", ir::ShortName(a)),
                        "f16, bf16, f32 or i8");
  if (acc.dtype != sums)
    return scope_.Error("AK1512", s.place,
                        fmt::format("sums of {} are {}, {} is {}", ir::ShortName(a),
                                    ir::ShortName(sums), acc.name, ir::ShortName(acc.dtype)),
                        fmt::format("acc(rows, cols, dtype={})", ir::ShortName(sums)));
  p.m = p.a.rows;
  p.k = p.a.cols;
  p.n = p.b.cols;
  if (!ir::Same(p.k, p.b.rows))
    return scope_.Error(
        "AK1511", value->place,
        fmt::format("[{}, {}] @ [{}, {}]", ir::ToText(p.m), ir::ToText(p.k), ir::ToText(p.b.rows),
                    ir::ToText(p.n)),
        "the columns of the left side and the rows of the right side must be equal as written");
  if (row && !RowOf(*row, p, a)) return;
  if (p.accumulate) {
    const auto* extent = contents_.Find(p.acc);
    if (!extent)
      return contents_.SayNothingIn(p.acc, s.place, "added to before anything was written to it",
                                    "begin with c[:] = a @ b");
    if (!ir::Same(extent->rows, p.m) || !ir::Same(extent->cols, p.n))
      return scope_.Error("AK1511", s.place,
                          fmt::format("{} holds [{}, {}], the product is [{}, {}]", acc.name,
                                      ir::ToText(extent->rows), ir::ToText(extent->cols),
                                      ir::ToText(p.m), ir::ToText(p.n)));
  }
  contents_.Write(p.acc, {p.m, p.n});
  p.text = ToText(*target) + (p.accumulate ? " += " + ToText(*value) : " = " + ToText(*s.value));
  k_.cube = true;
  stage_.products.push_back(std::move(p));
}

// move(x, c): sums to a buffer of a Vector core.
void CubeChecker::Handover(const ast::Stmt& s) {
  if (s.kind != StmtKind::kExpr || CalleeName(*s.value) != "move" || s.value->args.size() != 3)
    return scope_.Error("AK1513", s.place, "a handover stage moves sums to a buffer", "move(x, c)");
  ir::Handover h;
  h.to = scope_.BufferOf(*s.value->args[1]);
  h.from = h.to < 0 ? -1 : scope_.BufferOf(*s.value->args[2]);
  if (h.from < 0) return;
  const ir::Buffer &to = k_.buffers[h.to], &from = k_.buffers[h.from];
  if (from.memory != Memory::kAcc || to.memory != Memory::kUb)
    return scope_.Error("AK1513", s.place, "sums are handed over to a buffer of a vector core",
                        "x = ub(tm, tn, dtype=f32), c = acc(tm, tn): move(x, c)");
  if (to.dtype != from.dtype)
    return scope_.Error("AK1512", s.place,
                        fmt::format("{} is {}, {} is {}: a handover does not convert", to.name,
                                    ir::ShortName(to.dtype), from.name, ir::ShortName(from.dtype)),
                        fmt::format("ub(rows, cols, dtype={})", ir::ShortName(from.dtype)));
  const auto* extent = contents_.Find(h.from);
  if (!extent)
    return contents_.SayNothingIn(h.from, s.place, "handed over before anything was written to it",
                                  "");
  contents_.Load(h.to, *extent);
  stage_.handovers.push_back(h);
}

// a @ b + bias[j : j + w]: what the sums of each row begin with.
bool CubeChecker::RowOf(const Expr& e, ir::Product& p, Dtype operands) {
  ir::GmRef row;
  if (e.kind != ExprKind::kSubscript)
    return scope_.Error("AK1511", e.place, "what is added to a product is a row of a tensor",
                        "a @ b + bias[j : j + w]"),
           false;
  if (!scope_.Window(e, row)) return false;
  if (!ir::IsConst(row.rows, 1) || !ir::Same(row.cols, p.n))
    return scope_.Error("AK1511", e.place,
                        fmt::format("[{}, {}] is added to rows of {}", ir::ToText(row.rows),
                                    ir::ToText(row.cols), ir::ToText(p.n)),
                        "the row has as many columns as the product"),
           false;
  const Dtype d = k_.gms[row.gm].dtype;
  const bool fits = operands == Dtype::kInt8
                        ? d == Dtype::kInt32
                        : d == Dtype::kFloat32 || (d == Dtype::kFloat16 && operands == d);
  if (!fits || k_.gms[row.gm].is_list)
    return scope_.Error("AK1512", e.place,
                        fmt::format("a row of {} to a product of {}", ir::ShortName(d),
                                    ir::ShortName(operands)),
                        operands == Dtype::kInt8      ? "the row is i32"
                        : operands == Dtype::kFloat16 ? "the row is f16 or f32"
                                                      : "the row is f32"),
           false;
  p.row = row;
  return true;
}

}  // namespace akgen::craft
