// Dead code elimination of a graph: references take elements and shapes of values they never
// compute with.
#include <map>
#include <set>
#include <string>

#include "craft/plan/plan.h"

namespace akgen::craft {
using record::GraphNumber;

namespace {
// A value whose one element is read keeps no name: it may be gone.
void ForgetComputed(GraphNumber& n) {
  if (n.from == GraphNumber::From::kComputed) n.name.clear();
  for (GraphNumber& a : n.args) ForgetComputed(a);
}
void Rename(record::GraphArg& a, const std::map<std::string, std::string>& names) {
  record::ForEachTensor(a, [&](std::string& id) {
    if (auto it = names.find(id); it != names.end()) id = it->second;
  });
  ForgetComputed(a.number);
}
}  // namespace

record::Graph Pruned(record::Graph graph) {
  std::set<std::string> used(graph.outputs.begin(), graph.outputs.end());
  std::vector<bool> live(graph.nodes.size());
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const record::GraphNode& node = graph.nodes[n];
    live[n] = node.ChangesOperand();
    for (const auto& o : node.out) live[n] = live[n] || used.count(o.id);
    if (!live[n]) continue;
    for (const auto& a : node.args)
      record::ForEachTensor(a, [&](const std::string& id) { used.insert(id); });
  }
  std::map<std::string, std::string> names;
  std::vector<record::GraphNode> kept;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!live[n]) continue;
    record::GraphNode& node = graph.nodes[n];
    for (auto& o : node.out) {
      std::string name = "v" + std::to_string(names.size());
      names[o.id] = name;
      o.id = name;
    }
    for (auto& a : node.args) Rename(a, names);
    kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  for (std::string& o : graph.outputs)
    if (auto it = names.find(o); it != names.end()) o = it->second;
  return graph;
}

}  // namespace akgen::craft
