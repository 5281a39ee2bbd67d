// Inputs that may be missing, attributes that choose.
#include "corpus/compose/choices.h"

#include <algorithm>
#include <cmath>

namespace akgen::corpus {
using base::Json;

// A factor, a summand or both that may be missing.
size_t Choices::Optional(size_t v, bool summand) {
  if (d_.c.switches.size() > 1 || d_.whole || d_.c.lists || d_.values[v].shape != d_.full ||
      d_.Most(v) > kMaxValue / 4)
    return e_.Unary(v);
  d_.Family("optional");
  const int which = static_cast<int>(d_.c.switches.size());
  d_.c.switches.push_back(2);
  const SymbolicShape shape = summand                ? d_.full
                              : d_.random.Chance(50) ? d_.full.substr(d_.full.size() - 1)
                              : d_.random.Chance(60) ? d_.full
                                                     : SymbolicShape("1");
  const int kind = summand ? 3 : static_cast<int>(d_.random.Below(4));
  auto with = [&](const char* op, double low, double high) {
    size_t x = d_.Input(shape, low, high);
    d_.c.inputs.back().without = which;
    size_t y = op == std::string("mul") ? e_.Mul(v, x) : e_.Add(v, x, op);
    CompositionNode& n = d_.c.nodes.back();
    n.by = which;
    n.others = {{"", {d_.Tensor(v)}, d_.values[v].shape}};
    d_.values[y].low = std::min(d_.values[y].low, d_.values[v].low),
    d_.values[y].high = std::max(d_.values[y].high, d_.values[v].high);
    d_.values[x].result_only = true;  // nothing else may take what can be missing
    v = y;
  };
  if (kind < 3) with(kind == 2 ? "add" : "mul", kind == 2 ? -1 : 0.5, 1.5);
  if (kind == 0 || kind == 3) with(d_.random.Chance(80) ? "add" : "sub", -1, 1);
  return v;
}

// An attribute that says which of several operations.
size_t Choices::Switched(size_t v) {
  if (d_.c.switches.size() > 1 || d_.whole || d_.c.lists || d_.values[v].shape != d_.full)
    return e_.Unary(v);
  d_.Family("chosen");
  v = e_.Within(v, 4);
  if (d_.random.Chance(35)) {
    std::vector<Json> how = {"tanh", "none"};
    if (d_.random.Chance(50)) std::swap(how[0], how[1]);
    size_t y = d_.Node(
        "gelu",
        {d_.Tensor(v),
         record::GraphArg::Number(AttributeNumber("a" + std::to_string(d_.c.attrs.size())))},
        d_.values[v].shape, -0.2, 4, {v});
    const int which = static_cast<int>(d_.Switch("string", how));
    d_.c.nodes.back().by = which;
    d_.c.nodes.back().others = {{"gelu", d_.c.nodes.back().args, d_.values[v].shape}};
    return y;
  }
  static const char* const kOps[] = {"sigmoid", "tanh", "erf", "sin",  "cos",
                                     "relu",    "neg",  "abs", "atan", "exp"};
  const size_t states = d_.random.Chance(70) ? 2 : 3, first = d_.random.Below(std::size(kOps));
  std::vector<Alternative> others;
  for (size_t k = 1; k < states; ++k)
    others.push_back({d_.random.Chance(15) ? "" : kOps[(first + k) % std::size(kOps)],
                      {d_.Tensor(v)},
                      d_.values[v].shape});
  size_t y = d_.Node(kOps[first], {d_.Tensor(v)}, d_.values[v].shape, -4, std::exp(4.0), {v});
  static const std::vector<Json> kWords = {"fast", "exact", "none"}, kNumbers = {0, 1, 2};
  std::vector<Json> values = states == 2 && d_.random.Chance(40) ? std::vector<Json>{true, false}
                             : d_.random.Chance(50)              ? kNumbers
                                                                 : kWords;
  values.resize(states);
  if (d_.random.Chance(30)) std::reverse(values.begin(), values.end());
  const std::string type = values[0].is_boolean()  ? "bool"
                           : values[0].is_number() ? "int"
                                                   : "string";
  d_.c.nodes.back().by = static_cast<int>(d_.Switch(type, values));
  d_.c.nodes.back().others = others;
  return y;
}

// As losses and their gradients end: an attribute says whether with the mean or the sum of
// everything, or with neither.
size_t Choices::ByMode(size_t v) {
  if (d_.c.switches.size() > 1) return rows_.Whole(v);
  d_.Family("mode");
  v = e_.Within(v, 5);
  if (d_.random.Chance(30)) {
    size_t other = d_.PickOther(v);
    if (d_.values[other].shape != d_.full || d_.values[other].result_only)
      other = d_.Input(d_.full, -2, 2);
    size_t d = e_.Add(v, other, "sub");
    v = e_.Within(e_.Mul(d, d_.random.Chance(50) ? d : e_.Again(d)), 5);
  }
  std::vector<std::string> modes = {"mean", "sum"};
  if (d_.random.Chance(40)) std::swap(modes[0], modes[1]);
  if (d_.random.Chance(60)) modes.insert(modes.begin() + (d_.random.Chance(70) ? 2 : 1), "none");
  const bool gradient = d_.random.Chance(50);  // nothing is summed: the mean's gradient is divided
  size_t size_of = v;
  for (size_t i = 0; i < d_.values.size(); ++i)
    if (d_.values[i].leaf && d_.values[i].shape == d_.full && d_.random.Chance(70)) size_of = i;
  std::vector<Alternative> all;
  for (const std::string& mode : modes) {
    const Args self = {d_.Tensor(v)};
    if (mode == "none" || (gradient && mode == "sum"))
      all.push_back({"", self, d_.full});
    else if (gradient)
      all.push_back({"div",
                     {d_.Tensor(v), record::GraphArg::Number(
                                        Operation("numel", {TensorNumber(d_.values[size_of].id)}))},
                     d_.full});
    else
      all.push_back({mode, {d_.Tensor(v), {}}, ""});
  }
  const auto makes =
      std::find_if(all.begin(), all.end(), [](const Alternative& a) { return !a.op.empty(); }) -
      all.begin();
  std::swap(all[0], all[static_cast<size_t>(makes)]),
      std::swap(modes[0], modes[static_cast<size_t>(makes)]);  // the first one makes a value
  const Alternative first = all[0];
  size_t y = d_.Node(first.op, first.args, first.shape, -kMaxValue, kMaxValue, {v});
  d_.c.nodes.back().by = static_cast<int>(d_.Switch("string", {modes.begin(), modes.end()}));
  d_.c.nodes.back().others.assign(all.begin() + 1, all.end());
  return y;
}

}  // namespace akgen::corpus
