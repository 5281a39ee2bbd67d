#include "craft/plan/products.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "craft/craft.h"
#include "craft/plan/element.h"

namespace akgen::craft {
namespace {
using base::Dtype;
using record::Graph;
using record::GraphArg;
using record::GraphNode;
using record::GraphNumber;
using Shape = std::vector<int64_t>;
using Dtypes = std::vector<Dtype>;  // by column

bool IsProduct(const std::string& op) { return op == "matmul" || op == "mm" || op == "bmm" || op == "mv"; }
bool CubeTakes(Dtype d) { return d == Dtype::kFloat16 || d == Dtype::kBfloat16 || d == Dtype::kFloat32; }

std::string DtypeText(const Dtypes& d) {
  if (std::all_of(d.begin(), d.end(), [&](Dtype x) { return x == d[0]; })) return std::string(ir::ShortName(d[0]));
  return fmt::format("column({})", DtypeList(d));
}

// A value in memory: its name in the host function, and what the host writes for its extents.
struct Stored {
  std::string name;
  std::vector<std::string> extents;
  Dtypes dtypes;
};

// One side of a product as it lies in memory.
struct ProductSide {
  Stored at;
  bool transposed = false;
  Shape shape;                       // as the product sees it, in the first case
  std::vector<std::string> extents;  // the same as the host writes them
};

std::string Times(const std::vector<std::string>& extents) {
  return extents.empty() ? "1" : fmt::format("{}", fmt::join(extents, " * "));
}

class ProductPlanner {
 public:
  ProductPlanner(const PlanTask& task, const Target& target) : task_(task), target_(target), graph_(task.cases[0].graph) {
    for (const GraphNode& n : graph_.nodes)
      for (const auto& o : n.out) maker_[o.id] = &n;
  }

  std::string Run() {
    for (const PlanCase& c : task_.cases)
      if (Structure(task_, c) != Structure(task_, task_.cases[0])) throw Unplanned{"cases that compute different things"};
    std::string head = Head();
    Outputs();
    if (!results_.empty()) body_ += fmt::format("    return {}\n", fmt::join(results_, ", "));
    return functions_ + head + body_;
  }

 private:
  std::string Head() {
    std::string params;
    for (const PlanParam& p : task_.params) {
      if (!params.empty()) params += ", ";
      if (p.is_attr) {
        if (p.type == "list_int" || p.type == "string") throw Unplanned{"an attribute that is no number"};
        params += fmt::format("{}: {}", p.id, p.type);
        continue;
      }
      if (p.is_list || p.optional) throw Unplanned{"lists and optional tensors beside products"};
      Stored s{p.id, {}, p.dtypes};
      const Shape& shape = task_.cases[0].shapes.at(p.id);
      for (const PlanCase& c : task_.cases)
        if (c.shapes.at(p.id).size() != shape.size()) throw Unplanned{"inputs of different rank beside products"};
      for (size_t d = 0; d < shape.size(); ++d) s.extents.push_back(fmt::format("{}_{}", p.id, d));
      params += fmt::format("{}: tensor({})", p.id, DtypeList(p.dtypes));
      if (!shape.empty()) params += fmt::format("[{}]", fmt::join(s.extents, ", "));
      stored_[p.id] = s;
    }
    return "@host\ndef op(" + params + "):\n";
  }

  void Outputs() {
    std::vector<std::string> together;
    std::vector<size_t> places;
    results_.resize(task_.outputs.size());
    for (size_t i = 0; i < task_.outputs.size(); ++i) {
      const PlanOutput& o = task_.outputs[i];
      if (o.is_list) throw Unplanned{"lists beside products"};
      const std::string& id = graph_.outputs.at(i);
      results_[i] = fmt::format("y{}", i);
      if (auto it = maker_.find(id); it != maker_.end() && IsProduct(it->second->op)) {
        if (!o.inplace_of.empty()) throw Unplanned{"a product in place"};
        Multiply(*it->second, results_[i], o.dtypes, true);
        continue;
      }
      together.push_back(id);
      places.push_back(i);
    }
    if (together.empty()) return;
    std::vector<Dtypes> dtypes;
    std::vector<std::string> names;
    for (size_t i : places) dtypes.push_back(task_.outputs[i].dtypes), names.push_back(results_[i]);
    Part(together, dtypes, names, places);
    std::erase_if(results_, [&](const std::string& y) {
      const PlanOutput& o = task_.outputs[static_cast<size_t>(std::stoi(y.substr(1)))];
      return !o.in_signature;
    });
  }

  // ---- values ----

  // The value in memory, in this dtype where it has to be computed.
  Stored Store(const std::string& id, const Dtypes& dtypes) {
    if (auto it = stored_.find(id); it != stored_.end() && it->second.dtypes == dtypes) return it->second;
    auto made = made_.find({id, dtypes});
    if (made != made_.end()) return made->second;
    auto it = maker_.find(id);
    if (it == maker_.end() && !stored_.count(id)) throw Unplanned{"a value that nothing makes"};
    Stored s = it != maker_.end() && IsProduct(it->second->op) ? Multiply(*it->second, Fresh("v"), dtypes, false)
                                         : Part({id}, {dtypes}, {Fresh("v")})[0];
    made_[{id, dtypes}] = s;
    return s;
  }

  std::string Fresh(const char* base) { return fmt::format("{}{}", base, ++names_); }

  const Shape& ShapeOf(const std::string& id, const PlanCase& c) const {
    if (auto it = c.shapes.find(id); it != c.shapes.end()) return it->second;
    for (const GraphNode& n : c.graph.nodes)
      for (const auto& o : n.out)
        if (o.id == id) return o.shape;
    throw Unplanned{"a value that nothing makes"};
  }
  const Shape& ShapeOf(const std::string& id) const { return ShapeOf(id, task_.cases[0]); }

  // ---- products ----

  // The value that a product's operand is a transposition of, and whether it is one.
  std::pair<std::string, bool> Base(const std::string& id) const {
    auto it = maker_.find(id);
    if (it == maker_.end()) return {id, false};
    const GraphNode& n = *it->second;
    static const std::set<std::string> kConversions = {"to", "int", "float", "double", "type_as"};
    if (kConversions.count(n.op) && IsSmall(n.args[0].tensor)) return {n.args[0].tensor, false};
    const int64_t rank = static_cast<int64_t>(ShapeOf(id).size());
    if (rank < 2) return {id, false};
    auto of = [&](const GraphArg& a) { return a.IsNumber() && a.number.HasInt() ? (a.number.Int() + rank) % rank : -1; };
    bool swaps = false;
    if (n.op == "t" || n.op == "numpy_T") swaps = rank == 2;
    else if (n.op == "mT") swaps = true;
    else if ((n.op == "transpose" || n.op == "swapaxes") && n.args.size() == 3)
      swaps = of(n.args[1]) + of(n.args[2]) == 2 * rank - 3 && std::max(of(n.args[1]), of(n.args[2])) == rank - 1;
    else if (n.op == "permute" && n.args.size() == 2 && n.args[1].IsList()) {
      std::vector<int64_t> order = n.args[1].Ints();
      for (int64_t& d : order) d = (d + rank) % rank;
      swaps = true;
      for (int64_t d = 0; d < rank; ++d)
        swaps &= order[static_cast<size_t>(d)] == (d < rank - 2 ? d : 2 * rank - 3 - d);
    }
    if (!swaps) return {id, false};
    auto [base, other] = Base(n.args[0].tensor);
    return {base, !other};
  }

  // An input of i8: Cube cores multiply it as it is, exactly.
  bool IsSmall(const std::string& id) const {
    auto it = stored_.find(id);
    return it != stored_.end() && std::all_of(it->second.dtypes.begin(), it->second.dtypes.end(),
                                              [](Dtype d) { return d == Dtype::kInt8; });
  }

  // The input that a value is nothing but a rearrangement of; empty: there is none.
  std::string Moved(const std::string& id) const {
    static const std::set<std::string> kMoves = {"reshape", "view",    "flatten",    "unflatten", "transpose",
                                                 "t",       "permute", "contiguous", "clone",     "unsqueeze",
                                                 "squeeze", "select",  "slice",      "narrow",    "expand",
                                                 "detach",  "swapaxes"};
    if (stored_.count(id)) return id;
    auto it = maker_.find(id);
    return it != maker_.end() && kMoves.count(it->second->op) ? Moved(it->second->args[0].tensor) : "";
  }

  // What Cube cores multiply: the dtype of inputs that are nothing but rearranged; what has been computed is not rounded.
  Dtypes OperandDtypes(const std::string& a, const std::string& b) const {
    const std::string x = Moved(a), y = Moved(b);
    if (IsSmall(x) && IsSmall(y)) return stored_.at(x).dtypes;
    Dtypes out(std::max<size_t>(1, task_.outputs.at(0).dtypes.size()), Dtype::kFloat32);
    for (size_t c = 0; c < out.size() && !x.empty() && !y.empty(); ++c) {
      const Dtype d = stored_.at(x).dtypes[c], other = stored_.at(y).dtypes[c];
      if (!CubeTakes(d) || !CubeTakes(other)) throw Unplanned{"a product of integers"};
      if (d == other) out[c] = d;
    }
    return out;
  }

  ProductSide SideOf(const std::string& id, const Dtypes& dtypes) {
    auto [base, transposed] = Base(id);
    ProductSide s{Store(base, dtypes), transposed, ShapeOf(id), {}};
    s.extents = s.at.extents;
    if (transposed) std::swap(s.extents[s.extents.size() - 1], s.extents[s.extents.size() - 2]);
    return s;
  }

  static std::vector<std::string> Leading(const ProductSide& s) {
    return {s.extents.begin(), s.extents.end() - static_cast<std::ptrdiff_t>(std::min<size_t>(2, s.extents.size()))};
  }

  // Whether the leading extents of both sides are the same in all cases.
  bool SameBatch(const std::string& a, const std::string& b) const {
    return std::all_of(task_.cases.begin(), task_.cases.end(), [&](const PlanCase& c) {
      Shape x = ShapeOf(a, c), y = ShapeOf(b, c);
      return x.size() == y.size() && std::equal(x.begin(), x.end() - 2, y.begin());
    });
  }

  Stored Multiply(const GraphNode& n, const std::string& name, Dtypes dtypes, bool output) {
    const std::string &a_id = n.args.at(0).tensor, &b_id = n.args.at(1).tensor;
    const Dtypes operands = OperandDtypes(Base(a_id).first, Base(b_id).first);
    ProductSide a = SideOf(a_id, operands), b = SideOf(b_id, operands);
    const bool whole = operands[0] == Dtype::kInt8;
    if (whole && !output) dtypes.assign(dtypes.size(), Dtype::kInt32);
    if (whole && dtypes[0] != Dtype::kInt32) throw Unplanned{"a product of integers as an output of floats"};
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
      if (a_walks && b_walks && !SameBatch(a_id, b_id)) throw Unplanned{"a product whose sides are broadcast"};
      batch = a_walks ? Leading(a) : b_walks ? Leading(b) : std::vector<std::string>{};
      extents = batch;
      if (rank_a > 1) extents.push_back(rows);
    }
    if (rank_b > 1) extents.push_back(cols);
    const std::string number = std::to_string(++names_);
    Kernel(number, a, b, a_walks, b_walks, whole ? ", dtype=i32" : "");
    if (k != other_k) body_ += fmt::format("    require({} == {})\n", k, other_k);
    body_ += fmt::format("    m{0}, k{0}, n{0} = {1}, {2}, {3}\n", number, rows, k, cols);
    const bool walks = a_walks || b_walks;
    if (walks) body_ += fmt::format("    batch{} = {}\n", number, Times(batch));
    body_ += fmt::format("    {} = {}([{}], {})\n", name, output ? "empty" : "workspace", fmt::join(extents, ", "),
                         DtypeText(dtypes));
    body_ += fmt::format("    tm{0}, tn{0} = block({1}m{0}, n{0}, k{0})\n", number,
                         walks ? fmt::format("batch{} * ", number) : "");
    body_ += fmt::format("    product{0}_kernel[best_cores()]({1}, {2}, {3}, {4}m{0}, k{0}, n{0}, tm{0}, tn{0})\n", number,
                         a.at.name, b.at.name, name, walks ? fmt::format("batch{}, ", number) : "");
    return {name, extents, dtypes};
  }

  void Kernel(const std::string& number, const ProductSide& a, const ProductSide& b, bool a_walks, bool b_walks,
              const char* sums) {
    const bool walks = a_walks || b_walks;
    auto dims = [](bool w, bool transposed, const char* first, const char* second) {
      if (transposed) std::swap(first, second);
      return fmt::format("{}{}, {}", w ? "batch, " : "", first, second);
    };
    auto window = [](const char* name, bool w, bool transposed, const char* first, const char* second) {
      if (transposed) std::swap(first, second);
      return fmt::format("{}[{}{}, {}]{}", name, w ? "t, " : "", first, second, transposed ? ".T" : "");
    };
    functions_ += fmt::format(
        "@kernel\ndef product{0}_kernel(a: gm[{1}], b: gm[{2}], c: gm[{3}m, n], {3}m, k, n, tm, tn):\n"
        "    sums = acc(tm, tn{8})\n"
        "    for {4}i, h, j, w in blocks(m, tm, n, tn{5}):\n"
        "        with cube: sums[:] = {6} @ {7}\n"
        "        with copyout: store(c[{4}i : i + h, j : j + w], sums)\n\n\n",
        number, dims(a_walks, a.transposed, "m", "k"), dims(b_walks, b.transposed, "k", "n"), walks ? "batch, " : "",
        walks ? "t, " : "", walks ? ", over=[batch]" : "", window("a", a_walks, a.transposed, "i : i + h", ":"),
        window("b", b_walks, b.transposed, ":", "j : j + w"), sums);
  }

  // ---- what stands between products ----

  // The nodes that these values need, back to what lies in memory.
  void Closure(const std::string& id, std::set<std::string>& needed, std::vector<std::string>& outside) const {
    if (needed.count(id)) return;
    needed.insert(id);
    auto it = maker_.find(id);
    if (it == maker_.end() || IsProduct(it->second->op) || HasMade(id)) {
      outside.push_back(id);
      return;
    }
    for (const GraphArg& a : it->second->args)
      ForEachRead(a, [&](const std::string& t) { Closure(t, needed, outside); });
  }
  // Tensors whose elements a part reads: of those in memory the host knows the extents.
  void ForEachRead(const GraphArg& a, const std::function<void(const std::string&)>& visit) const {
    if (a.IsTensor()) visit(a.tensor);
    for (const GraphArg& inner : a.list) ForEachRead(inner, visit);
    std::function<void(const GraphNumber&)> number = [&](const GraphNumber& n) {
      if (IsKnownExtent(n)) return;
      if (n.from == GraphNumber::From::kTensor) visit(n.name);
      for (const GraphNumber& inner : n.args) number(inner);
    };
    if (a.IsNumber()) number(a.number);
  }
  bool IsKnownExtent(const GraphNumber& n) const {
    return n.from == GraphNumber::From::kOperation && n.name == "size" && n.args.size() == 2 && n.HasInt() &&
           n.args[0].from == GraphNumber::From::kTensor && n.args[1].HasInt() &&
           (stored_.count(n.args[0].name) || HasMade(n.args[0].name));
  }
  // Such an extent is an attribute of the part: its name there, and what the operator gives.
  using Extents = std::map<std::string, std::string>;
  void NameExtents(GraphNumber& n, PlanCase& c, Extents& extents) {
    if (IsKnownExtent(n)) {
      const Stored s = Outside(n.args[0].name);
      const int64_t rank = static_cast<int64_t>(s.extents.size()), at = (n.args[1].Int() + rank) % rank;
      const std::string& text = s.extents.at(static_cast<size_t>(at));
      auto known = std::find_if(extents.begin(), extents.end(), [&](const auto& e) { return e.second == text; });
      const std::string name =
          known != extents.end() ? known->first : fmt::format("extent{}", extents.size());
      extents[name] = text;
      c.attrs[name] = n.Int();
      n = GraphNumber::Of(GraphNumber::From::kAttribute, name, {}, n.value);
    }
    for (GraphNumber& inner : n.args) NameExtents(inner, c, extents);
  }
  void NameExtents(GraphArg& a, PlanCase& c, Extents& extents) {
    if (a.IsNumber()) NameExtents(a.number, c, extents);
    for (GraphArg& inner : a.list) NameExtents(inner, c, extents);
  }
  bool HasMade(const std::string& id) const {
    auto it = made_.lower_bound({id, {}});
    return it != made_.end() && it->first.first == id;
  }
  Stored Outside(const std::string& id) {
    if (auto it = stored_.find(id); it != stored_.end()) return it->second;
    if (HasMade(id)) return made_.lower_bound({id, {}})->second;
    return Store(id, Dtypes(task_.outputs[0].dtypes.size(), Dtype::kFloat32));
  }

  // `outputs`: of the task, which these values are.
  std::vector<Stored> Part(const std::vector<std::string>& ids, const std::vector<Dtypes>& dtypes,
                           std::vector<std::string> names, const std::vector<size_t>& outputs = {}) {
    std::set<std::string> needed;
    std::vector<std::string> outside, used;
    for (const std::string& id : ids) Closure(id, needed, outside);
    for (size_t o : outputs)
      if (const std::string& of = task_.outputs[o].inplace_of; !of.empty() && needed.insert(of).second)
        outside.push_back(of);
    PlanTask part;
    std::map<std::string, std::string> renamed;
    std::string args;
    for (const std::string& id : outside) {
      Stored s = Outside(id);
      renamed[id] = fmt::format("x{}", part.params.size());
      part.params.push_back({renamed[id], false, false, false, "", s.dtypes});
      args += (args.empty() ? "" : ", ") + s.name;
    }
    for (const PlanParam& p : task_.params)
      if (p.is_attr) part.params.push_back(p), args += (args.empty() ? "" : ", ") + p.id;
    for (size_t i = 0; i < ids.size(); ++i) part.outputs.push_back({false, dtypes[i], "", true, !outputs.empty()});
    for (size_t i = 0; i < outputs.size(); ++i) {
      const PlanOutput& o = task_.outputs[outputs[i]];
      if (!o.inplace_of.empty()) part.outputs[i].inplace_of = renamed.at(o.inplace_of);
      part.outputs[i].in_signature = o.in_signature;
      if (!o.in_signature) names[i].clear();
    }
    std::erase(names, "");
    Extents extents;
    for (const PlanCase& c : task_.cases) part.cases.push_back(CaseOf(c, ids, needed, outside, renamed, extents));
    for (const auto& [name, text] : extents) {
      part.params.push_back({name, true, false, false, "int", {}});
      args += (args.empty() ? "" : ", ") + text;
    }
    auto text = Plan(part, target_);
    if (!text.ok()) throw Unplanned{text.error().message.substr(text.error().message.find(": ") + 2)};
    const std::string number = std::to_string(++names_);
    functions_ += OwnNames(*text, number) + "\n\n";
    body_ += fmt::format("    {}{}part{}({})\n", fmt::join(names, ", "), names.empty() ? "" : " = ", number, args);
    std::vector<Stored> out;
    if (!outputs.empty()) return out;
    for (size_t i = 0; i < ids.size(); ++i) {
      Stored s{names[i], {}, dtypes[i]};
      for (size_t d = 0; d < ShapeOf(ids[i]).size(); ++d) {
        s.extents.push_back(fmt::format("{}_{}", names[i], d));
        body_ += fmt::format("    {} = {}\n", s.extents.back(), Extent(ids[i], d, outside));
      }
      if (!s.extents.empty()) body_ += fmt::format("    require({}.numel == {})\n", names[i], Times(s.extents));
      out.push_back(std::move(s));
    }
    return out;
  }

  // What the host writes for an extent of a computed value: one of those that it is made from, an attribute, a part or
  // a product of them. The same in all cases.
  std::string Extent(const std::string& id, size_t d, const std::vector<std::string>& from) {
    using Value = std::function<std::optional<int64_t>(const PlanCase&)>;
    std::vector<std::pair<std::string, Value>> simple, attrs;
    for (const bool same_place : {true, false})
      for (const std::string& source : from) {
        const Stored s = Outside(source);
        for (size_t j = 0; j < s.extents.size(); ++j)
          if ((j == d) == same_place)
            simple.push_back({s.extents[j], [this, source, j](const PlanCase& c) { return ShapeOf(source, c)[j]; }});
      }
    for (const PlanParam& p : task_.params)
      if (p.is_attr && p.type == "int")
        attrs.push_back({p.id, [id = p.id](const PlanCase& c) -> std::optional<int64_t> {
                           auto it = c.attrs.find(id);
                           return it != c.attrs.end() && it->second.is_number_integer()
                                      ? std::optional(it->second.get<int64_t>())
                                      : std::nullopt;
                         }});
    auto fits = [&](const Value& value) {
      return std::all_of(task_.cases.begin(), task_.cases.end(),
                         [&](const PlanCase& c) { return value(c) == ShapeOf(id, c)[d]; });
    };
    auto quotient = [](std::optional<int64_t> a, std::optional<int64_t> b) -> std::optional<int64_t> {
      return a && b && *b > 0 && *a % *b == 0 ? std::optional(*a / *b) : std::nullopt;
    };
    for (const auto& [text, value] : simple)
      if (fits(value)) return text;
    for (const auto& [text, value] : attrs)
      if (fits(value)) return text;
    for (const auto& [text, value] : simple)
      for (const auto& [by, attr] : attrs)
        if (fits([&](const PlanCase& c) { return quotient(value(c), attr(c)); }))
          return fmt::format("({}) // {}", text, by);
    const int64_t known = ShapeOf(id)[d];
    const bool constant = fits([&](const PlanCase&) { return known; });
    if (constant && (known == 1 || task_.cases.size() > 1)) return std::to_string(known);
    for (const auto& [text, value] : simple)
      for (int64_t n = 2; n <= 16; ++n) {
        if (fits([&](const PlanCase& c) { return quotient(value(c), n); })) return fmt::format("({}) // {}", text, n);
        if (fits([&](const PlanCase& c) { return *value(c) * n; })) return fmt::format("({}) * {}", text, n);
      }
    for (const auto& [a, x] : simple)
      for (const auto& [b, y] : simple)
        if (fits([&](const PlanCase& c) { return *x(c) * *y(c); })) return fmt::format("({}) * ({})", a, b);
    if (constant) return std::to_string(known);
    throw Unplanned{"a value between products whose shape the host cannot tell"};
  }

  PlanCase CaseOf(const PlanCase& c, const std::vector<std::string>& ids, const std::set<std::string>& needed,
                  const std::vector<std::string>& outside, const std::map<std::string, std::string>& renamed,
                  Extents& extents) {
    PlanCase out;
    out.column = c.column;
    out.attrs = c.attrs;
    for (const std::string& id : outside) out.shapes[renamed.at(id)] = ShapeOf(id, c);
    for (const GraphNode& n : c.graph.nodes) {
      const bool wanted = std::any_of(n.out.begin(), n.out.end(), [&](const auto& o) { return needed.count(o.id); });
      if (!wanted || renamed.count(n.id())) continue;
      GraphNode copy = n;
      for (GraphArg& a : copy.args) {
        NameExtents(a, out, extents);
        record::ForEachTensor(a, [&](std::string& id) {
          if (auto it = renamed.find(id); it != renamed.end()) id = it->second;
        });
      }
      out.graph.nodes.push_back(std::move(copy));
    }
    for (const std::string& id : ids) {
      auto it = renamed.find(id);
      out.graph.outputs.push_back(it == renamed.end() ? id : it->second);
      out.outputs.push_back(ShapeOf(id, c));
    }
    if (!c.graph.asked.empty()) throw Unplanned{"questions about elements beside products"};
    return out;
  }

  // A part's functions under names of their own.
  static std::string OwnNames(const std::string& text, const std::string& number) {
    std::map<std::string, std::string> names = {{"op", "part" + number}};
    for (size_t at = text.find("@kernel\ndef "); at != std::string::npos; at = text.find("@kernel\ndef ", at + 1)) {
      const std::string name = text.substr(at + 12, text.find('(', at) - at - 12);
      names[name] = fmt::format("part{}_{}", number, name);
    }
    std::string out;
    for (size_t i = 0; i < text.size();) {
      size_t end = i;
      while (end < text.size() && base::IsWord(text[end])) ++end;
      if (end == i) {
        out += text[i++];
        continue;
      }
      const std::string word = text.substr(i, end - i);
      auto it = names.find(word);
      out += it == names.end() ? word : it->second;
      i = end;
    }
    return out;
  }

  const PlanTask& task_;
  const Target& target_;
  const Graph& graph_;
  std::map<std::string, const GraphNode*> maker_;
  std::map<std::string, Stored> stored_;                        // inputs
  std::map<std::pair<std::string, Dtypes>, Stored> made_;       // what has been computed
  std::string functions_, body_;
  std::vector<std::string> results_;
  int names_ = 0;
};
}  // namespace

bool HasProducts(const PlanTask& task) {
  return std::any_of(task.cases.begin(), task.cases.end(), [](const PlanCase& c) {
    return std::any_of(c.graph.nodes.begin(), c.graph.nodes.end(), [](const auto& n) { return IsProduct(n.op); });
  });
}

base::Result<std::string> PlanProducts(const PlanTask& task, const Target& target) {
  std::string text;
  try {
    text = ProductPlanner(task, target).Run();
  } catch (const Unplanned& u) { return NoRule(u.why); } catch (const std::exception& e) {
    return NoRule(std::string("a product with unusual operands: ") + e.what());
  }
  Compiled c = Compile(text, target);
  if (getenv("DEBUGP")) fprintf(stderr, "%s\n%s", text.c_str(), c.diagnostics.Render("p", text).c_str());
  if (!c.diagnostics.empty()) return NoRule("the program is refused: " + c.diagnostics.list()[0].message);
  return text;
}

}  // namespace akgen::craft
