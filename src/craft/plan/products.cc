#include "craft/plan/products.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "craft/craft.h"
#include "craft/plan/product_cuts.h"
#include "craft/plan/product_kernels.h"
#include "craft/plan/product_part.h"
#include "craft/plan/product_text.h"

namespace akgen::craft {
namespace {
std::string DtypeText(const ColumnDtypes& d) {
  if (std::all_of(d.begin(), d.end(), [&](Dtype x) { return x == d[0]; }))
    return std::string(ir::ShortName(d[0]));
  return fmt::format("column({})", DtypeList(d));
}

// One side of a product as it lies in memory.
struct ProductSide {
  StoredValue at;
  bool transposed = false;
  std::vector<int64_t> shape;        // as the product sees it, in the first case
  std::vector<std::string> extents;  // the same as the host writes them
};

// All but the last two.
std::vector<std::string> LeadingOf(const ProductSide& s) {
  return {s.extents.begin(),
          s.extents.end() - static_cast<std::ptrdiff_t>(std::min<size_t>(2, s.extents.size()))};
}

class ProductPlanner {
 public:
  // `cut`: what lies in memory beside inputs and products (IsCut).
  ProductPlanner(const PlanTask& task, const Target& target, int cut)
      : target_(target),
        cut_(cut),
        has_products_(HasProducts(task)),
        g_(task),
        memory_{g_},
        host_(g_, memory_),
        cuts_(g_, memory_, cut) {}

  std::string Program();

 private:
  void Outputs();

  // The value in memory, in this dtype where it has to be computed.
  StoredValue Store(const std::string& id, const ColumnDtypes& dtypes);
  StoredValue Outside(const std::string& id);
  std::string Fresh(const char* base) { return fmt::format("{}{}", base, ++names_); }

  ProductSide SideOf(const std::string& id, const ColumnDtypes& dtypes);
  StoredValue Multiply(const ProductNode& product, const std::string& name, ColumnDtypes dtypes,
                       bool output);

  // What stands between products. `outputs`: of the task, which these values are.
  std::vector<StoredValue> Part(const std::vector<std::string>& ids,
                                const std::vector<ColumnDtypes>& dtypes,
                                std::vector<std::string> names,
                                const std::vector<size_t>& outputs = {});
  // The program of a part; the same for parts that compute the same.
  const std::string& Planned(const PlanTask& part);

  const Target& target_;
  const int cut_;
  const bool has_products_;
  const ProductGraph g_;
  ProductMemory memory_;
  ProductExtents host_;
  const ProductCuts cuts_;
  CubeKernels kernels_;
  std::map<std::string, std::string> planned_;  // programs, by what a part computes
  std::map<std::string, std::string> parts_;    // numbers of functions, by their text
  std::string functions_, body_;
  std::vector<std::string> results_;
  int names_ = 0;
};

std::string ProductPlanner::Program() {
  Outputs();
  if (!results_.empty()) body_ += fmt::format("    return {}\n", fmt::join(results_, ", "));
  return functions_ + "@host\ndef op(" + g_.params + "):\n" + body_;
}

void ProductPlanner::Outputs() {
  std::vector<std::string> together;
  std::vector<size_t> places;
  results_.resize(g_.task.outputs.size());
  for (size_t i = 0; i < g_.task.outputs.size(); ++i) {
    const PlanOutput& o = g_.task.outputs[i];
    if (o.is_list) throw Unplanned{"lists beside products"};
    const std::string& id = g_.graph.outputs.at(i);
    results_[i] = fmt::format("y{}", i);
    if (const ProductNode product = g_.ProductOf(id); product.node) {
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
  for (size_t i : places) dtypes.push_back(g_.task.outputs[i].dtypes), names.push_back(results_[i]);
  try {
    Part(together, dtypes, names, places);
  } catch (const Unplanned&) {
    if (together.size() == 1 || cut_ < kMaxCuts) throw;
    for (size_t i = 0; i < together.size(); ++i)  // a launch for each
      Part({together[i]}, {dtypes[i]}, {names[i]}, {places[i]});
  }
  std::erase_if(results_, [&](const std::string& y) {
    const PlanOutput& o = g_.task.outputs[static_cast<size_t>(std::stoi(y.substr(1)))];
    return !o.in_signature;
  });
}

StoredValue ProductPlanner::Store(const std::string& id, const ColumnDtypes& dtypes) {
  if (auto it = g_.inputs.find(id); it != g_.inputs.end() && it->second.dtypes == dtypes)
    return it->second;
  if (auto made = memory_.made.find({id, dtypes}); made != memory_.made.end()) return made->second;
  if (!g_.makers.count(id) && !g_.inputs.count(id)) throw Unplanned{"a value that nothing makes"};
  const ProductNode product = g_.ProductOf(id);
  StoredValue s = product.node ? Multiply(product, Fresh("v"), dtypes, false)
                               : Part({id}, {dtypes}, {Fresh("v")})[0];
  memory_.made[{id, dtypes}] = s;
  host_.Forget();
  return s;
}

StoredValue ProductPlanner::Outside(const std::string& id) {
  if (memory_.Has(id)) return memory_.At(id);
  return Store(id, ColumnDtypes(g_.task.outputs[0].dtypes.size(), g_.DtypeOf(id)));
}

ProductSide ProductPlanner::SideOf(const std::string& id, const ColumnDtypes& dtypes) {
  auto [base, transposed] = g_.Base(id);
  ProductSide s{Store(base, dtypes), transposed, g_.ShapeOf(id), {}};
  s.extents = s.at.extents;
  if (transposed) std::swap(s.extents[s.extents.size() - 1], s.extents[s.extents.size() - 2]);
  return s;
}

StoredValue ProductPlanner::Multiply(const ProductNode& product, const std::string& name,
                                     ColumnDtypes dtypes, bool output) {
  const GraphNode& n = *product.node;
  const std::string &a_id = n.args.at(0).tensor, &b_id = n.args.at(1).tensor;
  const ColumnDtypes operands = g_.OperandDtypes(g_.Base(a_id).first, g_.Base(b_id).first);
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
    extents = LeadingOf(a);
    std::vector<std::string> all = extents;
    all.push_back(rows);
    extents.push_back(rows);
    rows = ExtentProduct(all);
    a_walks = false;
  } else {
    if (a_walks && b_walks && !g_.SameBatch(a_id, b_id))
      throw Unplanned{"a product whose sides are broadcast"};
    batch = a_walks ? LeadingOf(a) : b_walks ? LeadingOf(b) : std::vector<std::string>{};
    extents = batch;
    if (rank_a > 1) extents.push_back(rows);
  }
  if (rank_b > 1) extents.push_back(cols);
  const std::string number = std::to_string(++names_);
  const std::string kernel =
      kernels_.NameOf({a_walks, a.transposed}, {b_walks, b.transposed}, whole ? ", dtype=i32" : "",
                      !product.row.empty(), functions_);
  if (!product.row.empty() && g_.inputs.at(product.row).extents[0] != cols)
    body_ += fmt::format("    require({} == {})\n", g_.inputs.at(product.row).extents[0], cols);
  if (k != other_k) body_ += fmt::format("    require({} == {})\n", k, other_k);
  body_ += fmt::format("    m{0}, k{0}, n{0} = {1}, {2}, {3}\n", number, rows, k, cols);
  const bool walks = a_walks || b_walks;
  if (walks) body_ += fmt::format("    batch{} = {}\n", number, ExtentProduct(batch));
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

std::vector<StoredValue> ProductPlanner::Part(const std::vector<std::string>& ids,
                                              const std::vector<ColumnDtypes>& dtypes,
                                              std::vector<std::string> names,
                                              const std::vector<size_t>& outputs) {
  PartValues values{ids, dtypes, outputs};
  for (const std::string& id : ids) cuts_.Closure(id, values.needed, values.outside, true);
  for (size_t o : outputs)
    if (const std::string& of = g_.task.outputs[o].inplace_of;
        !of.empty() && values.needed.insert(of).second)
      values.outside.push_back(of);
  for (const std::string& id : values.outside) values.given.push_back(Outside(id));
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!g_.task.outputs[outputs[i]].in_signature) names[i].clear();
  std::erase(names, "");
  ProductPart part = PartMaker(g_, host_).Make(values);
  const bool whole = std::ranges::all_of(
      values.outside, [&](const std::string& id) { return !g_.makers.count(id); });
  if (ids.size() > 1 && whole && part.task.cases[0].graph.nodes.size() == g_.graph.nodes.size())
    throw Unplanned{"outputs that are made of each other"};  // what has been asked for
  std::string own = Planned(part.task);
  std::vector<StoredValue> out;
  for (size_t i = 0; i < ids.size(); ++i) {
    const PlanOutput* o = outputs.empty() ? nullptr : &g_.task.outputs[outputs[i]];
    if (o && !o->inplace_of.empty()) continue;
    StoredValue s{o ? fmt::format("y{}", outputs[i]) : names[i], {}, dtypes[i]};
    const auto known = host_.Of(ids[i]);
    if (!known && o && o->from_caller) continue;  // any expression would do for the cases
    for (size_t d = 0; d < g_.ShapeOf(ids[i]).size(); ++d) {
      s.extents.push_back(fmt::format("{}_{}", s.name, d));
      body_ += fmt::format("    {} = {}\n", s.extents.back(),
                           known ? (*known)[d] : host_.Guessed(ids[i], d, values.outside));
    }
    part.args += InShape(own, "op", i, s.extents);
    out.push_back(std::move(s));
  }
  // Parts that do the same are one function: a network repeats its blocks.
  auto [function, is_new] = parts_.emplace(own, "");
  if (is_new) {
    function->second = std::to_string(++names_);
    functions_ += OwnNames(own, function->second, has_products_) + "\n\n";
  }
  body_ += fmt::format("    {}{}part{}({})\n", fmt::join(names, ", "), names.empty() ? "" : " = ",
                       function->second, part.args);
  return out;
}

const std::string& ProductPlanner::Planned(const PlanTask& part) {
  base::Json key = base::Json::array();
  for (const PlanParam& p : part.params) key.push_back({p.id, p.is_attr, p.type, p.dtypes});
  for (const PlanOutput& o : part.outputs)
    key.push_back({o.dtypes, o.inplace_of, o.in_signature, o.from_caller});
  for (const PlanCase& c : part.cases)
    key.push_back({c.column, record::ToJson(Pruned(c.graph)), c.shapes, c.attrs, c.outputs});
  auto [planned, is_new] = planned_.emplace(base::Dump(key), "");
  if (is_new) {
    auto text = PlanGraph(part, target_, cut_);
    if (!text.ok()) throw text.error();
    planned->second = *text;
  }
  return planned->second;
}
}  // namespace

PlanResult<std::string> PlanProducts(const PlanTask& given, const Target& target, int cut) {
  PlanTask task = given;
  auto text = Tried(
      [&] {
        for (PlanCase& c : task.cases) {
          c.graph = WithoutChanges(std::move(c.graph), {});
          for (const GraphNode& n : c.graph.nodes)
            if (n.ChangesOperand()) throw Unplanned{"a value that is changed in place"};
        }
        return ProductPlanner(task, target, cut).Program();
      },
      "a product");
  if (!text.ok()) return text;
  Compiled c = Compile(*text, target);
  if (!c.diagnostics.empty())
    return Unplanned{"the program is refused: " + c.diagnostics.list()[0].message};
  return text;
}

}  // namespace akgen::craft
