#include "record/script.h"

namespace akgen::record {
using base::Json;

namespace {
Json NodeToJson(const ScriptNode& n) {
  Json out{{"op", n.op}, {"in", n.in}, {"out", n.out}};
  if (n.is_list) {
    out["value"] = Json::array();
    for (const GraphConstant& c : n.list) out["value"].push_back(record::ToJson(c));
  } else if (!std::holds_alternative<std::monostate>(n.value)) {
    out["value"] = record::ToJson(n.value);
  }
  for (const ScriptBlock& b : n.blocks) out["blocks"].push_back(record::ToJson(b));
  return out;
}

ScriptNode NodeFromJson(const Json& j) {
  ScriptNode n;
  j.at("op").get_to(n.op);
  j.at("in").get_to(n.in);
  j.at("out").get_to(n.out);
  if (const auto value = j.find("value"); value != j.end()) {
    n.is_list = value->is_array();
    if (!n.is_list)
      n.value = ConstantFromJson(*value);
    else
      for (const Json& one : *value) n.list.push_back(ConstantFromJson(one));
  }
  if (const auto blocks = j.find("blocks"); blocks != j.end())
    for (const Json& b : *blocks) n.blocks.push_back(ScriptFromJson(b));
  return n;
}
}  // namespace

Json ToJson(const ScriptBlock& block) {
  Json nodes = Json::array();
  for (const ScriptNode& n : block.nodes) nodes.push_back(NodeToJson(n));
  return {{"in", block.in}, {"out", block.out}, {"nodes", std::move(nodes)}};
}

ScriptBlock ScriptFromJson(const Json& j) {
  ScriptBlock b;
  j.at("in").get_to(b.in);
  j.at("out").get_to(b.out);
  for (const Json& n : j.at("nodes")) b.nodes.push_back(NodeFromJson(n));
  return b;
}

}  // namespace akgen::record
