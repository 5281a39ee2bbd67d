// The planner of graphs with products (craft/plan/products.h); for plan/ only.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "craft/plan/plan.h"
#include "craft/plan/products.h"

namespace akgen::craft {
using base::Dtype;
using record::Graph;
using record::GraphArg;
using record::GraphNode;
using record::GraphNumber;
using ColumnDtypes = std::vector<Dtype>;  // by column

// A value in memory: its name in the host function, and what the host writes for its extents.
struct StoredValue {
  std::string name;
  std::vector<std::string> extents;
  ColumnDtypes dtypes;
};

// One side of a product as it lies in memory.
struct ProductSide {
  StoredValue at;
  bool transposed = false;
  std::vector<int64_t> shape;        // as the product sees it, in the first case
  std::vector<std::string> extents;  // the same as the host writes them
};

bool IsProduct(const std::string& op);
// A product, and the input whose one row is added to all of its rows; empty: none is.
struct ProductNode {
  const GraphNode* node = nullptr;
  std::string row;
};
// Extents as their product.
std::string Times(const std::vector<std::string>& extents);

class ProductPlanner {
 public:
  // `cut`: what lies in memory beside inputs and products (IsCut).
  ProductPlanner(const PlanTask& task, const Target& target, int cut)
      : task_(task),
        target_(target),
        graph_(task.cases[0].graph),
        cut_(cut),
        has_products_(HasProducts(task)) {
    for (const GraphNode& n : graph_.nodes) {
      for (const auto& o : n.out) maker_[o.id] = &n;
      for (const GraphArg& a : n.args)
        record::ForEachTensor(a, [&](const std::string& id) { ++uses_[id]; });
    }
    for (const std::string& o : graph_.outputs) ++uses_[o];
  }

  std::string Run();

 private:
  std::string Head();

  void Outputs();

  // ---- values ----

  // The value in memory, in this dtype where it has to be computed.
  StoredValue Store(const std::string& id, const ColumnDtypes& dtypes);

  std::string Fresh(const char* base) { return fmt::format("{}{}", base, ++names_); }

  const std::vector<int64_t>& ShapeOf(const std::string& id, const PlanCase& c) const;
  const std::vector<int64_t>& ShapeOf(const std::string& id) const {
    return ShapeOf(id, task_.cases[0]);
  }

  // ---- products ----

  // The value that a product's operand is a transposition of, and whether it is one.
  std::pair<std::string, bool> Base(const std::string& id) const;

  // An input of i8: Cube cores multiply it as it is, exactly.
  bool IsSmall(const std::string& id) const;

  // The input that a value is nothing but a rearrangement of; empty: there is none.
  std::string Moved(const std::string& id) const;

  // What Cube cores multiply: the dtype of inputs that are nothing but rearranged; what has been
  // computed is not rounded.
  ColumnDtypes OperandDtypes(const std::string& a, const std::string& b) const;

  ProductSide SideOf(const std::string& id, const ColumnDtypes& dtypes);

  static std::vector<std::string> Leading(const ProductSide& s);

  // Whether the leading extents of both sides are the same in all cases.
  bool SameBatch(const std::string& a, const std::string& b) const;

  // The product that a value is; no node: it is none.
  ProductNode ProductOf(const std::string& id) const;
  bool CanBeRow(const std::string& input, const GraphNode& product) const;
  StoredValue Multiply(const ProductNode& product, const std::string& name, ColumnDtypes dtypes,
                       bool output);

  // The name of the kernel of such products.
  std::string Kernel(const ProductSide& a, const ProductSide& b, bool a_walks, bool b_walks,
                     const char* sums, bool row);

  // ---- what stands between products ----

  // The nodes that these values need, back to what lies in memory.
  // `target`: the part's own value. Padding lies in memory: it is planned alone.
  void Closure(const std::string& id, std::set<std::string>& needed,
               std::vector<std::string>& outside, bool target) const;
  // Tensors whose elements a part reads: of those in memory the host knows the extents.
  void FindShared();
  void ForEachRead(const GraphArg& a, const std::function<void(const std::string&)>& visit) const;
  bool IsKnownExtent(const GraphNumber& n) const;
  // Such an extent is an attribute of the part: its name there, and what the operator gives.
  using Extents = std::map<std::string, std::string>;
  void NameExtents(GraphNumber& n, PlanCase& c, const std::set<std::string>& own, Extents& extents);
  void NameExtents(GraphArg& a, PlanCase& c, const std::set<std::string>& own, Extents& extents);
  bool HasMade(const std::string& id) const;
  StoredValue Outside(const std::string& id);
  Dtype DtypeOf(const std::string& id) const;

  // `outputs`: of the task, which these values are.
  std::vector<StoredValue> Part(const std::vector<std::string>& ids,
                                const std::vector<ColumnDtypes>& dtypes,
                                std::vector<std::string> names,
                                const std::vector<size_t>& outputs = {});

  // The program of a part; the same for parts that compute the same.
  const std::string& Planned(const PlanTask& part);

  // What the host writes for an extent of a computed value: one of those that it is made from, an
  // attribute, a part or a product of them. The same in all cases.
  std::string Extent(const std::string& id, size_t d, const std::vector<std::string>& from);
  // Whether elements of an input say how large something is that the value is made from.
  bool SizedByElements(const std::string& id) const;
  // The same from what the operations do to extents; nothing where that is not known.
  std::optional<std::vector<std::string>> ExtentsOf(const std::string& id);
  std::optional<std::vector<std::string>> FindExtents(const std::string& id);
  std::optional<std::vector<std::string>> Joined(const GraphNode& n, size_t at);
  std::optional<std::vector<std::string>> Made(const GraphNode& n);
  std::optional<std::vector<std::string>> Windowed(const GraphNode& n,
                                                   std::vector<std::string> x) const;
  static bool IsReduction(const GraphNode& n);
  std::optional<std::vector<std::string>> Reduced(const GraphNode& n,
                                                  const std::vector<std::string>& x) const;
  std::optional<std::vector<std::string>> Pooled(const GraphNode& n,
                                                 std::vector<std::string> x) const;
  std::optional<std::vector<std::string>> Spread(const GraphNode& n,
                                                 const std::vector<std::string>& x);
  std::optional<std::vector<std::string>> Broadcast(const GraphNode& n, const std::string& id);
  std::optional<std::vector<std::string>> Sliced(const GraphNode& n,
                                                 std::vector<std::string> x) const;
  std::optional<std::vector<std::string>> Regrouped(const GraphNode& n,
                                                    const std::vector<std::string>& x);
  std::optional<std::string> SizeOf(const GraphNumber& n);  // size(v, i)

  // Gives output number `output` of a function of this text these extents; what the caller passes
  // for that.
  static std::string InShape(std::string& text, const std::string& function, size_t output,
                             const std::vector<std::string>& extents);

  PlanCase CaseOf(const PlanCase& c, const std::vector<std::string>& ids,
                  const std::set<std::string>& needed, const std::vector<std::string>& outside,
                  const std::map<std::string, std::string>& renamed, Extents& extents);

  // A part's functions under names of their own.
  std::string OwnNames(const std::string& text, const std::string& number) const;

  const PlanTask& task_;
  const Target& target_;
  const Graph& graph_;
  const int cut_;
  const bool has_products_;
  std::map<std::string, const GraphNode*> maker_;
  std::map<std::string, int> uses_;
  std::map<std::string, StoredValue> stored_;                         // inputs
  std::map<std::pair<std::string, ColumnDtypes>, StoredValue> made_;  // what has been computed
  std::map<std::string, std::optional<std::vector<std::string>>> extents_;  // of other values
  std::set<std::string> shared_;                 // values that several launches read
  std::map<std::string, std::string> planned_;   // programs, by what a part computes
  std::map<std::string, std::string> parts_;     // numbers of functions, by their text
  std::map<std::string, std::string> products_;  // names of kernels, by their text
  std::string functions_, body_;
  std::vector<std::string> results_;
  int names_ = 0;
};

}  // namespace akgen::craft
