// Reads a reference's graph as values over axes.
#pragma once
#include <fmt/format.h>

#include <algorithm>

#include "craft/plan/nest.h"

namespace akgen::craft {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;
using record::GraphNumber;

class NestReader {
 public:
  NestReader(const PlanTask& t, const PlanCase& c) : task_(t), case_(c) {}

  NestGraph Run();

 private:
  using Dims = std::vector<craft::Run>;
  Dims Fresh(const std::vector<int64_t>& shape);
  Dims Sized(const GraphArg& sizes, const std::vector<int64_t>& shape);  // numbers: constants
  static craft::Run Flat(const Dims& d);
  int Add(NestNode n);
  void ShareEqualNodes();
  const NestNode& At(int i) const { return g_.nodes[i]; }

  // Names for the nodes that an operation of the graph has added.
  void Label(size_t first, const std::vector<record::GraphValue>& results);
  static std::string Letters(int i) {
    return (i >= 26 ? Letters(i / 26 - 1) : "") + static_cast<char>('a' + i % 26);
  }

  // ---- numbers ----
  std::string Number(const GraphNumber& n);
  static size_t Dim(const GraphArg& a, size_t rank);

  // ---- values ----
  NestValue Value(const std::string& id);
  NestValue Operand(const GraphArg& a);
  // An elementwise node over operands that are spread over each other.
  NestValue Element(const std::string& text, const std::vector<NestValue>& operands,
                    std::optional<std::vector<int64_t>> shape = {}) {
    for (const NestValue& v : operands)
      if (v.part_axis >= 0) return ByParts(text, operands, v);
    if (auto apart = Apart(operands)) return Element(text, *apart, shape);
    NestNode n;
    n.text = text;
    size_t rank = shape ? shape->size() : 0;
    for (const NestValue& v : operands) rank = std::max(rank, v.dims.size());
    n.dims.resize(rank);
    for (const NestValue& v : operands) {
      n.args.push_back(v.node);
      for (size_t i = 0; i < v.dims.size(); ++i) {
        const craft::Run& from = v.dims[v.dims.size() - 1 - i];
        craft::Run& to = n.dims[rank - 1 - i];
        if (g_.axes.Resolve(from).empty()) continue;
        if (g_.axes.Resolve(to).empty())
          to = from;
        else
          g_.axes.Unify(to, from);
      }
    }
    Dims dims = n.dims;
    return {Add(n), dims, {}, -1};
  }
  NestValue Reduce(const std::string& what, const NestValue& x, std::vector<size_t> dims,
                   bool keep);
  // Positions along a dimension of `of`, seen with its dimensions.
  NestValue Index(const Dims& of, size_t dim);
  std::vector<size_t> DimsOf(const GraphArg& a, size_t rank);

  // ---- views ----
  static constexpr int kShapeOnly = -2;  // nobody but zeros_like() may want it
  NestValue Reshaped(const NestValue& x, const std::vector<int64_t>& shape);
  // Sizes that are said are the same for every shape.
  NestValue Unflattened(const NestValue& x, size_t dim, const std::vector<int64_t>& sizes,
                        const std::vector<int64_t>& shape);
  NestValue Spread(const NestValue& x, const std::vector<int64_t>& shape);
  NestValue View(const NestValue& x, int axis, const AxisRole& role, const Dims& dims);
  // The node with one of its axes walked like this: what it is made of is walked so, and computed
  // again.
  int Viewed(int n, int axis, const AxisRole& role);
  int ViewedLeaf(NestNode leaf, int axis, const AxisRole& role);
  int ViewedIndex(const NestNode& index, int axis, const AxisRole& role);
  // An axis that operands walk along different dimensions: one of them walks it by another axis.
  // Nothing: there is none.
  std::optional<std::vector<NestValue>> Apart(const std::vector<NestValue>& operands);
  // ---- joined values ----
  // The same for each part, with the part of every other operand that lies beside it.
  NestValue ByParts(const std::string& text, const std::vector<NestValue>& operands,
                    const NestValue& joined);
  NestValue Part(const NestValue& joined, size_t i) const;
  // A slice along parts of one element.
  std::optional<NestValue> SomeParts(const NestValue& x, size_t dim, int64_t start, int64_t length);
  NestValue PartBeside(const NestValue& x, const NestValue& joined, size_t dim_from_end, size_t i);
  size_t JoinedDim(const NestValue& joined) const;
  NestValue Rejoined(const std::vector<NestValue>& parts, const NestValue& like,
                     size_t dim_from_end) const;
  NestValue ReducedParts(const std::string& what, const NestValue& x,
                         const std::vector<size_t>& dims, bool keep);
  int Single(const craft::Run& r);
  std::vector<NestValue> Chunk(const NestValue& x, size_t dim, size_t parts);
  NestValue Join(const std::vector<NestValue>& parts, size_t dim);
  NestValue Slice(const GraphNode& n, const NestValue& x, const std::vector<int64_t>& shape);
  // windows(x, sizes, steps, apart) of the last dimensions of an input: those before, one for each
  // place in a window, one for each window. `apart` below 0: windows are walked from their ends.
  NestValue Flipped(const GraphNode& n, NestValue x);
  NestValue Windows(const GraphNode& n, NestValue x);
  // One dimension with so many numbers before it and behind it.
  NestValue Widened(const GraphNode& n, const NestValue& x);
  bool Alike(const std::vector<NestValue>& parts, size_t dim) const;
  int64_t Extent(const craft::Run& r) const;

  // ---- extents as texts of the host ----
  std::optional<std::string> HostExtent(const craft::Run& run) const;
  std::optional<std::string> HostSize(const GraphNumber& n) const;
  std::optional<std::string> SliceLength(const GraphArgs& a, const craft::Run& whole) const;

  // ---- operations ----
  void One(const GraphNode& n);
  void Change(const GraphNode& n, const std::string& op, const std::string& id);
  NestValue Plainly(const std::string& op, const GraphArgs& a);
  NestValue Paired(const NestValue& v);
  static NestValue Real(NestValue v) { return v.imaginary = -1, v; }
  static NestValue Imaginary(NestValue v) { return v.node = v.imaginary, v.imaginary = -1, v; }
  // Operations on complex numbers by their parts; nothing where there are none.
  std::optional<NestValue> Complex(const GraphNode& n, const std::vector<int64_t>& shape);
  NestValue Result(const GraphNode& n, const std::vector<int64_t>& shape);
  NestValue Select(const NestValue& x, const GraphArgs& a);
  NestValue SplitAt(const GraphArgs& a, const std::vector<int64_t>& shape);
  // Slices along a dimension, chosen by the elements of an input.
  NestValue Picked(const NestValue& x, const GraphArgs& a);
  NestValue Cross(const NestValue& x, const NestValue& y, const GraphArg& dim_arg);
  // One element of each row: all of them where the position is the wanted one, added up. A row of
  // one-hot: a choice.
  NestValue Joined(const GraphNode& n, const std::vector<NestValue>& parts, size_t dim);
  NestValue Chosen(const std::string& op, const GraphArgs& a);
  void Topmost(const GraphNode& n);
  std::optional<NestValue> Reduction(const std::string& op, const GraphArgs& a);
  NestValue LayerNorm(const NestValue& x, const GraphArgs& a);

  struct Region {
    std::string base;
    size_t dim = 0;
    std::string start, end;
    bool all = false;
  };
  const PlanTask& task_;
  const PlanCase& case_;
  NestGraph g_;
  std::map<std::string, NestValue> values_;
  std::map<std::string, int> seen_;  // of an input: its leaves
  std::set<std::string> changed_;
  std::map<std::string, Region> regions_;
  std::map<std::string, int> pair_;  // the axis of the two parts of complex inputs
  std::string reduced_;
};

}  // namespace akgen::craft
