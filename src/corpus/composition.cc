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

// The line that makes a node's results, as a person writes it.
std::string Line(const CompositionNode& n) {
  std::vector<std::string> a;
  for (const Json& x : n.args) a.push_back(Python(x));
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
  return "    " + to + " = " + text + "\n";
}
}  // namespace

std::vector<int64_t> ShapeOf(const SymbolicShape& shape, const Extents& e) {
  std::vector<int64_t> out;
  for (char s : shape) out.push_back(s == 'A' ? e.a : s == 'R' ? e.r : s == 'C' ? e.c : s == 'D' ? 2 * e.c : 1);
  return out;
}

SymbolicShape ShapeOfValue(const Composition& c, const std::string& id) {
  for (const auto& i : c.inputs)
    if (i.id == id) return i.shape;
  for (const auto& n : c.nodes)
    if (std::find(n.out.begin(), n.out.end(), id) != n.out.end()) return n.shape;
  return "";
}

Composition RandomComposition(uint64_t seed, uint64_t index) { return Composer(seed, index).Run(); }

Json GraphOf(const Composition& c, const Extents& e) {
  Json g{{"schema", 1}, {"inputs", Json::array()}, {"nodes", Json::array()}, {"outputs", c.outputs}};
  for (const auto& i : c.inputs)
    g["inputs"].push_back({{"id", i.id}, {"kind", "tensor"}, {"dtype", base::NameOf(c.dtype)}, {"shape", ShapeOf(i.shape, e)}, {"present", true}});
  for (const auto& [id, value] : c.attrs) g["inputs"].push_back({{"id", id}, {"kind", "attr"}, {"value", value}});
  for (const auto& n : c.nodes) {
    Json out = Json::array();
    for (const auto& id : n.out) out.push_back({{"id", id}, {"shape", ShapeOf(n.shape, e)}, {"dtype", "Double"}});
    Json args = n.args;
    if (n.op == "layer_norm") args[1] = {{"l", {e.c}}};
    g["nodes"].push_back({{"op", n.op}, {"args", args}, {"out", out}});
  }
  return g;
}

craft::PlanTask PlanOf(const Composition& c) {
  craft::PlanTask t;
  for (const auto& i : c.inputs) t.params.push_back({i.id, false, false, false, "", {c.dtype}});
  for (const auto& a : c.attrs) t.params.push_back({a.first, true, false, false, "float", {}});
  for (size_t i = 0; i < c.outputs.size(); ++i) t.outputs.push_back({false, {c.dtype}, "", true});
  for (const Extents& e : c.cases) {
    craft::PlanCase one;
    one.graph = GraphOf(c, e);
    for (const auto& i : c.inputs) one.shapes[i.id] = ShapeOf(i.shape, e);
    for (const auto& [id, value] : c.attrs) one.attrs[id] = value;
    t.cases.push_back(std::move(one));
  }
  return t;
}

std::string ReferenceText(const Composition& c) {
  std::string args, body, result, types;
  for (const auto& i : c.inputs) args += (args.empty() ? "" : ", ") + i.id + ": Tensor";
  for (const auto& a : c.attrs) args += ", " + a.first + ": float";
  for (const auto& n : c.nodes) body += Line(n);
  for (const auto& o : c.outputs) {
    result += (result.empty() ? "" : ", ") + o;
    types += (types.empty() ? "" : ", ") + std::string("Tensor");
  }
  if (c.outputs.size() > 1) types = "Tuple[" + types + "]";
  return "def reference(" + args + ") -> " + types + ":\n" + body + "    return " + result + "\n";
}

std::string CaseText(const Composition& c, const Extents& e) {
  std::string out;
  for (const auto& i : c.inputs) out += fmt::format("{}{}={}{}{{{}, {}}}", out.empty() ? "" : " ", i.id, ShortDtype(c.dtype), ListText(ShapeOf(i.shape, e)), i.low, i.high);
  for (const auto& [id, value] : c.attrs) out += fmt::format(" {}={}", id, value);
  return out;
}

std::vector<std::string> OperationsOf(const Composition& c) {
  std::vector<std::string> out;
  for (const auto& n : c.nodes) out.push_back(n.op);
  return out;
}

}  // namespace akgen::corpus
