#include "craft/plan/product_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

namespace akgen::craft {
namespace {
bool CubeTakes(Dtype d) {
  return d == Dtype::kFloat16 || d == Dtype::kBfloat16 || d == Dtype::kFloat32;
}
}  // namespace

bool IsProduct(const std::string& op) {
  return op == "matmul" || op == "mm" || op == "bmm" || op == "mv";
}

bool ReducesDims(const GraphNode& n) {
  static const std::set<std::string> kOps = {"sum", "mean",      "amax",   "amin",  "prod",
                                             "any", "logsumexp", "argmax", "argmin"};
  return kOps.count(n.op) > 0 && n.out.size() == 1;
}

ProductGraph::ProductGraph(const PlanTask& t) : task(t), graph(t.cases[0].graph) {
  for (const PlanCase& c : task.cases)
    if (Structure(task, c) != Structure(task, task.cases[0]))
      throw Unplanned{"cases that compute different things"};
  for (const GraphNode& n : graph.nodes) {
    for (const auto& o : n.out) makers[o.id] = &n;
    for (const GraphArg& a : n.args)
      record::ForEachTensor(a, [&](const std::string& id) { ++uses[id]; });
  }
  for (const std::string& o : graph.outputs) ++uses[o];
  for (const PlanParam& p : task.params) {
    if (!params.empty()) params += ", ";
    if (p.is_attr) {
      if (p.type == "list_int" || p.type == "string")
        throw Unplanned{"an attribute that is no number"};
      params += fmt::format("{}: {}", p.id, p.type);
      continue;
    }
    if (p.is_list || p.optional) throw Unplanned{"lists and optional tensors beside products"};
    StoredValue s{p.id, {}, p.dtypes};
    const std::vector<int64_t>& shape = task.cases[0].shapes.at(p.id);
    for (const PlanCase& c : task.cases)
      if (c.shapes.at(p.id).size() != shape.size())
        throw Unplanned{"inputs of different rank beside products"};
    for (size_t d = 0; d < shape.size(); ++d) s.extents.push_back(fmt::format("{}_{}", p.id, d));
    params += fmt::format("{}: tensor({})", p.id, DtypeList(p.dtypes));
    if (!shape.empty()) params += fmt::format("[{}]", fmt::join(s.extents, ", "));
    inputs[p.id] = s;
  }
}

const std::vector<int64_t>& ProductGraph::ShapeOf(const std::string& id, const PlanCase& c) const {
  if (auto it = c.shapes.find(id); it != c.shapes.end()) return it->second;
  for (const GraphNode& n : c.graph.nodes)
    for (const auto& o : n.out)
      if (o.id == id) return o.shape;
  throw Unplanned{"a value that nothing makes"};
}

std::pair<std::string, bool> ProductGraph::Base(const std::string& id) const {
  auto it = makers.find(id);
  if (it == makers.end()) return {id, false};
  const GraphNode& n = *it->second;
  static const std::set<std::string> kConversions = {"to", "int", "float", "double", "type_as"};
  if (kConversions.count(n.op) && IsSmall(n.args[0].tensor)) return {n.args[0].tensor, false};
  const int64_t rank = static_cast<int64_t>(ShapeOf(id).size());
  if (rank < 2) return {id, false};
  auto of = [&](const GraphArg& a) {
    return a.IsNumber() && a.number.HasInt() ? (a.number.Int() + rank) % rank : -1;
  };
  bool swaps = false;
  if (n.op == "t" || n.op == "numpy_T")
    swaps = rank == 2;
  else if (n.op == "mT")
    swaps = true;
  else if ((n.op == "transpose" || n.op == "swapaxes") && n.args.size() == 3)
    swaps = of(n.args[1]) + of(n.args[2]) == 2 * rank - 3 &&
            std::max(of(n.args[1]), of(n.args[2])) == rank - 1;
  if (!swaps) return {id, false};
  auto [base, other] = Base(n.args[0].tensor);
  return {base, !other};
}

bool ProductGraph::IsSmall(const std::string& id) const {
  auto it = inputs.find(id);
  return it != inputs.end() && std::all_of(it->second.dtypes.begin(), it->second.dtypes.end(),
                                           [](Dtype d) { return d == Dtype::kInt8; });
}

std::string ProductGraph::Moved(const std::string& id) const {
  static const std::set<std::string> kMoves = {"reshape",   "view",    "flatten",    "unflatten",
                                               "transpose", "t",       "contiguous", "clone",
                                               "unsqueeze", "squeeze", "select",     "slice",
                                               "narrow",    "expand",  "detach",     "swapaxes"};
  if (inputs.count(id)) return id;
  auto it = makers.find(id);
  return it != makers.end() && kMoves.count(it->second->op) ? Moved(it->second->args[0].tensor)
                                                            : "";
}

ColumnDtypes ProductGraph::OperandDtypes(const std::string& a, const std::string& b) const {
  const std::string x = Moved(a), y = Moved(b);
  if (IsSmall(x) && IsSmall(y)) return inputs.at(x).dtypes;
  ColumnDtypes out(std::max<size_t>(1, task.outputs.at(0).dtypes.size()), Dtype::kFloat32);
  for (size_t c = 0; c < out.size() && !x.empty() && !y.empty(); ++c) {
    const Dtype d = inputs.at(x).dtypes[c], other = inputs.at(y).dtypes[c];
    if (!CubeTakes(d) || !CubeTakes(other)) throw Unplanned{"a product of integers"};
    if (d == other) out[c] = d;
  }
  return out;
}

bool ProductGraph::SameBatch(const std::string& a, const std::string& b) const {
  return std::all_of(task.cases.begin(), task.cases.end(), [&](const PlanCase& c) {
    const std::vector<int64_t>&x = ShapeOf(a, c), &y = ShapeOf(b, c);
    return x.size() == y.size() && std::equal(x.begin(), x.end() - 2, y.begin());
  });
}

ProductNode ProductGraph::ProductOf(const std::string& id) const {
  auto it = makers.find(id);
  if (it == makers.end()) return {};
  const GraphNode& n = *it->second;
  if (IsProduct(n.op)) return {&n, ""};
  if (n.op != "add" || n.args.size() < 2 || (n.args.size() > 2 && !n.args[2].Is(1))) return {};
  for (size_t i : {0, 1}) {
    const GraphArg &sums = n.args[i], &row = n.args[1 - i];
    auto product = makers.find(sums.tensor);
    if (sums.IsTensor() && row.IsTensor() && product != makers.end() &&
        IsProduct(product->second->op) && uses.at(sums.tensor) == 1 &&
        CanBeRow(row.tensor, *product->second))
      return {product->second, row.tensor};
  }
  return {};
}

// Cube cores begin their sums with it: an input with one number for each column, of the operands'
// half or of f32.
bool ProductGraph::CanBeRow(const std::string& input, const GraphNode& product) const {
  auto it = inputs.find(input);
  if (it == inputs.end() || it->second.extents.size() != 1) return false;
  const ColumnDtypes operands =
      OperandDtypes(Base(product.args.at(0).tensor).first, Base(product.args[1].tensor).first);
  for (size_t c = 0; c < operands.size(); ++c) {
    const Dtype d = it->second.dtypes[c];
    if (operands[c] == Dtype::kInt8 ||
        (d != Dtype::kFloat32 && (d != Dtype::kFloat16 || operands[c] != d)))
      return false;
  }
  return std::all_of(task.cases.begin(), task.cases.end(), [&](const PlanCase& c) {
    const std::vector<int64_t>& sums = ShapeOf(product.id(), c);
    return ShapeOf(product.args[1].tensor, c).size() > 1 && !sums.empty() &&
           ShapeOf(input, c)[0] == sums.back();
  });
}

Dtype ProductGraph::DtypeOf(const std::string& id) const {
  const GraphNode& n = *makers.at(id);
  for (const auto& o : n.out) {
    if (o.id != id) continue;
    if (o.dtype == "Bool") return Dtype::kBool;
    if (o.dtype == "Long" || o.dtype == "Int" || o.dtype == "Short" || o.dtype == "Char")
      return Dtype::kInt32;
    if (o.dtype.find("Complex") != std::string::npos)
      throw Unplanned{"complex numbers between launches"};
  }
  return Dtype::kFloat32;
}

bool ProductGraph::SizedByElements(const std::string& id) const {
  static const std::set<std::string> kParts = {"slice",  "narrow",  "repeat_interleave",
                                               "expand", "reshape", "view"};
  std::set<std::string> seen;
  std::function<bool(const std::string&)> sized = [&](const std::string& value) {
    auto it = makers.find(value);
    if (it == makers.end() || !seen.insert(value).second) return false;
    std::function<bool(const GraphArg&)> says = [&](const GraphArg& a) {
      return (a.IsTensor() && sized(a.tensor)) || std::any_of(a.list.begin(), a.list.end(), says) ||
             (a.IsNumber() && kParts.count(it->second->op) && record::ReadsElements(a.number));
    };
    return std::any_of(it->second->args.begin(), it->second->args.end(), says);
  };
  return sized(id);
}

}  // namespace akgen::craft
