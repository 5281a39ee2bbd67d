#include "craft/plan/product_cuts.h"

#include <algorithm>

#include "craft/plan/products.h"

namespace akgen::craft {

// Values that several launches read are stored rather than computed again by each, unless that
// takes a few operations only: the sum that a network's block passes on grows with every block.
ProductCuts::ProductCuts(const ProductGraph& g, const ProductMemory& memory, int cut)
    : g_(g), memory_(memory), cut_(cut) {
  constexpr int kCheap = 4, kReduction = 8;
  std::map<std::string, std::set<std::string>> readers;  // by value: the launches that read it
  for (const std::string& o : g_.graph.outputs) readers[o].insert("");
  for (auto n = g_.graph.nodes.rbegin(); n != g_.graph.nodes.rend(); ++n)
    for (const GraphArg& a : n->args)
      record::ForEachTensor(a, [&](const std::string& id) {
        if (IsProduct(n->op) || IsWindowed(n->op))
          readers[id].insert(id);
        else if (IsCut(*n, cut_))
          readers[id].insert(n->id());
        else
          for (const auto& o : n->out)
            readers[id].insert(readers[o.id].begin(), readers[o.id].end());
      });
  std::map<std::string, int> cost;  // of computing a value from what is stored
  for (const GraphNode& n : g_.graph.nodes) {
    int all = IsCut(n, 4) ? ReducesDims(n) ? kReduction : 1 : 0;
    if (n.op == "cat") all = static_cast<int>(n.args.at(0).list.size());
    for (const GraphArg& a : n.args)
      record::ForEachTensor(a, [&](const std::string& id) { all += cost[id]; });
    all = std::min(all, 1000);
    for (const auto& o : n.out) {
      const bool stored = g_.ProductOf(o.id).node || IsCut(n, cut_);
      if (!stored && all > kCheap && readers[o.id].size() > 1) shared_.insert(o.id);
      cost[o.id] = stored || shared_.count(o.id) ? 0 : all;
    }
  }
}

void ProductCuts::Closure(const std::string& id, std::set<std::string>& needed,
                          std::vector<std::string>& outside, bool target) const {
  if (needed.count(id)) return;
  needed.insert(id);
  auto it = g_.makers.find(id);
  if (it == g_.makers.end() || g_.ProductOf(id).node || memory_.HasMade(id) ||
      (!target && (IsCut(*it->second, cut_) || shared_.count(id)))) {
    outside.push_back(id);
    return;
  }
  static const std::set<std::string> kSized = {"reshape", "view", "expand",
                                               "unflatten"};  // shapes say the sizes
  for (const GraphArg& a : it->second->args) {
    if (kSized.count(it->second->op) && !a.IsTensor()) continue;
    ForEachRead(a, [&](const std::string& t) {
      if (!IsWindowed(it->second->op)) return Closure(t, needed, outside, false);
      if (needed.insert(t).second) outside.push_back(t);
    });
  }
}

void ProductCuts::ForEachRead(const GraphArg& a,
                              const std::function<void(const std::string&)>& visit) const {
  if (a.IsTensor()) visit(a.tensor);
  for (const GraphArg& inner : a.list) ForEachRead(inner, visit);
  std::function<void(const GraphNumber&)> number = [&](const GraphNumber& n) {
    if (IsKnownExtent(n)) return;
    if (n.from == GraphNumber::From::kTensor) visit(n.name);
    for (const GraphNumber& inner : n.args) number(inner);
  };
  if (a.IsNumber()) number(a.number);
}

bool ProductCuts::IsKnownExtent(const GraphNumber& n) const {
  return n.from == GraphNumber::From::kOperation && n.name == "size" && n.args.size() == 2 &&
         n.HasInt() && n.args[0].from == GraphNumber::From::kTensor && n.args[1].HasInt() &&
         memory_.Has(n.args[0].name);
}

}  // namespace akgen::craft
