// Windows of GM tensors, and what is copied from and to them.
#include <fmt/format.h>

#include <algorithm>

#include "craft/check/kernel_checker.h"
#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ir::S;
using ir::Ty;

int KernelChecker::BufferOf(const Expr& e) {
  if (e.kind == ExprKind::kName)
    if (auto it = buffer_.find(e.text); it != buffer_.end()) return it->second;
  if (e.kind == ExprKind::kName && gm_.count(e.text)) {
    Error("AK1513", e.place, fmt::format("'{}' lies in global memory", e.text),
          "load it into a buffer first");
  } else if (!SaidOf(e.text)) {
    std::vector<std::string> names;
    for (const auto& [n, i] : buffer_) names.push_back(n);
    std::string near = Nearest(e.text, names);
    Error("AK1510", e.place, fmt::format("'{}' is not a buffer", ToText(e)),
          near.empty() ? "make it with ub(...)" : fmt::format("did you mean '{}'?", near));
  }
  return -1;
}

int KernelChecker::GmOf(const Expr& e, S& list_index) {
  const Expr* name = &e;
  if (e.kind == ExprKind::kSubscript && e.args.size() == 2 && e.args[0]->kind == ExprKind::kName) {
    auto it = gm_.find(e.args[0]->text);
    if (it != gm_.end() && k_.gms[it->second].is_list) {
      list_index = IntScalar(*e.args[1], "the number of a list's tensor");
      return list_index ? it->second : -1;
    }
  }
  if (name->kind == ExprKind::kName)
    if (auto it = gm_.find(name->text); it != gm_.end()) return it->second;
  if (SaidOf(ToText(e))) return -1;
  std::vector<std::string> names;
  for (const auto& [n, i] : gm_) names.push_back(n);
  std::string near = Nearest(e.text, names);
  Error("AK1510", e.place, fmt::format("'{}' is not a tensor in global memory", ToText(e)),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  return -1;
}

bool KernelChecker::WindowDim(const Expr* index, const S& dim, S& start, S& extent, S& step,
                              bool& is_slice) {
  is_slice = !index || index->kind == ExprKind::kSlice;
  step = ir::Int(1);
  if (!is_slice) {
    start = IntScalar(*index, "an index");
    extent = ir::Int(1);
    return start != nullptr;
  }
  start = index && index->args[0] ? IntScalar(*index->args[0], "the start of a slice") : ir::Int(0);
  S stop = index && index->args[1] ? IntScalar(*index->args[1], "the end of a slice") : dim;
  if (index && index->args[2]) step = IntScalar(*index->args[2], "the step of a slice");
  if (!start || !stop || !step) return false;
  extent = ir::CeilDiv(ir::Sub(stop, start), step);
  return true;
}

bool KernelChecker::Window(const Expr& e, ir::GmRef& out) {
  out.place = e.place;
  if (e.kind != ExprKind::kSubscript) {
    Error("AK1511", e.place, "expected a window of a tensor", "x[first : last, :]");
    return false;
  }
  auto view = e.args[0]->kind == ExprKind::kName ? views_.find(e.args[0]->text) : views_.end();
  out.offset = ir::Int(0);
  if (view != views_.end()) {
    out = view->second.slice;
    out.place = e.place;
    out.of_view = out.window.size();
  } else {
    out.gm = GmOf(*e.args[0], out.list_index);
  }
  if (out.gm < 0) return false;
  const ir::Gm& g = k_.gms[out.gm];
  if (Broken(g.name)) return !SaidOf(g.name);
  std::vector<S> dims = view != views_.end() ? view->second.dims : g.dims;
  if (g.is_list && view == views_.end()) {
    if (!out.list_index)
      return Error("AK1511", e.place, fmt::format("'{}' is a list", g.name),
                   fmt::format("{}[i][first : last]", g.name)),
             false;
    auto numel = std::make_shared<ir::Scalar>(*ir::Call("numel", {out.list_index}, Ty::kInt));
    numel->tensor = g.name;
    dims = {numel};
  }
  if (e.args.size() - 1 != dims.size()) {
    Error("AK1511", e.place,
          fmt::format("'{}' has {} dimension{}, not {}", ToText(*e.args[0]), dims.size(),
                      dims.size() == 1 ? "" : "s", e.args.size() - 1));
    return false;
  }
  std::vector<S> stride(dims.size(), ir::Int(1));
  for (size_t i = dims.size(); i-- > 1;) stride[i - 1] = ir::Mul(stride[i], dims[i]);
  std::vector<std::pair<S, S>> slices;  // extent, distance of neighbours
  for (size_t i = 0; i < dims.size(); ++i) {
    S start, extent, step;
    bool is_slice = false;
    if (!WindowDim(e.args[i + 1].get(), dims[i], start, extent, step, is_slice)) return false;
    out.offset = ir::Add(out.offset, ir::Mul(start, stride[i]));
    out.window.push_back({start,
                          ir::IsConst(step, 1)
                              ? extent
                              : ir::Add(ir::Mul(ir::Sub(extent, ir::Int(1)), step), ir::Int(1)),
                          dims[i]});
    if (is_slice) slices.push_back({extent, ir::Mul(stride[i], step)});
  }
  if (slices.size() > 2) {
    Error("AK1511", e.place, "a window has more than two dimensions",
          "give the outer ones an index and loop over them");
    return false;
  }
  // One stretch of neighbours is a row; anything else is rows of such stretches, or a column of
  // single elements.
  out.rows = out.cols = out.row_stride = ir::Int(1);
  if (!slices.empty() && ir::IsConst(slices.back().second, 1)) {
    out.cols = slices.back().first;
    slices.pop_back();
  }
  if (slices.size() == 2)
    return Error("AK1511", e.place,
                 "the second slice of a window must have step 1 in the last dimension"),
           false;
  if (slices.size() == 1) {
    out.rows = slices[0].first;
    out.row_stride = slices[0].second;
  }
  return true;
}

// rows = x[first : first + m * k].view(m, k): a slice as a tensor of more dimensions.
void KernelChecker::View(const ast::Stmt& s) {
  const Expr& call = *s.value;
  const std::string& name = s.targets[0]->text;
  if (s.targets.size() != 1 || call.kind != ExprKind::kCall)
    return Error("AK1510", s.place, "a view is made in a statement of its own",
                 "rows = x[first : first + m * k].view(m, k)");
  if (gm_.count(name) || buffer_.count(name) || scalars_.count(name) || views_.count(name) ||
      lists_.count(name))
    return Error("AK1510", s.place, fmt::format("'{}' is taken", name), "choose another name");
  ViewOf view;
  if (!Window(*call.args[0]->args[0], view.slice)) return;
  S elements = ir::Int(1);
  for (size_t i = 1; i < call.args.size(); ++i) {
    S extent = IntScalar(*call.args[i], "an extent");
    if (!extent) return;
    view.dims.push_back(extent);
    elements = ir::Mul(elements, extent);
  }
  if (!ir::IsConst(view.slice.rows, 1) || view.dims.empty() ||
      !ir::Same(Spelled(view.slice.cols), Spelled(elements)))
    return Error("AK1511", s.place,
                 fmt::format("a slice of [{}, {}] as {}", ir::ToText(view.slice.rows),
                             ir::ToText(view.slice.cols), ir::ToText(elements)),
                 "a slice of neighbours, of as many elements as the extents say: "
                 "x[first : first + m * k].view(m, k)");
  names_.insert(name);
  views_[name] = std::move(view);
}

void KernelChecker::CopyStatement(const ast::Stmt& s, ir::Stmt& stage) {
  bool in = stage.stage == ir::StageKind::kCopyIn;
  std::string call = s.kind == StmtKind::kExpr ? CalleeName(*s.value) : "";
  bool store = call == "store" || call == "atomic_add";
  if (in ? call != "load" : !store)
    return Error("AK1513", s.place,
                 fmt::format("only {} belongs into {}", in ? "load()" : "store() and atomic_add()",
                             in ? "copyin" : "copyout"),
                 "arithmetic belongs into `with compute:`");
  const Expr& e = *s.value;
  if (e.args.size() != 3)
    return Error("AK1514", s.place, fmt::format("{}() takes two values", call),
                 in ? "load(buffer, x[a:b])" : "store(y[a:b], buffer)");
  bool relu = false;
  S scale;
  if (const Expr* sums = in ? nullptr : SumsOf(*e.args[2], relu, scale))
    return StoreSums(e, *sums, relu, scale, stage);
  ir::Copy c;
  c.atomic_add = call == "atomic_add";
  c.buffer = BufferOf(*e.args[in ? 1 : 2]);
  lost_load_ |= in && c.buffer < 0;
  if (c.buffer < 0 || !Window(*e.args[in ? 2 : 1], c.gm)) return;
  const ir::Buffer& b = k_.buffers[c.buffer];
  const ir::Gm& g = k_.gms[c.gm.gm];
  if (!in && Broken(b.name)) return void(SaidOf(b.name));
  if (b.memory != ir::Memory::kUb)
    return Error("AK1513", s.place, fmt::format("'{}' lies on the Cube core", b.name),
                 in ? "products write acc(...) tiles, and read windows of tensors themselves"
                    : "store(d[...], c) takes sums, times a number, through relu(): nothing else");
  if (b.dtype != g.dtype)
    return Error("AK1512", s.place,
                 fmt::format("{} is {}, {} is {}: a copy does not convert", b.name,
                             ir::ShortName(b.dtype), g.name, ir::ShortName(g.dtype)),
                 fmt::format("make the buffer with dtype={}.dtype", g.name));
  if (in) {
    if (const Expr* fill = KeywordArg(e, "fill")) c.fill = Scalar(*fill);
    // A column of a wide buffer, or a row where rows are expected: the shapes must be those the
    // buffer was made for.
    if (ir::IsConst(b.cols, 1) && !ir::IsConst(c.gm.cols, 1))
      return Error(
          "AK1511", s.place,
          fmt::format("{} holds one column, the window has {}", b.name, ir::ToText(c.gm.cols)));
    if (ir::IsConst(b.rows, 1) && !ir::IsConst(c.gm.rows, 1))
      return Error(
          "AK1511", s.place,
          fmt::format("{} holds one row, the window has {}", b.name, ir::ToText(c.gm.rows)));
    extent_[c.buffer] = {c.gm.rows, c.gm.cols};
    loaded_.insert(c.buffer);
  } else {
    auto it = extent_.find(c.buffer);
    if (it == extent_.end())
      return NothingIn(c.buffer, s.place, "stored before anything was written to it", "");
    if (!ir::Same(it->second.rows, c.gm.rows) || !ir::Same(it->second.cols, c.gm.cols))
      return Error("AK1511", s.place,
                   fmt::format("{} holds [{}, {}], the window is [{}, {}]", b.name,
                               ir::ToText(it->second.rows), ir::ToText(it->second.cols),
                               ir::ToText(c.gm.rows), ir::ToText(c.gm.cols)));
    if (c.atomic_add && b.dtype != base::Dtype::kFloat32 && b.dtype != base::Dtype::kInt32 &&
        b.dtype != base::Dtype::kFloat16)
      return Error("AK1512", s.place, "atomic_add() takes f32, f16 and i32");
  }
  stage.copies.push_back(std::move(c));
}

}  // namespace akgen::craft
