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

std::string Python(const Json& a);

// Of numbers.
std::string Arithmetic(const Json& s) {
  static const std::map<std::string, const char*> kSigns = {{"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}};
  std::vector<std::string> a;
  for (const Json& x : s["args"]) a.push_back(Python(x.is_object() && x.contains("t") ? x : Json{{"s", x}}));
  const std::string op = s["op"];
  if (op == "size") return fmt::format("{}.size({})", a[0], a[1]);
  if (op == "numel") return a[0] + ".numel()";
  if (op == "Float") return fmt::format("float({})", a[0]);
  return fmt::format("({} {} {})", a[0], kSigns.at(op), a[1]);
}

std::string Python(const Json& a) {
  if (a.is_null()) return "None";
  if (a.contains("extent")) return fmt::format("{}.size({})", a["of"].get<std::string>(), a["dim"].get<int>());
  if (a.contains("t")) return a["t"].get<std::string>();
  if (a.contains("l")) {
    std::string out;
    for (const Json& x : a["l"]) out += (out.empty() ? "" : ", ") + (x.is_object() ? Python(x) : base::Dump(x));
    return "[" + out + "]";
  }
  const Json& s = a["s"];
  if (s.is_object() && s.contains("attr")) return s["attr"].get<std::string>();
  if (s.is_object() && s.contains("turn")) return "t";
  if (s.is_object()) return Arithmetic(s);
  if (s.is_boolean()) return s.get<bool>() ? "True" : "False";
  if (s.is_string()) return "'" + s.get<std::string>() + "'";
  return s.is_number_integer() ? base::Dump(s) : fmt::format("{}", s.get<double>());
}

// That a switch has this state, asked of what the node reads if that may be missing.
std::string ConditionText(const Composition& c, const CompositionNode& n, size_t state) {
  const int which = n.by;
  const std::string reads = base::Dump(n.args);
  for (const auto& a : c.attrs)
    if (a.by == which) {
      const Json& v = a.values[state];
      return v.is_boolean() ? (v.get<bool>() ? "" : "not ") + a.id : a.id + " == " + Python({{"s", v}});
    }
  for (const auto& i : c.inputs)
    if (i.without == which && reads.find('"' + i.id + '"') != std::string::npos)
      return i.id + (state ? " is None" : " is not None");
  return "True";
}

// What a node computes, as a person writes it. `each`: tensors that are taken from lists.
std::string Expression(const std::string& op, const Json& args, const std::set<std::string>& each) {
  std::vector<std::string> a;
  for (const Json& x : args)
    a.push_back(x.is_object() && x.contains("t") && each.count(x["t"]) ? Python(x) + "[t]" : Python(x));
  static const std::map<std::string, const char*> kSigns = {{"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"},
                                                            {"lt", "<"},  {"le", "<="}, {"gt", ">"},  {"ge", ">="},
                                                            {"eq", "=="}, {"ne", "!="}, {"pow", "**"}};
  std::string text;
  if (op.empty()) return a[0];
  if (auto sign = kSigns.find(op); sign != kSigns.end()) text = fmt::format("{} {} {}", a[0], sign->second, a[1]);
  else if (op == "neg") text = "-" + a[0];
  else if (op == "sum" || op == "mean")
    text = args.size() > 2 ? fmt::format("torch.{}({}, {}, {})", op, a[0], a[1], a[2])
                           : fmt::format("torch.{}({})", op, a[0]);
  else if (op == "amax" || op == "amin" || op == "logsumexp")
    text = fmt::format("torch.{}({}, {}, {})", op, a[0], a[1], a[2]);
  else if (op == "softmax") text = fmt::format("torch.softmax({}, {})", a[0], a[1]);
  else if (op == "layer_norm")
    text = fmt::format("torch.nn.functional.layer_norm({}, [{}.size(-1)], {}, {}, {})", a[0], a[0], a[2], a[3], a[4]);
  else if (op == "gelu") text = fmt::format("torch.nn.functional.gelu({}, approximate={})", a[0], a[1]);
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
    out +=
        (state ? Expression(n.others[state - 1].op, n.others[state - 1].args, each) : Expression(n.op, n.args, each)) +
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
  return !input.missing && (input.without < 0 || e.states.at(static_cast<size_t>(input.without)) == 0);
}
SymbolicShape ShapeIn(const CompositionInput& input, const Extents& e) {
  return input.by < 0 ? input.shape : input.shapes[e.states.at(static_cast<size_t>(input.by))];
}
base::Dtype DtypeOfInput(const Composition& c, const CompositionInput& input, size_t column) {
  return input.dtypes.empty() ? c.dtypes[column] : input.dtypes[column];
}
const Json& ValueOf(const CompositionAttr& attr, const Extents& e) {
  return attr.values[attr.by < 0 ? e.number % attr.values.size() : e.states.at(static_cast<size_t>(attr.by))];
}

std::pair<std::vector<CompositionNode>, std::vector<std::string>> NodesOf(const Composition& c, const Extents& e) {
  std::vector<CompositionNode> nodes;
  std::map<std::string, Json> same;  // values that another one stands for
  auto renamed = [&](Json& j, auto& self) -> void {
    if (j.is_object() && j.contains("t"))
      if (auto it = same.find(j["t"]); it != same.end()) j = it->second;
    if (j.is_structured() && !(j.is_object() && j.contains("t")))
      for (Json& inner : j) self(inner, self);
  };
  for (const CompositionNode& n : c.nodes) {
    CompositionNode one{n.op, n.args, n.out, n.shape};
    if (size_t state = n.by < 0 ? 0 : e.states.at(static_cast<size_t>(n.by)); state > 0) {
      const Alternative& other = n.others[state - 1];
      one = {other.op, other.args, n.out, other.shape};
    }
    renamed(one.args, renamed);
    if (one.op.empty()) same[n.out[0]] = one.args[0];
    else nodes.push_back(std::move(one));
  }
  std::vector<std::string> outputs;
  for (const std::string& o : c.outputs) outputs.push_back(same.count(o) ? same[o]["t"].get<std::string>() : o);
  return {std::move(nodes), std::move(outputs)};
}

namespace {
// A tensor as it is called in a graph record.
std::string InGraph(const Composition& c, const CompositionInput& i) {
  return c.lists && !i.single ? i.id + ".0" : i.id;
}

int64_t SizeOf(const Composition& c, const Extents& e, const std::string& id, const Json& dim) {
  std::vector<int64_t> s = ShapeOf(ShapeOfValue(c, id, e), e);
  if (dim.is_number())
    return s[static_cast<size_t>(dim.get<int64_t>() < 0 ? dim.get<int64_t>() + static_cast<int64_t>(s.size())
                                                        : dim.get<int64_t>())];
  int64_t n = 1;
  for (int64_t d : s) n *= d;
  return n;
}

// Numbers with their values in this case, tensors with the names of the record.
Json Filled(const Composition& c, const Extents& e, Json j) {
  if (j.is_array())
    for (Json& inner : j) inner = Filled(c, e, inner);
  if (!j.is_object()) return j;
  if (j.contains("extent")) return ShapeOf(j["extent"].get<std::string>(), e)[0];
  if (j.contains("attr")) {
    for (const auto& a : c.attrs)
      if (j["attr"] == a.id) j["value"] = ValueOf(a, e);
  } else if (j.contains("turn")) {
    j = {{"turn", e.turn}, {"value", e.turn}};
  } else if (j.contains("op")) {
    const std::string op = j["op"];
    const bool size = op == "size" || op == "numel";
    j["args"] = Filled(c, e, j["args"]);
    std::vector<double> v;
    for (const Json& a : j["args"])
      if (!size) v.push_back(a.is_object() ? a["value"].get<double>() : a.get<double>());
    if (size) j["value"] = SizeOf(c, e, j["args"][0]["t"], op == "size" ? j["args"][1] : Json());
    else if (op == "Float") j["value"] = v[0];
    else j["value"] = op == "add" ? v[0] + v[1] : op == "sub" ? v[0] - v[1] : op == "mul" ? v[0] * v[1] : v[0] / v[1];
  } else if (j.contains("t")) {
    for (const auto& i : c.inputs)
      if (j["t"] == i.id) j["t"] = InGraph(c, i);
  } else {
    for (auto& [key, inner] : j.items()) inner = Filled(c, e, inner);
  }
  return j;
}
}  // namespace

Json GraphOf(const Composition& c, const Extents& e) {
  auto [nodes, outputs] = NodesOf(c, e);
  for (std::string& o : outputs)
    for (const auto& i : c.inputs)
      if (o == i.id) o = InGraph(c, i);
  Json g{{"schema", 1}, {"inputs", Json::array()}, {"nodes", Json::array()}, {"outputs", outputs}};
  for (const auto& i : c.inputs)
    g["inputs"].push_back({{"id", i.id},
                           {"kind", c.lists && !i.single ? "list" : "tensor"},
                           {"dtype", base::NameOf(DtypeOfInput(c, i, e.column))},
                           {"shape", ShapeOf(ShapeIn(i, e), e)},
                           {"present", Present(i, e)}});
  for (const auto& a : c.attrs) g["inputs"].push_back({{"id", a.id}, {"kind", "attr"}, {"value", ValueOf(a, e)}});
  for (const auto& n : nodes) {
    Json out = Json::array();
    for (const auto& id : n.out) out.push_back({{"id", id}, {"shape", ShapeOf(n.shape, e)}, {"dtype", "Double"}});
    Json args = Filled(c, e, n.args);
    if (n.op == "layer_norm") args[1] = {{"l", {e.c}}};
    g["nodes"].push_back({{"op", n.op}, {"args", args}, {"out", out}});
  }
  return g;
}

std::vector<std::string> CanonicalsOf(const Composition& c) {
  std::vector<std::string> out;
  for (const Extents& e : c.cases)
    if (std::string h = CanonicalHash(GraphOf(c, e)); std::find(out.begin(), out.end(), h) == out.end())
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
  for (const auto& i : c.inputs) {
    t.params.push_back({i.id, false, c.lists && !i.single, i.without >= 0 || i.optional, "", {}});
    for (size_t column = 0; column < c.dtypes.size(); ++column)
      t.params.back().dtypes.push_back(DtypeOfInput(c, i, column));
  }
  for (const auto& a : c.attrs) t.params.push_back({a.id, true, false, false, a.type, {}});
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    craft::PlanOutput y{c.lists, {}, c.inplace[i], c.inplace[i].empty() || !c.over};
    for (size_t column = 0; column < c.dtypes.size(); ++column) y.dtypes.push_back(DtypeOfOutput(c, i, column));
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
  const std::string tensor = c.lists ? "List[Tensor]" : "Tensor", indent = c.lists ? "        " : "    ";
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
    body = "    out: List[Tensor] = []\n    for t in range(len(" + list + ")):\n" + body + indent + "out.append(" +
           result + ")\n";
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
    out += fmt::format(" {}={}", a.id, v.is_string() ? v.get<std::string>() : Python({{"s", v}}));
  }
  return out;
}

std::vector<std::string> OperationsOf(const Composition& c) {
  std::vector<std::string> out;
  for (const auto& n : c.nodes) out.push_back(n.op);
  return out;
}

}  // namespace akgen::corpus
