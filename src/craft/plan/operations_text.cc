#include "craft/plan/operations_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>

#include "craft/ir/ir.h"

namespace akgen::craft {
using base::Json;
using record::GraphArg;
using record::GraphNode;
using record::GraphNumber;

namespace {
using Shape = std::vector<int64_t>;
using GroupDims = std::vector<int64_t>;  // one dimension in every case of a group

std::string Join(const std::vector<std::string>& parts, const char* between = ", ") {
  std::string out;
  for (const auto& p : parts) out += (out.empty() ? "" : between) + p;
  return out;
}

std::string DtypesText(const std::vector<base::Dtype>& dtypes) {
  bool same =
      std::adjacent_find(dtypes.begin(), dtypes.end(), std::not_equal_to<>()) == dtypes.end();
  std::vector<std::string> names;
  for (base::Dtype d : dtypes) names.emplace_back(ir::ShortName(d));
  return same && !names.empty() ? names[0] : Join(names, "|");
}

std::string ShownLiteral(const Json& v) {
  if (v.is_boolean()) return v.get<bool>() ? "True" : "False";
  if (v.is_number_float()) return fmt::format("{}", v.get<double>());
  return base::Dump(v);
}
std::string ShownLiteral(const record::GraphConstant& v) { return ShownLiteral(record::ToJson(v)); }

// Cases of one graph. Dimensions are told by how they go from case to case, so only cases of one
// rank are looked at: the one that is wanted, where there are such cases, so that results are told
// as the inputs were; else the largest.
class Group {
 public:
  Group(const PlanTask& task, const std::vector<size_t>& cases, size_t wanted) : task_(task) {
    for (size_t c : cases) rank_ = std::max(rank_, Rank(c));
    if (std::any_of(cases.begin(), cases.end(), [&](size_t c) { return Rank(c) == wanted; }))
      rank_ = wanted;
    for (size_t c : cases)
      if (Rank(c) == rank_ && (cases_.empty() || task.cases[c].graph.nodes.size() ==
                                                     task.cases[cases_[0]].graph.nodes.size()))
        cases_.push_back(c);
    for (size_t c : cases_) graphs_.push_back(Pruned(task.cases[c].graph));
  }

  std::string ShapeOfInput(const std::string& id) {
    std::vector<Shape> all;
    for (size_t c : cases_)
      if (auto it = task_.cases[c].shapes.find(id); it != task_.cases[c].shapes.end())
        all.push_back(it->second);
    return all.size() == cases_.size() ? Text(all) : all.empty() ? "" : Text({all[0]});
  }

  std::string Nodes() {
    std::string out;
    const std::vector<GraphNode>& nodes = graphs_[0].nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      std::vector<std::string> to;
      for (const auto& o : nodes[n].out) to.push_back(o.id);
      out += Join(to) + " = " + Call(nodes[n]) + Result(n) + "\n";
    }
    return out;
  }
  std::string ShapeOfOutput(size_t o) {
    std::vector<Shape> all;
    for (size_t g = 0; g < graphs_.size(); ++g) all.push_back(ShapeOf(g, graphs_[g].outputs.at(o)));
    return Text(all);
  }
  const std::vector<std::string>& outputs() const { return graphs_[0].outputs; }
  size_t rank() const { return rank_; }

 private:
  size_t Rank(size_t c) const {
    size_t most = 0;
    for (const auto& [id, shape] : task_.cases[c].shapes) most = std::max(most, shape.size());
    return most;
  }
  // GroupDims get letters in the order they are met; one that is a multiple of another in several
  // cases says so.
  std::string Dim(const GroupDims& e) {
    if (std::all_of(e.begin(), e.end(), [](int64_t v) { return v <= 1; }))
      return std::to_string(e[0]);
    if (auto it = letters_.find(e); it != letters_.end()) return it->second;
    const bool tells = std::adjacent_find(e.begin(), e.end(), std::not_equal_to<>()) != e.end();
    for (const auto& [other, letter] : letters_) {
      if (!tells || other.size() != e.size() ||
          std::find(other.begin(), other.end(), 0) != other.end() || letter.size() > 1)
        continue;
      int64_t times = e[0] / other[0];
      bool all = times == 2;  // as halves and joins make them; others are mostly chance
      for (size_t i = 0; i < e.size() && all; ++i) all = e[i] == times * other[i];
      if (all) return fmt::format("{}{}", times, letter);
    }
    std::string letter = next_ <= 'Z' ? std::string(1, next_++) : std::to_string(e[0]);
    return letters_[e] = letter;
  }
  std::string Text(const std::vector<Shape>& all) {
    std::vector<std::string> dims;
    for (size_t d = 0; d < all[0].size(); ++d) {
      GroupDims e;
      for (const Shape& s : all) e.push_back(d < s.size() ? s[d] : 1);
      dims.push_back(Dim(e));
    }
    return "[" + Join(dims) + "]";
  }
  // Shapes of the values an operation takes, in the first case.
  std::vector<Shape> Operands(const GraphNode& node) const {
    std::vector<Shape> out;
    for (const GraphArg& a : node.args)
      if (a.IsTensor()) out.push_back(ShapeOf(0, a.tensor));
    return out;
  }
  Shape ShapeOf(size_t graph, const std::string& id) const {
    for (const GraphNode& n : graphs_[graph].nodes)
      for (const auto& o : n.out)
        if (o.id == id) return o.shape;
    const auto& shapes = task_.cases[cases_[graph]].shapes;
    auto it = shapes.find(id);
    return it == shapes.end() ? Shape{} : it->second;
  }
  std::string Result(size_t n) {
    const std::vector<record::GraphValue>& out = graphs_[0].nodes[n].out;
    Shape spread;
    for (const Shape& s : Operands(graphs_[0].nodes[n])) {
      if (s.size() > spread.size()) spread.insert(spread.begin(), s.size() - spread.size(), 1);
      for (size_t d = 0; d < s.size(); ++d)
        spread[spread.size() - 1 - d] =
            std::max(spread[spread.size() - 1 - d], s[s.size() - 1 - d]);
    }
    if (out.size() == 1 && out[0].shape == spread) return "";
    std::string text;
    for (size_t o = 0; o < out.size(); ++o) {
      std::vector<Shape> all;
      for (const record::Graph& g : graphs_) all.push_back(g.nodes.at(n).out.at(o).shape);
      text += " " + Text(all);
    }
    return text;
  }

  static std::string Number(const GraphNumber& n) {
    using From = GraphNumber::From;
    switch (n.from) {
      case From::kConstant: return ShownLiteral(n.value);
      case From::kTensor:
      case From::kAttribute: return n.name;
      case From::kElement:
        return fmt::format("item({}{})", n.name, n.args.empty() ? "" : ", " + Number(n.args[0]));
      case From::kTurn: return "turn";
      case From::kComputed:
        return std::holds_alternative<std::monostate>(n.value) ? "?" : ShownLiteral(n.value);
      case From::kOperation: break;
    }
    std::vector<std::string> args;
    for (const GraphNumber& a : n.args) args.push_back(Number(a));
    return n.name + "(" + Join(args) + ")";
  }
  static std::string Argument(const GraphArg& a) {
    if (a.IsNone()) return "None";
    if (a.IsTensor()) return a.tensor;
    if (a.IsNumber()) return Number(a.number);
    std::vector<std::string> parts;
    for (const GraphArg& x : a.list) parts.push_back(Argument(x));
    return "[" + Join(parts) + "]";
  }
  static std::string Call(const GraphNode& node) {
    static const std::map<std::string, const char*> kSigns = {
        {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"lt", "<"},  {"le", "<="},
        {"gt", ">"},  {"ge", ">="}, {"eq", "=="}, {"ne", "!="}, {"pow", "**"}};
    const std::string& op = node.op;
    std::vector<std::string> args;
    for (const GraphArg& a : node.args) args.push_back(Argument(a));
    bool plain = args.size() == 2 ||
                 (args.size() == 3 && args[2] == "1");  // the third of add and sub is a factor
    if (auto sign = kSigns.find(op); sign != kSigns.end() && plain)
      return args[0] + " " + sign->second + " " + args[1];
    while (!args.empty() && args.back() == "None") args.pop_back();
    return op + "(" + Join(args) + ")";
  }

  const PlanTask& task_;
  size_t rank_ = 0;
  std::vector<size_t> cases_;
  std::vector<record::Graph> graphs_;
  std::map<GroupDims, std::string> letters_;
  char next_ = 'A';
};

// The first few values that an attribute has in some cases, each once.
std::string Values(const PlanTask& task, const std::vector<size_t>& cases, const std::string& id,
                   const char* between) {
  std::vector<std::string> out;
  for (size_t c : cases)
    if (auto it = task.cases[c].attrs.find(id); it != task.cases[c].attrs.end())
      if (std::string text = ShownLiteral(it->second);
          std::find(out.begin(), out.end(), text) == out.end() && out.size() < 3)
        out.push_back(text);
  return Join(out, between);
}

// What the cases of a group have in common.
std::string When(const PlanTask& task, const std::vector<size_t>& cases) {
  std::vector<std::string> out;
  for (const PlanParam& p : task.params) {
    if (std::string values =
            p.is_attr && p.type != "float" ? Values(task, cases, p.id, " or ") : "";
        !values.empty())
      out.push_back(p.id + " = " + values);
    if (p.optional) out.push_back((task.cases[cases[0]].shapes.count(p.id) ? "" : "no ") + p.id);
  }
  return "when " + Join(out) + "\n";
}

std::vector<std::vector<size_t>> Groups(const PlanTask& task) {
  std::vector<std::vector<size_t>> out;
  std::map<std::string, size_t> known;
  for (size_t c = 0; c < task.cases.size(); ++c) {
    PlanCase pruned = task.cases[c];
    pruned.graph = Pruned(pruned.graph);
    auto [it, fresh] = known.try_emplace(Structure(task, pruned), out.size());
    if (fresh) out.emplace_back();
    out[it->second].push_back(c);
  }
  return out;
}
}  // namespace

std::string OperationsText(const PlanTask& task) {
  std::string out;
  std::vector<std::vector<size_t>> groups = Groups(task);
  std::vector<size_t> all(task.cases.size());
  std::iota(all.begin(), all.end(), size_t{0});
  for (size_t g = 0, rank = SIZE_MAX; g < groups.size(); ++g) {
    Group group(task, groups[g], rank);
    if (g == 0) rank = group.rank();
    if (g == 0)
      for (const PlanParam& p : task.params)
        out += p.is_attr ? fmt::format("{}: {}, {}\n", p.id, p.type, Values(task, all, p.id, ", "))
                         : fmt::format("{}: {}{}{} {}\n", p.id, p.optional ? "optional " : "",
                                       p.is_list ? "list " : "", DtypesText(p.dtypes),
                                       group.ShapeOfInput(p.id));
    if (groups.size() > 1) out += When(task, groups[g]);
    out += group.Nodes() + "return ";
    for (size_t o = 0; o < task.outputs.size(); ++o) {
      const PlanOutput& y = task.outputs[o];
      out += fmt::format(
          "{}{}: {}{}{}{}", o ? ", " : "", o < group.outputs().size() ? group.outputs()[o] : "?",
          y.is_list ? "list " : "", DtypesText(y.dtypes),
          o < group.outputs().size() ? " " + group.ShapeOfOutput(o) : "",
          y.inplace_of.empty() ? "" : (y.in_signature ? " in " : " over ") + y.inplace_of);
    }
    out += "\n";
  }
  return out;
}

}  // namespace akgen::craft
