#include "corpus/compose/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "corpus/compose/canonical.h"
#include "corpus/compose/compose.h"

namespace akgen::corpus {
using base::Json;
using record::GraphArg;
using record::GraphArgs;
using record::GraphNumber;
using From = GraphNumber::From;

namespace {
std::string ListText(const std::vector<int64_t>& v) {
  std::string out;
  for (int64_t e : v) out += (out.empty() ? "" : ", ") + std::to_string(e);
  return "[" + out + "]";
}

const char* ShortDtype(base::Dtype d) {
  switch (d) {
    case base::Dtype::kFloat16: return "f16";
    case base::Dtype::kBfloat16: return "bf16";
    case base::Dtype::kInt8: return "i8";
    case base::Dtype::kUint8: return "u8";
    case base::Dtype::kInt32: return "i32";
    case base::Dtype::kInt64: return "i64";
    case base::Dtype::kBool: return "bool";
    default: return "f32";
  }
}

constexpr const char* kExtent = "extent";  // an operation of compositions alone: ExtentOf()

std::string Python(const GraphNumber& n);

std::string Arithmetic(const GraphNumber& n) {
  static const std::map<std::string, const char*> kSigns = {
      {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}};
  std::vector<std::string> a;
  for (const GraphNumber& x : n.args) a.push_back(Python(x));
  if (n.name == "size" || n.name == kExtent) return fmt::format("{}.size({})", a.at(0), a.at(1));
  if (n.name == "numel") return a.at(0) + ".numel()";
  if (n.name == "Float") return fmt::format("float({})", a.at(0));
  return fmt::format("({} {} {})", a.at(0), kSigns.at(n.name), a.at(1));
}

std::string Python(const GraphNumber& n) {
  if (n.from == From::kTurn) return "t";
  if (n.from == From::kOperation) return Arithmetic(n);
  if (!n.IsConstant()) return n.name;
  if (n.HasBool()) return n.Real() != 0 ? "True" : "False";
  if (n.HasInt()) return std::to_string(n.Int());
  const std::string* text = std::get_if<std::string>(&n.value);
  return text ? "'" + *text + "'" : fmt::format("{}", n.Real());
}
std::string Python(const Json& value) {
  return Python(GraphNumber(record::ConstantFromJson(value)));
}

std::string Python(const GraphArg& a) {
  if (a.IsNone()) return "None";
  if (a.IsTensor()) return a.tensor;
  if (a.IsNumber()) return Python(a.number);
  std::string out;
  for (const GraphArg& x : a.list) out += (out.empty() ? "" : ", ") + Python(x);
  return "[" + out + "]";
}

// That a switch has this state, asked of what the node reads if that may be missing.
std::string ConditionText(const Composition& c, const CompositionNode& n, size_t state) {
  const int which = n.by;
  std::set<std::string> reads;
  for (const GraphArg& a : n.args)
    record::ForEachTensor(a, [&](const std::string& id) { reads.insert(id); });
  for (const auto& a : c.attrs)
    if (a.by == which) {
      const Json& v = a.values[state];
      return v.is_boolean() ? (v.get<bool>() ? "" : "not ") + a.id : a.id + " == " + Python(v);
    }
  for (const auto& i : c.inputs)
    if (i.without == which && reads.count(i.id))
      return i.id + (state ? " is None" : " is not None");
  return "True";
}

// What a node computes, as a person writes it. `each`: tensors that are taken from lists.
std::string Expression(const std::string& op, const GraphArgs& args,
                       const std::set<std::string>& each) {
  std::vector<std::string> a;
  for (const GraphArg& x : args)
    a.push_back(x.IsTensor() && each.count(x.tensor) ? x.tensor + "[t]" : Python(x));
  static const std::map<std::string, const char*> kSigns = {
      {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"lt", "<"},  {"le", "<="},
      {"gt", ">"},  {"ge", ">="}, {"eq", "=="}, {"ne", "!="}, {"pow", "**"}};
  std::string text;
  if (op.empty()) return a[0];
  if (auto sign = kSigns.find(op); sign != kSigns.end())
    text = fmt::format("{} {} {}", a[0], sign->second, a[1]);
  else if (op == "neg")
    text = "-" + a[0];
  else if (op == "sum" || op == "mean")
    text = args.size() > 2 ? fmt::format("torch.{}({}, {}, {})", op, a[0], a[1], a[2])
                           : fmt::format("torch.{}({})", op, a[0]);
  else if (op == "amax" || op == "amin" || op == "logsumexp")
    text = fmt::format("torch.{}({}, {}, {})", op, a[0], a[1], a[2]);
  else if (op == "softmax")
    text = fmt::format("torch.softmax({}, {})", a[0], a[1]);
  else if (op == "layer_norm")
    text = fmt::format("torch.nn.functional.layer_norm({}, [{}.size(-1)], {}, {}, {})", a[0], a[0],
                       a[2], a[3], a[4]);
  else if (op == "gelu")
    text = fmt::format("torch.nn.functional.gelu({}, approximate={})", a[0], a[1]);
  else {
    for (const std::string& x : a) text += (text.empty() ? "" : ", ") + x;
    text = fmt::format("torch.{}({})", op, text);
  }
  return text;
}

// The lines that make a node's results: the alternatives of a switch each under its question.
std::string Lines(const Composition& c, const CompositionNode& n, const std::set<std::string>& each,
                  const std::string& indent) {
  std::string to = n.out[0];
  for (size_t i = 1; i < n.out.size(); ++i) to += ", " + n.out[i];
  to += " = ";
  if (n.by < 0) return indent + to + Expression(n.op, n.args, each) + "\n";
  std::string out;
  for (size_t state = 0; state <= n.others.size(); ++state) {
    out += indent +
           (state == 0                 ? "if " + ConditionText(c, n, 0)
            : state == n.others.size() ? "else"
                                       : "elif " + ConditionText(c, n, state)) +
           ":\n" + indent + "    " + to;
    out += (state ? Expression(n.others[state - 1].op, n.others[state - 1].args, each)
                  : Expression(n.op, n.args, each)) +
           "\n";
  }
  return out;
}
}  // namespace

std::vector<int64_t> ShapeOf(const SymbolicShape& shape, const Extents& e) {
  std::vector<int64_t> out;
  for (char s : shape) {
    switch (s) {
      case 'B': out.push_back(e.b); break;
      case 'A': out.push_back(e.a); break;
      case 'R': out.push_back(e.r); break;
      case 'C': out.push_back(e.c); break;
      case 'b': out.push_back(2 * e.b); break;
      case 'a': out.push_back(2 * e.a); break;
      case 'r': out.push_back(2 * e.r); break;
      case 'D': out.push_back(2 * e.c); break;
      case 'K': out.push_back(e.r * e.c); break;
      case 'L': out.push_back(e.b * e.a * e.r); break;
      case 'T': out.push_back(static_cast<int64_t>(e.tensors)); break;
      default: out.push_back(1);
    }
  }
  return out;
}

SymbolicShape ShapeOfValue(const Composition& c, const std::string& id) {
  for (const auto& i : c.inputs)
    if (i.id == id) return i.shape;
  for (const auto& n : c.nodes)
    if (std::find(n.out.begin(), n.out.end(), id) != n.out.end()) return n.shape;
  return "";
}

SymbolicShape ShapeOfValue(const Composition& c, const std::string& id, const Extents& e) {
  for (const auto& i : c.inputs)
    if (i.id == id) return ShapeIn(i, e);
  for (const auto& n : c.nodes)
    if (std::find(n.out.begin(), n.out.end(), id) != n.out.end())
      if (size_t state = n.by < 0 ? 0 : e.states.at(static_cast<size_t>(n.by)); state > 0)
        return n.others[state - 1].shape;
  return ShapeOfValue(c, id);
}

Extents TensorOfList(const Extents& e, size_t t) {
  Extents out = e;
  out.r += static_cast<int64_t>(t), out.c += 3 * static_cast<int64_t>(t), out.turn = t;
  return out;
}

std::string DtypeText(const Composition& c) {
  std::string out;
  for (base::Dtype d : c.dtypes) out += (out.empty() ? "" : "+") + std::string(base::NameOf(d));
  return out;
}

base::Dtype DtypeOfOutput(const Composition& c, size_t output, size_t column) {
  return c.fixed[output].value_or(c.dtypes[column]);
}

Composition RandomComposition(uint64_t seed, uint64_t index) { return Composer(seed, index).Run(); }

bool Present(const CompositionInput& input, const Extents& e) {
  return !input.missing &&
         (input.without < 0 || e.states.at(static_cast<size_t>(input.without)) == 0);
}
SymbolicShape ShapeIn(const CompositionInput& input, const Extents& e) {
  return input.by < 0 ? input.shape : input.shapes[e.states.at(static_cast<size_t>(input.by))];
}
base::Dtype DtypeOfInput(const Composition& c, const CompositionInput& input, size_t column) {
  return input.dtypes.empty() ? c.dtypes[column] : input.dtypes[column];
}
const Json& ValueOf(const CompositionAttr& attr, const Extents& e) {
  return attr.values[attr.by < 0 ? e.number % attr.values.size()
                                 : e.states.at(static_cast<size_t>(attr.by))];
}

std::pair<std::vector<CompositionNode>, std::vector<std::string>> NodesOf(const Composition& c,
                                                                          const Extents& e) {
  std::vector<CompositionNode> nodes;
  std::map<std::string, std::string> same;  // values that another one stands for
  auto rename = [&](std::string& id) {
    if (auto it = same.find(id); it != same.end()) id = it->second;
  };
  for (const CompositionNode& n : c.nodes) {
    CompositionNode one{n.op, n.args, n.out, n.shape};
    if (size_t state = n.by < 0 ? 0 : e.states.at(static_cast<size_t>(n.by)); state > 0) {
      const Alternative& other = n.others[state - 1];
      one = {other.op, other.args, n.out, other.shape};
    }
    for (GraphArg& a : one.args) record::ForEachTensor(a, rename);
    if (one.op.empty())
      same[n.out[0]] = one.args.at(0).tensor;
    else
      nodes.push_back(std::move(one));
  }
  std::vector<std::string> outputs;
  for (const std::string& o : c.outputs) outputs.push_back(same.count(o) ? same[o] : o);
  return {std::move(nodes), std::move(outputs)};
}

namespace {
// A tensor as it is called in a graph record.
std::string InGraph(const Composition& c, const CompositionInput& i) {
  return c.lists && !i.single ? i.id + ".0" : i.id;
}

// Of one dimension, or of all.
int64_t SizeOf(const Composition& c, const Extents& e, const std::string& id,
               const GraphNumber* dim) {
  std::vector<int64_t> s = ShapeOf(ShapeOfValue(c, id, e), e);
  if (dim)
    return s[static_cast<size_t>(dim->Int() < 0 ? dim->Int() + static_cast<int64_t>(s.size())
                                                : dim->Int())];
  int64_t n = 1;
  for (int64_t d : s) n *= d;
  return n;
}

std::string InGraph(const Composition& c, const std::string& id) {
  for (const auto& i : c.inputs)
    if (id == i.id) return InGraph(c, i);
  return id;
}

// A number with its value in this case, tensors with the names of the graph.
void Fill(const Composition& c, const Extents& e, GraphNumber& n) {
  if (n.from == From::kTensor) n.name = InGraph(c, n.name);
  if (n.from == From::kTurn) n.turn = static_cast<int64_t>(e.turn), n.value = n.turn;
  if (n.from == From::kAttribute)
    for (const auto& a : c.attrs)
      if (n.name == a.id) n.value = record::ConstantFromJson(ValueOf(a, e));
  if (n.from != From::kOperation) return;
  if (n.name == kExtent) {
    n = GraphNumber(ShapeOf(std::get<std::string>(n.args.at(2).value), e)[0]);
    return;
  }
  for (GraphNumber& a : n.args) Fill(c, e, a);
  if (n.name == "size" || n.name == "numel") {
    n.value = SizeOf(c, e, n.args.at(0).name, n.name == "size" ? &n.args.at(1) : nullptr);
    return;
  }
  const double x = n.args.at(0).Real(), y = n.name == "Float" ? 0 : n.args.at(1).Real();
  n.value = n.name == "Float" ? x
            : n.name == "add" ? x + y
            : n.name == "sub" ? x - y
            : n.name == "mul" ? x * y
                              : x / y;
}
void Fill(const Composition& c, const Extents& e, GraphArg& a) {
  if (a.IsTensor()) a.tensor = InGraph(c, a.tensor);
  if (a.IsNumber()) Fill(c, e, a.number);
  for (GraphArg& x : a.list) Fill(c, e, x);
}
}  // namespace

GraphArg ExtentOf(char letter, const std::string& id, int64_t dim) {
  return GraphArg::Number(GraphNumber::Of(
      From::kOperation, kExtent,
      {GraphNumber::Of(From::kTensor, id), GraphNumber(dim), GraphNumber(std::string(1, letter))}));
}

record::Graph GraphOf(const Composition& c, const Extents& e) {
  auto [nodes, outputs] = NodesOf(c, e);
  record::Graph g;
  for (const std::string& o : outputs) g.outputs.push_back(InGraph(c, o));
  for (auto& n : nodes) {
    record::GraphNode node{n.op, std::move(n.args), {}};
    for (const auto& id : n.out) node.out.push_back({id, ShapeOf(n.shape, e), "Double"});
    for (GraphArg& a : node.args) Fill(c, e, a);
    if (n.op == "layer_norm") node.args.at(1) = GraphArg::List(std::vector<int64_t>{e.c});
    g.nodes.push_back(std::move(node));
  }
  return g;
}

std::vector<std::string> CanonicalsOf(const Composition& c) {
  std::vector<std::string> out;
  for (const Extents& e : c.cases)
    if (std::string h = CanonicalHash(GraphOf(c, e));
        std::find(out.begin(), out.end(), h) == out.end())
      out.push_back(h);
  return out;
}

std::string CanonicalOf(const Composition& c) {
  std::vector<std::string> all = CanonicalsOf(c);
  if (all.size() == 1) return all[0];
  std::string text;
  for (const std::string& h : all) text += h;
  return base::ContentHash(text).substr(0, 16);
}

craft::PlanTask PlanOf(const Composition& c) {
  craft::PlanTask t;
  t.only_cases = true;
  for (const auto& i : c.inputs) {
    t.params.push_back({i.id, false, c.lists && !i.single, i.without >= 0 || i.optional, "", {}});
    for (size_t column = 0; column < c.dtypes.size(); ++column)
      t.params.back().dtypes.push_back(DtypeOfInput(c, i, column));
  }
  for (const auto& a : c.attrs) t.params.push_back({a.id, true, false, false, a.type, {}});
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    craft::PlanOutput y{c.lists, {}, c.inplace[i], c.inplace[i].empty() || !c.over};
    for (size_t column = 0; column < c.dtypes.size(); ++column)
      y.dtypes.push_back(DtypeOfOutput(c, i, column));
    t.outputs.push_back(y);
  }
  for (const Extents& e : c.cases) {
    craft::PlanCase one;
    one.column = e.column;
    one.graph = GraphOf(c, e);
    for (const auto& i : c.inputs)
      if (Present(i, e)) one.shapes[i.id] = ShapeOf(ShapeIn(i, e), e);
    for (const auto& a : c.attrs) one.attrs[a.id] = ValueOf(a, e);
    t.cases.push_back(std::move(one));
  }
  return t;
}

std::string ReferenceText(const Composition& c) {
  const std::string tensor = c.lists ? "List[Tensor]" : "Tensor",
                    indent = c.lists ? "        " : "    ";
  static const std::map<std::string, const char*> kTypes = {
      {"float", "float"}, {"int", "int"}, {"bool", "bool"}, {"string", "str"}};
  std::string args, body, result, types, list;
  std::set<std::string> each;
  for (const auto& i : c.inputs) {
    args += (args.empty() ? "" : ", ") + i.id + ": " +
            (i.without >= 0 || i.optional ? "Optional[Tensor]"
             : i.single                   ? "Tensor"
                                          : tensor);
    if (!c.lists || i.single) continue;
    each.insert(i.id);
    if (list.empty()) list = i.id;
  }
  for (const auto& a : c.attrs) args += ", " + a.id + ": " + kTypes.at(a.type);
  for (const auto& i : c.inputs)
    if (i.optional && !i.missing) body += fmt::format("{}assert {} is not None\n", indent, i.id);
  for (const auto& n : c.nodes) body += Lines(c, n, each, indent);
  for (const auto& o : c.outputs) {
    result += (result.empty() ? "" : ", ") + o;
    types += (types.empty() ? "" : ", ") + tensor;
  }
  if (c.outputs.size() > 1) types = "Tuple[" + types + "]";
  if (c.lists) {
    body = "    out: List[Tensor] = []\n    for t in range(len(" + list + ")):\n" + body + indent +
           "out.append(" + result + ")\n";
    result = "out";
  }
  return "def reference(" + args + ") -> " + types + ":\n" + body + "    return " + result + "\n";
}

std::string CaseText(const Composition& c, const Extents& e) {
  std::string out;
  for (const auto& i : c.inputs) {
    out += (out.empty() ? "" : " ") + i.id + "=";
    if (!Present(i, e)) {
      out += "none";
      continue;
    }
    for (size_t t = 0; t < (i.single ? 1 : e.tensors); ++t)
      out += fmt::format("{}{}{}{{{}, {}}}", t ? "+" : "", ShortDtype(DtypeOfInput(c, i, e.column)),
                         ListText(ShapeOf(ShapeIn(i, e), TensorOfList(e, t))), i.low, i.high);
  }
  for (const auto& a : c.attrs) {
    const Json& v = ValueOf(a, e);
    out += fmt::format(" {}={}", a.id, v.is_string() ? v.get<std::string>() : Python(v));
  }
  return out;
}

std::vector<std::string> OperationsOf(const Composition& c) {
  std::vector<std::string> out;
  for (const auto& n : c.nodes) out.push_back(n.op);
  return out;
}

}  // namespace akgen::corpus
