// Changes in place of values that nobody else sees as new values.
#include <algorithm>

#include "craft/plan/products.h"

namespace akgen::craft {
namespace {
using record::Graph;
using record::GraphArg;
using record::GraphNode;

// Operations whose result may lie in the memory of their first operand.
bool MaySeeMemoryOf(const std::string& op) {
  static const std::set<std::string> kOperations = {
      "reshape", "view",    "view_as", "reshape_as", "flatten", "unflatten", "transpose",
      "t",       "permute", "movedim", "swapaxes",   "squeeze", "unsqueeze", "select",
      "slice",   "narrow",  "expand",  "expand_as",  "detach",  "alias",     "contiguous",
      "chunk",   "split",   "unbind",  "diagonal",   "unfold",  "windows",   "split_with_sizes",
      "double",  "to",      "float",   "type_as",    "long",    "int",       "tensor_split"};
  return kOperations.count(op) > 0;
}

// Which values lie in the same memory, and until where each value is read.
class Memory {
 public:
  explicit Memory(const Graph& graph) {
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      for (const GraphArg& a : graph.nodes[i].args)
        record::ForEachTensor(a, [&](const std::string& id) { last_[id] = i; });
    for (const std::string& o : graph.outputs) last_[o] = graph.nodes.size();
  }
  void Share(const std::string& id, const std::string& with) {
    const auto of = room_.emplace(with, with).first->second;
    room_[id] = of, members_[of].insert({id, with});
  }
  // What is written where it lies stays so, and all that lies there.
  void Keep(const std::string& id) { kept_.insert(RoomOf(id)); }
  // Whether nobody reads `id`, or what lies in the same memory, after node `at`, under another
  // name.
  bool IsAlone(const std::string& id, size_t at) const {
    const auto members = members_.find(RoomOf(id));
    return !kept_.count(RoomOf(id)) &&
           (members == members_.end() ||
            std::ranges::all_of(members->second, [&](const std::string& m) {
              return m == id || !last_.count(m) || last_.at(m) <= at;
            }));
  }

 private:
  std::string RoomOf(const std::string& id) const {
    const auto of = room_.find(id);
    return of == room_.end() ? id : of->second;
  }
  std::map<std::string, std::string> room_;  // named by its first value
  std::map<std::string, std::set<std::string>> members_;
  std::map<std::string, size_t> last_;
  std::set<std::string> kept_;
};
}  // namespace

Graph WithoutChanges(Graph graph, std::set<std::string> made) {
  static const std::set<std::string> kStays = {"copy_", "fill_", "zero_"};
  std::map<std::string, std::string> now, dtypes;
  Memory memory(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode& n = graph.nodes[i];
    const std::string of = n.args.empty() ? "" : n.args[0].tensor;  // under its first name
    // What has been converted has memory of its own.
    const bool converted = n.out.size() == 1 && dtypes.count(of) && dtypes.at(of) != n.out[0].dtype;
    const bool view = MaySeeMemoryOf(n.op) && !converted;
    for (GraphArg& a : n.args)
      record::ForEachTensor(a, [&](std::string& id) {
        while (now.count(id)) id = now.at(id);
      });
    if (n.ChangesOperand()) {
      if (!kStays.count(n.op) && made.count(of) && memory.IsAlone(of, i)) {
        n.op.pop_back();
        now[of] = n.id();
      } else {
        memory.Keep(of);
      }
    }
    for (const auto& o : n.out) {
      dtypes[o.id] = o.dtype;
      made.insert(o.id);
      if (view || n.ChangesOperand()) memory.Share(o.id, of);
    }
  }
  for (std::string& o : graph.outputs)
    while (now.count(o)) o = now.at(o);
  return graph;
}

}  // namespace akgen::craft
