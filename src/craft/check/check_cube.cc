// What runs on Cube cores: blocks of an output, tiles in L1 and L0C, products, sums on their way
// out.
#include <fmt/format.h>

#include "craft/check/kernel_checker.h"
#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ast::StmtKind;
using base::Dtype;
using ir::Memory;
using ir::S;
using ir::Ty;

// The name of a loop's variable: unique in the kernel.
std::string KernelChecker::LoopName(const std::string& name, Place place) {
  if (scalars_.count(name) || gm_.count(name) || buffer_.count(name) || views_.count(name) ||
      lists_.count(name))
    Error("AK1510", place, fmt::format("'{}' is taken", name), "choose another name for the loop");
  std::string unique = name;
  for (int i = 2; names_.count(unique); ++i) unique = fmt::format("{}_{}", name, i);
  names_.insert(unique);
  scalars_[name] = ir::Var(unique, Ty::kInt);
  return unique;
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
void KernelChecker::BlocksLoop(const ast::Stmt& s, ir::Block& out) {
  const Expr& e = *s.value;
  auto blocks = std::make_shared<ir::Blocks>();
  auto saved = scalars_;
  size_t at = 0;
  auto next = [&] {
    return at < s.targets.size() ? LoopName(s.targets[at++]->text, s.place) : std::string();
  };
  std::vector<std::string> lists;
  for (size_t i = 1; i < e.args.size(); i += 2)
    if (IsList(*e.args[i])) lists.push_back(e.args[i]->text);
  if (!lists.empty()) blocks->group = next();
  const S group = ir::Var(blocks->group, Ty::kInt);
  std::vector<S> numbers;
  for (size_t i = 1; i < e.args.size(); ++i) {
    if (i % 2 && IsList(*e.args[i])) {
      numbers.push_back(ElementOf(e.args[i]->text, group));
      continue;
    }
    numbers.push_back(IntScalar(*e.args[i], "an extent of blocks()"));
    if (!numbers.back()) return;
  }
  if (numbers.size() != 2 && numbers.size() != 4)
    return Error("AK1514", e.place, "blocks() takes extents and sizes of blocks",
                 "blocks(m, tm, n, tn) or blocks(m, tm)");
  std::vector<S> over;
  for (const auto& k : e.keywords) {
    if (k.name == "order") {
      blocks->order = IntScalar(*k.value, "order");
      if (!blocks->order) return;
    } else if (k.name == "over" && k.value->kind == ExprKind::kList) {
      for (const auto& a : k.value->args) {
        over.push_back(IntScalar(*a, "an extent of over="));
        if (!over.back()) return;
      }
    } else {
      return Error("AK1514", e.place, fmt::format("blocks() has no {}=", k.name),
                   "over=[batch, heads], order=3");
    }
  }
  if (loop_depth_ > 0)
    return Error("AK1513", s.place, "blocks() inside a loop",
                 "blocks() shares an output among the cores: loop inside it");
  const size_t wanted = over.size() + numbers.size() + (lists.empty() ? 0 : 1);
  if (s.targets.size() != wanted)
    return Error(
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
  bounds_[blocks->rows] = Bound(blocks->tm);
  if (numbers.size() == 4) {
    blocks->col = next();
    blocks->cols = next();
    blocks->n = numbers[2];
    blocks->tn = numbers[3];
    bounds_[blocks->cols] = Bound(blocks->tn);
  }
  if (!lists.empty()) blocks->starts = StartsOf("first_block", lists, SizeOf(*blocks));
  auto st = std::make_shared<ir::Stmt>();
  st->kind = ir::Stmt::kBlocks;
  st->place = s.place;
  st->blocks = blocks;
  ++loop_depth_;
  st->body = Body(s.body);
  --loop_depth_;
  scalars_ = saved;
  EndExtents();
  out.push_back(st);
}

// a, a.T: a tile in L1 or a window of a tensor.
bool KernelChecker::MatrixOf(const Expr& e, ir::Matrix& out, Dtype& dtype) {
  if (e.kind == ExprKind::kAttribute && e.text == "T") {
    if (!MatrixOf(*e.args[0], out, dtype)) return false;
    out.transposed = !out.transposed;
    std::swap(out.rows, out.cols);
    return true;
  }
  if (e.kind == ExprKind::kName && buffer_.count(e.text)) {
    out.buffer = buffer_[e.text];
    const ir::Buffer& b = k_.buffers[out.buffer];
    if (b.memory != Memory::kL1)
      return Error("AK1513", e.place, fmt::format("'{}' is no operand of a product", e.text),
                   b.memory == Memory::kAcc
                       ? "sums become an operand by way of L1: with handover: move(p, c)"
                       : "products read tiles made with l1(...) and windows of tensors"),
             false;
    auto extent = extent_.find(out.buffer);
    if (extent == extent_.end())
      return NothingIn(out.buffer, e.place, "read before anything was loaded",
                       "load it in a copyin stage"),
             false;
    out.rows = extent->second.rows;
    out.cols = extent->second.cols;
    dtype = b.dtype;
    return true;
  }
  if (e.kind != ExprKind::kSubscript)
    return Error("AK1511", e.place, fmt::format("'{}' is no operand of a product", ToText(e)),
                 "a window of a tensor or a tile in L1: a[i : i + h, :] @ b[:, j : j + w]"),
           false;
  if (!Window(e, out.gm)) return false;
  out.rows = out.gm.rows;
  out.cols = out.gm.cols;
  dtype = k_.gms[out.gm.gm].dtype;
  if (k_.gms[out.gm.gm].is_list)
    return Error("AK1512", e.place, "products do not read lists of tensors",
                 "give the tensor a parameter of its own"),
           false;
  return true;
}

// c[:] = a @ b, c[:] = a @ b + row, c[:] += a @ b
void KernelChecker::CubeStatement(const ast::Stmt& s) {
  const Expr* target =
      s.kind == StmtKind::kAssign && s.targets.size() == 1 ? s.targets[0].get() : nullptr;
  const bool whole = target && target->kind == ExprKind::kSubscript && target->args.size() == 2 &&
                     target->args[0]->kind == ExprKind::kName && target->args[1] &&
                     target->args[1]->kind == ExprKind::kSlice;
  if (!whole)
    return Error("AK1513", s.place, "a cube stage holds products",
                 "c[:] = a[i : i + h, :] @ b[:, j : j + w]");
  ir::Product p;
  p.place = s.place;
  p.acc = BufferOf(*target->args[0]);
  if (p.acc < 0) return;
  const ir::Buffer& acc = k_.buffers[p.acc];
  if (acc.memory != Memory::kAcc)
    return Error("AK1513", s.place, fmt::format("'{}' holds no sums", acc.name),
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
    return Error("AK1513", s.value->place, "a cube stage only multiplies matrices",
                 "other arithmetic belongs into compute, on a tile that was handed over");
  Dtype a = Dtype::kFloat32, b = Dtype::kFloat32;
  if (!MatrixOf(*value->args[0], p.a, a) || !MatrixOf(*value->args[1], p.b, b)) return;
  if (a != b)
    return Error("AK1512", value->place,
                 fmt::format("{} @ {}: both sides of a product have one dtype", ir::ShortName(a),
                             ir::ShortName(b)));
  const Dtype sums = a == Dtype::kInt8 ? Dtype::kInt32 : Dtype::kFloat32;
  if (a != Dtype::kInt8 && a != Dtype::kFloat16 && a != Dtype::kBfloat16 && a != Dtype::kFloat32)
    return Error("AK1512", value->place,
                 fmt::format("the Cube core does not multiply {}", ir::ShortName(a)),
                 "f16, bf16, f32 or i8");
  if (acc.dtype != sums)
    return Error("AK1512", s.place,
                 fmt::format("sums of {} are {}, {} is {}", ir::ShortName(a), ir::ShortName(sums),
                             acc.name, ir::ShortName(acc.dtype)),
                 fmt::format("acc(rows, cols, dtype={})", ir::ShortName(sums)));
  p.m = p.a.rows;
  p.k = p.a.cols;
  p.n = p.b.cols;
  if (!ir::Same(p.k, p.b.rows))
    return Error(
        "AK1511", value->place,
        fmt::format("[{}, {}] @ [{}, {}]", ir::ToText(p.m), ir::ToText(p.k), ir::ToText(p.b.rows),
                    ir::ToText(p.n)),
        "the columns of the left side and the rows of the right side must be equal as written");
  if (row && !RowOf(*row, p, a)) return;
  if (p.accumulate) {
    auto extent = extent_.find(p.acc);
    if (extent == extent_.end())
      return NothingIn(p.acc, s.place, "added to before anything was written to it",
                       "begin with c[:] = a @ b");
    if (!ir::Same(extent->second.rows, p.m) || !ir::Same(extent->second.cols, p.n))
      return Error("AK1511", s.place,
                   fmt::format("{} holds [{}, {}], the product is [{}, {}]", acc.name,
                               ir::ToText(extent->second.rows), ir::ToText(extent->second.cols),
                               ir::ToText(p.m), ir::ToText(p.n)));
  }
  extent_[p.acc] = {p.m, p.n};
  p.text = ToText(*target) + (p.accumulate ? " += " + ToText(*value) : " = " + ToText(*s.value));
  k_.cube = true;
  stage_->products.push_back(std::move(p));
}

// move(x, c): sums to a buffer of a Vector core.
void KernelChecker::HandoverStatement(const ast::Stmt& s) {
  if (s.kind != StmtKind::kExpr || CalleeName(*s.value) != "move" || s.value->args.size() != 3)
    return Error("AK1513", s.place, "a handover stage moves sums to a buffer", "move(x, c)");
  ir::Handover h;
  h.to = BufferOf(*s.value->args[1]);
  h.from = h.to < 0 ? -1 : BufferOf(*s.value->args[2]);
  if (h.from < 0) return;
  const ir::Buffer &to = k_.buffers[h.to], &from = k_.buffers[h.from];
  if (from.memory != Memory::kAcc || to.memory != Memory::kUb)
    return Error("AK1513", s.place, "sums are handed over to a buffer of a vector core",
                 "x = ub(tm, tn, dtype=f32), c = acc(tm, tn): move(x, c)");
  if (to.dtype != from.dtype)
    return Error("AK1512", s.place,
                 fmt::format("{} is {}, {} is {}: a handover does not convert", to.name,
                             ir::ShortName(to.dtype), from.name, ir::ShortName(from.dtype)),
                 fmt::format("ub(rows, cols, dtype={})", ir::ShortName(from.dtype)));
  auto extent = extent_.find(h.from);
  if (extent == extent_.end())
    return NothingIn(h.from, s.place, "handed over before anything was written to it", "");
  extent_[h.to] = extent->second;
  loaded_.insert(h.to);
  stage_->handovers.push_back(h);
}

// a @ b + bias[j : j + w]: what the sums of each row begin with.
bool KernelChecker::RowOf(const Expr& e, ir::Product& p, Dtype operands) {
  ir::GmRef row;
  if (e.kind != ExprKind::kSubscript)
    return Error("AK1511", e.place, "what is added to a product is a row of a tensor",
                 "a @ b + bias[j : j + w]"),
           false;
  if (!Window(e, row)) return false;
  if (!ir::IsConst(row.rows, 1) || !ir::Same(row.cols, p.n))
    return Error("AK1511", e.place,
                 fmt::format("[{}, {}] is added to rows of {}", ir::ToText(row.rows),
                             ir::ToText(row.cols), ir::ToText(p.n)),
                 "the row has as many columns as the product"),
           false;
  const Dtype d = k_.gms[row.gm].dtype;
  const bool fits = operands == Dtype::kInt8
                        ? d == Dtype::kInt32
                        : d == Dtype::kFloat32 || (d == Dtype::kFloat16 && operands == d);
  if (!fits || k_.gms[row.gm].is_list)
    return Error("AK1512", e.place,
                 fmt::format("a row of {} to a product of {}", ir::ShortName(d),
                             ir::ShortName(operands)),
                 operands == Dtype::kInt8      ? "the row is i32"
                 : operands == Dtype::kFloat16 ? "the row is f16 or f32"
                                               : "the row is f32"),
           false;
  p.row = row;
  return true;
}

// store(d[…], c), store(d[…], relu(c * s)): what Fixpipe does on the way out of L0C. Null: not of
// this form.
const Expr* KernelChecker::SumsOf(const Expr& e, bool& relu, S& scale) {
  const Expr* value = &e;
  relu = CalleeName(e) == "relu" && e.args.size() == 2;
  if (relu) value = e.args[1].get();
  if (value->kind == ExprKind::kBinary && value->text == "*") {
    const Expr *left = value->args[0].get(), *right = value->args[1].get();
    auto sums = [&](const Expr& x) { return x.kind == ExprKind::kName && buffer_.count(x.text); };
    if (!sums(*left)) std::swap(left, right);
    if (!sums(*left)) return nullptr;
    scale = Scalar(*right);
    if (!scale) return nullptr;
    value = left;
  }
  if (value->kind != ExprKind::kName || !buffer_.count(value->text)) return nullptr;
  return k_.buffers[buffer_.at(value->text)].memory == Memory::kAcc ? value : nullptr;
}

void KernelChecker::StoreSums(const Expr& e, const Expr& sums, bool relu, const S& scale,
                              ir::Stmt& stage) {
  ir::Copy c;
  c.relu = relu;
  c.scale = scale;
  c.atomic_add = CalleeName(e) == "atomic_add";
  c.buffer = buffer_.at(sums.text);
  if (!Window(*e.args[1], c.gm)) return;
  const ir::Buffer& b = k_.buffers[c.buffer];
  const ir::Gm& g = k_.gms[c.gm.gm];
  const bool real = b.dtype == Dtype::kFloat32;
  const bool fits = real ? (g.dtype == Dtype::kFloat32 || g.dtype == Dtype::kFloat16 ||
                            g.dtype == Dtype::kBfloat16)
                         : (g.dtype == Dtype::kInt32 || (g.dtype == Dtype::kFloat16 && scale));
  if (!fits)
    return Error("AK1512", e.place,
                 fmt::format("sums of {} do not leave L0C as {}", ir::ShortName(b.dtype),
                             ir::ShortName(g.dtype)),
                 real ? "f32, f16 or bf16; for others hand them over to a vector core"
                      : "i32, or f16 with a scale: store(d[...], c * s); for others hand them over "
                        "to a vector core");
  if (scale && (real || g.dtype != Dtype::kFloat16))
    return Error("AK1512", e.place, "sums are scaled on their way out from i32 to f16 alone",
                 "hand them over: with handover: move(x, c), and multiply in compute");
  if (c.atomic_add && g.dtype != Dtype::kFloat32 && g.dtype != Dtype::kFloat16 &&
      g.dtype != Dtype::kInt32)
    return Error("AK1512", e.place, "atomic_add() takes f32, f16 and i32");
  auto it = extent_.find(c.buffer);
  if (it == extent_.end())
    return NothingIn(c.buffer, e.place, "stored before anything was written to it", "");
  if (!ir::Same(it->second.rows, c.gm.rows) || !ir::Same(it->second.cols, c.gm.cols))
    return Error("AK1511", e.place,
                 fmt::format("{} holds [{}, {}], the window is [{}, {}]", b.name,
                             ir::ToText(it->second.rows), ir::ToText(it->second.cols),
                             ir::ToText(c.gm.rows), ir::ToText(c.gm.cols)));
  stage.copies.push_back(std::move(c));
}

}  // namespace akgen::craft
