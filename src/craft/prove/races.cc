// Two cores, or one core at two times, at one memory between two sync_all().
#include <fmt/format.h>

#include "craft/prove/kernel_walk.h"

namespace akgen::craft::prove {
namespace {
// Windows that have no element in common: apart along one axis, or, seen with other shapes, in
// memory.
F Apart(const Access& a, const Access& b) {
  std::vector<F> any = {Not(Eq(a.in_list, b.in_list))};
  auto along = [&](size_t d, std::vector<F>& to) {
    to.push_back(Le(a.start[d] + a.extent[d], b.start[d]));
    to.push_back(Le(b.start[d] + b.extent[d], a.start[d]));
  };
  if (a.of_view > 0 && a.of_view == b.of_view && a.dims.size() == b.dims.size()) {
    // Of views that are apart, or within one view.
    std::vector<F> same, inside;
    for (size_t d = 0; d < a.dims.size(); ++d) {
      same.push_back(Eq(a.dims[d], b.dims[d]));
      if (d < a.of_view) same.push_back(Eq(a.start[d], b.start[d]));
      along(d, d < a.of_view ? any : inside);
    }
    same.push_back(Or(inside));
    any.push_back(And(same));
  } else if (a.of_view == 0 && a.dims == b.dims) {
    for (size_t d = 0; d < a.start.size(); ++d) along(d, any);
  } else {
    auto end = [](const Access& x) { return x.offset + (x.rows - 1) * x.stride + x.cols; };
    any.push_back(Le(end(a), b.offset));
    any.push_back(Le(end(b), a.offset));
  }
  return Or(any);
}

std::vector<F> Both(const Access& a, const Access& b) {
  std::vector<F> facts = a.facts;
  facts.insert(facts.end(), b.facts.begin(), b.facts.end());
  return facts;
}

const char* Verb(const Access& a) { return a.kind == Access::kLoad ? "loads" : "stores"; }
}  // namespace

void NeedNoRace(const LaunchSymbols& launch, const std::vector<Access>& one,
                const std::vector<Access>& other, int core, int second, Walked& to) {
  // Blocks of one blocks() are whole and different: apart on an axis by at least a block.
  auto other_block = [](const Access& a, const Access& b) {
    std::vector<F> any;
    for (size_t k = 0; k < std::min(a.loops.size(), b.loops.size()); ++k) {
      const LoopSymbol &x = a.loops[k], &y = b.loops[k];
      if (x.statement != y.statement || x.statement->kind != ir::Stmt::kBlocks) continue;
      any.push_back(Le(x.variable + x.step, y.variable));
      any.push_back(Le(y.variable + y.step, x.variable));
    }
    return any.empty() ? True() : Or(any);
  };
  for (const Access& a : one)
    for (const Access& any : other) {
      const Access b =
          launch.tensors[any.gm].is_list && any.kind + a.kind > 0 && launch.tensors[a.gm].is_list
              ? OfTensor(launch, to, second, any, a.in_list)  // others are apart
              : any;
      const std::string& memory = launch.tensors[a.gm].memory;
      const bool harmless = a.kind == b.kind && a.kind != Access::kStore;
      if (harmless || a.phase != b.phase || memory != launch.tensors[b.gm].memory) continue;
      Obligation o{
          "race", a.kind == Access::kLoad ? b.place : a.place, {}, Both(a, b), Apart(a, b)};
      const bool turned = a.order > b.order;
      o.what = fmt::format("no two cores touch the same elements of {}: line {} {}, line {} {}",
                           memory, turned ? b.place.line : a.place.line, turned ? Verb(b) : Verb(a),
                           turned ? a.place.line : b.place.line, turned ? Verb(a) : Verb(b));
      o.facts.push_back(Lt(Poly::Atom(core), Poly::Atom(second)));
      o.facts.push_back(other_block(a, b));
      // range(core(), last, cores()) gives no number to two cores.
      for (const LoopSymbol& x : a.loops)
        for (const LoopSymbol& y : b.loops)
          if (x.step == launch.cores && y.step == launch.cores &&
              x.first - Poly::Atom(core) == y.first - Poly::Atom(second))
            o.facts.push_back(Not(Eq(x.variable, y.variable)));
      to.obligations.push_back(std::move(o));
    }
}

void NeedOrder(const LaunchSymbols& launch, const std::vector<Access>& one,
               const std::vector<Access>& again, Walked& to) {
  for (const Access& s : one)
    for (const Access& l : again) {
      if (s.kind == Access::kLoad || l.kind != Access::kLoad || s.phase != l.phase ||
          launch.tensors[s.gm].memory != launch.tensors[l.gm].memory)
        continue;
      // The load comes after the store: in a later turn of a loop around both, or further down in
      // the same one.
      std::vector<F> later, same;
      for (size_t k = 0; k < std::min(s.loops.size(), l.loops.size()); ++k) {
        const LoopSymbol &x = s.loops[k], &y = l.loops[k];
        if (x.statement != y.statement) break;
        std::vector<F> here = same;
        const F before = Le(x.variable + x.step, y.variable);
        // Blocks come in any order.
        here.push_back(x.statement->kind == ir::Stmt::kBlocks
                           ? Or({before, Le(y.variable + y.step, x.variable)})
                           : before);
        later.push_back(And(here));
        same.push_back(Eq(x.variable, y.variable));
      }
      if (l.order > s.order) later.push_back(And(same));
      if (later.empty()) continue;
      Obligation o{"order", l.place, {}, Both(s, l), Apart(s, l)};
      o.what = fmt::format("line {} loads nothing of {} that line {} has stored before",
                           l.place.line, launch.tensors[l.gm].memory, s.place.line);
      o.facts.push_back(Or(later));
      to.obligations.push_back(std::move(o));
    }
}

}  // namespace akgen::craft::prove
