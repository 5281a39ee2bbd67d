#include "corpus/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "corpus/compose.h"

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
    case base::Dtype::kInt32: return "i32";
    case base::Dtype::kBool: return "bool";
    default: return "f32";
  }
}

std::string Python(const Json& a) {
  if (a.is_null()) return "None";
  if (a.contains("t")) return a["t"].get<std::string>();
  if (a.contains("l")) {
    std::string out;
    for (const Json& x : a["l"]) out += (out.empty() ? "" : ", ") + (x.is_object() ? Python(x) : x.dump());
    return "[" + out + "]";
  }
  const Json& s = a["s"];
  if (s.is_object()) return s["attr"].get<std::string>();
  if (s.is_boolean()) return s.get<bool>() ? "True" : "False";
  if (s.is_string()) return "'" + s.get<std::string>() + "'";
  return s.is_number_integer() ? s.dump() : fmt::format("{}", s.get<double>());
}

// The line that makes a node's results, as a person writes it. `each`: tensors that are taken from lists.
std::string Line(const CompositionNode& n, const std::set<std::string>& each) {
  std::vector<std::string> a;
  for (const Json& x : n.args) a.push_back(x.is_object() && x.contains("t") && each.count(x["t"]) ? Python(x) + "[t]" : Python(x));
  std::string to = n.out[0];
  for (size_t i = 1; i < n.out.size(); ++i) to += ", " + n.out[i];
  static const std::map<std::string, const char*> kSigns = {{"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"lt", "<"}, {"le", "<="},
                                                           {"gt", ">"}, {"ge", ">="}, {"pow", "**"}};
  std::string text;
  if (auto sign = kSigns.find(n.op); sign != kSigns.end()) text = fmt::format("{} {} {}", a[0], sign->second, a[1]);
  else if (n.op == "neg") text = "-" + a[0];
  else if (n.op == "sum" || n.op == "mean") text = n.args.size() > 2 ? fmt::format("torch.{}({}, {}, {})", n.op, a[0], a[1], a[2]) : fmt::format("torch.{}({})", n.op, a[0]);
  else if (n.op == "amax" || n.op == "amin" || n.op == "logsumexp") text = fmt::format("torch.{}({}, {}, {})", n.op, a[0], a[1], a[2]);
  else if (n.op == "softmax") text = fmt::format("torch.softmax({}, {})", a[0], a[1]);
  else if (n.op == "layer_norm") text = fmt::format("torch.nn.functional.layer_norm({}, [{}.size(-1)], {}, {}, {})", a[0], a[0], a[2], a[3], a[4]);
  else if (n.op == "gelu") text = fmt::format("torch.nn.functional.gelu({}, approximate={})", a[0], a[1]);
  else {
    for (const std::string& x : a) text += (text.empty() ? "" : ", ") + x;
    text = fmt::format("torch.{}({})", n.op, text);
  }
  return to + " = " + text + "\n";
}
}  // namespace

std::vector<int64_t> ShapeOf(const SymbolicShape& shape, const Extents& e) {
  std::vector<int64_t> out;
  for (char s : shape) out.push_back(s == 'B' ? e.b : s == 'A' ? e.a : s == 'R' ? e.r : s == 'C' ? e.c : s == 'D' ? 2 * e.c : 1);
  return out;
}

SymbolicShape ShapeOfValue(const Composition& c, const std::string& id) {
  for (const auto& i : c.inputs)
    if (i.id == id) return i.shape;
  for (const auto& n : c.nodes)
    if (std::find(n.out.begin(), n.out.end(), id) != n.out.end()) return n.shape;
  return "";
}

Extents TensorOfList(const Extents& e, size_t t) {
  Extents out = e;
  out.r += static_cast<int64_t>(t), out.c += 3 * static_cast<int64_t>(t);
  return out;
}

std::string DtypeText(const Composition& c) {
  std::string out;
  for (base::Dtype d : c.dtypes) out += (out.empty() ? "" : "+") + std::string(base::NameOf(d));
  return out;
}

base::Dtype DtypeOfOutput(const Composition& c, size_t output, size_t column) { return c.fixed[output].value_or(c.dtypes[column]); }

Composition RandomComposition(uint64_t seed, uint64_t index) { return Composer(seed, index).Run(); }

namespace {
// A list's tensor in a graph record.
std::string InGraph(const Composition& c, const std::string& id) { return c.lists ? id + ".0" : id; }

void NameListed(const Composition& c, Json& args) {
  for (Json& a : args)
    if (a.is_object() && a.contains("t"))
      for (const auto& i : c.inputs)
        if (a["t"] == i.id) a["t"] = InGraph(c, i.id);
}
}  // namespace

Json GraphOf(const Composition& c, const Extents& e) {
  Json g{{"schema", 1}, {"inputs", Json::array()}, {"nodes", Json::array()}, {"outputs", c.outputs}};
  for (const auto& i : c.inputs)
    g["inputs"].push_back({{"id", i.id}, {"kind", c.lists ? "list" : "tensor"}, {"dtype", base::NameOf(c.dtypes[e.column])}, {"shape", ShapeOf(i.shape, e)}, {"present", true}});
  for (const auto& [id, value] : c.attrs) g["inputs"].push_back({{"id", id}, {"kind", "attr"}, {"value", value}});
  for (const auto& n : c.nodes) {
    Json out = Json::array();
    for (const auto& id : n.out) out.push_back({{"id", id}, {"shape", ShapeOf(n.shape, e)}, {"dtype", "Double"}});
    Json args = n.args;
    if (n.op == "layer_norm") args[1] = {{"l", {e.c}}};
    if (c.lists) NameListed(c, args);
    g["nodes"].push_back({{"op", n.op}, {"args", args}, {"out", out}});
  }
  return g;
}

craft::PlanTask PlanOf(const Composition& c) {
  craft::PlanTask t;
  for (const auto& i : c.inputs) t.params.push_back({i.id, false, c.lists, false, "", c.dtypes});
  for (const auto& a : c.attrs) t.params.push_back({a.first, true, false, false, "float", {}});
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    craft::PlanOutput y{c.lists, {}, "", true};
    for (size_t column = 0; column < c.dtypes.size(); ++column) y.dtypes.push_back(DtypeOfOutput(c, i, column));
    t.outputs.push_back(y);
  }
  for (const Extents& e : c.cases) {
    craft::PlanCase one;
    one.column = e.column;
    one.graph = GraphOf(c, e);
    for (const auto& i : c.inputs) one.shapes[i.id] = ShapeOf(i.shape, e);
    for (const auto& [id, value] : c.attrs) one.attrs[id] = value;
    t.cases.push_back(std::move(one));
  }
  return t;
}

std::string ReferenceText(const Composition& c) {
  const std::string tensor = c.lists ? "List[Tensor]" : "Tensor", indent = c.lists ? "        " : "    ";
  std::string args, body, result, types;
  std::set<std::string> each;
  for (const auto& i : c.inputs) {
    args += (args.empty() ? "" : ", ") + i.id + ": " + tensor;
    if (c.lists) each.insert(i.id);
  }
  for (const auto& a : c.attrs) args += ", " + a.first + ": float";
  for (const auto& n : c.nodes) body += indent + Line(n, each);
  for (const auto& o : c.outputs) {
    result += (result.empty() ? "" : ", ") + o;
    types += (types.empty() ? "" : ", ") + tensor;
  }
  if (c.outputs.size() > 1) types = "Tuple[" + types + "]";
  if (c.lists) {
    body = "    out: List[Tensor] = []\n    for t in range(len(" + c.inputs[0].id + ")):\n" + body + indent + "out.append(" + result + ")\n";
    result = "out";
  }
  return "def reference(" + args + ") -> " + types + ":\n" + body + "    return " + result + "\n";
}

std::string CaseText(const Composition& c, const Extents& e) {
  std::string out;
  for (const auto& i : c.inputs) {
    out += (out.empty() ? "" : " ") + i.id + "=";
    for (size_t t = 0; t < e.tensors; ++t)
      out += fmt::format("{}{}{}{{{}, {}}}", t ? "+" : "", ShortDtype(c.dtypes[e.column]), ListText(ShapeOf(i.shape, TensorOfList(e, t))), i.low, i.high);
  }
  for (const auto& [id, value] : c.attrs) out += fmt::format(" {}={}", id, value);
  return out;
}

std::vector<std::string> OperationsOf(const Composition& c) {
  std::vector<std::string> out;
  for (const auto& n : c.nodes) out.push_back(n.op);
  return out;
}

}  // namespace akgen::corpus
