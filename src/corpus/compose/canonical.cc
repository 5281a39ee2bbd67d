// Colours of values, refined by what they are made of and by what uses them (Weisfeiler and Leman),
// until no more is told.
#include "corpus/compose/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "corpus/compose/random.h"

namespace akgen::corpus {
using record::GraphArg;

namespace {
constexpr int kRounds = 12;

uint64_t Combine(uint64_t a, uint64_t b) { return MixBits(a * 0x100000001b3ull ^ b); }
uint64_t TextHash(const std::string& s) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (unsigned char c : s) h = (h ^ c) * 0x100000001b3ull;
  return MixBits(h);
}

struct Use {
  size_t node, place;
};

class Canonical {
 public:
  explicit Canonical(const record::Graph& graph) {
    for (const record::GraphNode& n : graph.nodes) Read(n);
    for (const std::string& o : graph.outputs) outputs_.push_back(Value(o));
    Live();
  }

  std::string Hash() {
    Start();
    for (int i = 0; i < kRounds; ++i) Refine();
    std::vector<uint64_t> all, ends;
    for (size_t v = 0; v < colour_.size(); ++v)
      if (live_[v]) all.push_back(colour_[v]);
    for (size_t o : outputs_) ends.push_back(colour_[o]);
    std::sort(all.begin(), all.end());
    std::sort(ends.begin(), ends.end());
    uint64_t h = 1;
    for (uint64_t c : all) h = Combine(h, c);
    h = Combine(h, 2);
    for (uint64_t c : ends) h = Combine(h, c);
    return fmt::format("{:016x}", h);
  }

 private:
  struct Node {
    std::string label;  // operation and what of its arguments is no tensor, as kinds
    bool any_order = false;
    std::vector<size_t> args, out;
  };

  size_t Value(const std::string& id) {
    auto [it, fresh] = ids_.try_emplace(id, uses_.size());
    if (fresh) uses_.emplace_back(), made_by_.push_back(-1);
    return it->second;
  }

  void Read(const record::GraphNode& n) {
    static const std::set<std::string> kSame = {
        "clone", "contiguous", "double", "float",     "half",    "to",      "type_as", "detach",
        "alias", "reshape",    "view",   "unsqueeze", "squeeze", "flatten", "expand",  "expand_as"};
    static const std::set<std::string> kAnyOrder = {
        "add",         "mul",        "maximum",     "minimum",    "eq",      "ne",
        "logical_and", "logical_or", "bitwise_and", "bitwise_or", "__and__", "__or__"};
    std::string op = n.op;
    const record::GraphArgs& args = n.args;
    if (kSame.count(op) && args.at(0).IsTensor()) {
      ids_[n.id()] = Value(args[0].tensor);
      return;
    }
    if (n.ChangesOperand()) op.pop_back();  // the same sum
    Node node;
    if (op == "square") op = "mul", node.args.push_back(Value(args.at(0).tensor));
    if (op == "rsub") op = "sub";
    node.any_order = kAnyOrder.count(op) > 0;
    node.label = op;
    for (size_t i = 0; i < args.size(); ++i) {
      const GraphArg& a = args[i];
      if ((op == "add" || op == "sub") && i == 2 && a.Is(1)) continue;
      Argument(a, node);
    }
    for (const record::GraphValue& o : n.out) {
      size_t v = Value(o.id);
      node.out.push_back(v);
      made_by_[v] = static_cast<long>(nodes_.size());
    }
    for (size_t i = 0; i < node.args.size(); ++i)
      uses_[node.args[i]].push_back({nodes_.size(), node.any_order ? 0 : i});
    nodes_.push_back(std::move(node));
  }
  void Argument(const GraphArg& a, Node& node) {
    if (a.IsNone()) return;
    if (a.IsTensor()) {
      node.args.push_back(Value(a.tensor));
      node.label += "t";
    } else if (a.IsList()) {
      bool tensors = false;
      for (const GraphArg& x : a.list)
        if (x.IsTensor()) node.args.push_back(Value(x.tensor)), tensors = true;
      node.label += tensors ? "[t]" : "[#]";
    } else {
      node.label += "#";
    }
  }

  void Live() {
    live_.assign(uses_.size(), false);
    std::vector<size_t> open = outputs_;
    while (!open.empty()) {
      size_t v = open.back();
      open.pop_back();
      if (live_[v]) continue;
      live_[v] = true;
      if (made_by_[v] < 0) continue;
      for (size_t a : nodes_[static_cast<size_t>(made_by_[v])].args) open.push_back(a);
    }
  }

  bool Lives(const Node& n) const {
    return std::any_of(n.out.begin(), n.out.end(), [&](size_t v) { return live_[v]; });
  }
  void Start() {
    colour_.assign(uses_.size(), TextHash("input"));
    for (const Node& n : nodes_)
      for (size_t i = 0; i < n.out.size(); ++i) colour_[n.out[i]] = Combine(TextHash(n.label), i);
    for (size_t o : outputs_) colour_[o] = Combine(colour_[o], TextHash("output"));
  }
  void Refine() {
    std::vector<uint64_t> next(colour_.size());
    for (size_t v = 0; v < colour_.size(); ++v) {
      uint64_t h = colour_[v];
      if (made_by_[v] >= 0) {
        const Node& n = nodes_[static_cast<size_t>(made_by_[v])];
        std::vector<uint64_t> from;
        for (size_t a : n.args) from.push_back(colour_[a]);
        if (n.any_order) std::sort(from.begin(), from.end());
        for (uint64_t c : from) h = Combine(h, c);
      }
      std::vector<uint64_t> users;
      for (const Use& u : uses_[v])
        if (Lives(nodes_[u.node]))
          users.push_back(Combine(colour_[nodes_[u.node].out[0]], u.place));
      std::sort(users.begin(), users.end());
      h = Combine(h, 7);
      for (uint64_t c : users) h = Combine(h, c);
      next[v] = h;
    }
    colour_ = std::move(next);
  }

  std::map<std::string, size_t> ids_;
  std::vector<Node> nodes_;
  std::vector<std::vector<Use>> uses_;
  std::vector<long> made_by_;
  std::vector<size_t> outputs_;
  std::vector<bool> live_;
  std::vector<uint64_t> colour_;
};
}  // namespace

std::string CanonicalHash(const record::Graph& graph) { return Canonical(graph).Hash(); }

}  // namespace akgen::corpus
