#include "craft/plan/products.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "craft/craft.h"
#include "craft/plan/element.h"
#include "craft/plan/product_planner.h"

namespace akgen::craft {
namespace {
bool CubeTakes(Dtype d) {
  return d == Dtype::kFloat16 || d == Dtype::kBfloat16 || d == Dtype::kFloat32;
}

std::string DtypeText(const ColumnDtypes& d) {
  if (std::all_of(d.begin(), d.end(), [&](Dtype x) { return x == d[0]; }))
    return std::string(ir::ShortName(d[0]));
  return fmt::format("column({})", DtypeList(d));
}
}  // namespace

bool IsProduct(const std::string& op) {
  return op == "matmul" || op == "mm" || op == "bmm" || op == "mv";
}

std::string Times(const std::vector<std::string>& extents) {
  return extents.empty() ? "1" : fmt::format("{}", fmt::join(extents, " * "));
}

std::string ProductPlanner::Run() {
  for (const PlanCase& c : task_.cases)
    if (Structure(task_, c) != Structure(task_, task_.cases[0]))
      throw Unplanned{"cases that compute different things"};
  std::string head = Head();
  FindShared();
  Outputs();
  if (!results_.empty()) body_ += fmt::format("    return {}\n", fmt::join(results_, ", "));
  return functions_ + head + body_;
}

std::string ProductPlanner::Head() {
  std::string params;
  for (const PlanParam& p : task_.params) {
    if (!params.empty()) params += ", ";
    if (p.is_attr) {
      if (p.type == "list_int" || p.type == "string")
        throw Unplanned{"an attribute that is no number"};
      params += fmt::format("{}: {}", p.id, p.type);
      continue;
    }
    if (p.is_list || p.optional) throw Unplanned{"lists and optional tensors beside products"};
    StoredValue s{p.id, {}, p.dtypes};
    const std::vector<int64_t>& shape = task_.cases[0].shapes.at(p.id);
    for (const PlanCase& c : task_.cases)
      if (c.shapes.at(p.id).size() != shape.size())
        throw Unplanned{"inputs of different rank beside products"};
    for (size_t d = 0; d < shape.size(); ++d) s.extents.push_back(fmt::format("{}_{}", p.id, d));
    params += fmt::format("{}: tensor({})", p.id, DtypeList(p.dtypes));
    if (!shape.empty()) params += fmt::format("[{}]", fmt::join(s.extents, ", "));
    stored_[p.id] = s;
  }
  return "@host\ndef op(" + params + "):\n";
}

void ProductPlanner::Outputs() {
  std::vector<std::string> together;
  std::vector<size_t> places;
  results_.resize(task_.outputs.size());
  for (size_t i = 0; i < task_.outputs.size(); ++i) {
    const PlanOutput& o = task_.outputs[i];
    if (o.is_list) throw Unplanned{"lists beside products"};
    const std::string& id = graph_.outputs.at(i);
    results_[i] = fmt::format("y{}", i);
    if (const ProductNode product = ProductOf(id); product.node) {
      if (!o.inplace_of.empty()) throw Unplanned{"a product in place"};
      Multiply(product, results_[i], o.dtypes, true);
      continue;
    }
    together.push_back(id);
    places.push_back(i);
  }
  if (together.empty()) return;
  std::vector<ColumnDtypes> dtypes;
  std::vector<std::string> names;
  for (size_t i : places) dtypes.push_back(task_.outputs[i].dtypes), names.push_back(results_[i]);
  try {
    Part(together, dtypes, names, places);
  } catch (const Unplanned&) {
    if (together.size() == 1 || cut_ < kMaxCuts) throw;
    for (size_t i = 0; i < together.size(); ++i)  // a launch for each
      Part({together[i]}, {dtypes[i]}, {names[i]}, {places[i]});
  }
  std::erase_if(results_, [&](const std::string& y) {
    const PlanOutput& o = task_.outputs[static_cast<size_t>(std::stoi(y.substr(1)))];
    return !o.in_signature;
  });
}

StoredValue ProductPlanner::Store(const std::string& id, const ColumnDtypes& dtypes) {
  if (auto it = stored_.find(id); it != stored_.end() && it->second.dtypes == dtypes)
    return it->second;
  auto made = made_.find({id, dtypes});
  if (made != made_.end()) return made->second;
  auto it = maker_.find(id);
  if (it == maker_.end() && !stored_.count(id)) throw Unplanned{"a value that nothing makes"};
  const ProductNode product = ProductOf(id);
  StoredValue s = product.node ? Multiply(product, Fresh("v"), dtypes, false)
                               : Part({id}, {dtypes}, {Fresh("v")})[0];
  made_[{id, dtypes}] = s;
  extents_.clear();  // others may be named by it
  return s;
}

const std::vector<int64_t>& ProductPlanner::ShapeOf(const std::string& id,
                                                    const PlanCase& c) const {
  if (auto it = c.shapes.find(id); it != c.shapes.end()) return it->second;
  for (const GraphNode& n : c.graph.nodes)
    for (const auto& o : n.out)
      if (o.id == id) return o.shape;
  throw Unplanned{"a value that nothing makes"};
}

std::pair<std::string, bool> ProductPlanner::Base(const std::string& id) const {
  auto it = maker_.find(id);
  if (it == maker_.end()) return {id, false};
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

bool ProductPlanner::IsSmall(const std::string& id) const {
  auto it = stored_.find(id);
  return it != stored_.end() && std::all_of(it->second.dtypes.begin(), it->second.dtypes.end(),
                                            [](Dtype d) { return d == Dtype::kInt8; });
}

std::string ProductPlanner::Moved(const std::string& id) const {
  static const std::set<std::string> kMoves = {"reshape",   "view",    "flatten",    "unflatten",
                                               "transpose", "t",       "contiguous", "clone",
                                               "unsqueeze", "squeeze", "select",     "slice",
                                               "narrow",    "expand",  "detach",     "swapaxes"};
  if (stored_.count(id)) return id;
  auto it = maker_.find(id);
  return it != maker_.end() && kMoves.count(it->second->op) ? Moved(it->second->args[0].tensor)
                                                            : "";
}

ColumnDtypes ProductPlanner::OperandDtypes(const std::string& a, const std::string& b) const {
  const std::string x = Moved(a), y = Moved(b);
  if (IsSmall(x) && IsSmall(y)) return stored_.at(x).dtypes;
  ColumnDtypes out(std::max<size_t>(1, task_.outputs.at(0).dtypes.size()), Dtype::kFloat32);
  for (size_t c = 0; c < out.size() && !x.empty() && !y.empty(); ++c) {
    const Dtype d = stored_.at(x).dtypes[c], other = stored_.at(y).dtypes[c];
    if (!CubeTakes(d) || !CubeTakes(other)) throw Unplanned{"a product of integers"};
    if (d == other) out[c] = d;
  }
  return out;
}

ProductSide ProductPlanner::SideOf(const std::string& id, const ColumnDtypes& dtypes) {
  auto [base, transposed] = Base(id);
  ProductSide s{Store(base, dtypes), transposed, ShapeOf(id), {}};
  s.extents = s.at.extents;
  if (transposed) std::swap(s.extents[s.extents.size() - 1], s.extents[s.extents.size() - 2]);
  return s;
}

std::vector<std::string> ProductPlanner::Leading(const ProductSide& s) {
  return {s.extents.begin(),
          s.extents.end() - static_cast<std::ptrdiff_t>(std::min<size_t>(2, s.extents.size()))};
}

bool ProductPlanner::SameBatch(const std::string& a, const std::string& b) const {
  return std::all_of(task_.cases.begin(), task_.cases.end(), [&](const PlanCase& c) {
    const std::vector<int64_t>&x = ShapeOf(a, c), &y = ShapeOf(b, c);
    return x.size() == y.size() && std::equal(x.begin(), x.end() - 2, y.begin());
  });
}

ProductNode ProductPlanner::ProductOf(const std::string& id) const {
  auto it = maker_.find(id);
  if (it == maker_.end()) return {};
  const GraphNode& n = *it->second;
  if (IsProduct(n.op)) return {&n, ""};
  if (n.op != "add" || n.args.size() < 2 || (n.args.size() > 2 && !n.args[2].Is(1))) return {};
  for (size_t i : {0, 1}) {
    const GraphArg &sums = n.args[i], &row = n.args[1 - i];
    auto product = maker_.find(sums.tensor);
    if (sums.IsTensor() && row.IsTensor() && product != maker_.end() &&
        IsProduct(product->second->op) && uses_.at(sums.tensor) == 1 &&
        CanBeRow(row.tensor, *product->second))
      return {product->second, row.tensor};
  }
  return {};
}

// Cube cores begin their sums with it: an input with one number for each column, of the operands'
// half or of f32.
bool ProductPlanner::CanBeRow(const std::string& input, const GraphNode& product) const {
  auto it = stored_.find(input);
  if (it == stored_.end() || it->second.extents.size() != 1) return false;
  const ColumnDtypes operands =
      OperandDtypes(Base(product.args.at(0).tensor).first, Base(product.args[1].tensor).first);
  for (size_t c = 0; c < operands.size(); ++c) {
    const Dtype d = it->second.dtypes[c];
    if (operands[c] == Dtype::kInt8 ||
        (d != Dtype::kFloat32 && (d != Dtype::kFloat16 || operands[c] != d)))
      return false;
  }
  return std::all_of(task_.cases.begin(), task_.cases.end(), [&](const PlanCase& c) {
    const std::vector<int64_t>& sums = ShapeOf(product.id(), c);
    return ShapeOf(product.args[1].tensor, c).size() > 1 && !sums.empty() &&
           ShapeOf(input, c)[0] == sums.back();
  });
}

StoredValue ProductPlanner::Multiply(const ProductNode& product, const std::string& name,
                                     ColumnDtypes dtypes, bool output) {
  const GraphNode& n = *product.node;
  const std::string &a_id = n.args.at(0).tensor, &b_id = n.args.at(1).tensor;
  const ColumnDtypes operands = OperandDtypes(Base(a_id).first, Base(b_id).first);
  ProductSide a = SideOf(a_id, operands), b = SideOf(b_id, operands);
  const bool whole = operands[0] == Dtype::kInt8;
  if (whole && !output) dtypes.assign(dtypes.size(), Dtype::kInt32);
  if (whole && dtypes[0] != Dtype::kInt32)
    throw Unplanned{"a product of integers as an output of floats"};
  const size_t rank_a = a.shape.size(), rank_b = b.shape.size();
  if (rank_a == 0 || rank_b == 0) throw Unplanned{"a product of numbers"};
  const std::string k = a.extents.back(), other_k = b.extents[rank_b > 1 ? rank_b - 2 : 0];
  const std::string cols = rank_b > 1 ? b.extents.back() : "1";
  std::string rows = rank_a > 1 ? a.extents[rank_a - 2] : "1";
  std::vector<std::string> extents, batch;
  bool a_walks = rank_a > 2, b_walks = rank_b > 2;
  if (!b_walks && !a.transposed && a_walks) {  // all rows of all matrices by one right side
    extents = Leading(a);
    std::vector<std::string> all = extents;
    all.push_back(rows);
    extents.push_back(rows);
    rows = Times(all);
    a_walks = false;
  } else {
    if (a_walks && b_walks && !SameBatch(a_id, b_id))
      throw Unplanned{"a product whose sides are broadcast"};
    batch = a_walks ? Leading(a) : b_walks ? Leading(b) : std::vector<std::string>{};
    extents = batch;
    if (rank_a > 1) extents.push_back(rows);
  }
  if (rank_b > 1) extents.push_back(cols);
  const std::string number = std::to_string(++names_);
  const std::string kernel =
      Kernel(a, b, a_walks, b_walks, whole ? ", dtype=i32" : "", !product.row.empty());
  if (!product.row.empty() && stored_[product.row].extents[0] != cols)
    body_ += fmt::format("    require({} == {})\n", stored_[product.row].extents[0], cols);
  if (k != other_k) body_ += fmt::format("    require({} == {})\n", k, other_k);
  body_ += fmt::format("    m{0}, k{0}, n{0} = {1}, {2}, {3}\n", number, rows, k, cols);
  const bool walks = a_walks || b_walks;
  if (walks) body_ += fmt::format("    batch{} = {}\n", number, Times(batch));
  body_ += fmt::format("    {} = {}([{}], {})\n", name, output ? "empty" : "workspace",
                       fmt::join(extents, ", "), DtypeText(dtypes));
  body_ += fmt::format("    tm{0}, tn{0} = block({1}m{0}, n{0}, k{0})\n", number,
                       walks ? fmt::format("batch{} * ", number) : "");
  body_ +=
      fmt::format("    {5}[best_cores()]({1}, {2}, {3}, {4}m{0}, k{0}, n{0}, tm{0}, tn{0})\n",
                  number, a.at.name, b.at.name + (product.row.empty() ? "" : ", " + product.row),
                  name, walks ? fmt::format("batch{}, ", number) : "", kernel);
  return {name, extents, dtypes};
}

std::string ProductPlanner::Kernel(const ProductSide& a, const ProductSide& b, bool a_walks,
                                   bool b_walks, const char* sums, bool row) {
  const bool walks = a_walks || b_walks;
  auto dims = [](bool w, bool transposed, const char* first, const char* second) {
    if (transposed) std::swap(first, second);
    return fmt::format("{}{}, {}", w ? "batch, " : "", first, second);
  };
  auto window = [](const char* name, bool w, bool transposed, const char* first,
                   const char* second) {
    if (transposed) std::swap(first, second);
    return fmt::format("{}[{}{}, {}]{}", name, w ? "t, " : "", first, second,
                       transposed ? ".T" : "");
  };
  const std::string text = fmt::format(
      "(a: gm[{0}], b: gm[{1}], {8}c: gm[{2}m, n], {2}m, k, n, tm, tn):\n"
      "    sums = acc(tm, tn{7})\n"
      "    for {3}i, h, j, w in blocks(m, tm, n, tn{4}):\n"
      "        with cube: sums[:] = {5} @ {6}{9}\n"
      "        with copyout: store(c[{3}i : i + h, j : j + w], sums)\n\n\n",
      dims(a_walks, a.transposed, "m", "k"), dims(b_walks, b.transposed, "k", "n"),
      walks ? "batch, " : "", walks ? "t, " : "", walks ? ", over=[batch]" : "",
      window("a", a_walks, a.transposed, "i : i + h", ":"),
      window("b", b_walks, b.transposed, ":", "j : j + w"), sums, row ? "row: gm[n], " : "",
      row ? " + row[j : j + w]" : "");
  auto [known, is_new] = products_.emplace(text, "");
  if (is_new) {
    known->second = fmt::format("product{}_kernel", products_.size());
    functions_ += fmt::format("@kernel\ndef {}{}", known->second, text);
  }
  return known->second;
}

bool HasProducts(const PlanTask& task) {
  return std::any_of(task.cases.begin(), task.cases.end(), [](const PlanCase& c) {
    return std::any_of(c.graph.nodes.begin(), c.graph.nodes.end(),
                       [](const auto& n) { return IsProduct(n.op); });
  });
}

bool IsWindowed(const std::string& op) { return op == "windows" || op == "folds"; }

bool IsCut(const record::GraphNode& node, int cut) {
  static const std::set<std::string> kViews = {
      "reshape",    "view",      "flatten",   "unflatten", "transpose", "t",      "permute",
      "contiguous", "clone",     "unsqueeze", "select",    "slice",     "narrow", "expand",
      "detach",     "expand_as", "swapaxes",  "squeeze",   "double",    "to",     "float",
      "type_as",    "long",      "int",       "windows",   "folds",     "alias"};
  static const std::set<std::string> kReductions = {"sum",  "mean",    "amax",      "amin",
                                                    "max",  "min",     "any",       "all",
                                                    "prod", "softmax", "logsumexp", "layer_norm"};
  const std::string& op = node.op;
  bool reads = false;
  for (const GraphArg& a : node.args)
    record::ForEachTensor(a, [&](const std::string&) { reads = true; });
  if (!reads) return false;  // numbers and positions are made where they are used
  if (op == "constant_pad_nd") return true;
  if (cut < 1) return false;
  if (cut > 3) return true;
  if (kViews.count(op)) return false;
  if (cut > 2) return true;
  if (kReductions.count(op) && node.out.size() == 1) return cut > 1;
  return !ElementText(op, node.args, [](size_t) { return std::string("x"); });
}

bool HasCuts(const PlanTask& task, int cut) {
  const record::Graph& graph = task.cases[0].graph;
  std::set<std::string> cuts, made;
  for (const GraphNode& n : graph.nodes)
    for (const auto& o : n.out) {
      made.insert(o.id);
      if (IsCut(n, cut)) cuts.insert(o.id);
    }
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const GraphNode& n) {
    bool any = false;
    for (const GraphArg& a : n.args)
      record::ForEachTensor(a, [&](const std::string& id) {
        any |= cuts.count(id) > 0 || (IsWindowed(n.op) && made.count(id) > 0);
      });
    return any;
  });
}

// Operations whose result may lie in the memory of their first operand.
bool MaySeeMemoryOf(const std::string& op) {
  static const std::set<std::string> kOperations = {
      "reshape", "view",    "view_as", "reshape_as", "flatten", "unflatten", "transpose",
      "t",       "permute", "movedim", "swapaxes",   "squeeze", "unsqueeze", "select",
      "slice",   "narrow",  "expand",  "expand_as",  "detach",  "alias",     "contiguous",
      "chunk",   "split",   "unbind",  "diagonal",   "unfold",  "windows",   "split_with_sizes",
      "double",  "to",      "float",   "type_as",    "long",    "int",       "tensor_split"};
  return kOperations.count(op) > 0;
}

// Which values lie in the same memory, and until where each value is read.
class Memory {
 public:
  explicit Memory(const Graph& graph) {
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      for (const GraphArg& a : graph.nodes[i].args)
        record::ForEachTensor(a, [&](const std::string& id) { last_[id] = i; });
    for (const std::string& o : graph.outputs) last_[o] = graph.nodes.size();
  }
  void Share(const std::string& id, const std::string& with) {
    const auto of = room_.emplace(with, with).first->second;
    room_[id] = of, members_[of].insert({id, with});
  }
  // What is written where it lies stays so, and all that lies there.
  void Keep(const std::string& id) { kept_.insert(RoomOf(id)); }
  // Whether nobody reads `id`, or what lies in the same memory, after node `at`, under another
  // name.
  bool IsAlone(const std::string& id, size_t at) const {
    const auto members = members_.find(RoomOf(id));
    return !kept_.count(RoomOf(id)) &&
           (members == members_.end() ||
            std::ranges::all_of(members->second, [&](const std::string& m) {
              return m == id || !last_.count(m) || last_.at(m) <= at;
            }));
  }

 private:
  std::string RoomOf(const std::string& id) const {
    const auto of = room_.find(id);
    return of == room_.end() ? id : of->second;
  }
  std::map<std::string, std::string> room_;  // named by its first value
  std::map<std::string, std::set<std::string>> members_;
  std::map<std::string, size_t> last_;
  std::set<std::string> kept_;
};

Graph WithoutChanges(Graph graph, std::set<std::string> made) {
  static const std::set<std::string> kStays = {"copy_", "fill_", "zero_"};
  std::map<std::string, std::string> now, dtypes;
  Memory memory(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode& n = graph.nodes[i];
    const std::string of = n.args.empty() ? "" : n.args[0].tensor;  // under its first name
    // What has been converted has memory of its own.
    const bool converted = n.out.size() == 1 && dtypes.count(of) && dtypes.at(of) != n.out[0].dtype;
    const bool view = MaySeeMemoryOf(n.op) && !converted;
    for (GraphArg& a : n.args)
      record::ForEachTensor(a, [&](std::string& id) {
        while (now.count(id)) id = now.at(id);
      });
    if (n.ChangesOperand()) {
      if (!kStays.count(n.op) && made.count(of) && memory.IsAlone(of, i)) {
        n.op.pop_back();
        now[of] = n.id();
      } else {
        memory.Keep(of);
      }
    }
    for (const auto& o : n.out) {
      dtypes[o.id] = o.dtype;
      made.insert(o.id);
      if (view || n.ChangesOperand()) memory.Share(o.id, of);
    }
  }
  for (std::string& o : graph.outputs)
    while (now.count(o)) o = now.at(o);
  return graph;
}

PlanResult<std::string> PlanProducts(const PlanTask& given, const Target& target, int cut) {
  PlanTask task = given;
  auto text = Tried(
      [&] {
        for (PlanCase& c : task.cases) {
          c.graph = WithoutChanges(std::move(c.graph), {});
          for (const GraphNode& n : c.graph.nodes)
            if (n.ChangesOperand()) throw Unplanned{"a value that is changed in place"};
        }
        return ProductPlanner(task, target, cut).Run();
      },
      "a product");
  if (!text.ok()) return text;
  Compiled c = Compile(*text, target);
  if (!c.diagnostics.empty())
    return Unplanned{"the program is refused: " + c.diagnostics.list()[0].message};
  return text;
}

}  // namespace akgen::craft
