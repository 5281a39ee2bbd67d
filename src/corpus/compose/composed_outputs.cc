// Outputs, their dtypes, order and memory.
#include "corpus/compose/composed_outputs.h"

#include <algorithm>

namespace akgen::corpus {
using base::Dtype;

// The first output has the inputs' dtype, unless it is a boolean; a further one is sometimes float,
// as statistics are.
void ComposedOutputs::Take(const std::vector<size_t>& open, bool eight_bits) {
  for (size_t v : open) {
    d_.c.outputs.push_back(d_.values[v].id);
    d_.c.depth = std::max(d_.c.depth, d_.values[v].depth);
    d_.c.fixed.emplace_back();
    if (d_.values[v].result_only)
      d_.c.fixed.back() = Dtype::kBool;
    else if (eight_bits)
      d_.c.fixed.back() = Dtype::kInt8;
    else if (d_.c.fixed.size() > 1 && !d_.whole && d_.random.Chance(50))
      d_.c.fixed.back() = Dtype::kFloat32;
  }
  for (auto [v, statistic] : d_.kept) {
    if (std::find(d_.c.outputs.begin(), d_.c.outputs.end(), d_.values[v].id) != d_.c.outputs.end())
      continue;
    d_.c.outputs.push_back(d_.values[v].id);
    d_.c.fixed.emplace_back();
    if (statistic) d_.c.fixed.back() = Dtype::kFloat32;
  }
  const bool half = std::all_of(d_.c.dtypes.begin(), d_.c.dtypes.end(), [](Dtype d) {
    return base::IsFloating(d) && d != Dtype::kFloat32;
  });
  if (half && !d_.c.lists && !d_.c.fixed[0] && d_.random.Chance(28)) {  // in float32 as well
    d_.c.outputs.insert(d_.c.outputs.begin(), d_.c.outputs[0]);
    d_.c.fixed.insert(d_.c.fixed.begin(), Dtype::kFloat32);
  } else if (!d_.c.lists && !d_.c.fixed[0] && !d_.whole && d_.random.Chance(4)) {
    d_.c.fixed[0] = Dtype::kFloat32;
  }
  if (!d_.c.lists && !d_.whole && d_.random.Chance(3)) Zeros();
  AnyOrder();
  InPlace();
}

// A result that says nothing, as operators have for what a mode does not compute.
void ComposedOutputs::Zeros() {
  size_t v = d_.Pick();
  if (d_.values[v].shape != d_.full) return;
  const bool used = d_.values[v].used;
  size_t z = d_.Node("zeros_like", {d_.Tensor(v)}, d_.full, 0, 0, {v});
  d_.values[v].used = used;
  d_.c.outputs.push_back(d_.values[z].id);
  d_.c.fixed.emplace_back();
  if (d_.random.Chance(40))
    d_.c.fixed.back() = d_.random.Chance(50) ? Dtype::kInt8 : Dtype::kFloat32;
}

// Operators take weights before what they weigh, and give statistics before what they were made
// for.
void ComposedOutputs::AnyOrder() {
  if (d_.c.outputs.size() > 1 && d_.random.Chance(45)) {
    std::vector<size_t> order(d_.c.outputs.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    d_.random.Shuffle(order);
    const auto outputs = d_.c.outputs;
    const auto fixed = d_.c.fixed;
    for (size_t i = 0; i < order.size(); ++i)
      d_.c.outputs[i] = outputs[order[i]], d_.c.fixed[i] = fixed[order[i]];
  }
  if (d_.c.inputs.size() < 2 || !d_.random.Chance(30)) return;
  std::vector<CompositionInput> shuffled = d_.c.inputs;
  d_.random.Shuffle(shuffled);
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < shuffled.size(); ++i) {
    const std::string id = "x" + std::to_string(i);
    names[shuffled[i].id] = id;
    shuffled[i].id = id;
  }
  d_.c.inputs = shuffled;
  Renamed(names);
  for (Draft::Value& v : d_.values)
    if (auto it = names.find(v.id); it != names.end()) v.id = it->second;
}

void ComposedOutputs::Renamed(const std::map<std::string, std::string>& names) {
  auto rename = [&](Args& args) {
    for (record::GraphArg& a : args)
      record::ForEachTensor(a, [&](std::string& id) {
        if (auto it = names.find(id); it != names.end()) id = it->second;
      });
  };
  for (CompositionNode& n : d_.c.nodes) {
    rename(n.args);
    for (Alternative& a : n.others) rename(a.args);
  }
  for (auto* ids : {&d_.c.outputs, &d_.c.inplace})
    for (std::string& id : *ids)
      if (auto it = names.find(id); it != names.end()) id = it->second;
}

void ComposedOutputs::InPlace() {
  d_.c.inplace.assign(d_.c.outputs.size(), "");
  if (d_.c.lists || !d_.random.Chance(15)) return;
  d_.c.over = d_.random.Chance(40);
  size_t next = 0;
  for (size_t o = 0; o < d_.c.outputs.size(); ++o) {
    if (d_.c.fixed[o] || ShapeOfValue(d_.c, d_.c.outputs[o]) != d_.full) continue;
    while (next < d_.c.inputs.size() &&
           (d_.c.inputs[next].shape != d_.full || !d_.c.inputs[next].dtypes.empty() ||
            d_.c.inputs[next].without >= 0 || d_.c.inputs[next].by >= 0))
      ++next;
    if (next < d_.c.inputs.size()) d_.c.inplace[o] = d_.c.inputs[next++].id;
  }
}

}  // namespace akgen::corpus
