// A module's functions: the operator, what it calls, its columns of dtypes.
#include <fmt/format.h>

#include <algorithm>

#include "craft/check/check.h"
#include "craft/check/expand_calls.h"
#include "craft/check/host_checker.h"

namespace akgen::craft {

namespace {

Functions Collect(const ast::Module& m, Diagnostics& d) {
  Functions f;
  std::set<std::string> hosts;
  for (const ast::Function& fn : m.functions) {
    if (fn.decorator == "host") {
      f.host = &fn;  // the operator is the last one
      if (!hosts.insert(fn.name).second)
        d.Add("AK1510", fn.place, fmt::format("a second host function named {}", fn.name));
    } else {
      if (f.kernels.count(fn.name))
        d.Add("AK1510", fn.place, fmt::format("a second kernel named {}", fn.name));
      f.kernels[fn.name] = &fn;
    }
    std::set<std::string> seen;
    for (const ast::Param& p : fn.params)
      if (!seen.insert(p.name).second)
        d.Add("AK1510", p.place, fmt::format("a second parameter named {}", p.name));
  }
  if (!f.host && d.empty())
    d.Add("AK1515", {1, 1, 1}, "the program has no @host function",
          "it says the shapes, the cores and which kernel to launch");
  return f;
}
// One project serves all columns: launches follow each other in all of them or in none. Kernels
// with products and others share the operator's type of core only as a sequence.
void Sequences(std::vector<ir::Program>& columns, Diagnostics& d) {
  bool sequence = false;
  for (const ir::Program& p : columns) {
    const auto products =
        std::count_if(p.kernels.begin(), p.kernels.end(), [](const auto& k) { return k.cube; });
    sequence |= p.sequence || (products > 0 && static_cast<size_t>(products) < p.kernels.size());
  }
  for (ir::Program& p : columns) p.sequence = sequence;
}
}  // namespace

size_t Columns(const ast::Module& m) {
  size_t n = 1;
  for (const ast::Function& f : m.functions) {
    if (f.decorator != "host") continue;
    n = 1;  // the last one counts
    for (const ast::Param& p : f.params)
      if (p.annotation && WithoutExtents(*p.annotation).kind == ExprKind::kCall)
        n = std::max(n, WithoutExtents(*p.annotation).args.size() - 1);
  }
  return n;
}

std::vector<ir::Program> Check(const ast::Module& m, Diagnostics& diagnostics) {
  std::vector<ir::Program> out;
  Functions f = Collect(m, diagnostics);
  if (!f.host) return out;
  constexpr size_t kMaxColumns = 64;
  const ast::Function expanded = ExpandCalls(m, diagnostics);
  if (!diagnostics.empty()) return out;
  f.host = &expanded;
  size_t columns = Columns(m);
  if (columns > kMaxColumns)
    diagnostics.Add("AK1512", f.host->place,
                    fmt::format("{} columns of dtypes; at most {}", columns, kMaxColumns));
  for (const ast::Param& p : f.host->params) {
    if (!p.annotation) continue;
    const Expr& a = WithoutExtents(*p.annotation);
    if (a.kind == ExprKind::kCall && a.args.size() > 2 && a.args.size() - 1 != columns)
      diagnostics.Add(
          "AK1512", p.place,
          fmt::format("'{}' lists {} dtypes, another parameter {}", p.name, a.args.size() - 1,
                      columns),
          "list as many everywhere, or one that holds for all, or a parameter of the same dtype");
  }
  columns = std::min(columns, kMaxColumns);
  for (size_t c = 0; c < columns; ++c) out.push_back(HostChecker(f, c, columns, diagnostics).Run());
  Sequences(out, diagnostics);
  return out;
}

}  // namespace akgen::craft
