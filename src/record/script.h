// A reference as libtorch's front end leaves it: TorchScript with functions inlined, overloads and
// defaults resolved, of no particular case. akgen-reference makes it; task/evaluate runs it without
// libtorch. In JSON a block is
//
//   {"in": [VALUE, …], "out": [VALUE, …], "nodes": [NODE, …]}
//
// VALUEs are numbered; a NODE is {"op": "mul", "in": […], "out": […]}, with "value" (a constant, or
// a list of them) where op is "Constant", and with "blocks" for "If" and "Loop".
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "record/graph.h"

namespace akgen::record {

struct ScriptNode;
struct ScriptBlock {
  std::vector<int> in, out;
  std::vector<ScriptNode> nodes;
};
struct ScriptNode {
  std::string op;  // without namespace and overload
  std::vector<int> in, out;
  GraphConstant value;   // of a constant
  bool is_list = false;  // the constant is `list`
  std::vector<GraphConstant> list;
  std::vector<ScriptBlock> blocks;
};

base::Json ToJson(const ScriptBlock& block);
ScriptBlock ScriptFromJson(const base::Json& block);  // throws base::Json::exception

}  // namespace akgen::record
