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

namespace akgen::craft {

// What no rule takes by itself, no rule takes in a larger graph.
static constexpr const char* kAlone = "alone, the operation";
static bool IsFinal(const base::Error& e) { return e.message.find(kAlone) != std::string::npos; }

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
  record::Graph graph = Pruned(Decomposed(WithoutChanges(Pruned(c.graph), own), inputs));
  return task.folds ? Folded(graph) : graph;
}

base::Result<std::string> Plan(const PlanTask& task, const Target& target) {
  return PlanGraph(task, target, 0);
}

static base::Result<std::string> ByRules(const PlanTask& given, const Target& target, int cut) {
  PlanTask task = given;
  try {
    for (PlanCase& c : task.cases) c.graph = Simplified(task, c);
  } catch (const Unplanned& u) {
    return NoRule(u.why);
  } catch (const std::exception& e) {
    return NoRule(std::string("an operation with unusual operands: ") + e.what());
  }
  std::string products;
  if (HasProducts(task)) {
    auto groups = PlanGrouped(task, target);
    if (groups.ok()) return groups;
    auto whole = PlanProducts(task, target, cut);
    if (whole.ok() || IsFinal(whole.error())) return whole;
    products =
        "; as groups: " + groups.error().message.substr(groups.error().message.find(": ") + 2) +
        "; as products: " + whole.error().message.substr(whole.error().message.find(": ") + 2);
  }
  // Rows and columns give the faster programs; loops take what does not lie that way.
  auto rows = PlanRows(task, target);
  std::string why = rows.ok() ? "" : rows.error().message;
  if (rows.ok()) {
    Compiled c = Compile(*rows, target);
    if (c.diagnostics.empty()) return rows;
    why = "no rule: the program by rows is refused: " + c.diagnostics.list()[0].message;
  }
  auto reason = [](const std::string& message) { return message.substr(message.find(": ") + 2); };
  std::string loops;
  for (bool several : {true, false}) {  // rows at once
    auto nest = PlanNest(task, several);
    loops = nest.ok() ? "" : reason(nest.error().message);
    if (!nest.ok()) continue;
    Compiled c = Compile(*nest, target);
    if (c.diagnostics.empty()) return nest;
    loops = "the program is refused: " + c.diagnostics.list()[0].message;
  }
  auto places = PlanReorder(task, target);
  if (places.ok()) return places;
  auto parts = PlanReplace(task);
  if (parts.ok()) return parts;
  const std::string all =
      fmt::format("{}; as loops: {}; by places: {}; by parts: {}{}", reason(why), loops,
                  reason(places.error().message), reason(parts.error().message), products);
  const bool alone = task.outputs.size() == 1;
  if (!HasCuts(task, kMaxCuts) && (alone || !products.empty())) {
    if (auto simpler = WithWindows(task)) return ByRules(*simpler, target, 0);
    return task.cases[0].graph.nodes.size() != 1
               ? NoRule(all)
               : NoRule(fmt::format("{} {}: {}", kAlone, task.cases[0].graph.nodes[0].op, all));
  }
  // As launches, the fewest that can be planned.
  std::string launches;
  for (; cut <= kMaxCuts && products.empty(); ++cut) {
    if (!HasCuts(task, cut) && (alone || cut < kMaxCuts)) continue;
    auto several = PlanProducts(task, target, cut);
    if (several.ok() || IsFinal(several.error())) return several;
    if (cut == kMaxCuts) launches = "; as launches: " + reason(several.error().message);
  }
  return NoRule(all + launches);
}

base::Result<std::string> PlanGraph(const PlanTask& task, const Target& target, int cut) {
  auto program = ByRules(task, target, cut);
  return program.ok() ? WithDemands(*program, task, target) : program;
}

}  // namespace akgen::craft
