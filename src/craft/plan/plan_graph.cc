// A graph by the first rules that take it, else as launches.
#include <fmt/format.h>

#include "craft/craft.h"
#include "craft/plan/convolve.h"
#include "craft/plan/decompose.h"
#include "craft/plan/demand.h"
#include "craft/plan/element.h"
#include "craft/plan/grouped.h"
#include "craft/plan/nest.h"
#include "craft/plan/plan.h"
#include "craft/plan/products.h"
#include "craft/plan/replace.h"
#include "craft/plan/whole.h"

namespace akgen::craft {

// The graph as the rules read it.
record::Graph Simplified(const PlanTask& task, const PlanCase& c) {
  std::map<std::string, std::vector<int64_t>> inputs;
  for (const PlanParam& p : task.params) {
    auto it = c.shapes.find(p.id);
    if (it == c.shapes.end()) continue;
    if (!p.is_list)
      inputs[p.id] = it->second;
    else
      inputs[p.id + ".0"] = inputs[p.id + ".1"] = it->second;
  }
  std::set<std::string> own;
  for (const auto& [id, shape] : inputs) own.insert(id);
  for (const PlanOutput& o : task.outputs) own.erase(o.inplace_of);
  record::Graph graph =
      Pruned(Decomposed(WithWholeQuotients(task, WithoutChanges(Pruned(c.graph), own)), inputs));
  return task.folds ? Folded(graph) : graph;
}

PlanResult<std::string> Plan(const PlanTask& task, const Target& target) {
  return PlanGraph(task, target, 0);
}

namespace {
// Why a graph is not planned, by the ways that were tried.
class Attempts {
 public:
  void Add(Way way, Unplanned why) {
    why.way = way;
    all_.attempts.push_back(std::move(why));
  }
  Unplanned All() const { return all_; }
  // What no rule takes by itself, no rule takes in a larger graph.
  Unplanned OfOperation(const std::string& op) const {
    Unplanned out = all_;
    out.obstacle = Obstacle::kOperation, out.op = op;
    return out;
  }

 private:
  Unplanned all_;
};

PlanResult<std::string> Accepted(PlanResult<std::string> program, const Target& target,
                                 const char* what) {
  if (!program.ok()) return program;
  Compiled c = Compile(*program, target);
  if (c.diagnostics.empty()) return program;
  return Unplanned{what + (" is refused: " + c.diagnostics.list()[0].message)};
}

// Without products.
PlanResult<std::string> AsOneKernel(const PlanTask& task, const Target& target, Attempts& tried) {
  // Rows and columns give the faster programs; loops take what does not lie that way.
  auto rows = Accepted(PlanRows(task, target), target, "the program by rows");
  if (rows.ok()) return rows;
  Unplanned loops;
  for (bool several : {true, false}) {  // rows at once
    auto nest = Accepted(PlanNest(task, several), target, "the program");
    if (nest.ok()) return nest;
    loops = nest.error();
  }
  auto places = PlanReorder(task, target);
  if (places.ok()) return places;
  auto parts = PlanReplace(task);
  if (parts.ok()) return parts;
  tried.Add(Way::kRows, rows.error());
  tried.Add(Way::kLoops, loops);
  tried.Add(Way::kPlaces, places.error());
  tried.Add(Way::kParts, parts.error());
  return tried.All();
}

PlanResult<std::string> ByRules(const PlanTask& given, const Target& target, int cut) {
  PlanTask task = given;
  const auto simplified = Tried([&] {
    for (PlanCase& c : task.cases) c.graph = Simplified(task, c);
    return true;
  });
  if (!simplified.ok()) return simplified.error();
  Attempts tried;
  std::optional<Unplanned> as_groups, as_products;
  if (HasProducts(task)) {
    auto groups = PlanGrouped(task, target);
    if (groups.ok()) return groups;
    auto whole = PlanProducts(task, target, cut);
    if (whole.ok() || whole.error().IsFinal()) return whole;
    as_groups = groups.error(), as_products = whole.error();
  }
  if (auto one = AsOneKernel(task, target, tried); one.ok()) return one;
  if (as_groups) tried.Add(Way::kGroups, *as_groups);
  if (as_products) tried.Add(Way::kProducts, *as_products);
  const bool alone = task.outputs.size() == 1;
  if (!HasCuts(task, kMaxCuts) && (alone || as_products)) {
    if (auto simpler = WithWindows(task)) return ByRules(*simpler, target, 0);
    const auto& nodes = task.cases[0].graph.nodes;
    return nodes.size() != 1 ? tried.All() : tried.OfOperation(nodes[0].op);
  }
  // As launches, the fewest that can be planned.
  for (; cut <= kMaxCuts && !as_products; ++cut) {
    if (!HasCuts(task, cut) && (alone || cut < kMaxCuts)) continue;
    auto several = PlanProducts(task, target, cut);
    if (several.ok() || several.error().IsFinal()) return several;
    if (cut == kMaxCuts) tried.Add(Way::kLaunches, several.error());
  }
  return tried.All();
}
}  // namespace

PlanResult<std::string> PlanGraph(const PlanTask& task, const Target& target, int cut) {
  auto program = ByRules(task, target, cut);
  return program.ok() ? WithDemands(*program, task, target) : program;
}

}  // namespace akgen::craft
