// What is copied from and to tensors.
#include "craft/check/copy_checker.h"

#include <fmt/format.h>

#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ast::StmtKind;
using base::Dtype;
using ir::Memory;
using ir::S;

void CopyChecker::Statement(const ast::Stmt& s) {
  bool in = stage_.stage == ir::StageKind::kCopyIn;
  std::string call = s.kind == StmtKind::kExpr ? CalleeName(*s.value) : "";
  bool store = call == "store" || call == "atomic_add";
  if (in ? call != "load" : !store)
    return scope_.Error(
        "AK1513", s.place,
        fmt::format("only {} belongs into {}", in ? "load()" : "store() and atomic_add()",
                    in ? "copyin" : "copyout"),
        "arithmetic belongs into `with compute:`");
  const Expr& e = *s.value;
  if (e.args.size() != 3)
    return scope_.Error("AK1514", s.place, fmt::format("{}() takes two values", call),
                        in ? "load(buffer, x[a:b])" : "store(y[a:b], buffer)");
  bool relu = false;
  S scale;
  if (const Expr* sums = in ? nullptr : SumsOf(*e.args[2], relu, scale))
    return StoreSums(e, *sums, relu, scale);
  ir::Copy c;
  c.atomic_add = call == "atomic_add";
  c.buffer = scope_.BufferOf(*e.args[in ? 1 : 2]);
  if (in && c.buffer < 0) contents_.LoseLoad();
  if (c.buffer < 0 || !scope_.Window(*e.args[in ? 2 : 1], c.gm)) return;
  const ir::Buffer& b = k_.buffers[c.buffer];
  const ir::Gm& g = k_.gms[c.gm.gm];
  if (!in && scope_.Broken(b.name)) return void(scope_.SaidOf(b.name));
  if (b.memory != ir::Memory::kUb)
    return scope_.Error(
        "AK1513", s.place, fmt::format("'{}' lies on the Cube core", b.name),
        in ? "products write acc(...) tiles, and read windows of tensors themselves"
           : "store(d[...], c) takes sums, times a number, through relu(): nothing else");
  if (b.dtype != g.dtype)
    return scope_.Error("AK1512", s.place,
                        fmt::format("{} is {}, {} is {}: a copy does not convert", b.name,
                                    ir::ShortName(b.dtype), g.name, ir::ShortName(g.dtype)),
                        fmt::format("make the buffer with dtype={}.dtype", g.name));
  if (in) {
    if (const Expr* fill = KeywordArg(e, "fill")) c.fill = scope_.Scalar(*fill);
    // A column of a wide buffer, or a row where rows are expected: the shapes must be those the
    // buffer was made for.
    if (ir::IsConst(b.cols, 1) && !ir::IsConst(c.gm.cols, 1))
      return scope_.Error(
          "AK1511", s.place,
          fmt::format("{} holds one column, the window has {}", b.name, ir::ToText(c.gm.cols)));
    if (ir::IsConst(b.rows, 1) && !ir::IsConst(c.gm.rows, 1))
      return scope_.Error(
          "AK1511", s.place,
          fmt::format("{} holds one row, the window has {}", b.name, ir::ToText(c.gm.rows)));
    contents_.Load(c.buffer, {c.gm.rows, c.gm.cols});
  } else {
    const auto* it = contents_.Find(c.buffer);
    if (!it)
      return contents_.SayNothingIn(c.buffer, s.place, "stored before anything was written to it",
                                    "");
    if (!ir::Same(it->rows, c.gm.rows) || !ir::Same(it->cols, c.gm.cols))
      return scope_.Error(
          "AK1511", s.place,
          fmt::format("{} holds [{}, {}], the window is [{}, {}]", b.name, ir::ToText(it->rows),
                      ir::ToText(it->cols), ir::ToText(c.gm.rows), ir::ToText(c.gm.cols)));
    if (c.atomic_add && b.dtype != base::Dtype::kFloat32 && b.dtype != base::Dtype::kInt32 &&
        b.dtype != base::Dtype::kFloat16)
      return scope_.Error("AK1512", s.place, "atomic_add() takes f32, f16 and i32");
  }
  stage_.copies.push_back(std::move(c));
}

// store(d[…], c), store(d[…], relu(c * s)): what Fixpipe does on the way out of L0C. Null: not of
// this form.
const Expr* CopyChecker::SumsOf(const Expr& e, bool& relu, S& scale) {
  const Expr* value = &e;
  relu = CalleeName(e) == "relu" && e.args.size() == 2;
  if (relu) value = e.args[1].get();
  if (value->kind == ExprKind::kBinary && value->text == "*") {
    const Expr *left = value->args[0].get(), *right = value->args[1].get();
    auto sums = [&](const Expr& x) {
      return x.kind == ExprKind::kName && scope_.FindBuffer(x.text) >= 0;
    };
    if (!sums(*left)) std::swap(left, right);
    if (!sums(*left)) return nullptr;
    scale = scope_.Scalar(*right);
    if (!scale) return nullptr;
    value = left;
  }
  const int buffer = value->kind == ExprKind::kName ? scope_.FindBuffer(value->text) : -1;
  return buffer >= 0 && k_.buffers[buffer].memory == Memory::kAcc ? value : nullptr;
}

void CopyChecker::StoreSums(const Expr& e, const Expr& sums, bool relu, const S& scale) {
  ir::Copy c;
  c.relu = relu;
  c.scale = scale;
  c.atomic_add = CalleeName(e) == "atomic_add";
  c.buffer = scope_.FindBuffer(sums.text);
  if (!scope_.Window(*e.args[1], c.gm)) return;
  const ir::Buffer& b = k_.buffers[c.buffer];
  const ir::Gm& g = k_.gms[c.gm.gm];
  const bool real = b.dtype == Dtype::kFloat32;
  const bool fits = real ? (g.dtype == Dtype::kFloat32 || g.dtype == Dtype::kFloat16 ||
                            g.dtype == Dtype::kBfloat16)
                         : (g.dtype == Dtype::kInt32 || (g.dtype == Dtype::kFloat16 && scale));
  if (!fits)
    return scope_.Error(
        "AK1512", e.place,
        fmt::format("sums of {} do not leave L0C as {}", ir::ShortName(b.dtype),
                    ir::ShortName(g.dtype)),
        real ? "f32, f16 or bf16; for others hand them over to a vector core"
             : "i32, or f16 with a scale: store(d[...], c * s); for others hand them over "
               "to a vector core");
  if (scale && (real || g.dtype != Dtype::kFloat16))
    return scope_.Error("AK1512", e.place, "sums are scaled on their way out from i32 to f16 alone",
                        "hand them over: with handover: move(x, c), and multiply in compute");
  if (c.atomic_add && g.dtype != Dtype::kFloat32 && g.dtype != Dtype::kFloat16 &&
      g.dtype != Dtype::kInt32)
    return scope_.Error("AK1512", e.place, "atomic_add() takes f32, f16 and i32");
  const auto* it = contents_.Find(c.buffer);
  if (!it)
    return contents_.SayNothingIn(c.buffer, e.place, "stored before anything was written to it",
                                  "");
  if (!ir::Same(it->rows, c.gm.rows) || !ir::Same(it->cols, c.gm.cols))
    return scope_.Error(
        "AK1511", e.place,
        fmt::format("{} holds [{}, {}], the window is [{}, {}]", b.name, ir::ToText(it->rows),
                    ir::ToText(it->cols), ir::ToText(c.gm.rows), ir::ToText(c.gm.cols)));
  stage_.copies.push_back(std::move(c));
}

}  // namespace akgen::craft
