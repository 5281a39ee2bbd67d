#include "craft/plan/nest_scope.h"

#include <limits>

namespace akgen::craft {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNumber;

NestValue NestScope::Value(const std::string& id) {
  if (auto it = values.find(id); it != values.end()) return it->second;
  auto in = g.inputs.find(id);
  if (in == g.inputs.end()) throw Unplanned{"a constant tensor"};
  NestNode n;
  n.kind = NestNode::kLeaf;
  n.input = id;
  n.dims = in->second;
  NestValue v{-1, in->second, {}, -1};
  if (auto pair = pairs.find(id); pair != pairs.end()) {
    v.dims.pop_back();
    n.dims = v.dims;
    n.roles[pair->second].fixed = true;
    n.roles[pair->second].index = "1";
    v.imaginary = nest::Add(g, n);
    n.roles[pair->second].index = "0";
  }
  v.node = nest::Add(g, n);
  return values[id] = v;
}

NestValue NestScope::Operand(const GraphArg& a) {
  if (a.IsNone()) throw Unplanned{"an operand that is left out"};
  if (a.IsTensor()) {
    NestValue v = Value(a.tensor);
    if (v.node < 0 && v.part_axis < 0) throw Unplanned{"a part of a computed value"};
    if (v.imaginary >= 0) throw Unplanned{"this operation on complex numbers", Obstacle::kOperands};
    return v;
  }
  if (!a.IsNumber()) throw Unplanned{"a list as an operand"};
  NestNode n;
  n.kind = NestNode::kScalar;
  n.text = Number(a.number);
  return {nest::Add(g, n), {}, {}, -1};
}

std::string NestScope::Number(const GraphNumber& n) {
  using From = GraphNumber::From;
  switch (n.from) {
    case From::kConstant:
    case From::kTurn: return ConstantOf(n);
    case From::kAttribute: {
      std::string name = "s" + n.name.substr(1);
      g.numbers[name] = n.name;
      return name;
    }
    case From::kElement:
      g.items.insert(n.name);
      return fmt::format("item({}[{}])", n.name, n.args.empty() ? "0" : Number(n.args[0]));
    case From::kOperation: break;
    default: throw Unplanned{"a number of an unknown kind"};
  }
  if (auto host = HostNumber(n)) {
    for (const auto& [name, text] : g.numbers)
      if (text == *host) return name;
    std::string name = fmt::format("h{}", g.numbers.size());
    g.numbers[name] = *host;
    return name;
  }
  const std::string& op = n.name;
  if (op == "numel") return ExtentMark(nest::Flat(Value(n.args.at(0).name).dims));
  if (op == "size") {
    nest::Dims d = Value(n.args.at(0).name).dims;
    int64_t i = n.args.at(1).Int();
    return ExtentMark(d[i < 0 ? i + d.size() : i]);
  }
  if (op == "__derive_index" || op == "dim" || op == "len") return ConstantOf(n);
  std::vector<std::string> a;
  for (const GraphNumber& x : n.args) a.push_back(Number(x));
  return NumberText(op, a);
}

// A dimension as the host finds it: one of an input, or a part of one.
std::optional<std::string> NestScope::HostExtent(const Run& run) const {
  const Run r = g.axes.Resolve(run);
  if (r.empty()) return "1";
  if (r.size() == 1)
    if (auto how = g.derived.find(r[0]); how != g.derived.end()) return how->second.text;
  if (r.size() == 1 && g.constants.count(r[0])) return std::to_string(g.axes.extent(r[0]));
  for (const auto& [id, dims] : g.inputs)
    for (size_t d = 0; d < dims.size(); ++d)
      if (g.axes.Resolve(dims[d]) == r) return fmt::format("{}.shape[{}]", id, d);
  return std::nullopt;
}

std::optional<std::string> NestScope::HostSize(const GraphNumber& n) const {
  if (n.IsConstant()) return n.HasInt() ? ConstantText(n.value) : std::nullopt;
  if (n.from != GraphNumber::From::kOperation) return std::nullopt;
  if (n.name == "size") {
    auto value = values.find(n.args.at(0).name);
    auto input = g.inputs.find(n.args.at(0).name);
    if (value == values.end() && input == g.inputs.end()) return std::nullopt;
    const nest::Dims& dims = value != values.end() ? value->second.dims : input->second;
    const int64_t i = n.args.at(1).Int();
    return HostExtent(
        dims.at(static_cast<size_t>(i < 0 ? i + static_cast<int64_t>(dims.size()) : i)));
  }
  static const std::map<std::string, const char*> kOps = {
      {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"floordiv", "//"}, {"remainder", "%"}};
  auto op = kOps.find(n.name);
  if (n.args.size() == 1 && n.name == "neg")
    if (auto a = HostSize(n.args[0])) return fmt::format("(-{})", *a);
  if (op == kOps.end() || n.args.size() != 2) return std::nullopt;
  auto a = HostSize(n.args[0]), b = HostSize(n.args[1]);
  return a && b ? std::optional(fmt::format("({} {} {})", *a, op->second, *b)) : std::nullopt;
}

// x[start:end:step] of a dimension, as Python cuts it.
std::optional<std::string> NestScope::SliceLength(const GraphArgs& a, const Run& whole) const {
  const auto all = HostExtent(whole);
  if (!all) return std::nullopt;
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  auto place = [&](const GraphArg& x, int64_t otherwise) -> std::optional<std::string> {
    const bool none = x.IsNone() || (x.number.IsConstant() && x.number.Int() == kLast);
    if (none) return otherwise == 0 ? "0" : *all;
    auto text = HostSize(x.number);
    if (text && x.number.Int() < 0) text = fmt::format("max(0, {} + {})", *all, *text);
    return text;
  };
  const auto start = place(a[2], 0), end = place(a[3], kLast);
  if (!start || !end || !a[4].number.IsConstant()) return std::nullopt;
  std::string length = *end == *all ? *all : fmt::format("min({}, {})", *end, *all);
  if (*start != "0") length = fmt::format("max(0, {} - {})", length, *start);
  return a[4].Is(1) ? length : fmt::format("ceil_div({}, {})", length, a[4].number.Int());
}

}  // namespace akgen::craft
