// Names of extents, and sizes of blocks of a product.
#include "craft/check/host_checker.h"

#include <fmt/format.h>
#include <algorithm>

namespace akgen::craft {

// x: tensor(f16)[m, k] names x's extents. A name that comes again must be equal.
void HostChecker::NameExtents(const Expr& e, const ir::HostParam& p) {
  if (p.is_list || p.optional)
    return scope_.Error("AK1511", e.place,
                        "extents of a list or of an optional tensor have no names", "use x.shape");
  auto require = [&](S condition) {
    auto h = std::make_shared<HostStmt>();
    h->kind = HostStmt::kRequire;
    h->place = e.place;
    h->value = std::move(condition);
    named_.push_back(h);
  };
  auto rank = std::make_shared<ir::Scalar>(*ir::Call("len", {}, Ty::kInt));
  rank->shape = {{nullptr, p.name, 0, 0, {}, {}, true}};
  require(ir::Binary("==", rank, ir::Int(static_cast<int64_t>(e.args.size()) - 1), Ty::kBool));
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Expr& name = *e.args[i];
    S extent = DimOf(p.name, ir::Int(static_cast<int64_t>(i) - 1));
    if (name.kind == ExprKind::kName && !scope_.Scalars().count(name.text)) {
      Let(name.text, extent, name.place, named_);
    } else if (S known = scope_.IntScalar(name, "an extent")) {
      require(ir::Binary("==", extent, known, Ty::kBool));
    }
    const bool named = name.kind == ExprKind::kName && scope_.Scalars().count(name.text);
    scope_.AddExtent(p.name, named ? scope_.Scalars()[name.text] : extent);
  }
}

// tm, tn = block(m, n, k): sizes of the blocks of an output, for the launch that takes them.
void HostChecker::BlockSizes(const Stmt& s, HostBlock& out) {
  const Expr& v = *s.value;
  if (s.targets.size() != 2 || v.args.size() != 4)
    return scope_.Error("AK1514", s.place,
                        "block() takes rows, columns and depth of a product and gives two sizes",
                        "tm, tn = block(m, n, k)");
  std::vector<S> args;
  for (size_t i = 1; i < v.args.size(); ++i) {
    args.push_back(scope_.IntScalar(*v.args[i], "an extent of a product"));
    if (!args.back()) return;
  }
  for (size_t i : {0, 1}) {
    auto size = std::make_shared<ir::Scalar>(
        *ir::Call(i == 0 ? "block_rows" : "block_cols", args, Ty::kInt));
    size->tensor = s.targets[1 - i]->text;  // the other size: both decide what fits
    Let(s.targets[i]->text, size, s.place, out);
  }
}

// Names in gm[…] that are no parameters of the kernel are the tensor's extents; equal names must
// agree.
bool HostChecker::Extents(const ast::Function& kernel, const ast::Param& p, const Expr& tensor,
                          std::vector<std::pair<std::string, S>>& known, HostBlock& out) {
  const Expr* a = p.annotation.get();
  if (!a || a->kind != ExprKind::kSubscript || a->args[0]->text != "gm") return true;
  for (size_t i = 1; i < a->args.size(); ++i) {
    const Expr& name = *a->args[i];
    if (name.kind != ExprKind::kName ||
        std::any_of(kernel.params.begin(), kernel.params.end(),
                    [&](const ast::Param& o) { return o.name == name.text; }))
      continue;
    S extent = scope_.ExtentOf(tensor.text, i - 1, a->args.size() - 1);
    if (!extent)
      return scope_.Error(
                 "AK1511", tensor.place,
                 fmt::format("the extent '{}' of {} is not known", name.text, tensor.text),
                 fmt::format("give {} a parameter '{}', or make the tensor with {} extents",
                             kernel.name, name.text, a->args.size() - 1)),
             false;
    auto it = std::find_if(known.begin(), known.end(),
                           [&](const auto& k) { return k.first == name.text; });
    if (it == known.end()) {
      known.push_back({name.text, extent});
    } else if (!ir::Same(it->second, extent)) {
      auto h = std::make_shared<HostStmt>();
      h->kind = HostStmt::kRequire;
      h->place = name.place;
      h->value = ir::Binary("==", it->second, extent, Ty::kBool);
      out.push_back(h);
    }
  }
  return true;
}

}  // namespace akgen::craft
