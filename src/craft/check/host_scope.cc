// Host functions: shapes and the calls that only a host has.
#include "craft/check/host_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "craft/check/expand_calls.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ir::HostTensor;
using ir::S;
using ir::Ty;

namespace {
bool AllExtents(const ir::Shape& shape) {
  return std::all_of(shape.begin(), shape.end(),
                     [](const ir::ShapePart& part) { return part.value != nullptr; });
}

S OfTensor(const char* call, const std::string& tensor, Ty type = Ty::kInt) {
  auto s = std::make_shared<ir::Scalar>(*ir::Call(call, {}, type));
  s->tensor = tensor;
  return s;
}
}  // namespace

S DimOf(const std::string& tensor, const S& index) {
  auto s = std::make_shared<ir::Scalar>(*ir::Call("dim", {index}, Ty::kInt));
  s->tensor = tensor;
  return s;
}

S LengthOf(const std::string& list) {
  auto s = std::make_shared<ir::Scalar>(*ir::Call("length", {}, Ty::kInt));
  s->tensor = list;
  return s;
}

const std::vector<std::string>& HostFunctions() {
  static const std::vector<std::string> names = {
      "cube_cores", "block",   "vector_cores", "best_cores", "fit",   "tune",  "prod",
      "present",    "min",     "max",          "ceil_div",   "align", "empty", "inplace",
      "workspace",  "require", "len",          "alike",      "before"};
  return names;
}

std::vector<std::string> HostScope::NamesInScope() const {
  std::vector<std::string> names = HostFunctions();
  for (const auto& [n, s] : scalars_) names.push_back(n);
  for (const auto& p : p_.params) names.push_back(p.name);
  for (const auto& t : p_.tensors) names.push_back(t.name);
  for (const auto& [n, k] : f_.kernels) names.push_back(n);
  return names;
}

bool HostScope::ShapeOf(const Expr& e, ir::Shape& out) {
  if (e.kind == ExprKind::kName) {
    if (auto it = shapes_.find(e.text); it != shapes_.end()) {
      out.insert(out.end(), it->second.begin(), it->second.end());
      return true;
    }
    if (const ir::HostParam* p = p_.Param(e.text); p && p->is_int_list) {
      out.push_back({nullptr, e.text, 0, 0, {}, {}, true});
      return true;
    }
  }
  if (e.kind == ExprKind::kAttribute && e.text == "shape" && e.args[0]->kind == ExprKind::kName) {
    if (!HasShape(e.args[0]->text)) return UnknownName(*e.args[0], "tensor"), false;
    const HostTensor* made = p_.Tensor(e.args[0]->text);
    if (made && !made->given)
      out.insert(out.end(), made->shape.begin(), made->shape.end());
    else
      out.push_back({nullptr, e.args[0]->text, 0, 0, {}, {}, true});
    return true;
  }
  if (e.kind == ExprKind::kList) {
    for (const auto& a : e.args) {
      S s = IntScalar(*a, "an extent");
      if (!s) return false;
      out.push_back({s, "", 0, 0, {}, {}, false});
    }
    return true;
  }
  if (e.kind == ExprKind::kBinary && e.text == "+")
    return ShapeOf(*e.args[0], out) && ShapeOf(*e.args[1], out);
  if (e.kind == ExprKind::kSubscript && e.args.size() == 2 && e.args[1]->kind == ExprKind::kSlice) {
    ir::Shape whole;
    if (!ShapeOf(*e.args[0], whole)) return false;
    const Expr& slice = *e.args[1];
    auto end = [&](size_t i, int64_t& constant, S& other) {
      if (!slice.args[i]) return;
      S s = IntScalar(*slice.args[i], "the end of a slice");
      if (s && ir::AsConst(s))
        constant = s->i;
      else
        other = s;
    };
    if (AllExtents(whole)) return SliceOf(whole, slice, out);
    if (whole.size() != 1 || whole[0].value || whole[0].from != 0 || !whole[0].to_end) {
      Error("AK1511", e.place, "only x.shape itself can be sliced");
      return false;
    }
    ir::ShapePart part{nullptr, whole[0].tensor, 0, 0, {}, {}, slice.args[1] == nullptr};
    end(0, part.from, part.first);
    end(1, part.to, part.last);
    out.push_back(part);
    return true;
  }
  Error("AK1511", e.place, "expected a shape", "x.shape, x.shape[:-1] + [1] or [a, b]");
  return false;
}

// Where the inputs' extents have names, a shape that is made of them is one of extents.
ir::Shape HostScope::ByExtents(const ir::Shape& shape) const {
  ir::Shape out;
  for (const ir::ShapePart& part : shape) {
    auto it = part.value || part.first || part.last ? extents_.end() : extents_.find(part.tensor);
    if (it == extents_.end()) {
      out.push_back(part);
      continue;
    }
    const int64_t rank = static_cast<int64_t>(it->second.size());
    auto end = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
    for (int64_t i = end(part.from); i < (part.to_end ? rank : end(part.to)); ++i)
      out.push_back({it->second[static_cast<size_t>(i)], "", 0, 0, {}, {}, false});
  }
  return out;
}

// Of extents that are known one by one.
bool HostScope::SliceOf(const ir::Shape& whole, const Expr& slice, ir::Shape& out) {
  const int64_t rank = static_cast<int64_t>(whole.size());
  int64_t ends[2] = {0, rank};
  for (size_t i : {0, 1}) {
    if (!slice.args[i]) continue;
    S s = IntScalar(*slice.args[i], "the end of a slice");
    if (!s) return false;
    if (!ir::AsConst(s))
      return Error("AK1511", slice.args[i]->place,
                   "a shape of known extents is sliced at constants"),
             false;
    ends[i] = std::clamp<int64_t>(s->i < 0 ? s->i + rank : s->i, 0, rank);
  }
  for (int64_t i = ends[0]; i < ends[1]; ++i) out.push_back(whole[static_cast<size_t>(i)]);
  return true;
}

// x.shape[i]
S HostScope::ExtentAt(const ir::Shape& shape, const S& index, Place place) {
  if (shape.size() == 1 && !shape[0].value && shape[0].from == 0 && !shape[0].first &&
      shape[0].to_end)
    return DimOf(shape[0].tensor, index);
  const int64_t rank = static_cast<int64_t>(shape.size());
  const int64_t at = ir::AsConst(index) ? (index->i < 0 ? index->i + rank : index->i) : -1;
  if (AllExtents(shape) && at >= 0 && at < rank) return shape[static_cast<size_t>(at)].value;
  return Error("AK1511", place, "this extent of a tensor that the program makes is not known",
               "make it with extents: empty([m, n], f32)"),
         nullptr;
}

bool HostScope::HasShape(const std::string& name) const {
  const HostTensor* t = p_.Tensor(name);
  return p_.Param(name) || (t && (t->given || (t->kind != HostTensor::kInplace && !t->is_list)));
}

bool HostScope::IsShape(const Expr& e) const {
  if (e.kind == ExprKind::kName) return shapes_.count(e.text) > 0;
  if (e.kind == ExprKind::kAttribute) return e.text == "shape";
  if (e.kind == ExprKind::kList) return true;
  if (e.kind == ExprKind::kBinary) return e.text == "+" && IsShape(*e.args[0]);
  return e.kind == ExprKind::kSubscript && e.args.size() == 2 &&
         e.args[1]->kind == ExprKind::kSlice && IsShape(*e.args[0]);
}

S HostScope::Special(const Expr& e, bool& handled) {
  handled = true;
  if (e.kind == ExprKind::kAttribute && e.args[0]->kind == ExprKind::kName && e.text == "numel") {
    if (!HasShape(e.args[0]->text)) return UnknownName(*e.args[0], "tensor"), nullptr;
    const HostTensor* made = p_.Tensor(e.args[0]->text);
    if (!made || made->given) return OfTensor("numel", e.args[0]->text);
    auto all = std::make_shared<ir::Scalar>(*ir::Call("prod", {}, Ty::kInt));
    all->shape = made->shape;
    return all;
  }
  if (IntList(e))
    return Error("AK1513", e.place, fmt::format("'{}' is a list, not a number", e.text),
                 fmt::format("{0}[i], len({0}), prod({0})", e.text)),
           nullptr;
  if (e.kind == ExprKind::kCompare && e.args[0]->kind == ExprKind::kAttribute &&
      e.args[0]->text == "dtype")
    return DtypeTest(e);
  if (e.kind == ExprKind::kSubscript && e.args.size() == 2 &&
      e.args[0]->kind == ExprKind::kAttribute && e.args[0]->text == "shape") {
    ir::Shape shape;
    if (!ShapeOf(*e.args[0], shape)) return nullptr;
    S index = IntScalar(*e.args[1], "the number of a dimension");
    return index ? ExtentAt(shape, index, e.place) : nullptr;
  }
  if (e.kind == ExprKind::kSubscript && e.args.size() == 2 && e.args[0]->kind == ExprKind::kName) {
    const ir::HostParam* p = p_.Param(e.args[0]->text);
    if (p && p->is_int_list) {
      S index = IntScalar(*e.args[1], "the index");
      return index ? DimOf(p->name, index) : nullptr;
    }
  }
  if (e.kind == ExprKind::kCall) return HostCall(e, handled);
  handled = false;
  return nullptr;
}

S HostScope::DtypeTest(const Expr& e) {
  const Expr& tensor = *e.args[0]->args[0];
  const ir::HostParam* p = tensor.kind == ExprKind::kName ? p_.Param(tensor.text) : nullptr;
  if (!p || p->is_attr) return UnknownName(tensor, "tensor"), nullptr;
  if (p->optional)
    return Error("AK1512", e.place,
                 fmt::format("'{}' may be absent: its dtype is not known", p->name),
                 "ask for the dtype of an input that is always there"),
           nullptr;
  auto d = ir::DtypeFromShort(e.args[1]->text);
  if ((e.args[1]->kind != ExprKind::kName && !e.args[1]->of_module) || !d ||
      (e.text != "==" && e.text != "!="))
    return Error("AK1512", e.place, "a dtype is compared with == or != and the name of one",
                 "x.dtype == f16"),
           nullptr;
  auto s =
      std::make_shared<ir::Scalar>(*ir::Call("is_dtype", {ir::String(e.args[1]->text)}, Ty::kBool));
  s->tensor = p->name;
  return e.text == "==" ? S(s) : ir::Unary("not", s);
}

S HostScope::HostCall(const Expr& e, bool& handled) {
  std::string name = CalleeName(e);
  auto arity = [&](size_t least, size_t most) {
    size_t n = e.args.size() - 1;
    if (n >= least && n <= most) return true;
    Error("AK1514", e.place, fmt::format("{}() does not take {} values", name, n));
    return false;
  };
  if (name == "vector_cores" || name == "best_cores" || name == "cube_cores")
    return arity(0, 0) ? ir::Call(name, {}, Ty::kInt) : nullptr;
  if (name == "before") return Before(e);
  if (name == "len" && e.args.size() == 2 && IntList(*e.args[1])) return LengthOf(e.args[1]->text);
  if (name == "present" ||
      (name == "len" && e.args.size() == 2 && e.args[1]->kind == ExprKind::kName)) {
    if (!arity(1, 1)) return nullptr;
    const ir::HostParam* p = p_.Param(e.args[1]->text);
    if (!p || p->is_attr) return UnknownName(*e.args[1], "tensor"), nullptr;
    return name == "present" ? OfTensor("present", p->name, Ty::kBool) : OfTensor("count", p->name);
  }
  if (name == "alike") return arity(2, 2) ? Alike(*e.args[1], *e.args[2]) : nullptr;
  if (name == "prod" || name == "len") {
    auto s = std::make_shared<ir::Scalar>(*ir::Call(name, {}, Ty::kInt));
    return arity(1, 1) && ShapeOf(*e.args[1], s->shape) ? s : nullptr;
  }
  if (name == "tune") return Tune(e);
  if (name == "fit") {
    if (!arity(1, 2)) return nullptr;
    S most = IntScalar(*e.args[1], "fit()'s limit");
    S step = e.args.size() > 2 ? IntScalar(*e.args[2], "fit()'s step") : ir::Int(1);
    return most && step ? ir::Call("fit", {most, step}, Ty::kInt) : nullptr;
  }
  for (const char* f : {"sqrt", "exp", "log", "pow"})
    if (name == f) {
      std::vector<S> args;
      for (size_t i = 1; i < e.args.size(); ++i) {
        args.push_back(Scalar(*e.args[i]));
        if (!args.back()) return nullptr;
      }
      return arity(name == "pow" ? 2 : 1, name == "pow" ? 2 : 1) ? ir::Call(name, args, Ty::kFloat)
                                                                 : nullptr;
    }
  handled = false;
  return nullptr;
}

const ir::HostParam* HostScope::IntList(const Expr& e) const {
  const ir::HostParam* p = e.kind == ExprKind::kName ? p_.Param(e.text) : nullptr;
  return p && p->is_int_list ? p : nullptr;
}

// before(n, ms, ks): the elements of the first n pieces of ms[i] * ks[i].
S HostScope::Before(const Expr& e) {
  const bool lists = e.args.size() > 2 && std::all_of(e.args.begin() + 2, e.args.end(),
                                                      [&](const auto& a) { return IntList(*a); });
  if (!lists)
    return Error("AK1514", e.place, "before() takes the number of a piece and lists of extents",
                 "before(len(ms), ms, ks): the elements of all pieces"),
           nullptr;
  std::vector<S> args = {IntScalar(*e.args[1], "the number of a piece")};
  if (!args[0]) return nullptr;
  for (size_t i = 2; i < e.args.size(); ++i) args.push_back(ir::Var(e.args[i]->text, Ty::kInt));
  return ir::Call("before", std::move(args), Ty::kInt);
}

// Two lists of equally many tensors, each with as many elements as the other's of its number.
S HostScope::Alike(const Expr& a, const Expr& b) {
  for (const Expr* e : {&a, &b}) {
    const ir::HostParam* p = e->kind == ExprKind::kName ? p_.Param(e->text) : nullptr;
    if (!p || !p->is_list || p->is_attr)
      return Error("AK1511", e->place, "alike() compares two lists of tensors",
                   "xs: tensors(f32), ys: tensors(f32), then require(alike(xs, ys))"),
             nullptr;
  }
  auto s = std::make_shared<ir::Scalar>(*ir::Call("alike", {ir::Var(b.text, Ty::kInt)}, Ty::kBool));
  s->tensor = a.text;
  return s;
}

S HostScope::Tune(const Expr& e) {
  std::vector<S> args;
  for (size_t i = 1; i < e.args.size(); ++i) {
    S s = IntScalar(*e.args[i], "a value of tune()");
    if (!s || !ir::AsConst(s)) {
      if (s) Error("AK1514", e.args[i]->place, "tune() chooses among constants");
      return nullptr;
    }
    args.push_back(s);
  }
  if (args.empty()) return Error("AK1514", e.place, "tune() has nothing to choose from"), nullptr;
  auto s = std::make_shared<ir::Scalar>(*ir::Call("tune", args, Ty::kInt));
  s->tensor = fmt::format("tune{}", tunes_++);
  return s;
}

// Extent i of a tensor that is made with, or required to have, so many. Null: not known.
S HostScope::ExtentOf(const std::string& tensor, size_t i, size_t rank) const {
  if (auto it = extents_.find(tensor); it != extents_.end())
    return it->second.size() == rank ? it->second[i] : nullptr;
  const HostTensor* t = p_.Tensor(tensor);
  if (!t || t->shape.size() != rank) return nullptr;
  return t->shape[i].value;
}

}  // namespace akgen::craft
