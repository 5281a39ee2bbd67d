// Values that kernels hold as integers, exactly.
#include "craft/plan/whole.h"

#include <algorithm>

namespace akgen::craft {
using record::GraphArg;
using record::GraphNode;

namespace {
bool IsInteger(const std::string& dtype) {
  static const std::set<std::string> kIntegers = {"Long", "Int", "Short", "Char", "Byte"};
  return kIntegers.count(dtype) > 0;
}

bool IsWhole(const GraphArg& a, const std::set<std::string>& whole) {
  if (a.IsTensor()) return whole.count(a.tensor) > 0;
  return a.IsNone() || (a.IsNumber() && a.number.HasInt());
}

bool KeepsWhole(const GraphNode& n, const std::set<std::string>& whole) {
  static const std::set<std::string> kOfFirst = {
      "reshape",    "view",   "flatten", "unflatten", "transpose", "t",         "unsqueeze",
      "squeeze",    "select", "slice",   "narrow",    "expand",    "expand_as", "clone",
      "contiguous", "detach", "alias",   "long",      "int",       "to",        "abs",
      "neg",        "relu",   "sum",     "amax",      "amin"};
  static const std::set<std::string> kOfAll = {
      "add",   "sub",       "rsub",      "mul", "maximum", "minimum",       "whole_remainder",
      "clamp", "clamp_min", "clamp_max", "max", "min",     "whole_quotient"};
  if (n.out.size() != 1 || !IsInteger(n.out[0].dtype) || n.args.empty()) return false;
  if (kOfFirst.count(n.op)) return n.args[0].IsTensor() && IsWhole(n.args[0], whole);
  if (n.op == "where")
    return n.args.size() == 3 && IsWhole(n.args[1], whole) && IsWhole(n.args[2], whole);
  return kOfAll.count(n.op) &&
         std::ranges::all_of(n.args, [&](const GraphArg& a) { return IsWhole(a, whole); });
}

std::set<std::string> WholeInputs(const PlanTask& task) {
  std::set<std::string> whole;
  for (const PlanParam& p : task.params)
    if (!p.is_attr && std::ranges::none_of(p.dtypes, [](base::Dtype d) {
          return base::IsFloating(d) || d == base::Dtype::kBool || d == base::Dtype::kComplex64;
        }))
      whole.insert(p.id);
  return whole;
}
}  // namespace

std::set<std::string> WholeValues(const PlanTask& task, const record::Graph& graph) {
  std::set<std::string> whole = WholeInputs(task);
  for (const GraphNode& n : graph.nodes)
    if (KeepsWhole(n, whole)) whole.insert(n.id());
  return whole;
}

record::Graph WithWholeQuotients(const PlanTask& task, record::Graph graph) {
  std::set<std::string> whole = WholeInputs(task);
  for (GraphNode& n : graph.nodes) {
    const bool down = n.op == "div" && n.args.size() == 3 && n.args[2].IsNumber() &&
                      n.args[2].number.Says("floor");
    if ((n.op == "remainder" || down) && n.args.size() >= 2 && IsWhole(n.args[0], whole) &&
        IsWhole(n.args[1], whole)) {
      n.op = down ? "whole_quotient" : "whole_remainder";
      n.args.resize(2);
    }
    if (KeepsWhole(n, whole)) whole.insert(n.id());
  }
  return graph;
}

bool ReducesWhole(const PlanTask& task, const record::Graph& graph) {
  static const std::set<std::string> kReductions = {"sum", "amax", "amin", "max", "min", "prod"};
  const std::set<std::string> whole = WholeValues(task, graph);
  return std::ranges::any_of(graph.nodes, [&](const GraphNode& n) {
    const bool pair = (n.op == "max" || n.op == "min") && n.args.size() > 1;
    return kReductions.count(n.op) && !pair && IsWhole(n.args.at(0), whole);
  });
}

}  // namespace akgen::craft
