// Names of a kernel, its numbers and its lists of integers.
#include "craft/check/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ir::S;
using ir::Ty;

std::string UniqueNames::Fresh(const std::string& name, const char* separator) {
  std::string unique = name;
  for (int i = 2; names_.count(unique); ++i) unique = fmt::format("{}{}{}", name, separator, i);
  names_.insert(unique);
  return unique;
}

void KernelNumbers::Let(const std::string& name, const S& value) {
  bounds_[name] = Bound(value);
  values_[name] = Spelled(value);
  if (IsLong(value)) long_names_.insert(name);
}

namespace {
// Does it depend on anything but the kernel's parameters?
bool Varies(const S& s, const std::vector<ir::KernelParam>& params) {
  static const std::set<std::string> kOwn = {"core",   "item",  "numel", "element",
                                             "length", "start", "group"};
  if (s->kind == ir::SKind::kCall && kOwn.count(s->text)) return true;
  if (s->kind == ir::SKind::kVar)
    return std::none_of(params.begin(), params.end(),
                        [&](const auto& p) { return p.name == s->text; });
  return std::any_of(s->args.begin(), s->args.end(), [&](const S& a) { return Varies(a, params); });
}
}  // namespace

// Loop counts are at most their step and at least 0, as core() is; scalars are what they were
// assigned; of the smaller one of two numbers the one that is known before the kernel runs is a
// bound.
S KernelNumbers::Bound(const S& s) const {
  if (s->kind == ir::SKind::kVar) {
    auto it = bounds_.find(s->text);
    return it == bounds_.end() ? s : it->second;
  }
  if (s->args.empty()) return s;
  bool smaller = s->kind == ir::SKind::kCall && s->text == "min";
  if (smaller && Varies(s->args[0], k_.params) != Varies(s->args[1], k_.params))
    return s->args[Varies(s->args[0], k_.params) ? 1 : 0];
  std::vector<S> args;
  for (const S& a : s->args) args.push_back(Bound(a));
  bool difference = s->kind == ir::SKind::kBinary && s->text == "-";
  if (difference && Varies(s->args[1], k_.params)) return args[0];
  return ir::MapScalar(s, args);
}

S KernelNumbers::Spelled(const S& s) const {
  return ir::Substitute(s, [&](const std::string& name) {
    auto it = values_.find(name);
    return it == values_.end() ? nullptr : it->second;
  });
}

bool KernelNumbers::IsLong(const S& s) const {
  if (s->kind == ir::SKind::kVar) return long_names_.count(s->text) > 0;
  if (s->kind == ir::SKind::kCall && s->text == "item")
    return std::ranges::any_of(k_.gms, [&](const ir::Gm& g) {
      return g.name == s->tensor && g.dtype == base::Dtype::kInt64;
    });
  return std::ranges::any_of(s->args, [&](const S& a) { return IsLong(a); });
}

void KernelLists::Add(const std::string& name) {
  lists_.insert(name);
  k_.lists.push_back(name);
}

bool KernelLists::IsList(const Expr& e) const {
  return e.kind == ExprKind::kName && lists_.count(e.text) > 0;
}

static S OfList(const char* what, const std::string& list, std::vector<S> args) {
  auto s = std::make_shared<ir::Scalar>(*ir::Call(what, std::move(args), Ty::kInt));
  s->tensor = list;
  return s;
}

S KernelLists::ElementOf(const std::string& list, const S& index) const {
  return OfList("element", list, {index});
}

std::string KernelLists::StartsOf(const std::string& name, const std::vector<std::string>& lists,
                                  const S& size) {
  for (const ir::Starts& s : k_.starts)
    if (s.list == lists[0] && ir::Same(s.size, size)) return s.name;
  const std::string unique = names_.Fresh(name, "");
  k_.starts.push_back({unique, lists[0], size, lists});
  return unique;
}

// ms[g], len(ms), before(g, ms, ks)
S KernelLists::Number(const Expr& e, bool& handled) {
  handled = true;
  if (IsList(e))
    return scalars_.Error("AK1513", e.place, fmt::format("'{}' is a list, not a number", e.text),
                          fmt::format("{0}[i], len({0})", e.text)),
           nullptr;
  if (e.kind == ExprKind::kSubscript && IsList(*e.args[0])) {
    if (e.args.size() != 2 || !e.args[1] || e.args[1]->kind == ExprKind::kSlice)
      return scalars_.Error("AK1511", e.place, "a list has one index",
                            fmt::format("{}[i]", e.args[0]->text)),
             nullptr;
    S index = scalars_.IntScalar(*e.args[1], "the index");
    return index ? ElementOf(e.args[0]->text, index) : nullptr;
  }
  const std::string call = CalleeName(e);
  if (call == "len" && e.args.size() == 2 && IsList(*e.args[1]))
    return OfList("length", e.args[1]->text, {});
  if (call != "before") return handled = false, nullptr;
  const bool lists = e.args.size() > 2 && std::all_of(e.args.begin() + 2, e.args.end(),
                                                      [&](const auto& a) { return IsList(*a); });
  if (!lists)
    return scalars_.Error("AK1514", e.place,
                          "before() takes the number of a piece and lists of extents",
                          "before(g, ms, ks): the elements of the pieces ahead of piece g"),
           nullptr;
  S index = scalars_.IntScalar(*e.args[1], "the number of a piece");
  if (!index) return nullptr;
  S size = ir::Int(1);
  std::vector<std::string> names;
  for (size_t i = 2; i < e.args.size(); ++i) {
    size = ir::Mul(size, ElementOf(e.args[i]->text, ir::Var(ir::kPiece, Ty::kInt)));
    names.push_back(e.args[i]->text);
  }
  return OfList("start",
                StartsOf("before_" + fmt::format("{}", fmt::join(names, "_")), names, size),
                {index});
}

}  // namespace akgen::craft
