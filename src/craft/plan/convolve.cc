#include "craft/plan/convolve.h"

#include <algorithm>
#include <limits>

#include "craft/plan/element.h"

namespace akgen::craft {
namespace {
using Arg = NodeMaker::Arg;
using Shape = NodeMaker::Shape;
using Numbers = std::vector<int64_t>;  // one for each dimension that windows run along

// One number for each of `rank` dimensions; one for all is taken, too.
Numbers Each(const Arg& a, size_t rank) {
  if (!a.IsList() && !a.IsNumber()) throw Unplanned{"a convolution with unusual arguments"};
  Numbers out = a.IsNumber() ? Numbers{a.number.Int()} : a.Ints();
  if (out.size() == 1) out.resize(rank, out[0]);
  if (out.size() != rank) throw Unplanned{"a convolution with unusual arguments"};
  return out;
}

// So many elements `value` before and behind the last dimensions; negative: fewer.
Arg PaddedBy(NodeMaker& make, Arg x, const Numbers& before, const Numbers& behind,
             double value = 0) {
  Shape shape = make.Of(x);
  const size_t first = shape.size() - before.size();
  Numbers pads;  // of the last dimension first
  bool any = false;
  for (size_t d = before.size(); d-- > 0;) {
    if (before[d] < 0 || behind[d] < 0) {
      const int64_t from = std::max<int64_t>(0, -before[d]),
                    less = std::max<int64_t>(0, -behind[d]);
      shape[first + d] -= from + less;
      x = make.Make(
          "slice",
          {x, NodeMaker::Int(static_cast<int64_t>(first + d)), NodeMaker::Int(from),
           NodeMaker::Int(less ? -less : std::numeric_limits<int64_t>::max()), NodeMaker::Int(1)},
          shape);
    }
    pads.insert(pads.end(), {std::max<int64_t>(0, before[d]), std::max<int64_t>(0, behind[d])});
  }
  for (size_t d = before.size(); d-- > 0;) {
    const int64_t more = std::max<int64_t>(0, before[d]) + std::max<int64_t>(0, behind[d]);
    shape[first + d] += more, any |= more != 0;
  }
  return any ? make.Make("constant_pad_nd", {x, Arg::List(pads), NodeMaker::Number(value)}, shape)
             : x;
}

int64_t ProductOf(const Shape& s, size_t from, size_t to) {
  int64_t n = 1;
  for (size_t d = from; d < to; ++d) n *= s[d];
  return n;
}

struct LaidWindows {
  Numbers sizes, steps, apart;  // apart below 0: from their ends
};
// [leading…, a place in the window…, a window…]
Arg WindowsOf(NodeMaker& make, const Arg& x, const LaidWindows& w) {
  Shape in = make.Of(x), out(in.begin(), in.end() - static_cast<std::ptrdiff_t>(w.sizes.size()));
  const size_t first = out.size();
  out.insert(out.end(), w.sizes.begin(), w.sizes.end());
  for (size_t d = 0; d < w.sizes.size(); ++d) {
    const int64_t n =
        (in[first + d] - (w.sizes[d] - 1) * std::abs(w.apart[d]) - 1) / w.steps[d] + 1;
    if (n < 1) throw Unplanned{"a window larger than what it is laid over"};
    out.push_back(n);
  }
  return make.Make("windows", {x, Arg::List(w.sizes), Arg::List(w.steps), Arg::List(w.apart)}, out);
}

// weights: [channels out, channels in of one group, taps…].
Arg Multiplied(NodeMaker& make, const Arg& x, const Arg& weights, int64_t groups,
               const LaidWindows& w) {
  const size_t rank = w.sizes.size();
  const Shape in = make.Of(x), of = make.Of(weights);
  const Arg side = WindowsOf(make, x, w);
  const Shape wide = make.Of(side);
  const int64_t taps = ProductOf(w.sizes, 0, rank), places = ProductOf(wide, 2 + rank, wide.size());
  Shape result = {in[0], of[0]};
  result.insert(result.end(), wide.begin() + 2 + static_cast<std::ptrdiff_t>(rank), wide.end());
  if (groups > 1 && of[1] == 1) {  // each channel by itself: no product
    const int64_t each = of[0] / groups;
    Shape each_wide = wide, each_weight = {groups, each};
    each_wide.insert(each_wide.begin() + 2, 1);
    each_weight.insert(each_weight.end(), w.sizes.begin(), w.sizes.end());
    each_weight.resize(2 + 2 * rank, 1);
    Numbers over;
    for (size_t d = 0; d < rank; ++d) over.push_back(static_cast<int64_t>(d + 3));
    Arg sum = each == 1 ? side : make.Reshaped(side, each_wide);
    if (each == 1) {
      each_weight.erase(each_weight.begin() + 1);
      for (int64_t& d : over) --d;
    }
    sum =
        make.Reduce("sum", make.Two("mul", sum, make.Reshaped(weights, each_weight)), over, false);
    return each == 1 ? sum : make.Reshaped(sum, result);
  }
  const int64_t k = of[1] * taps;
  auto in_places = [&](const Arg& product) {
    std::vector<Arg> sizes = {make.SizeOf(x, 0), make.SizeOf(weights, 0)};
    for (size_t d = 2 + rank; d < wide.size(); ++d) sizes.push_back(make.SizeOf(side, d));
    return make.Make("reshape", {product, Arg::List(sizes)}, result);
  };
  if (groups == 1)
    return in_places(make.Make(
        "matmul", {make.Reshaped(weights, {of[0], k}), make.Reshaped(side, {in[0], k, places})},
        {in[0], of[0], places}));
  const Shape one = {1, groups, of[0] / groups, k}, all = {in[0], groups, of[0] / groups, k};
  const Arg left = make.Make("expand",
                             {make.Reshaped(weights, one),
                              Arg::List({make.SizeOf(x, 0), NodeMaker::Int(all[1]),
                                         NodeMaker::Int(all[2]), NodeMaker::Int(all[3])}),
                              NodeMaker::Bool(false)},
                             all);
  const Arg product = make.Make("matmul", {left, make.Reshaped(side, {in[0], groups, k, places})},
                                {in[0], groups, of[0] / groups, places});
  return in_places(product);
}

Arg PlusChannels(NodeMaker& make, const Arg& y, const Arg& bias) {
  if (bias.IsNone()) return y;
  Shape channels(make.Of(y).size() - 1, 1);
  channels[0] = make.Of(bias).at(0);
  return make.Two("add", y, make.Reshaped(bias, channels));
}
}  // namespace

Arg Convolved(NodeMaker& make, const NodeMaker::Args& args) {
  const Shape w = make.Of(args.at(1));
  if (w.size() < 3 || args.size() < 7 || !args[4].IsList() || !args[6].number.IsConstant() ||
      make.Of(args[0]).size() != w.size())
    throw Unplanned{"a convolution with unusual arguments"};
  const size_t rank = w.size() - 2;
  const Numbers padding = Each(args[4], rank);
  const LaidWindows windows = {{w.begin() + 2, w.end()}, Each(args[3], rank), Each(args[5], rank)};
  const Arg x = PaddedBy(make, args[0], padding, padding);
  return PlusChannels(make, Multiplied(make, x, args[1], args[6].number.Int(), windows), args[2]);
}

// step - 1 zeros behind each element of the last dimensions.
static Arg Stretched(NodeMaker& make, Arg x, const Numbers& step) {
  const size_t first = make.Of(x).size() - step.size();
  for (size_t d = 0; d < step.size(); ++d) {
    if (step[d] == 1) continue;
    Shape shape = make.Of(x);
    const size_t at = first + d;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, 1);
    x = make.Reshaped(x, shape);
    Numbers pads((shape.size() - at - 1) * 2, 0);
    pads.back() = step[d] - 1;
    shape[at + 1] = step[d];
    x = make.Make("constant_pad_nd", {x, Arg::List(pads), NodeMaker::Number(0)}, shape);
    shape[at] *= step[d];
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    x = make.Reshaped(x, shape);
  }
  return x;
}

// What each element gives to each place of its window: [batch, channels out, taps…, elements…].
static Arg Contributions(NodeMaker& make, const Arg& x, const Arg& weights, int64_t groups) {
  const Shape in = make.Of(x), w = make.Of(weights);
  const size_t rank = w.size() - 2;
  const int64_t taps = ProductOf(w, 2, w.size()), places = ProductOf(in, 2, in.size()),
                each = w[0] / groups;
  Shape out = {in[0], groups * w[1]};
  out.insert(out.end(), w.begin() + 2, w.end());
  std::vector<Arg> sizes = {make.SizeOf(x, 0),
                            groups == 1 ? make.SizeOf(weights, 1) : NodeMaker::Int(out[1])};
  for (size_t d = 0; d < rank; ++d) sizes.push_back(NodeMaker::Int(w[2 + d]));
  for (size_t d = 2; d < in.size(); ++d) out.push_back(in[d]), sizes.push_back(make.SizeOf(x, d));
  if (each == 1) {  // no sum over channels
    Shape wide = {in[0], groups, 1}, of = {groups, w[1]};
    wide.resize(3 + rank, 1);
    wide.insert(wide.end(), in.begin() + 2, in.end());
    of.insert(of.end(), w.begin() + 2, w.end());
    of.resize(of.size() + rank, 1);
    return make.Make(
        "reshape",
        {make.Two("mul", make.Reshaped(x, wide), make.Reshaped(weights, of)), Arg::List(sizes)},
        out);
  }
  Shape from = {w[0], w[1] * taps}, shape = {in[0], w[1] * taps, places};
  Arg left = make.Reshaped(weights, from), right = make.Reshaped(x, {in[0], in[1], places});
  if (groups > 1) {
    from = {1, groups, each, w[1] * taps};
    const Shape all = {in[0], groups, each, w[1] * taps};
    left = make.Make("expand",
                     {make.Reshaped(weights, from),
                      Arg::List({make.SizeOf(x, 0), NodeMaker::Int(all[1]), NodeMaker::Int(all[2]),
                                 NodeMaker::Int(all[3])}),
                      NodeMaker::Bool(false)},
                     all);
    from = all, shape = {in[0], groups, w[1] * taps, places};
    right = make.Reshaped(x, {in[0], groups, each, places});
  }
  const int64_t last = static_cast<int64_t>(from.size()) - 1;
  std::swap(from[from.size() - 1], from[from.size() - 2]);
  left = make.Make("transpose", {left, NodeMaker::Int(last - 1), NodeMaker::Int(last)}, from);
  return make.Make("reshape", {make.Make("matmul", {left, right}, shape), Arg::List(sizes)}, out);
}

Arg ConvolvedBack(NodeMaker& make, const NodeMaker::Args& args) {
  const Shape w = make.Of(args.at(1));
  if (w.size() < 3 || args.size() < 8 || !args[6].number.IsConstant() ||
      make.Of(args[0]).size() != w.size())
    throw Unplanned{"a convolution with unusual arguments"};
  const size_t rank = w.size() - 2;
  const Numbers step = Each(args[3], rank), padding = Each(args[4], rank),
                more = Each(args[5], rank), apart = Each(args[7], rank);
  Arg x = Stretched(make, Contributions(make, args[0], args[1], args[6].number.Int()), step);
  Numbers before, behind, back, over;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t room = apart[d] * (w[d + 2] - 1) - padding[d];
    before.push_back(room), behind.push_back(room + more[d] - (step[d] - 1));
    back.push_back(-apart[d]), over.push_back(static_cast<int64_t>(2 + d));
  }
  x = PaddedBy(make, x, before, behind);
  // Each tap's elements where its window has them, added up.
  Shape shape = make.Of(x);
  for (size_t d = 0; d < rank; ++d) shape[2 + rank + d] -= apart[d] * (w[d + 2] - 1);
  const Numbers sizes(w.begin() + 2, w.end());
  x = make.Make("folds", {x, Arg::List(sizes), Arg::List(Numbers(rank, 1)), Arg::List(back)},
                shape);
  return PlusChannels(make, make.Reduce("sum", x, over, false), args[2]);
}

Arg Pooled(NodeMaker& make, const std::string& op, const NodeMaker::Args& a) {
  const bool mean = op[0] == 'a';
  const size_t rank = static_cast<size_t>(op[op.find("_pool") + 5] - '0');
  auto flag = [&](size_t i) { return i < a.size() && a[i].IsNumber() && a[i].number.Real() != 0; };
  const Numbers size = Each(a.at(1), rank),
                step = a.at(2).IsList() && a[2].list.empty() ? size
                       : a[2].IsNone()                       ? size
                                                             : Each(a[2], rank),
                padding = Each(a.at(3), rank),
                apart = mean ? Numbers(rank, 1) : Each(a.at(4), rank);
  if (flag(mean ? 4 : 5)) throw Unplanned{"windows that leave the padding"};
  const bool padded = std::any_of(padding.begin(), padding.end(), [](int64_t p) { return p != 0; });
  if (mean && ((padded && !flag(5)) || (a.size() > 6 && !a[6].IsNone())))
    throw Unplanned{"means over what a window holds"};
  const Arg x =
      PaddedBy(make, a[0], padding, padding, mean ? 0 : -std::numeric_limits<double>::infinity());
  const size_t first = make.Of(x).size() - rank;
  Numbers over;
  for (size_t d = 0; d < rank; ++d) over.push_back(static_cast<int64_t>(first + d));
  const Arg sum =
      make.Reduce(mean ? "sum" : "amax", WindowsOf(make, x, {size, step, apart}), over, false);
  return mean ? make.Two("div", sum,
                         NodeMaker::Number(static_cast<double>(ProductOf(size, 0, rank))))
              : sum;
}

Arg Columns(NodeMaker& make, const NodeMaker::Args& args) {
  const Shape in = make.Of(args.at(0));
  if (in.size() != 4) throw Unplanned{"columns of other than four dimensions"};
  const Numbers padding = Each(args.at(3), 2);
  const Arg x = PaddedBy(make, args[0], padding, padding);
  const Arg side =
      WindowsOf(make, x, {Each(args.at(1), 2), Each(args.at(4), 2), Each(args.at(2), 2)});
  const Shape wide = make.Of(side);
  return make.Reshaped(side, {wide[0], wide[1] * wide[2] * wide[3], wide[4] * wide[5]});
}

namespace {
class Simpler : public NodeMaker {
 public:
  // Nothing: the node is as simple as it gets.
  std::optional<record::Graph> Of(const record::Graph& graph,
                                  const std::map<std::string, Shape>& inputs) {
    shape_ = inputs;
    const record::GraphNode& n = graph.nodes.at(0);
    std::optional<Arg> made;
    if (n.op.find("_pool") == 3) made = Pooled(*this, n.op, n.args);
    if (n.op == "constant_pad_nd") made = OneByOne(n);
    if (n.op == "cumsum" || n.op == "cumprod") made = AlongRows(n);
    if (!made) return std::nullopt;
    return record::Graph{nodes_, {made->tensor}, graph.asked};
  }

 private:
  // Running values along another dimension than the last one.
  std::optional<Arg> AlongRows(const record::GraphNode& n) {
    Shape shape = NodeMaker::Of(n.args.at(0));
    const int64_t rank = static_cast<int64_t>(shape.size()), last = rank - 1;
    if (rank < 2 || !n.args.at(1).IsNumber() || !n.args[1].number.HasInt()) return std::nullopt;
    const int64_t dim = (n.args[1].number.Int() + rank) % rank;
    if (dim == last) return std::nullopt;
    const Shape in = shape;
    std::swap(shape[static_cast<size_t>(dim)], shape[static_cast<size_t>(last)]);
    Args args = n.args;
    args[0] = Make("transpose", {n.args[0], Int(dim), Int(last)}, shape);
    args[1] = Int(last);
    return Make("transpose", {Make(n.op, args, shape), Int(dim), Int(last)}, in);
  }
  std::optional<Arg> OneByOne(const record::GraphNode& n) {
    const Numbers pads = n.args.at(1).Ints();
    Arg x = n.args.at(0);
    Shape shape = NodeMaker::Of(x);
    size_t steps = 0;
    for (size_t i = 0; i * 2 < pads.size(); ++i) {
      if (pads[i * 2] == 0 && pads[i * 2 + 1] == 0) continue;
      Numbers one(i * 2 + 2, 0);
      one[i * 2] = pads[i * 2], one[i * 2 + 1] = pads[i * 2 + 1];
      shape[shape.size() - 1 - i] += pads[i * 2] + pads[i * 2 + 1];
      x = Make("constant_pad_nd", {x, Arg::List(one), n.args.at(2)}, shape);
      ++steps;
    }
    return steps > 1 ? std::optional(x) : std::nullopt;
  }
};
}  // namespace

std::optional<PlanTask> WithWindows(const PlanTask& task) {
  PlanTask out = task;
  try {
    for (PlanCase& c : out.cases) {
      if (c.graph.nodes.size() != 1) return std::nullopt;
      auto simpler = Simpler().Of(c.graph, c.shapes);
      if (!simpler) return std::nullopt;
      c.graph = *simpler;
    }
  } catch (const Unplanned&) {
    return std::nullopt;
  }
  return out;
}

}  // namespace akgen::craft
