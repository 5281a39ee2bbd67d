// A list that is reduced to one tensor: the graph of two turns over it, as that of one turn whose reduction runs over
// all tensors.
#include <map>
#include <set>

#include "craft/plan/element.h"
#include "craft/plan/plan.h"

namespace akgen::craft {
using base::Json;

namespace {
// Which tensors of the list a value is made of: 1 the first, 2 the second, 3 both.
using Made = std::map<std::string, int>;

int MadeOf(const Json& j, const Made& made) {
  int of = 0;
  if (j.is_object() && j.contains("t")) {
    std::string id = j["t"];
    auto it = made.find(id);
    of = it != made.end() ? it->second : id.ends_with(".0") ? 1 : id.ends_with(".1") ? 2 : 0;
  }
  if (j.is_structured())
    for (const Json& inner : j) of |= MadeOf(inner, made);
  return of;
}

// An argument of the second turn as the first one has it.
Json InFirst(Json j, const std::map<std::string, std::string>& first) {
  if (j.is_object() && j.contains("t")) {
    std::string id = j["t"];
    if (auto it = first.find(id); it != first.end()) j["t"] = it->second;
    else if (id.ends_with(".1")) j["t"] = id.substr(0, id.size() - 1) + "0";
  }
  if (j.is_structured())
    for (Json& inner : j) inner = InFirst(inner, first);
  return j;
}

// The reduction that a value stands for, looking through moves.
std::string ReductionOf(const Json& nodes, const Json& arg) {
  static const std::set<std::string> kMoves = {"double", "float", "to", "reshape", "view", "clone", "type_as"};
  for (const Json& n : nodes)
    if (arg.contains("t") && n["out"][0]["id"] == arg["t"])
      return kMoves.count(n["op"].get<std::string>()) ? ReductionOf(nodes, n["args"][0]) : n["op"].get<std::string>();
  return "";
}

// Does joining the reductions of parts give the reduction of the whole?
bool Joins(const std::string& op, const std::string& reduction) {
  static const std::set<std::pair<std::string, std::string>> kPairs = {
      {"__or__", "any"},   {"logical_or", "any"}, {"bitwise_or", "any"}, {"maximum", "any"}, {"maximum", "max"},
      {"maximum", "amax"}, {"minimum", "min"},    {"minimum", "amin"},   {"add", "sum"}};
  return kPairs.count({op, reduction}) > 0;
}
}  // namespace

Json Folded(const Json& graph) {
  const Json& nodes = graph["nodes"];
  Made made;
  std::map<std::string, std::string> first;  // values of the second turn: those of the first
  std::vector<Json> kept, ones;
  size_t next = 0;
  for (const Json& n : nodes) {
    std::string id = n["out"][0]["id"], op = n["op"];
    int of = MadeOf(n["args"], made);
    made[id] = of;
    if (of < 2) {
      kept.push_back(n);
      if (of == 1) ones.push_back(n);
      continue;
    }
    if (next == ones.size()) {  // after the last turn
      Json last = n;
      last["args"] = InFirst(n["args"], first);
      kept.push_back(last);
      continue;
    }
    const Json& like = ones[next++];
    Json mine = InFirst(n["args"], first), its = like["args"];
    if (of == 3) {
      // What the first turn left is joined with what the second one finds.
      if (mine.size() < 2 || n["args"][0] != Json{{"t", like["out"][0]["id"]}} ||
          !Joins(op, ReductionOf(nodes, its[1])) || MadeOf(its[0], made) != 0)
        throw Unplanned{"tensors of a list that are joined in another way than by one reduction"};
      mine[0] = its[0];
    }
    if (n["op"] != like["op"] || mine != its) throw Unplanned{"turns over a list that differ"};
    first[id] = like["out"][0]["id"];
  }
  if (next != ones.size()) throw Unplanned{"turns over a list that differ"};
  Json out = graph;
  out["nodes"] = kept;
  out["outputs"] = Json::array();
  std::set<std::string> seen;
  for (const Json& o : graph["outputs"]) {
    std::string id = o, as = first.count(id) ? first[id] : id;
    if (seen.insert(as).second) out["outputs"].push_back(as);
  }
  return out;
}

}  // namespace akgen::craft
