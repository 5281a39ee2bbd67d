#include "craft/plan/convolve.h"

#include <limits>

#include "craft/plan/element.h"

namespace akgen::craft {
namespace {
using Arg = NodeMaker::Arg;
using Shape = NodeMaker::Shape;

constexpr int64_t kMaxTaps = 27;  // of a window: each is a piece of the kernel that lays them side by side

// One number for each of `rank` dimensions; one for all is taken, too.
std::vector<int64_t> Each(const Arg& a, size_t rank) {
  std::vector<int64_t> out = a.IsNumber() ? std::vector<int64_t>{a.number.Int()} : a.Ints();
  if (out.size() == 1) out.resize(rank, out[0]);
  if (out.size() != rank) throw Unplanned{"a convolution with unusual arguments"};
  return out;
}

Arg Padded(NodeMaker& make, const Arg& x, const std::vector<int64_t>& padding) {
  Shape shape = make.Of(x);
  std::vector<int64_t> pads;  // of the last dimension first
  bool any = false;
  for (size_t d = padding.size(); d-- > 0;) {
    pads.insert(pads.end(), {padding[d], padding[d]});
    shape[d + 2] += 2 * padding[d];
    any |= padding[d] != 0;
  }
  return any ? make.Make("constant_pad_nd", {x, Arg::List(pads), NodeMaker::Int(0)}, shape) : x;
}
}  // namespace

Arg Convolved(NodeMaker& make, const NodeMaker::Args& args) {
  const Shape w = make.Of(args.at(1));
  if (w.size() < 3 || args.size() < 7 || !args[4].IsList() || !args[6].Is(1) || make.Of(args[0]).size() != w.size())
    throw Unplanned{"a convolution in groups"};
  const size_t rank = w.size() - 2;
  const std::vector<int64_t> step = Each(args[3], rank), dilation = Each(args[5], rank);
  const Arg x = Padded(make, args[0], Each(args[4], rank));
  int64_t taps = 1;
  for (size_t d = 0; d < rank; ++d) taps *= w[d + 2];
  if (taps > kMaxTaps) throw Unplanned{"a convolution with a window of many taps"};
  std::vector<Arg> pieces;
  for (int64_t tap = 0; tap < taps; ++tap) {
    Arg piece = x;
    Shape shape = make.Of(x);
    int64_t rest = tap;
    std::vector<int64_t> at(rank);
    for (size_t d = rank; d-- > 0; rest /= w[d + 2]) at[d] = rest % w[d + 2];
    for (size_t d = 0; d < rank; ++d) {
      // The end is counted from the back: the same for every extent.
      const int64_t behind = (w[d + 2] - 1 - at[d]) * dilation[d], first = at[d] * dilation[d];
      if (behind == 0 && first == 0 && step[d] == 1) continue;
      shape[d + 2] = (shape[d + 2] - (w[d + 2] - 1) * dilation[d] + step[d] - 1) / step[d];
      const int64_t end = behind == 0 ? std::numeric_limits<int64_t>::max() : -behind;
      piece = make.Make("slice",
                        {piece, NodeMaker::Int(static_cast<int64_t>(d) + 2), NodeMaker::Int(first), NodeMaker::Int(end),
                         NodeMaker::Int(step[d])},
                        shape);
    }
    if (taps > 1) {
      shape.insert(shape.begin() + 2, 1);
      piece = make.Make("unsqueeze", {piece, NodeMaker::Int(2)}, shape);
    }
    pieces.push_back(piece);
  }
  Arg side = pieces[0];
  Shape out = make.Of(side);  // batch, channels, places
  if (taps > 1) {
    Shape all = out;
    all[2] = taps;
    side = make.Make("cat", {Arg::List(pieces), NodeMaker::Int(2)}, all);
    out.erase(out.begin() + 2);
  }
  int64_t places = 1;
  for (size_t d = 0; d < rank; ++d) places *= out[d + 2];
  Arg product = make.Make(
      "matmul", {make.Reshaped(args[1], {w[0], w[1] * taps}), make.Reshaped(side, {out[0], out[1] * taps, places})},
      {out[0], w[0], places});
  Shape result = out;
  result[1] = w[0];
  product = make.Reshaped(product, result);
  if (args[2].IsNone()) return product;
  Shape channels(rank + 1, 1);
  channels[0] = w[0];
  return make.Two("add", product, make.Reshaped(args[2], channels));
}

}  // namespace akgen::craft
