// Compound operations as simple ones.
#include "craft/plan/decompose.h"

#include <algorithm>
#include <set>

#include "craft/plan/activations.h"
#include "craft/plan/combinations.h"
#include "craft/plan/contract.h"
#include "craft/plan/convolve.h"
#include "craft/plan/element.h"
#include "craft/plan/losses.h"
#include "craft/plan/norms.h"
#include "craft/plan/rearrange.h"

namespace akgen::craft {
using Arg = NodeMaker::Arg;
using Args = NodeMaker::Args;
using Shape = NodeMaker::Shape;

namespace {
class Decomposer : public NodeMaker {
 public:
  record::Graph Run(const record::Graph& graph) {
    used_.insert(graph.outputs.begin(), graph.outputs.end());
    graph_ = &graph;
    for (const auto& n : graph.nodes)
      for (const Arg& a : n.args)
        record::ForEachTensor(a, [&](const std::string& id) { used_.insert(id); });
    for (const auto& n : graph.nodes) One(n);
    record::Graph out = graph;
    out.nodes = nodes_;
    for (std::string& o : out.outputs)
      if (auto it = as_.find(o); it != as_.end() && it->second.IsTensor()) o = it->second.tensor;
    return out;
  }
  // Inputs have shapes too.
  void Input(const std::string& id, const Shape& shape) { shape_[id] = shape; }

 private:
  using NodeMaker::One;

  // A tensor that became a number stays where only tensors can stand.
  Arg Renamed(Arg a) const {
    if (a.IsTensor()) {
      auto it = as_.find(a.tensor);
      return it == as_.end() ? a : it->second;
    }
    for (Arg& inner : a.list) inner = Renamed(inner);
    if (a.IsNumber())
      record::ForEachTensor(a, [&](std::string& id) {
        if (auto it = as_.find(id); it != as_.end() && it->second.IsTensor())
          id = it->second.tensor;
      });
    return a;
  }

  void One(const record::GraphNode& node) {
    record::GraphNode n = node;
    for (Arg& a : n.args) a = Renamed(a);
    if (n.op == "broadcast_tensors") return Spread(n);
    if (n.op == "split_with_sizes" || n.op == "split") return Parts(n);
    if (const int64_t few = n.op == "sort" ? TakenOf(n, *graph_, Of(n.args.at(0)).size()) : 0)
      return Topmost(n, few);
    if (auto both = Ordered(*this, n)) {
      as_[n.out[0].id] = both->first, as_[n.out[1].id] = both->second;
      return;
    }
    if (n.op == "permute" && n.args.size() == 2 && n.args[1].IsList()) {
      as_[n.id()] = InOrder(n.args[0], n.args[1].Ints());
      return;
    }
    if (n.op == "masked_fill_" && fresh_.count(n.args[0].tensor)) {
      as_[n.id()] = as_[n.args[0].tensor] = combinations_.Filled(n.args);
      return;
    }
    for (const Arg& a : n.args)
      record::ForEachTensor(a, [&](const std::string& id) { fresh_.erase(id); });
    static const std::set<std::string> kFresh = {"zeros",      "ones",      "full",
                                                 "zeros_like", "ones_like", "full_like"};
    if (kFresh.count(n.op)) fresh_.insert(n.id());  // memory that nobody has read
    if (auto made = Decompose(n, n.op, n.args)) {
      as_[n.id()] = *made;
      return;
    }
    for (const auto& o : n.out) shape_[o.id] = o.shape;
    nodes_.push_back(std::move(n));
  }
  void Spread(const record::GraphNode& n) {
    const Args& list = n.args.at(0).list;
    for (size_t i = 0; i < list.size(); ++i) {
      const Shape& to = n.out.at(i).shape;
      as_[n.out[i].id] =
          Of(list[i]) == to ? list[i] : Make("expand", {list[i], Arg::List(to), Bool(false)}, to);
    }
  }
  // The first few of an order, one after the other.
  void Topmost(const record::GraphNode& sort, int64_t few) {
    const auto [dim, descending] = OrderOf(sort, Of(sort.args[0]).size());
    record::GraphNode top{
        "topk", {sort.args[0], Int(few), Int(dim), Bool(descending), Bool(true)}, sort.out};
    for (auto& o : top.out) {
      o.shape[static_cast<size_t>(dim)] = few;
      shape_[o.id] = o.shape;
    }
    nodes_.push_back(std::move(top));
  }
  // Parts of a dimension, one after the other.
  void Parts(const record::GraphNode& n) {
    const int64_t rank = static_cast<int64_t>(Of(n.args.at(0)).size()),
                  dim = (Formulas::Dims(n.args.at(2))[0] + rank) % rank;
    int64_t first = 0;
    for (const auto& o : n.out) {
      const int64_t last = first + o.shape[static_cast<size_t>(dim)];
      as_[o.id] = Make("slice", {n.args[0], Int(dim), Int(first), Int(last), Int(1)}, o.shape);
      first = last;
    }
  }
  std::optional<Arg> Decompose(const record::GraphNode& n, const std::string& op, const Args& a) {
    static const std::set<std::string> kSame = {"clone", "contiguous", "double",
                                                "float", "to",         "detach"};
    if ((op == "tensor" || kSame.count(op)) && a.at(0).IsNumber()) return a[0];
    if ((op == "max" || op == "min") && n.out.size() == 1 && a.size() == 2)
      return Make(op + "imum", a, n.out[0].shape);
    // The largest or smallest value with its place, when nobody wants the place.
    if ((op == "max" || op == "min") && n.out.size() == 2 && !used_.count(n.out[1].id))
      return Reduce("a" + op, a.at(0), Formulas::Dims(a.at(1)), Formulas::Flag(a.at(2)));
    if (op == "pow" && a.at(1).IsNumber() && a[1].number.IsConstant() && a[1].number.HasReal())
      return combinations_.Power(a[0], a[1].number.Real());
    if (op == "index_select" && a.at(1).IsNumber() && record::ReadsElements(a[1].number))
      return Picked(a, n.out.at(0).shape);
    const bool whole = n.out[0].dtype == "Long" || n.out[0].dtype == "Int";
    if ((op == "cumsum" || op == "cumprod") && whole) {  // the scans are of floating-point numbers
      const Shape& shape = n.out[0].shape;
      const Arg x = Make("double", {a.at(0)}, shape), sums = Make(op, {x, a.at(1), {}}, shape);
      return Make("long", {sums}, shape, n.out[0].dtype.c_str());
    }
    if (op == "flip" && a.at(1).IsList()) {  // rows, then the elements of each
      const auto dims = Formulas::Dims(a[1]);
      const Shape& shape = n.out[0].shape;
      std::vector<int64_t> rows;
      for (int64_t d : dims)
        if (d != -1 && d + 1 != static_cast<int64_t>(shape.size())) rows.push_back(d);
      if (!rows.empty() && rows.size() < dims.size())
        return Make("flip", {Make("flip", {a[0], Arg::List(rows)}, shape), Arg::List({-1})}, shape);
    }
    if (op == "conv1d" || op == "conv2d" || op == "conv3d") return Convolved(*this, a);
    if (op.starts_with("adaptive_") && n.out.size() == 1) return Adapted(n);
    if (op.starts_with("conv_transpose")) return ConvolvedBack(*this, a);
    if ((op == "_convolution" || op == "convolution") &&
        a.size() > 8) {  // transposed: at 6, output padding, groups
      if (Formulas::Flag(a[6]))
        return ConvolvedBack(*this, {a[0], a[1], a[2], a[3], a[4], a[7], a[8], a[5]});
      return Convolved(*this, {a[0], a[1], a[2], a[3], a[4], a[5], a[8]});
    }
    if (op == "einsum" && a.at(0).IsNumber() && a.at(1).IsList())
      if (const auto* equation = std::get_if<std::string>(&a[0].number.value))
        return Contracted(*this, *equation, a[1].list);
    if (op == "matmul" && Spreads(a)) return ProductSpread(*this, a[0], a[1]);
    if (op == "im2col") return Columns(*this, a);
    if (auto made = Rearranged(*this, n, n.out.size() > 1 && !used_.count(n.out[1].id)))
      return made;
    if (auto made = activations_.Apply(op, a)) return made;
    if (auto made = combinations_.Apply(op, a)) return made;
    if (auto made = losses_.Apply(op, a)) return made;
    return norms_.Apply(op, a);
  }

  // Whether both are stacks of matrices and their stacks differ.
  bool Spreads(const Args& a) {
    const Shape left = Of(a.at(0)), right = Of(a.at(1));
    return left.size() > 2 && right.size() > 2 && left.size() < 12 && right.size() < 12 &&
           Shape(left.begin(), left.end() - 2) != Shape(right.begin(), right.end() - 2);
  }

  // adaptive_avg_pool2d(x, sizes) and the like: one window, or windows side by side.
  Arg Adapted(const record::GraphNode& n) {
    const Arg& x = n.args.at(0);
    const Shape in = Of(x), out = n.out[0].shape;
    const bool mean = n.op.find("_avg_") != std::string::npos;
    const size_t rank = static_cast<size_t>(n.op[n.op.find("_pool") + 5] - '0'),
                 first = in.size() - rank;
    Shape sizes, over;
    bool one = true;
    for (size_t d = first; d < in.size(); ++d) {
      if (in[d] % out[d] != 0) throw Unplanned{"windows of different size"};
      sizes.push_back(in[d] / out[d]), over.push_back(static_cast<int64_t>(d));
      one &= out[d] == 1;
    }
    if (one) return Reduce(mean ? "mean" : "amax", x, over, true);
    const Shape none(rank, 0), ones(rank, 1);
    const std::string op = n.op.substr(n.op.find('_') + 1);
    if (mean)
      return Make(op,
                  {x, Arg::List(sizes), Arg::List(sizes), Arg::List(none), Bool(false), Bool(true)},
                  out);
    return Make(
        op, {x, Arg::List(sizes), Arg::List(sizes), Arg::List(none), Arg::List(ones), Bool(false)},
        out);
  }

  // Along a dimension that an element says: whatever it is, there are dimensions before it and
  // behind it.
  Arg Picked(const Args& a, const Shape& out) {
    Shape in = Of(a[0]), parts = {1, 1, 1};
    int64_t dim = a[1].number.Int(), rank = static_cast<int64_t>(in.size());
    if (dim < 0) dim += rank;
    for (int64_t i = 0; i < rank; ++i) parts[i < dim ? 0 : i == dim ? 1 : 2] *= in[i];
    Arg split = Make("split_at", Args{a[0], a[1]}, parts);
    parts[1] = out[dim];
    Arg picked = Make("index_select", Args{split, Int(1), a[2]}, parts);
    return Make("unsplit", Args{picked}, out);
  }

  std::set<std::string> used_;
  const record::Graph* graph_ = nullptr;  // as it is read
  std::set<std::string> fresh_;
  std::map<std::string, Arg> as_;
  Activations activations_{*this};
  Combinations combinations_{*this};
  Losses losses_{*this};
  Norms norms_{*this};
};
}  // namespace

record::Graph Decomposed(const record::Graph& graph, const std::map<std::string, Shape>& inputs) {
  Decomposer s;
  for (const auto& [id, shape] : inputs) s.Input(id, shape);
  return s.Run(graph);
}

}  // namespace akgen::craft
