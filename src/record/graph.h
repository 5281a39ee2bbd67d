// The reference of a task in one case, as nodes: akgen-reference makes it, the planner, baselines
// and the corpus read it. In JSON:
//
//   {"schema": 1,
//    "nodes":   [{"op": "mul", "args": [ARG, …], "out": [{"id": "v3", "shape": [2, 3], "dtype":
//    "Double"}]}], "outputs": ["v3"], "asked":   [NUMBER, …]}                what was asked of
//    elements to get here: other answers, another graph
//
// ARG is {"t": id} a tensor, {"l": [{"t": id} | number, …]} a list, {"s": NUMBER} a number, or
// null. NUMBER is a constant, or an object with its "value" in this case and where it came from:
// {"attr": name}, {"item": id, "index": NUMBER} one element of an input, counted flat, {"computed":
// id} the one element of a value, {"op": name, "args": […]} arithmetic on such numbers, {"turn": n}
// the count of a loop. Tensors of a list "xs" are "xs.0", "xs.1", …; ids of other inputs are their
// names.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"

namespace akgen::record {

inline constexpr int kGraphSchema = 1;

using GraphConstant = std::variant<std::monostate, bool, int64_t, double, std::string>;
GraphConstant ConstantFromJson(const base::Json& value);  // what is no constant is nothing
base::Json ToJson(const GraphConstant& value);

struct GraphNumber {
  enum class From {
    kConstant,
    kAttribute,  // `name`
    kElement,    // of the input `name`: the one at args[0], counted flat; without args the first
    kComputed,   // the one element of the value `name`; "": of one that is gone
    kTurn,       // the count of a loop
    kOperation,  // `name` of args
    kTensor,     // no number: what size and numel are asked of
  };
  From from = From::kConstant;
  GraphConstant value;  // in this case
  std::string name;
  std::vector<GraphNumber> args;
  int64_t turn = 0;

  GraphNumber() = default;
  explicit GraphNumber(GraphConstant constant) : value(std::move(constant)) {}
  static GraphNumber Of(From from, std::string name, std::vector<GraphNumber> args = {},
                        GraphConstant value = {});

  bool IsConstant() const { return from == From::kConstant; }
  bool Is(double v) const;                 // this constant
  bool Says(std::string_view text) const;  // this text in this case
  bool HasInt() const { return std::holds_alternative<int64_t>(value); }
  bool HasBool() const { return std::holds_alternative<bool>(value); }
  bool HasReal() const { return HasInt() || std::holds_alternative<double>(value); }
  // In this case; std::invalid_argument where it is none.
  int64_t Int() const;
  double Real() const;  // true is 1
  bool operator==(const GraphNumber& other) const;
};

struct GraphArg {
  enum class Kind { kNone, kTensor, kNumber, kList };
  Kind kind = Kind::kNone;
  std::string tensor;
  GraphNumber number;
  std::vector<GraphArg> list;  // tensors and numbers

  static GraphArg Tensor(std::string id);
  static GraphArg Number(GraphNumber number);
  static GraphArg Number(GraphConstant constant) {
    return Number(GraphNumber(std::move(constant)));
  }
  static GraphArg List(std::vector<GraphArg> list);
  static GraphArg List(const std::vector<int64_t>& ints);

  bool IsNone() const { return kind == Kind::kNone; }
  bool IsTensor() const { return kind == Kind::kTensor; }
  bool IsNumber() const { return kind == Kind::kNumber; }
  bool IsList() const { return kind == Kind::kList; }
  bool Is(double v) const { return IsNumber() && number.Is(v); }
  std::vector<int64_t> Ints() const;  // of a list
  bool operator==(const GraphArg& other) const;
};
using GraphArgs = std::vector<GraphArg>;

struct GraphValue {
  std::string id;
  std::vector<int64_t> shape;
  std::string dtype;  // as libtorch calls it
  double Elements() const;
};
struct GraphNode {
  std::string op;
  GraphArgs args;
  std::vector<GraphValue> out;
  const std::string& id() const { return out.at(0).id; }
  bool ChangesOperand() const;  // add_, copy_, …
};
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<std::string> outputs;
  std::vector<GraphNumber> asked;
};

base::Json ToJson(const GraphNumber& number);
base::Json ToJson(const GraphArg& arg);
base::Json ToJson(const Graph& graph);
// Throws base::Json::exception.
GraphNumber GraphNumberFromJson(const base::Json& number);
GraphArg GraphArgFromJson(const base::Json& arg);
Graph GraphFromJson(const base::Json& graph);

// Every tensor that an argument names, those inside of lists and of numbers too.
void ForEachTensor(const GraphArg& arg, const std::function<void(const std::string&)>& visit);
void ForEachTensor(GraphArg& arg, const std::function<void(std::string&)>& visit);
bool ReadsElements(const GraphNumber& number);  // of an input, anywhere in it

}  // namespace akgen::record
