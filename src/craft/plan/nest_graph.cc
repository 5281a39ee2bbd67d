// A graph as values over axes.
#include <algorithm>

#include "craft/plan/nest_joined.h"
#include "craft/plan/nest_operations.h"
#include "craft/plan/nest_views.h"
#include "craft/plan/products.h"
#include "craft/plan/whole.h"

namespace akgen::craft {
namespace {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;

std::string LettersOf(int i) {
  return (i >= 26 ? LettersOf(i / 26 - 1) : "") + static_cast<char>('a' + i % 26);
}

// Values that are seen along other axes are computed again; where the axes became the same in the
// end, one of them is enough.
void ShareEqualNodes(NestGraph& g) {
  auto runs = [&](const nest::Dims& dims) {
    std::string out;
    for (const Run& d : dims) out += ExtentMark(g.axes.Resolve(d));
    return out;
  };
  std::map<std::string, int> first;
  std::vector<int> as(g.nodes.size());
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    NestNode& n = g.nodes[i];
    std::string key = fmt::format("{}|{}|{}|{}|{}", static_cast<int>(n.kind), n.text, n.whole,
                                  n.input, runs(n.dims));
    for (int& a : n.args) key += fmt::format(",{}", a = as[static_cast<size_t>(a)]);
    for (const auto& [axis, r] : n.roles)
      key += fmt::format("|{}:{}:{}:{}:{}:{}:{}:{}:{}", runs({{axis}}), r.fixed, r.index,
                         r.walk < 0 ? "" : runs({{r.walk}}), r.start, r.step,
                         r.tap < 0 ? "" : runs({{r.tap}}), r.tap_step, r.by + runs({r.places}));
    as[i] = first.emplace(key, static_cast<int>(i)).first->second;
  }
  auto shared = [&](int& n) {
    if (n >= 0) n = as[static_cast<size_t>(n)];
  };
  for (NestValue& o : g.outputs) {
    shared(o.node);
    shared(o.imaginary);
    for (int& p : o.parts) shared(p);
  }
}

class NestReader {
 public:
  NestReader(const PlanTask& t, const PlanCase& c) : task_(t), case_(c) {}

  NestGraph Graph();

 private:
  void One(const GraphNode& n);
  NestValue Result(const GraphNode& n, const std::vector<int64_t>& shape);
  // Numbers and positions of a shape; nothing for other operations.
  std::optional<NestValue> Positions(const GraphNode& n, const std::vector<int64_t>& shape);
  // Names for the nodes that an operation of the graph has added.
  void Label(size_t first, const std::vector<record::GraphValue>& results);

  const PlanTask& task_;
  const PlanCase& case_;
  NestScope s_;
  std::map<std::string, int> seen_;  // of an input: its leaves
};

NestGraph NestReader::Graph() {
  for (const PlanParam& p : task_.params) {
    if (p.is_list) throw Unplanned{"a list of tensors"};
    auto it = case_.shapes.find(p.id);
    if (it == case_.shapes.end()) continue;
    s_.g.inputs[p.id] = nest::Fresh(s_.g, it->second);
    if (p.dtypes.at(case_.column) != base::Dtype::kComplex64) continue;
    s_.pairs[p.id] = s_.g.axes.New(2);  // real and imaginary parts lie side by side
    s_.g.constants.insert(s_.pairs[p.id]);
    s_.g.inputs[p.id].push_back({s_.pairs[p.id]});
  }
  s_.whole = WholeValues(task_, case_.graph);
  for (const GraphNode& n : case_.graph.nodes)
    if (n.ChangesOperand() && n.args.at(0).IsTensor()) s_.changed.insert(n.args[0].tensor);
  for (const GraphNode& n : case_.graph.nodes) {
    const size_t first = s_.g.nodes.size();
    One(n);
    Label(first, n.out);
  }
  for (const std::string& o : case_.graph.outputs) {
    NestValue v = s_.Value(o);
    if (v.imaginary >= 0) v = nest::Paired(s_.g, v);
    s_.g.outputs.push_back(v);
    if (s_.g.outputs.back().node < 0 && s_.g.outputs.back().part_axis < 0)
      throw Unplanned{"a part of a computed value"};
  }
  if (s_.g.outputs.size() != task_.outputs.size()) throw Unplanned{"the number of outputs"};
  ShareEqualNodes(s_.g);
  return std::move(s_.g);
}

void NestReader::Label(size_t first, const std::vector<record::GraphValue>& results) {
  std::string last;
  for (const auto& [id, shape, dtype] : results) {
    auto v = s_.values.find(id);
    if (id.empty() || id[0] != 'v') continue;
    last = id.substr(1);
    if (v != s_.values.end() && v->second.node >= static_cast<int>(first))
      s_.g.nodes[static_cast<size_t>(v->second.node)].label = last;
  }
  int steps = 0;
  for (size_t n = first; n < s_.g.nodes.size(); ++n) {
    NestNode& node = s_.g.nodes[n];
    if (!node.label.empty() || node.kind == NestNode::kScalar) continue;
    int& times = node.kind == NestNode::kLeaf ? seen_[node.input] : steps;
    node.label = (node.kind == NestNode::kLeaf ? "_" + node.input : last) +
                 (node.kind == NestNode::kLeaf && times == 0 ? "" : LettersOf(times));
    ++times;
  }
}

void NestReader::One(const GraphNode& n) {
  if (n.op == "chunk") {
    NestValue x = s_.Operand(n.args.at(0));
    auto parts = nest::Chunk(s_.g, x, nest::Dim(n.args.at(2), x.dims.size()), n.out.size());
    for (size_t i = 0; i < parts.size(); ++i) s_.values[n.out[i].id] = parts[i];
    return;
  }
  if (n.op == "topk") return nest::Topmost(s_, n);
  if (n.out.size() != 1) throw WithSeveralResults(n.op);
  if (n.ChangesOperand()) return nest::Change(s_, n, n.op.substr(0, n.op.size() - 1), n.id());
  s_.values[n.id()] = Result(n, n.out[0].shape);
}

std::optional<NestValue> NestReader::Positions(const GraphNode& n,
                                               const std::vector<int64_t>& shape) {
  const std::string& op = n.op;
  const GraphArgs& a = n.args;
  if (op == "zeros_like" || op == "ones_like" || op == "zeros" || op == "ones") {
    NestNode c;
    c.kind = NestNode::kScalar;
    c.text = op[0] == 'z' ? "0.0" : "1.0";
    return NestValue{nest::Add(s_.g, c),
                     a[0].IsTensor() ? s_.Value(a[0].tensor).dims : nest::Sized(s_.g, a[0], shape),
                     {},
                     -1};
  }
  if (op == "tril" || op == "triu") {
    NestValue x = s_.Operand(a[0]), row = nest::Index(s_.g, x.dims, x.dims.size() - 2),
              column = nest::Index(s_.g, x.dims, x.dims.size() - 1);
    return nest::Element(s_.g,
                         fmt::format("where(@1@ {} @2@ + @3@, @0@, 0)", op == "tril" ? "<=" : ">="),
                         {x, column, row, s_.Operand(a[1])});
  }
  if (op == "eye") {
    nest::Dims d = nest::Fresh(s_.g, shape);
    return nest::Element(s_.g, "where(@0@ == @1@, 1, 0)",
                         {nest::Index(s_.g, d, 1), nest::Index(s_.g, d, 0)}, shape);
  }
  if (op == "arange") {
    if (a.size() > 4 && !a[0].IsNone() && !a[0].Is(0) && a[1].IsNumber())
      throw Unplanned{"positions that do not begin at 0"};
    const nest::Dims d = nest::Fresh(s_.g, shape);
    const GraphArg& count = a[a.size() > 4 && a[1].IsNumber() ? 1 : 0];
    if (count.IsNumber() && count.number.IsConstant())
      s_.g.constants.insert(d[0].begin(), d[0].end());
    return nest::Index(s_.g, d, 0);
  }
  return std::nullopt;
}

NestValue NestReader::Result(const GraphNode& n, const std::vector<int64_t>& shape) {
  const std::string& op = n.op;
  const GraphArgs& a = n.args;
  static const std::set<std::string> kSame = {"clone", "contiguous", "double", "float", "long",
                                              "to",    "type_as",    "detach", "alias"};
  static const std::set<std::string> kShaped = {"reshape", "view", "unsqueeze", "squeeze",
                                                "flatten"};
  if (kSame.count(op)) return s_.Value(a[0].tensor);
  if (kShaped.count(op)) return nest::Reshaped(s_.g, s_.Value(a[0].tensor), shape);
  if (op == "split_at") return nest::SplitAt(s_, a, shape);
  if (op == "unsplit") return s_.Value(a[0].tensor);
  if (auto c = nest::Complex(s_, n, shape)) return *c;
  if (op == "unflatten")
    return nest::Unflattened(s_.g, s_.Value(a[0].tensor),
                             nest::Dim(a[1], s_.Value(a[0].tensor).dims.size()), a[2].Ints(),
                             shape);
  if (op == "expand" || op == "expand_as") return nest::Spread(s_.g, s_.Operand(a[0]), shape);
  if (op == "t" || op == "transpose") {
    NestValue x = s_.Operand(a[0]);
    if (x.dims.size() < 2) return x;
    size_t i = op == "t" ? 0 : nest::Dim(a[1], x.dims.size()),
           j = op == "t" ? 1 : nest::Dim(a[2], x.dims.size());
    std::swap(x.dims[i], x.dims[j]);
    return x;
  }
  if (op == "slice" || op == "narrow") return nest::Slice(s_, n, s_.Operand(a[0]), shape);
  if (op == "flip") return nest::Flipped(s_, n, s_.Operand(a[0]));
  if (IsWindowed(op)) return nest::Windows(s_, n, s_.Operand(a[0]));
  if (op == "constant_pad_nd") return nest::Widened(s_, n, s_.Operand(a[0]));
  if (op == "index_select") return nest::Picked(s_, s_.Operand(a[0]), a);
  if (op == "select") return nest::Select(s_, s_.Operand(a[0]), a);
  if (op == "cat") {
    std::vector<NestValue> parts;
    for (const GraphArg& p : a[0].list) parts.push_back(s_.Operand(p));
    return nest::Concatenated(s_, n, parts, nest::Dim(a[1], shape.size()));
  }
  if (auto v = Positions(n, shape)) return *v;
  if (op == "cross") return nest::Cross(s_, s_.Operand(a[0]), s_.Operand(a[1]), a[2]);
  if (op == "gather" || op == "scatter") return nest::Chosen(s_, op, a);
  if (auto r = nest::Reduction(s_, n)) return *r;
  if (op == "pow" && (n.out[0].dtype == "Long" || n.out[0].dtype == "Int")) {
    // f32 does not hold whether a large number is odd.
    const NestValue x = s_.Operand(a[0]), by = s_.Operand(a[1]);
    if (s_.g.axes.Resolve(nest::Flat(by.dims)).empty())
      return nest::Element(s_.g, "where(@0@ == -1, 1 - 2 * (@1@ % 2), @0@ ** @1@)", {x, by});
  }
  return nest::Plainly(s_, op, a);
}

}  // namespace

NestGraph ReadNest(const PlanTask& task, const PlanCase& c) { return NestReader(task, c).Graph(); }

}  // namespace akgen::craft
