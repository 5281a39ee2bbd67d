// A list that is reduced to one tensor: the graph of two turns over it, as that of one turn whose
// reduction runs over all tensors.
#include <map>
#include <set>

#include "craft/plan/element.h"
#include "craft/plan/plan.h"

namespace akgen::craft {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;

namespace {
// Which tensors of the list a value is made of: 1 the first, 2 the second, 3 both.
using Made = std::map<std::string, int>;

int MadeOf(const GraphArgs& args, const Made& made) {
  int of = 0;
  for (const GraphArg& a : args)
    record::ForEachTensor(a, [&](const std::string& id) {
      auto it = made.find(id);
      of |= it != made.end() ? it->second : id.ends_with(".0") ? 1 : id.ends_with(".1") ? 2 : 0;
    });
  return of;
}

// Arguments of the second turn as the first one has them.
GraphArgs InFirst(GraphArgs args, const std::map<std::string, std::string>& first) {
  for (GraphArg& a : args)
    record::ForEachTensor(a, [&](std::string& id) {
      if (auto it = first.find(id); it != first.end())
        id = it->second;
      else if (id.ends_with(".1"))
        id.back() = '0';
    });
  return args;
}

// The reduction that a value stands for, looking through moves.
std::string ReductionOf(const std::vector<GraphNode>& nodes, const GraphArg& arg) {
  static const std::set<std::string> kMoves = {"double", "float", "to",     "reshape",
                                               "view",   "clone", "type_as"};
  for (const GraphNode& n : nodes)
    if (arg.IsTensor() && n.id() == arg.tensor)
      return kMoves.count(n.op) ? ReductionOf(nodes, n.args.at(0)) : n.op;
  return "";
}

// Does joining the reductions of parts give the reduction of the whole?
bool Joins(const std::string& op, const std::string& reduction) {
  static const std::set<std::pair<std::string, std::string>> kPairs = {
      {"__or__", "any"},  {"logical_or", "any"}, {"bitwise_or", "any"},
      {"maximum", "any"}, {"maximum", "max"},    {"maximum", "amax"},
      {"minimum", "min"}, {"minimum", "amin"},   {"add", "sum"}};
  return kPairs.count({op, reduction}) > 0;
}
}  // namespace

record::Graph Folded(const record::Graph& graph) {
  Made made;
  std::map<std::string, std::string> first;  // values of the second turn: those of the first
  std::vector<GraphNode> kept, ones;
  size_t next = 0;
  for (const GraphNode& n : graph.nodes) {
    const std::string& id = n.id();
    int of = MadeOf(n.args, made);
    made[id] = of;
    if (of < 2) {
      kept.push_back(n);
      if (of == 1) ones.push_back(n);
      continue;
    }
    if (next == ones.size()) {  // after the last turn
      kept.push_back(n);
      kept.back().args = InFirst(n.args, first);
      continue;
    }
    const GraphNode& like = ones[next++];
    GraphArgs mine = InFirst(n.args, first);
    const GraphArgs& its = like.args;
    if (of == 3) {
      // What the first turn left is joined with what the second one finds.
      if (mine.size() < 2 || its.size() < 2 || n.args[0] != GraphArg::Tensor(like.id()) ||
          !Joins(n.op, ReductionOf(graph.nodes, its[1])) || MadeOf({its[0]}, made) != 0)
        throw Unplanned{"tensors of a list that are joined in another way than by one reduction"};
      mine[0] = its[0];
    }
    if (n.op != like.op || mine != its) throw Unplanned{"turns over a list that differ"};
    first[id] = like.id();
  }
  if (next != ones.size()) throw Unplanned{"turns over a list that differ"};
  record::Graph out = graph;
  out.nodes = std::move(kept);
  out.outputs.clear();
  std::set<std::string> seen;
  for (const std::string& id : graph.outputs) {
    std::string as = first.count(id) ? first[id] : id;
    if (seen.insert(as).second) out.outputs.push_back(as);
  }
  return out;
}

}  // namespace akgen::craft
