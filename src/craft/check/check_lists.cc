// Lists of integers in kernels: their elements, and where the pieces that they measure begin.
#include <fmt/format.h>

#include <algorithm>

#include "craft/check/kernel_checker.h"
#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ir::S;
using ir::Ty;

void KernelChecker::ListParameters() {
  for (const ast::Param& p : f_.params) {
    if (!types_.lists.count(p.name)) continue;
    if (!p.annotation || p.annotation->text != "ints")
      Error("AK1515", p.place, fmt::format("'{}' is a list of integers", p.name),
            fmt::format("write {}: ints", p.name));
    lists_.insert(p.name);
    k_.lists.push_back(p.name);
  }
}

bool KernelChecker::IsList(const Expr& e) const {
  return e.kind == ExprKind::kName && lists_.count(e.text) > 0;
}

static S OfList(const char* what, const std::string& list, std::vector<S> args) {
  auto s = std::make_shared<ir::Scalar>(*ir::Call(what, std::move(args), Ty::kInt));
  s->tensor = list;
  return s;
}

S KernelChecker::ElementOf(const std::string& list, const S& index) const {
  return OfList("element", list, {index});
}

// The name of the starts of pieces of `size`, which may be there already.
std::string KernelChecker::StartsOf(const std::string& name, const std::vector<std::string>& lists,
                                    const S& size) {
  for (const ir::Starts& s : k_.starts)
    if (s.list == lists[0] && ir::Same(s.size, size)) return s.name;
  std::string unique = name;
  for (int i = 2; names_.count(unique); ++i) unique = fmt::format("{}{}", name, i);
  names_.insert(unique);
  k_.starts.push_back({unique, lists[0], size, lists});
  return unique;
}

// ms[g], len(ms), before(g, ms, ks)
S KernelChecker::OfLists(const Expr& e, bool& handled) {
  handled = true;
  if (IsList(e))
    return Error("AK1513", e.place, fmt::format("'{}' is a list, not a number", e.text),
                 fmt::format("{0}[i], len({0})", e.text)),
           nullptr;
  if (e.kind == ExprKind::kSubscript && IsList(*e.args[0])) {
    if (e.args.size() != 2 || !e.args[1] || e.args[1]->kind == ExprKind::kSlice)
      return Error("AK1511", e.place, "a list has one index",
                   fmt::format("{}[i]", e.args[0]->text)),
             nullptr;
    S index = IntScalar(*e.args[1], "the index");
    return index ? ElementOf(e.args[0]->text, index) : nullptr;
  }
  const std::string call = CalleeName(e);
  if (call == "len" && e.args.size() == 2 && IsList(*e.args[1]))
    return OfList("length", e.args[1]->text, {});
  if (call != "before") return handled = false, nullptr;
  const bool lists = e.args.size() > 2 && std::all_of(e.args.begin() + 2, e.args.end(),
                                                      [&](const auto& a) { return IsList(*a); });
  if (!lists)
    return Error("AK1514", e.place, "before() takes the number of a piece and lists of extents",
                 "before(g, ms, ks): the elements of the pieces ahead of piece g"),
           nullptr;
  S index = IntScalar(*e.args[1], "the number of a piece");
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
