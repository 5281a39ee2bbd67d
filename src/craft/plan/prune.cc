// Dead code elimination of a graph: references take elements and shapes of values they never compute with.
#include <map>
#include <set>

#include "craft/plan/plan.h"

namespace akgen::craft {
using base::Json;

namespace {
bool ChangesItsOperand(const std::string& op) { return op.size() > 1 && op.back() == '_' && op[op.size() - 2] != '_'; }

void Uses(const Json& j, std::set<std::string>& out) {
  if (j.is_object() && j.contains("t")) out.insert(j["t"].get<std::string>());
  if (j.is_structured())
    for (const Json& inner : j) Uses(inner, out);
}

void Rename(Json& j, const std::map<std::string, std::string>& names) {
  if (j.is_object() && j.contains("t")) {
    auto it = names.find(j["t"].get<std::string>());
    if (it != names.end()) j["t"] = it->second;
  }
  if (j.is_object() && j.contains("computed")) j["computed"] = true;
  if (j.is_structured())
    for (Json& inner : j) Rename(inner, names);
}
}  // namespace

Json Pruned(Json graph) {
  std::set<std::string> used;
  for (const Json& o : graph["outputs"]) used.insert(o.get<std::string>());
  Json& nodes = graph["nodes"];
  Json kept = Json::array();
  std::vector<bool> live(nodes.size());
  for (size_t n = nodes.size(); n-- > 0;) {
    live[n] = ChangesItsOperand(nodes[n]["op"]);
    for (const Json& o : nodes[n]["out"]) live[n] = live[n] || used.count(o["id"].get<std::string>());
    if (live[n]) Uses(nodes[n]["args"], used);
  }
  std::map<std::string, std::string> names;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (!live[n]) continue;
    for (Json& o : nodes[n]["out"]) {
      std::string name = "v" + std::to_string(names.size());
      names[o["id"].get<std::string>()] = name;
      o["id"] = name;
    }
    Rename(nodes[n]["args"], names);
    kept.push_back(nodes[n]);
  }
  nodes = kept;
  for (Json& o : graph["outputs"])
    if (auto it = names.find(o.get<std::string>()); it != names.end()) o = it->second;
  return graph;
}

}  // namespace akgen::craft
