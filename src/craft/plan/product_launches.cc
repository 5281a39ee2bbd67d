// What of a graph is a launch of its own.
#include <algorithm>

#include "craft/plan/element.h"
#include "craft/plan/product_graph.h"
#include "craft/plan/products.h"

namespace akgen::craft {

bool HasProducts(const PlanTask& task) {
  return std::any_of(task.cases.begin(), task.cases.end(), [](const PlanCase& c) {
    return std::any_of(c.graph.nodes.begin(), c.graph.nodes.end(),
                       [](const auto& n) { return IsProduct(n.op); });
  });
}

bool IsWindowed(const std::string& op) { return op == "windows" || op == "folds"; }

bool IsCut(const record::GraphNode& node, int cut) {
  static const std::set<std::string> kViews = {
      "reshape",    "view",      "flatten",   "unflatten", "transpose", "t",      "permute",
      "contiguous", "clone",     "unsqueeze", "select",    "slice",     "narrow", "expand",
      "detach",     "expand_as", "swapaxes",  "squeeze",   "double",    "to",     "float",
      "type_as",    "long",      "int",       "windows",   "folds",     "alias"};
  static const std::set<std::string> kReductions = {"sum",  "mean",    "amax",      "amin",
                                                    "max",  "min",     "any",       "all",
                                                    "prod", "softmax", "logsumexp", "layer_norm"};
  const std::string& op = node.op;
  bool reads = false;
  for (const GraphArg& a : node.args)
    record::ForEachTensor(a, [&](const std::string&) { reads = true; });
  if (!reads) return false;  // numbers and positions are made where they are used
  if (op == "constant_pad_nd") return true;
  if (cut < 1) return false;
  if (cut > 3) return true;
  if (kViews.count(op)) return false;
  if (cut > 2) return true;
  if (kReductions.count(op) && node.out.size() == 1) return cut > 1;
  return !ElementText(op, node.args, [](size_t) { return std::string("x"); });
}

bool HasCuts(const PlanTask& task, int cut) {
  const record::Graph& graph = task.cases[0].graph;
  std::set<std::string> cuts, made;
  for (const GraphNode& n : graph.nodes)
    for (const auto& o : n.out) {
      made.insert(o.id);
      if (IsCut(n, cut)) cuts.insert(o.id);
    }
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const GraphNode& n) {
    bool any = false;
    for (const GraphArg& a : n.args)
      record::ForEachTensor(a, [&](const std::string& id) {
        any |= cuts.count(id) > 0 || (IsWindowed(n.op) && made.count(id) > 0);
      });
    return any;
  });
}

}  // namespace akgen::craft
