#include "craft/plan/grouped.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "craft/craft.h"
#include "craft/plan/element.h"
#include "craft/plan/grouped_piece.h"
#include "craft/plan/product_graph.h"

namespace akgen::craft {
namespace {
using base::Dtype;
using record::GraphArg;
using record::GraphNode;
using record::GraphNumber;
using Texts = std::vector<std::string>;

// What the groups of a task are, as its cases say.
struct Groups {
  std::string expression;  // what is computed of the product, x, and what is beside it
  std::string ends;        // the input that says where groups end; empty: none does
  Operand a, b;
  std::map<std::string, Operand> beside;
  Texts numbers;  // of the host, for the kernel
  bool by_rows = false, along_k = false, stacked = false;
  size_t rank = 1;

  // Whether something is computed with the product.
  bool Follows() const { return expression != "x"; }
  // Operands of which each group has one entry.
  std::vector<Operand> Entries() const {
    std::vector<Operand> all = {a, b};
    for (const auto& [name, x] : beside) all.push_back(x);
    std::erase_if(all, [](const Operand& x) { return x.take != Take::kEntry; });
    return all;
  }
};

class GroupReader {
 public:
  explicit GroupReader(const PlanTask& task) : task_(task) {}

  Groups Run() {
    if (task_.outputs.size() != 1 || task_.outputs[0].is_list ||
        !task_.outputs[0].inplace_of.empty())
      throw Unplanned{"groups with several outputs, or in place"};
    for (const PlanParam& p : task_.params)
      if (p.is_list || p.optional || p.type == "list_int" || p.type == "string")
        throw Unplanned{"lists and optional tensors beside groups"};
    for (const PlanCase& c : task_.cases) Read(c);
    return std::move(groups_);
  }

 private:
  struct Computed {
    std::string text;
    bool full = false;  // made from the product
  };

  // ---- what the cases say ----

  void Read(const PlanCase& c) {
    std::map<std::string, const GraphNode*> makers;
    for (const GraphNode& n : c.graph.nodes)
      for (const auto& o : n.out) makers[o.id] = &n;
    const auto it = makers.find(c.graph.outputs.at(0));
    const GraphNode* all = it == makers.end() ? nullptr : it->second;
    const bool joins = all && (all->op == "cat" || all->op == "stack") &&
                       all->args.at(0).IsList() && !all->args[0].list.empty() &&
                       (all->args.size() < 2 || all->args[1].Is(0));
    if (!joins || !c.graph.asked.empty())
      throw Unplanned{"an output that is not put together of groups"};
    const int64_t pieces = static_cast<int64_t>(all->args[0].list.size());
    for (int64_t g = 0; g < pieces; ++g) {
      const std::string& id = all->args[0].list[static_cast<size_t>(g)].tensor;
      Piece piece(c, makers, g);
      const std::string words = all->op + " " + piece.Describe(id);
      if (words_.empty()) words_ = words;
      if (words != words_) throw Unplanned{"groups that differ in more than their number"};
      One(c, piece, id, pieces);
    }
    const std::vector<int64_t>& shape = all->out[0].shape;
    groups_.rank = shape.size();
    groups_.stacked = all->op == "stack";
    const int64_t n = product_->out[0].shape[1], m = product_->out[0].shape[0];
    const int64_t all_of_a = Numel(c.shapes.at(groups_.a.input));
    const bool covers = groups_.by_rows
                            ? !groups_.stacked && Numel(shape) * groups_.a.dims[1] == all_of_a * n
                            : Numel(shape) == m * pieces * n;
    if (!covers) throw Unplanned{"rows that belong to no group"};
    for (const PlanParam& p : task_.params)
      if (!p.is_attr && c.shapes.at(p.id).size() != task_.cases[0].shapes.at(p.id).size())
        throw Unplanned{"inputs of different rank beside groups"};
  }

  void One(const PlanCase& c, Piece& piece, const std::string& id, int64_t pieces) {
    product_ = nullptr;
    groups_.beside.clear();
    groups_.numbers.clear();
    const Computed result = Compute(piece, id);
    if (!product_ || !result.full) throw Unplanned{"groups without a product"};
    groups_.expression = result.text;
    groups_.a = piece.Of(product_->args[0].tensor);
    groups_.b = piece.Of(product_->args[1].tensor);
    groups_.ends = piece.Ends();
    const bool matrices = groups_.a.dims.size() == 2 && groups_.b.dims.size() == 2 &&
                          groups_.a.places.empty() && groups_.b.places.empty();
    if (!matrices || (groups_.a.viewed && groups_.b.viewed))
      throw Unplanned{"a product of a group that is not one of two matrices"};
    groups_.by_rows = groups_.a.take == Take::kRange && !groups_.a.turned;
    groups_.along_k = groups_.a.take == Take::kRange && groups_.a.turned;
    if (groups_.along_k != (groups_.b.take == Take::kRange) ||
        (groups_.along_k && groups_.b.turned))
      throw Unplanned{"a product of a group that cuts its sides in different ways"};
    auto demand = [&](int64_t n) {
      if (n != pieces) throw Unplanned{"another number of groups than a tensor has entries"};
    };
    if (!groups_.ends.empty()) demand(Numel(c.shapes.at(groups_.ends)));
    for (const Operand& x : groups_.Entries()) demand(c.shapes.at(x.input).at(0));
    if (groups_.ends.empty() && groups_.Entries().empty())
      throw Unplanned{"groups that no tensor has an entry for"};
  }

  // A value behind the product as the language writes it; the inputs beside it are collected.
  Computed Compute(Piece& piece, const std::string& id) {
    const GraphNode* n = piece.Maker(id);
    if (n && IsProduct(n->op)) {
      if (product_ && product_ != n) throw Unplanned{"several products in a group"};
      product_ = n;
      return {"x", true};
    }
    static const std::set<std::string> kViews = {"reshape", "view", "flatten", "contiguous"};
    if (!n || n->op == "select" || n->op == "slice" || n->op == "unsqueeze")
      return {Beside(piece, id), false};
    if (kViews.count(n->op) || IsConverting(n->op)) {
      const Computed v = Compute(piece, n->args[0].tensor);
      const bool rounds =
          IsConverting(n->op) && n->out[0].dtype != "Double" && n->out[0].dtype != "Float";
      if (rounds || (!v.full && kViews.count(n->op))) throw WithoutRule(n->op, " in a group");
      return v;
    }
    bool full = false;
    auto text = ElementText(n->op, n->args, [&](size_t i) {
      const GraphArg& a = n->args.at(i);
      if (a.IsNumber()) return Number(a.number);
      const Computed v = Compute(piece, a.tensor);
      full |= v.full;
      return v.text;
    });
    if (!text) throw WithoutRule(n->op, " in a group");
    constexpr size_t kLongest = 2000;  // characters: a value that is used twice stands twice
    if (text->size() > kLongest) throw Unplanned{"a long computation in a group"};
    return {"(" + *text + ")", full};
  }

  std::string Number(const GraphNumber& n) {
    if (n.IsConstant()) return ConstantOf(n);
    const auto host = HostNumber(n);
    if (!host) throw Unplanned{"a number in a group that elements say"};
    const auto known = std::find(groups_.numbers.begin(), groups_.numbers.end(), *host);
    const size_t at = static_cast<size_t>(known - groups_.numbers.begin());
    if (known == groups_.numbers.end()) groups_.numbers.push_back(*host);
    return fmt::format("number{}", at);
  }

  // A row for all rows or a column for all columns, beside the product.
  std::string Beside(Piece& piece, const std::string& id) {
    Operand x = piece.Of(id);
    x.column = x.places == "1" || (x.dims.size() == 2 && x.dims[1] == 1);
    const bool row = !x.column && (x.dims.size() == 1 || (x.dims.size() == 2 && x.dims[0] == 1));
    if (x.turned || x.viewed || !(row || x.column) || (row && x.take == Take::kRange))
      throw Unplanned{"a value beside a product of a group that is neither a row nor a column"};
    const std::string name = fmt::format("{}_{}", x.input, x.column ? "column" : "row");
    groups_.beside[name] = x;
    return "@" + name + "@";
  }

  const PlanTask& task_;
  Groups groups_;
  std::string words_;  // what all groups of all cases are
  const GraphNode* product_ = nullptr;
};

// The program.
class GroupWriter {
 public:
  GroupWriter(const PlanTask& task, const Groups& groups) : task_(task), groups_(groups) {}

  std::string Run() const { return Kernels() + Host(); }

 private:
  // ---- the program ----

  const std::vector<Dtype>& DtypesOf(const Operand& x) const {
    return std::find_if(task_.params.begin(), task_.params.end(),
                        [&](const PlanParam& p) { return p.id == x.input; })
        ->dtypes;
  }
  // Whether the sums are whole numbers.
  bool IsWhole() const {
    const std::vector<Dtype>&a = DtypesOf(groups_.a), &out = task_.outputs[0].dtypes;
    auto is = [](const std::vector<Dtype>& all, Dtype d) {
      return std::all_of(all.begin(), all.end(), [&](Dtype x) { return x == d; });
    };
    const bool whole = is(a, Dtype::kInt8);
    const bool floats = std::all_of(a.begin(), a.end(), [](Dtype d) {
      return d == Dtype::kFloat16 || d == Dtype::kBfloat16 || d == Dtype::kFloat32;
    });
    if (a != DtypesOf(groups_.b) || !(whole || floats))
      throw Unplanned{"a product of a group of these dtypes"};
    if (whole && !groups_.Follows() && !is(out, Dtype::kInt32))
      throw Unplanned{"a product of integers as an output of floats"};
    return whole;
  }

  static std::string Dims(const Operand& x, const char* rows, const char* cols) {
    if (x.turned) std::swap(rows, cols);
    return fmt::format("gm[{}{}, {}]", x.take == Take::kEntry ? "groups, " : "", rows, cols);
  }
  static std::string Window(const char* name, const Operand& x, const char* rows,
                            const char* cols) {
    if (x.turned) std::swap(rows, cols);
    return fmt::format("{}[{}{}, {}]{}", name, x.take == Take::kEntry ? "g, " : "", rows, cols,
                       x.turned ? ".T" : "");
  }

  // What stands beside the product: parameters of a kernel, its buffers, what is loaded into them,
  // and the result.
  struct Sides {
    std::string params, buffers, loads, result;
  };
  Sides SidesOf(const std::string& rows, const std::string& cols, const std::string& in) const {
    Sides s;
    for (const auto& [name, x] : groups_.beside) {
      const bool entry = x.take == Take::kEntry;
      s.params +=
          fmt::format("{}: gm[{}{}], ", name, entry ? "groups, " : "", x.column ? "m, 1" : "n");
      s.buffers += fmt::format("    {0}_ub = ub({1}, dtype={0}.dtype)\n", name,
                               x.column ? rows + ", 1" : "1, " + cols);
      s.loads += fmt::format("{0}load({1}_ub, {1}[{2}{3}])\n", in, name, entry ? "g, " : "",
                             x.column ? "i : i + h, :" : "j : j + w");
    }
    const bool whole = IsWhole();
    for (size_t i = 0; i < groups_.expression.size(); ++i) {
      size_t end = i;
      if (groups_.expression[i] == '@') {
        end = groups_.expression.find('@', i + 1);
        s.result += groups_.expression.substr(i + 1, end - i - 1) + "_ub";
        i = end;
        continue;
      }
      while (end < groups_.expression.size() && base::IsWord(groups_.expression[end])) ++end;
      const std::string word = groups_.expression.substr(i, std::max<size_t>(1, end - i));
      s.result += word == "x" && whole ? "cast(x, f32)" : word;
      i += word.size() - 1;
    }
    return s;
  }
  std::string NumberNames() const {
    std::string out;
    for (size_t i = 0; i < groups_.numbers.size(); ++i) out += fmt::format(", number{}", i);
    return out;
  }
  static std::string RangeText(const std::string& in) {
    return fmt::format(
        "{0}first = item(ends[max(g, 1) - 1]) if g > 0 else 0\n{0}last = item(ends[g])\n", in);
  }
  // Blocks of one group after the other, over all cores.
  static std::string Walk(const char* tm, const char* tn) {
    return fmt::format(
        "    across = ceil_div(n, {1})\n    for g in range(groups):\n{2}"
        "        for t in range(core(), ceil_div(last - first, {0}) * across, cores()):\n"
        "            i = first + t // across * {0}\n            h = min({0}, last - i)\n"
        "            j = t % across * {1}\n            w = min({1}, n - j)\n",
        tm, tn, RangeText("        "));
  }

  std::string Kernels() const {
    const char* dtype = IsWhole() ? ", dtype=i32" : "";
    const std::string head =
        fmt::format("a: {}, b: {}, {}", Dims(groups_.a, "m", "k"), Dims(groups_.b, "k", "n"),
                    groups_.ends.empty() ? "" : "ends: gm[groups], ");
    return groups_.by_rows ? RowKernels(head, dtype) : BlockKernel(head, dtype);
  }

  std::string BlockKernel(const std::string& head, const char* dtype) const {
    const Sides s = SidesOf("tm", "tn", "            ");
    const bool follows = groups_.Follows();
    const char* k = groups_.along_k ? "first:last" : ":";
    std::string out = fmt::format(
        "@kernel\ndef groups_kernel({}{}c: gm[groups, m, n], m, k, n, groups, tm, tn{}):\n"
        "    sums = acc(tm, tn{})\n",
        head, s.params, NumberNames(), dtype);
    if (follows)
      out += fmt::format("    x, y = ub(tm, tn{}), ub(tm, tn, dtype=c.dtype)\n{}",
                         *dtype ? dtype : ", dtype=f32", s.buffers);
    out += "    for g, i, h, j, w in blocks(m, tm, n, tn, over=[groups]):\n";
    if (groups_.along_k) out += RangeText("        ");
    out +=
        fmt::format("        with cube: sums[:] = {} @ {}\n",
                    Window("a", groups_.a, "i : i + h", k), Window("b", groups_.b, k, "j : j + w"));
    if (!s.loads.empty()) out += "        with copyin:\n" + s.loads;
    if (follows)
      out +=
          "        with handover: move(x, sums)\n        with compute: y[:] = " + s.result + "\n";
    return out + fmt::format("        with copyout: store(c[g, i : i + h, j : j + w], {})\n\n\n",
                             follows ? "y" : "sums");
  }

  std::string RowKernels(const std::string& head, const char* dtype) const {
    std::string out = fmt::format(
        "@kernel\ndef groups_kernel({}c: gm[m, n], m, k, n, groups, tm, tn):\n"
        "    sums = acc(tm, tn{})\n{}            with cube: sums[:] = {} @ {}\n"
        "            with copyout: store(c[i : i + h, j : j + w], sums)\n\n\n",
        head, dtype, Walk("tm", "tn"), Window("a", groups_.a, "i : i + h", ":"),
        Window("b", groups_.b, ":", "j : j + w"));
    if (!groups_.Follows()) return out;
    const Sides s = SidesOf("rows", "cols", "                ");
    out += fmt::format(
        "@kernel\ndef after_kernel(sums: gm[m, n], {}ends: gm[groups], c: gm[m, n], m, n, groups, "
        "rows, "
        "cols{}):\n    x, y = ub(rows, cols, dtype=sums.dtype), ub(rows, cols, "
        "dtype=c.dtype)\n{}{}",
        s.params, NumberNames(), s.buffers, Walk("rows", "cols"));
    return out +
           fmt::format(
               "            with copyin:\n                load(x, sums[i : i + h, j : j + w])\n{}"
               "            with compute: y[:] = {}\n"
               "            with copyout: store(c[i : i + h, j : j + w], y)\n\n\n",
               s.loads, s.result);
  }

  // The host's texts for what an operand has as rows and columns of the product; empty: the other
  // side says it.
  static std::pair<std::string, std::string> ExtentsOf(const Operand& x) {
    if (x.viewed) return {"", ""};
    const int at = x.take == Take::kEntry ? 1 : 0;
    std::pair<std::string, std::string> out = {fmt::format("{}_{}", x.input, at),
                                               fmt::format("{}_{}", x.input, at + 1)};
    if (x.turned) std::swap(out.first, out.second);
    return out;
  }

  std::string Signature() const {
    std::string params;
    for (const PlanParam& p : task_.params) {
      params += (params.empty() ? "" : ", ") + p.id + ": ";
      if (p.is_attr) {
        params += p.type;
        continue;
      }
      Texts extents;
      for (size_t d = 0; d < task_.cases[0].shapes.at(p.id).size(); ++d)
        extents.push_back(fmt::format("{}_{}", p.id, d));
      params += fmt::format("tensor({})", DtypeList(p.dtypes));
      if (!extents.empty()) params += fmt::format("[{}]", fmt::join(extents, ", "));
    }
    return "@host\ndef op(" + params + "):\n";
  }

  std::string Host() const {
    std::string require, scales, numbers;
    auto demand = [&](const std::string& a, const std::string& b) {
      if (a != b) require += fmt::format("{}{} == {}", require.empty() ? "" : " and ", a, b);
    };
    auto [m, k] = ExtentsOf(groups_.a);
    auto [other_k, n] = ExtentsOf(groups_.b);
    if (groups_.a.viewed) {
      k = other_k, m = fmt::format("{}.numel // {}", groups_.a.input, k);
      demand(groups_.a.input + ".numel", "m * k");
    } else if (groups_.b.viewed) {
      n = fmt::format("{}.numel // {}", groups_.b.input, k);
      demand(groups_.b.input + ".numel", "k * n");
    } else {
      demand(k, other_k);
    }
    const std::string groups =
        groups_.ends.empty() ? groups_.Entries()[0].input + "_0" : groups_.ends + ".numel";
    for (const Operand& x : groups_.Entries())
      if (x.input + "_0" != groups) demand(x.input + "_0", "groups");
    for (const auto& [name, x] : groups_.beside) {
      demand(x.input + ".numel",
             fmt::format("{}{}", x.take == Take::kEntry ? "groups * " : "", x.column ? "m" : "n"));
      scales += x.input + ", ";
    }
    for (const std::string& h : groups_.numbers) numbers += ", " + h;
    const std::string rows = groups_.by_rows ? "m" : "groups * m";
    const std::string shape = groups_.stacked
                                  ? (groups_.rank == 2 ? "groups, m * n" : "groups, m, n")
                                  : rows + (groups_.rank == 1 ? " * n" : ", n");
    std::string out =
        Signature() + fmt::format("    m, k, n, groups = {}, {}, {}, {}\n", m, k, n, groups);
    if (!require.empty()) out += fmt::format("    require({})\n", require);
    out += fmt::format("    y0 = empty([{}], column({}))\n", shape,
                       DtypeList(task_.outputs[0].dtypes));
    const bool apart = groups_.by_rows && groups_.Follows();
    if (apart) out += fmt::format("    sums = workspace([m, n], {})\n", IsWhole() ? "i32" : "f32");
    out += fmt::format("    tm, tn = block({}, n, {})\n",
                       groups_.by_rows ? "ceil_div(m, max(groups, 1))" : "groups * m",
                       groups_.along_k ? "ceil_div(k, max(groups, 1))" : "k");
    out += fmt::format(
        "    groups_kernel[best_cores()]({}, {}, {}{}{}, m, k, n, groups, tm, tn{})\n",
        groups_.a.input, groups_.b.input, groups_.ends.empty() ? "" : groups_.ends + ", ",
        groups_.by_rows ? "" : scales, apart ? "sums" : "y0", groups_.by_rows ? "" : numbers);
    if (apart)
      out += fmt::format(
          "    cols = min(align(n, 32), 512)\n    rows = fit(ceil_div(m, max(groups, 1)))\n"
          "    after_kernel[vector_cores()](sums, {}{}, y0, m, n, groups, rows, cols{})\n",
          scales, groups_.ends, numbers);
    return out + "    return y0\n";
  }

  const PlanTask& task_;
  const Groups& groups_;
};

}  // namespace

PlanResult<std::string> PlanGrouped(const PlanTask& task, const Target& target) {
  auto text = Tried(
      [&] {
        const Groups groups = GroupReader(task).Run();
        return GroupWriter(task, groups).Run();
      },
      "groups");
  if (!text.ok()) return text;
  Compiled c = Compile(*text, target);
  if (!c.diagnostics.empty())
    return Unplanned{"the program is refused: " + c.diagnostics.list()[0].message};
  return text;
}

}  // namespace akgen::craft
