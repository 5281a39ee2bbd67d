// Numbers of a kernel, its tensors and windows of them, its buffers.
#include "craft/check/kernel_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ir::S;
using ir::Ty;

void KernelScope::AddNumber(const std::string& name, Ty type) {
  names_.Add(name);
  scalars_[name] = ir::Var(name, type);
  k_.params.push_back({name, type});
}

void KernelScope::AddTensor(ir::Gm tensor) {
  tensors_[tensor.name] = static_cast<int>(k_.gms.size());
  k_.gms.push_back(std::move(tensor));
}

void KernelScope::AddBuffer(ir::Buffer buffer) {
  buffers_[buffer.name] = static_cast<int>(k_.buffers.size());
  k_.buffers.push_back(std::move(buffer));
}

bool KernelScope::Taken(const std::string& name) const {
  return tensors_.count(name) || buffers_.count(name) || scalars_.count(name) ||
         views_.count(name) || lists_.Has(name);
}

int KernelScope::FindBuffer(const std::string& name) const {
  auto it = buffers_.find(name);
  return it == buffers_.end() ? -1 : it->second;
}

std::vector<std::string> KernelScope::NamesInScope() const {
  std::vector<std::string> n = {"core",    "cores",      "tiles",    "range", "ub",     "load",
                                "store",   "atomic_add", "sync_all", "item",  "len",    "numel",
                                "min",     "max",        "ceil_div", "align", "copyin", "compute",
                                "copyout", "cast",       "where",    "full",  "iota",   "blocks",
                                "l1",      "acc",        "cube",     "before"};
  for (const auto& [k, v] : scalars_) n.push_back(k);
  for (const auto& [k, v] : tensors_) n.push_back(k);
  for (const auto& [k, v] : views_) n.push_back(k);
  for (const std::string& k : lists_.All()) n.push_back(k);
  for (const auto& [k, v] : buffers_) n.push_back(k);
  for (const auto& [k, v] : values_) n.push_back(k);
  return n;
}

S KernelScope::Special(const Expr& e, bool& handled) {
  if (S number = lists_.Number(e, handled); handled) return number;
  handled = true;
  std::string call = CalleeName(e);
  size_t n = e.kind == ExprKind::kCall ? e.args.size() - 1 : 0;
  if (call == "core" && n == 0) return ir::Call("core", {}, Ty::kInt);
  if (call == "cores" && n == 0) return ir::Call("cores", {}, Ty::kInt);
  if ((call == "len" || call == "numel") && n == 1) {
    S index;
    int g = TensorOf(*e.args[1], index);
    if (g < 0) return nullptr;
    if (!k_.gms[g].is_list || (call == "numel") != (index != nullptr))
      return Error("AK1514", e.place, "len() takes a list of tensors, numel() one of its tensors",
                   "len(xs), numel(xs[i])"),
             nullptr;
    auto s = std::make_shared<ir::Scalar>(
        *ir::Call(call == "len" ? "count" : "numel",
                  index ? std::vector<S>{index} : std::vector<S>{}, Ty::kInt));
    s->tensor = k_.gms[g].name;
    return s;
  }
  if (call == "item" && n == 1) {
    ir::GmRef w;
    if (!Window(*e.args[1], w)) return nullptr;
    if (!ir::IsConst(w.rows, 1) || !ir::IsConst(w.cols, 1))
      return Error("AK1511", e.place, "item() reads one element", "item(x[i])"), nullptr;
    base::Dtype d = k_.gms[w.gm].dtype;
    std::vector<S> args = {w.offset};
    if (w.list_index) args.push_back(w.list_index);
    auto s = std::make_shared<ir::Scalar>(
        *ir::Call("item", args, base::IsFloating(d) ? Ty::kFloat : Ty::kInt));
    s->tensor = k_.gms[w.gm].name;
    return s;
  }
  if (e.kind == ExprKind::kName && (buffers_.count(e.text) || values_.count(e.text))) {
    Error("AK1513", e.place, fmt::format("'{}' is a tile, not a number", e.text),
          "tiles are used below `with compute:`");
    return nullptr;
  }
  handled = false;
  return nullptr;
}

std::string KernelScope::LoopName(const std::string& name, Place place) {
  if (Taken(name))
    Error("AK1510", place, fmt::format("'{}' is taken", name), "choose another name for the loop");
  const std::string unique = names_.Fresh(name, "_");
  scalars_[name] = ir::Var(unique, Ty::kInt);
  return unique;
}

int KernelScope::BufferOf(const Expr& e) {
  if (e.kind == ExprKind::kName)
    if (auto it = buffers_.find(e.text); it != buffers_.end()) return it->second;
  if (e.kind == ExprKind::kName && tensors_.count(e.text)) {
    Error("AK1513", e.place, fmt::format("'{}' lies in global memory", e.text),
          "load it into a buffer first");
  } else if (!SaidOf(e.text)) {
    std::vector<std::string> names;
    for (const auto& [n, i] : buffers_) names.push_back(n);
    std::string near = Nearest(e.text, names);
    Error("AK1510", e.place, fmt::format("'{}' is not a buffer", ToText(e)),
          near.empty() ? "make it with ub(...)" : fmt::format("did you mean '{}'?", near));
  }
  return -1;
}

int KernelScope::TensorOf(const Expr& e, S& list_index) {
  const Expr* name = &e;
  if (e.kind == ExprKind::kSubscript && e.args.size() == 2 && e.args[0]->kind == ExprKind::kName) {
    auto it = tensors_.find(e.args[0]->text);
    if (it != tensors_.end() && k_.gms[it->second].is_list) {
      list_index = IntScalar(*e.args[1], "the number of a list's tensor");
      return list_index ? it->second : -1;
    }
  }
  if (name->kind == ExprKind::kName)
    if (auto it = tensors_.find(name->text); it != tensors_.end()) return it->second;
  if (SaidOf(ToText(e))) return -1;
  std::vector<std::string> names;
  for (const auto& [n, i] : tensors_) names.push_back(n);
  std::string near = Nearest(e.text, names);
  Error("AK1510", e.place, fmt::format("'{}' is not a tensor in global memory", ToText(e)),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  return -1;
}

bool KernelScope::WindowDim(const Expr* index, const S& dim, S& start, S& extent, S& step,
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

bool KernelScope::Window(const Expr& e, ir::GmRef& out) {
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
    out.gm = TensorOf(*e.args[0], out.list_index);
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
void KernelScope::View(const ast::Stmt& s) {
  const Expr& call = *s.value;
  const std::string& name = s.targets[0]->text;
  if (s.targets.size() != 1 || call.kind != ExprKind::kCall)
    return Error("AK1510", s.place, "a view is made in a statement of its own",
                 "rows = x[first : first + m * k].view(m, k)");
  if (Taken(name))
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
      !ir::Same(numbers_.Spelled(view.slice.cols), numbers_.Spelled(elements)))
    return Error("AK1511", s.place,
                 fmt::format("a slice of [{}, {}] as {}", ir::ToText(view.slice.rows),
                             ir::ToText(view.slice.cols), ir::ToText(elements)),
                 "a slice of neighbours, of as many elements as the extents say: "
                 "x[first : first + m * k].view(m, k)");
  names_.Add(name);
  views_[name] = std::move(view);
}

}  // namespace akgen::craft
