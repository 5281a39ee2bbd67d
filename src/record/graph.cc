#include "record/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace akgen::record {
using base::Json;
using From = GraphNumber::From;

GraphConstant ConstantFromJson(const Json& v) {
  if (v.is_boolean()) return v.get<bool>();
  if (v.is_number_integer()) return v.get<int64_t>();
  if (v.is_number()) return v.get<double>();
  if (v.is_string()) return v.get<std::string>();
  // A number that is not finite: {"real": "inf"}, "-inf" or "nan", since JSON has none.
  if (const auto real = v.find("real"); v.is_object() && real != v.end() && real->is_string()) {
    const std::string text = real->get<std::string>();
    const double inf = std::numeric_limits<double>::infinity();
    return text == "inf" ? inf : text == "-inf" ? -inf : std::numeric_limits<double>::quiet_NaN();
  }
  return {};
}
Json ToJson(const GraphConstant& value) {
  return std::visit(
      [](const auto& v) -> Json {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, double>)
          if (!std::isfinite(v)) return {{"real", std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"}};
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

GraphNumber GraphNumber::Of(From from, std::string name, std::vector<GraphNumber> args,
                            GraphConstant value) {
  GraphNumber n(std::move(value));
  n.from = from, n.name = std::move(name), n.args = std::move(args);
  return n;
}

bool GraphNumber::Is(double v) const {
  if (!IsConstant()) return false;
  if (const int64_t* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i) == v;
  const double* d = std::get_if<double>(&value);
  return d && *d == v;
}
bool GraphNumber::Says(std::string_view text) const {
  const std::string* s = std::get_if<std::string>(&value);
  return s && *s == text;
}
int64_t GraphNumber::Int() const {
  if (const int64_t* i = std::get_if<int64_t>(&value)) return *i;
  if (const double* d = std::get_if<double>(&value)) return static_cast<int64_t>(*d);
  throw std::invalid_argument("an integer is expected");
}
double GraphNumber::Real() const {
  if (const bool* b = std::get_if<bool>(&value)) return *b;
  if (const int64_t* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const double* d = std::get_if<double>(&value)) return *d;
  throw std::invalid_argument("a number is expected");
}
bool GraphNumber::operator==(const GraphNumber& o) const {
  return from == o.from && value == o.value && name == o.name && turn == o.turn && args == o.args;
}

GraphArg GraphArg::Tensor(std::string id) {
  GraphArg a;
  a.kind = Kind::kTensor, a.tensor = std::move(id);
  return a;
}
GraphArg GraphArg::Number(GraphNumber number) {
  GraphArg a;
  a.kind = Kind::kNumber, a.number = std::move(number);
  return a;
}
GraphArg GraphArg::List(std::vector<GraphArg> list) {
  GraphArg a;
  a.kind = Kind::kList, a.list = std::move(list);
  return a;
}
GraphArg GraphArg::List(const std::vector<int64_t>& ints) {
  std::vector<GraphArg> list;
  for (int64_t i : ints) list.push_back(Number(GraphConstant(i)));
  return List(std::move(list));
}
std::vector<int64_t> GraphArg::Ints() const {
  std::vector<int64_t> out;
  for (const GraphArg& a : list) out.push_back(a.number.Int());
  return out;
}
bool GraphArg::operator==(const GraphArg& o) const {
  return kind == o.kind && tensor == o.tensor && number == o.number && list == o.list;
}

double GraphValue::Elements() const {
  double n = 1;
  for (int64_t d : shape) n *= static_cast<double>(d);
  return n;
}
bool GraphNode::ChangesOperand() const {
  return op.size() > 1 && op.back() == '_' && op[op.size() - 2] != '_';
}

Json ToJson(const GraphNumber& n) {
  Json args = Json::array(), out = Json::object();
  for (const GraphNumber& a : n.args) args.push_back(ToJson(a));
  switch (n.from) {
    case From::kConstant: return ToJson(n.value);
    case From::kTensor: return {{"t", n.name}};
    case From::kAttribute: out["attr"] = n.name; break;
    case From::kComputed: out["computed"] = n.name.empty() ? Json(true) : Json(n.name); break;
    case From::kTurn: out["turn"] = n.turn; break;
    case From::kElement:
      out["item"] = n.name;
      if (!args.empty()) out["index"] = args[0];
      break;
    case From::kOperation: out["op"] = n.name, out["args"] = args; break;
  }
  if (!std::holds_alternative<std::monostate>(n.value)) out["value"] = ToJson(n.value);
  return out;
}

GraphNumber GraphNumberFromJson(const Json& j) {
  if (!j.is_object() || j.contains("real")) return GraphNumber(ConstantFromJson(j));
  GraphNumber n;
  if (auto value = j.find("value"); value != j.end()) n.value = ConstantFromJson(*value);
  auto is = [&](const char* key, From from) {
    auto it = j.find(key);
    if (it == j.end()) return false;
    n.from = from;
    if (it->is_string()) n.name = it->get<std::string>();
    return true;
  };
  if (is("t", From::kTensor) || is("attr", From::kAttribute) || is("computed", From::kComputed))
    return n;
  if (is("turn", From::kTurn)) {
    n.turn = j["turn"].get<int64_t>();
  } else if (is("item", From::kElement)) {
    if (j.contains("index")) n.args.push_back(GraphNumberFromJson(j["index"]));
  } else {
    n.from = From::kOperation;
    n.name = j.at("op").get<std::string>();
    for (const Json& a : j.value("args", Json::array())) n.args.push_back(GraphNumberFromJson(a));
  }
  return n;
}

Json ToJson(const GraphArg& a) {
  switch (a.kind) {
    case GraphArg::Kind::kNone: return nullptr;
    case GraphArg::Kind::kTensor: return {{"t", a.tensor}};
    case GraphArg::Kind::kNumber: return {{"s", ToJson(a.number)}};
    case GraphArg::Kind::kList: break;
  }
  Json list = Json::array();
  for (const GraphArg& x : a.list) list.push_back(x.IsNumber() ? ToJson(x.number) : ToJson(x));
  return {{"l", list}};
}

GraphArg GraphArgFromJson(const Json& j) {
  if (j.is_null()) return {};
  if (auto t = j.find("t"); t != j.end()) return GraphArg::Tensor(t->get<std::string>());
  if (auto s = j.find("s"); s != j.end()) return GraphArg::Number(GraphNumberFromJson(*s));
  GraphArg a = GraphArg::List(GraphArgs{});
  for (const Json& x : j.at("l")) {
    const bool arg = x.is_object() && (x.contains("t") || x.contains("s") || x.contains("l"));
    a.list.push_back(arg ? GraphArgFromJson(x) : GraphArg::Number(GraphNumberFromJson(x)));
  }
  return a;
}

Json ToJson(const Graph& g) {
  Json nodes = Json::array(), asked = Json::array();
  for (const GraphNode& n : g.nodes) {
    Json args = Json::array(), out = Json::array();
    for (const GraphArg& a : n.args) args.push_back(ToJson(a));
    for (const GraphValue& v : n.out)
      out.push_back({{"id", v.id}, {"shape", v.shape}, {"dtype", v.dtype}});
    nodes.push_back({{"op", n.op}, {"args", args}, {"out", out}});
  }
  for (const GraphNumber& n : g.asked) asked.push_back(ToJson(n));
  Json out{{"schema", kGraphSchema}, {"nodes", nodes}, {"outputs", g.outputs}};
  if (!asked.empty()) out["asked"] = asked;
  return out;
}

Graph GraphFromJson(const Json& j) {
  Graph g;
  for (const Json& n : j.at("nodes")) {
    GraphNode node;
    node.op = n.at("op").get<std::string>();
    for (const Json& a : n.at("args")) node.args.push_back(GraphArgFromJson(a));
    for (const Json& v : n.at("out"))
      node.out.push_back({v.at("id").get<std::string>(), v.at("shape").get<std::vector<int64_t>>(),
                          v.value("dtype", "")});
    g.nodes.push_back(std::move(node));
  }
  g.outputs = j.at("outputs").get<std::vector<std::string>>();
  for (const Json& n : j.value("asked", Json::array())) g.asked.push_back(GraphNumberFromJson(n));
  return g;
}

namespace {
void InNumber(GraphNumber& n, const std::function<void(std::string&)>& visit) {
  if (n.from == From::kTensor) visit(n.name);
  for (GraphNumber& a : n.args) InNumber(a, visit);
}
void InNumber(const GraphNumber& n, const std::function<void(const std::string&)>& visit) {
  if (n.from == From::kTensor) visit(n.name);
  for (const GraphNumber& a : n.args) InNumber(a, visit);
}
}  // namespace

void ForEachTensor(const GraphArg& arg, const std::function<void(const std::string&)>& visit) {
  if (arg.IsTensor()) visit(arg.tensor);
  InNumber(arg.number, visit);
  for (const GraphArg& a : arg.list) ForEachTensor(a, visit);
}
void ForEachTensor(GraphArg& arg, const std::function<void(std::string&)>& visit) {
  if (arg.IsTensor()) visit(arg.tensor);
  InNumber(arg.number, visit);
  for (GraphArg& a : arg.list) ForEachTensor(a, visit);
}
bool ReadsElements(const GraphNumber& n) {
  return n.from == From::kElement || std::any_of(n.args.begin(), n.args.end(), ReadsElements);
}

}  // namespace akgen::record
