#include "craft/plan/rearrange.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "craft/plan/element.h"

namespace akgen::craft {
namespace {
using Arg = NodeMaker::Arg;
using Args = NodeMaker::Args;
using Shape = NodeMaker::Shape;

int64_t IntOf(const Arg& a) {
  if (!a.IsNumber() || !a.number.IsConstant() || !a.number.HasInt())
    throw Unplanned{"a number that is not fixed"};
  return a.number.Int();
}
// A dimension may be an attribute: kernels for other values of it are chosen by the host.
int64_t InCase(const Arg& a) {
  if (!a.IsNumber() || !a.number.HasInt() || record::ReadsElements(a.number))
    throw Unplanned{"a number that is not fixed"};
  return a.number.Int();
}
int64_t DimOf(int64_t dim, size_t rank) {
  return rank == 0 ? 0 : (dim + int64_t(rank)) % int64_t(rank);
}
size_t At(int64_t dim) { return static_cast<size_t>(dim); }

// x with dimension `from` at `to`, the others in their order.
Arg Moved(NodeMaker& make, const Arg& x, int64_t from, int64_t to) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < int64_t(make.Of(x).size()); ++d)
    if (d != from) order.push_back(d);
  order.insert(order.begin() + to, from);
  return make.InOrder(x, order);
}
Arg Unsqueezed(NodeMaker& make, const Arg& x, int64_t dim) {
  Shape shape = make.Of(x);
  shape.insert(shape.begin() + dim, 1);
  return make.Make("unsqueeze", {x, NodeMaker::Int(dim)}, shape);
}
constexpr int64_t kUntilEnd = std::numeric_limits<int64_t>::max();
// x[from:to] of a dimension, counted as Python does.
Arg Sliced(NodeMaker& make, const Arg& x, int64_t dim, int64_t from, int64_t to) {
  Shape shape = make.Of(x);
  int64_t& n = shape[At(dim)];
  const int64_t first = from < 0 ? n + from : from, end = to == kUntilEnd ? n
                                                          : to < 0        ? n + to
                                                                          : to;
  n = end - first;
  return make.Make(
      "slice",
      {x, NodeMaker::Int(dim), NodeMaker::Int(from), NodeMaker::Int(to), NodeMaker::Int(1)}, shape);
}
// x[1:2] of a dimension, in cases that have one element x[0:1]: from 1 - 1 // n.
Arg Second(NodeMaker& make, const Arg& x, int64_t dim) {
  using record::GraphNumber;
  constexpr auto kOperation = GraphNumber::From::kOperation;
  Shape shape = make.Of(x);
  const int64_t n = std::exchange(shape[At(dim)], 1);
  const GraphNumber one(record::GraphConstant(int64_t{1})),
      alone = GraphNumber::Of(kOperation, "floordiv", {one, make.SizeOf(x, At(dim)).number}, 1 / n),
      from = GraphNumber::Of(kOperation, "sub", {one, alone}, 1 - 1 / n),
      to = GraphNumber::Of(kOperation, "add", {from, one}, 2 - 1 / n);
  return make.Make("slice",
                   {x, NodeMaker::Int(dim), Arg::Number(from), Arg::Number(to), NodeMaker::Int(1)},
                   shape);
}
Arg Together(NodeMaker& make, const std::vector<Arg>& parts, int64_t dim) {
  Shape shape = make.Of(parts.at(0));
  shape[At(dim)] = 0;
  for (const Arg& p : parts) shape[At(dim)] += make.Of(p)[At(dim)];
  return make.Make("cat", {Arg::List(parts), NodeMaker::Int(dim)}, shape);
}
// 0, 1, … for each element of x's dimension `of`, along dimension `dim` of `rank`.
Arg Positions(NodeMaker& make, const Arg& x, int64_t of, size_t rank, int64_t dim) {
  Arg out = make.Make("arange", {make.SizeOf(x, At(of))}, {make.Of(x)[At(of)]}, "Long");
  for (int64_t d = 0; d < dim; ++d) out = Unsqueezed(make, out, 0);
  while (make.Of(out).size() < rank) out = Unsqueezed(make, out, int64_t(make.Of(out).size()));
  return out;
}
Arg Both(NodeMaker& make, const Arg& a, const Arg& b) { return make.Two("logical_and", a, b); }
Arg Either(NodeMaker& make, const Arg& a, const Arg& b) { return make.Two("logical_or", a, b); }
Arg IsNan(NodeMaker& make, const Arg& x) { return make.Two("ne", x, x); }
Arg Chosen(NodeMaker& make, const Arg& which, const Arg& x, int64_t dim, bool keep) {
  return make.Reduce("sum", make.Where(which, x, NodeMaker::Number(0)), {dim}, keep);
}

// How many elements of its row come before each: x's last dimension. Each operation names the
// element itself first: loops then walk x for it, and the others by an axis of their own.
Arg Places(NodeMaker& make, const Arg& x, bool descending) {
  const size_t rank = make.Of(x).size();
  const int64_t last = int64_t(rank) - 1;
  const Arg own = Unsqueezed(make, x, last + 1), other = Unsqueezed(make, x, last);
  const Arg own_nan = IsNan(make, own), other_nan = IsNan(make, other);
  const Arg first = descending ? Both(make, make.Two("eq", own, own), other_nan)
                               : Both(make, own_nan, make.Two("eq", other, other));
  const Arg equal = Either(make, make.Two("eq", own, other), Both(make, own_nan, other_nan));
  const Arg earlier = make.Two("gt", Positions(make, x, last, rank + 1, last),
                               Positions(make, x, last, rank + 1, last + 1));
  const Arg before =
      Either(make, Either(make, make.Two(descending ? "lt" : "gt", own, other), first),
             Both(make, equal, earlier));
  return make.Reduce("sum", make.Where(before, NodeMaker::Number(1), NodeMaker::Number(0)),
                     {last + 1}, false);
}

// pixel_shuffle(x, factor): channels become places; pixel_unshuffle the other way round.
Arg PixelsShuffled(NodeMaker& make, const Args& args, bool back) {
  const Shape in = make.Of(args.at(0));
  const int64_t f = IntOf(args.at(1));
  const size_t rank = in.size(), lead = rank - 3;
  Shape parts(in.begin(), in.begin() + int64_t(lead)), out = parts;
  std::vector<int64_t> order;
  for (size_t d = 0; d < lead; ++d) order.push_back(int64_t(d));
  const int64_t l = int64_t(lead), c = in[lead], h = in[lead + 1], w = in[lead + 2];
  if (back) {
    parts.insert(parts.end(), {c, h / f, f, w / f, f});
    order.insert(order.end(), {l, l + 2, l + 4, l + 1, l + 3});
    out.insert(out.end(), {c * f * f, h / f, w / f});
  } else {
    parts.insert(parts.end(), {c / f / f, f, f, h, w});
    order.insert(order.end(), {l, l + 3, l + 1, l + 4, l + 2});
    out.insert(out.end(), {c / f / f, h * f, w * f});
  }
  return make.Reshaped(make.InOrder(make.Reshaped(args[0], parts), order), out);
}

// diagonal(x, offset, dim1, dim2)
Arg Diagonal(NodeMaker& make, const Args& args) {
  Arg x = args.at(0);
  const size_t rank = make.Of(x).size();
  const int64_t offset = args.size() > 1 ? IntOf(args[1]) : 0, r = int64_t(rank),
                one = DimOf(args.size() > 2 ? IntOf(args[2]) : 0, rank),
                two = DimOf(args.size() > 3 ? IntOf(args[3]) : 1, rank);
  x = Moved(make, x, one, r - 1);
  x = Moved(make, x, two > one ? two - 1 : two, r - 1);
  const int64_t rows = make.Of(x)[rank - 2], columns = make.Of(x)[rank - 1];
  Arg row = Positions(make, x, r - 2, 2, 0);
  if (offset) row = make.Two("add", row, NodeMaker::Int(offset));
  const Arg line =
      Chosen(make, make.Two("eq", Positions(make, x, r - 1, 2, 1), row), x, r - 1, false);
  const int64_t from = std::max<int64_t>(0, -offset), n = std::min(rows, columns - offset) - from;
  if (n < 1) throw Unplanned{"a diagonal without elements"};
  return n == rows ? line : Sliced(make, line, r - 2, from, from + n);
}

// unfold(x, dim, size, step): each window in a last dimension.
Arg Unfolded(NodeMaker& make, const Args& args) {
  const Shape in = make.Of(args.at(0));
  const int64_t rank = int64_t(in.size()), dim = DimOf(IntOf(args.at(1)), in.size()),
                size = IntOf(args.at(2)), step = IntOf(args.at(3));
  Arg x = Moved(make, args[0], dim, rank - 1);
  Shape out = make.Of(x);
  const int64_t n = (out.back() - size) / step + 1;
  out.back() = size, out.push_back(n);
  x = make.Make("windows", {x, Arg::List(Shape{size}), Arg::List(Shape{step}), Arg::List(Shape{1})},
                out);
  return Moved(make, x, rank, dim);
}

// Along one dimension: so many elements for each, between neighbours where `linear`.
Arg Wider(NodeMaker& make, const Arg& x, int64_t dim, int64_t factor, bool linear) {
  if (factor == 1) return x;
  Shape shape = make.Of(x);
  const int64_t n = shape[At(dim)];
  shape[At(dim)] *= factor;
  if (!linear) {
    Shape wide = make.Of(x);
    wide.insert(wide.begin() + dim + 1, factor);
    return make.Reshaped(
        make.Make("expand", {Unsqueezed(make, x, dim + 1), Arg::List(wide), NodeMaker::Bool(false)},
                  wide),
        shape);
  }
  Arg before = x, behind = x;
  if (n > 1) {
    before = Together(make, {Second(make, x, dim), Sliced(make, x, dim, 0, -1)}, dim);
    behind = Together(
        make, {Sliced(make, x, dim, 1, kUntilEnd), Sliced(make, x, dim, -1, kUntilEnd)}, dim);
  }
  const Arg first =
      make.Two("eq", Positions(make, x, dim, make.Of(x).size(), dim), NodeMaker::Int(0));
  std::vector<Arg> phases;
  for (int64_t k = 0; k < factor; ++k) {
    const double at = (double(k) + 0.5) / double(factor) - 0.5, far = std::fabs(at);
    auto between = [&](const Arg& other, double share) {
      return make.Two("add", make.Two("mul", x, NodeMaker::Number(1 - share)),
                      make.Two("mul", other, NodeMaker::Number(share)));
    };
    Arg y = x;
    if (far > 0) y = between(at < 0 ? before : behind, far);
    // Before the first one PyTorch takes none of the second one: NaN where that is infinite.
    if (at < 0) y = make.Where(first, between(before, 0), y);
    phases.push_back(Unsqueezed(make, y, dim + 1));
  }
  return make.Reshaped(Together(make, phases, dim + 1), shape);
}

// To a multiple of each size.
Arg Upsampled(NodeMaker& make, const std::string& op, const Args& args, const Shape& out) {
  Arg x = args.at(0);
  const Shape in = make.Of(x);
  const bool linear = op.find("linear") != std::string::npos;
  if (linear && args.size() > 2 && args[2].IsNumber() && args[2].number.Real() != 0)
    throw Unplanned{"interpolation with aligned corners"};
  for (size_t d = in.size(); d-- > 2;) {
    if (in[d] < 1 || out[d] % in[d] != 0)
      throw Unplanned{"interpolation to a size that is no multiple"};
    x = Wider(make, x, int64_t(d), out[d] / in[d], linear);
  }
  return x;
}

// How many boundaries lie below x; right: not above x. NaN is above all.
Arg Bucketized(NodeMaker& make, const Arg& x, const Arg& boundaries, bool right) {
  if (make.Of(boundaries).size() != 1) throw Unplanned{"boundaries of several dimensions"};
  const int64_t last = int64_t(make.Of(x).size());
  const Arg wide = Unsqueezed(make, x, last);
  const Arg below =
      Either(make, make.Two(right ? "le" : "lt", boundaries, wide), IsNan(make, wide));
  return make.Reduce("sum", make.Where(below, NodeMaker::Number(1), NodeMaker::Number(0)), {last},
                     false);
}

// cdist(x, y, p)
Arg Distances(NodeMaker& make, const Args& args) {
  const Shape a = make.Of(args.at(0)), b = make.Of(args.at(1));
  const double p = args.size() > 2 ? args[2].number.Real() : 2;
  const int64_t rank = int64_t(a.size());
  if (a.size() != b.size() || a.size() < 2)
    throw Unplanned{"distances of tensors of different rank"};
  const Arg apart =
      make.Two("sub", Unsqueezed(make, args[0], rank - 1), Unsqueezed(make, args[1], rank - 2));
  if (p == 1) return make.Reduce("sum", make.One("abs", apart), {rank}, false);
  if (p != 2) throw Unplanned{"distances with p other than 1 and 2"};
  return make.One("sqrt", make.Reduce("sum", make.Two("mul", apart, apart), {rank}, false));
}

// index_add(x, dim, index, source, alpha)
Arg IndexAdded(NodeMaker& make, const Args& args) {
  const Arg &x = args.at(0), &index = args.at(2), &source = args.at(3);
  const Shape in = make.Of(x);
  const int64_t rank = int64_t(in.size()), dim = DimOf(IntOf(args.at(1)), in.size());
  if (make.Of(index).size() != 1) throw Unplanned{"an index of several dimensions"};
  // [.., elements of x, elements of source, ..]
  Arg which = index;
  for (int64_t d = dim + 1; d < rank; ++d)
    which = Unsqueezed(make, which, int64_t(make.Of(which).size()));
  which =
      make.Two("eq", Positions(make, x, dim, At(rank + 1 - dim), 0), Unsqueezed(make, which, 0));
  Arg sum = Chosen(make, which, Unsqueezed(make, source, dim), dim + 1, false);
  if (args.size() > 4 && !args[4].Is(1)) sum = make.Two("mul", sum, args[4]);
  return make.Two("add", x, sum);
}

// x with rows of `value` at the places of dimension dim that index gives; of equal places the last
// one counts.
Arg WrittenAt(NodeMaker& make, const Arg& x, int64_t dim, const Arg& index, const Arg& value) {
  const Shape in = make.Of(x), of = make.Of(value);
  if (make.Of(index).size() != 1) throw Unplanned{"an index of several dimensions"};
  const Arg hit =
      make.Two("eq", Positions(make, x, dim, 2, 0), Unsqueezed(make, index, 0));  // [x, index]
  const Arg last = make.Reduce(
      "amax", make.Where(hit, Positions(make, index, 0, 2, 1), NodeMaker::Number(-1)), {1}, false);
  Shape along(in.size(), 1);
  along[At(dim)] = in[At(dim)];
  const Arg there = make.Reshaped(make.Two("ge", last, NodeMaker::Number(0)), along);
  if (of.size() != in.size()) return make.Where(there, value, x);
  const Arg from = make.Make("clamp", {last, NodeMaker::Int(0), {}}, {in[At(dim)]}, "Long");
  return make.Where(there, make.Make("index_select", {value, NodeMaker::Int(dim), from}, in), x);
}

// index_put(x, [index], value): along the one dimension that has an index.
Arg IndexPut(NodeMaker& make, const Args& args) {
  const Args& list = args.at(1).list;
  size_t dim = list.size();
  for (size_t d = 0; d < list.size(); ++d) {
    if (!list[d].IsTensor()) continue;
    if (dim < list.size()) throw Unplanned{"elements at places that several indices give"};
    dim = d;
  }
  if (dim == list.size() || (args.size() > 3 && args[3].IsNumber() && args[3].number.Real() != 0))
    throw WithoutRule("index_put");
  return WrittenAt(make, args[0], int64_t(dim), list[dim], args.at(2));
}

// Rows of w that an index of any rank names.
Arg Embedded(NodeMaker& make, const Arg& w, const Arg& index) {
  Shape out = make.Of(index);
  int64_t n = 1;
  for (int64_t d : out) n *= d;
  const Shape rows = make.Of(w);
  out.insert(out.end(), rows.begin() + 1, rows.end());
  const Arg flat = make.Of(index).size() == 1 ? index : make.Reshaped(index, {n});
  Shape picked = rows;
  picked[0] = n;
  const Arg all = make.Make("index_select", {w, NodeMaker::Int(0), flat}, picked);
  return make.Of(index).size() == 1 ? all : make.Reshaped(all, out);
}

// scatter(x, dim, index, source) of several elements of a row: of equal places the last one counts.
std::optional<Arg> Scattered(NodeMaker& make, const Args& args) {
  const Arg &x = args.at(0), &index = args.at(2), &source = args.at(3);
  const Shape in = make.Of(x), at = make.Of(index);
  if (at.size() != in.size() || !source.IsTensor() || make.Of(source) != at) return std::nullopt;
  const int64_t dim = DimOf(InCase(args.at(1)), in.size());
  Shape same = in;
  same[At(dim)] = at[At(dim)];
  if (at != same || at[At(dim)] == 1) return std::nullopt;
  const size_t rank = in.size() + 1;  // [.., elements of x, elements of source, ..]
  const Arg hit = make.Two("eq", Positions(make, x, dim, rank, dim), Unsqueezed(make, index, dim));
  const Arg number = Positions(make, index, dim, rank, dim + 1);
  const Arg last =
      make.Reduce("amax", make.Where(hit, number, NodeMaker::Number(-1)), {dim + 1}, true);
  const Arg value =
      Chosen(make, make.Two("eq", number, last), Unsqueezed(make, source, dim), dim + 1, false);
  const Arg there = make.Reshaped(make.Two("ge", last, NodeMaker::Number(0)), in);
  return make.Where(there, value, x);
}

// scatter_add(x, dim, index, source)
Arg ScatterAdded(NodeMaker& make, const Args& args) {
  const Arg &x = args.at(0), &index = args.at(2), &source = args.at(3);
  const Shape in = make.Of(x);
  const int64_t dim = DimOf(IntOf(args.at(1)), in.size());
  Shape same = in;
  same[At(dim)] = make.Of(index)[At(dim)];
  if (make.Of(index) != same || make.Of(source) != same)
    throw Unplanned{"an index that is shorter than the rows"};
  const Arg which =
      make.Two("eq", Positions(make, x, dim, in.size() + 1, dim), Unsqueezed(make, index, dim));
  return make.Two("add", x, Chosen(make, which, Unsqueezed(make, source, dim), dim + 1, false));
}

Arg RunningLogSum(NodeMaker& make, const Args& args) {
  const Shape in = make.Of(args.at(0));
  const int64_t last = int64_t(in.size()) - 1, dim = DimOf(IntOf(args.at(1)), in.size());
  const Arg x = Moved(make, args[0], dim, last);
  const double infinite = std::numeric_limits<double>::infinity();
  const Arg not_yet = make.Two("gt", Positions(make, x, last, in.size() + 1, last + 1),
                               Positions(make, x, last, in.size() + 1, last));
  const Arg seen = make.Where(not_yet, NodeMaker::Number(-infinite), Unsqueezed(make, x, last));
  const Arg most = make.Reduce("amax", seen, {last + 1}, true);
  // Where all are -infinity, or one is infinity, the largest one is the result.
  const Arg usual = make.Two("lt", make.One("abs", most), NodeMaker::Number(infinite));
  const Arg from = make.Where(usual, most, NodeMaker::Number(0));
  const Arg sum =
      make.Reduce("sum", make.One("exp", make.Two("sub", seen, from)), {last + 1}, true);
  const Arg out = make.Two("add", make.One("log", sum), from);
  return Moved(make, make.Reshaped(out, make.Of(x)), last, dim);
}

std::pair<Arg, Arg> Sorted(NodeMaker& make, const Arg& x, int64_t dim, bool descending) {
  const size_t rank = make.Of(x).size();
  const int64_t last = int64_t(rank) - 1;
  dim = DimOf(dim, rank);
  const Arg rows = Moved(make, x, dim, last);
  const Arg place = Unsqueezed(make, Places(make, rows, descending), last);
  const Arg hit = make.Two("eq", place, Positions(make, rows, last, rank + 1, last));
  const Arg values = Chosen(make, hit, Unsqueezed(make, rows, last), last + 1, false),
            from =
                Chosen(make, hit, Positions(make, rows, last, rank + 1, last + 1), last + 1, false);
  return {Moved(make, values, last, dim), Moved(make, from, last, dim)};
}

// The k-th smallest of each row, from 0; `keep`: the dimension stays; `nan`: the first NaN where
// there is one.
std::pair<Arg, Arg> KthSmallest(NodeMaker& make, const Arg& x, int64_t k, int64_t dim, bool keep,
                                bool nan) {
  const size_t rank = make.Of(x).size();
  const int64_t last = int64_t(rank) - 1;
  dim = DimOf(dim, rank);
  const Arg rows = Moved(make, x, dim, last);
  Arg at = NodeMaker::Int(k);
  if (nan) {  // NaN are the last ones
    const Arg nans = make.Reduce(
        "sum", make.Where(IsNan(make, rows), NodeMaker::Number(1), NodeMaker::Number(0)), {last},
        true);
    at = make.Where(make.Two("gt", nans, NodeMaker::Int(0)),
                    make.Two("rsub", nans, make.SizeOf(rows, At(last))), at);
  }
  const Arg hit = make.Two("eq", Places(make, rows, false), at);
  const Arg values = Chosen(make, hit, rows, last, true),
            from = Chosen(make, hit, Positions(make, rows, last, rank, last), last, true);
  auto out = [&](const Arg& a) {
    const Arg placed = Moved(make, a, last, dim);
    Shape shape = make.Of(placed);
    shape.erase(shape.begin() + dim);
    return keep ? placed : make.Reshaped(placed, shape);
  };
  return {out(values), out(from)};
}

// The largest or smallest element up to each one.
Arg RunningExtreme(NodeMaker& make, const Arg& of, int64_t along, bool largest) {
  const Shape in = make.Of(of);
  const int64_t last = int64_t(in.size()) - 1, dim = DimOf(along, in.size());
  const Arg x = Moved(make, of, dim, last);
  const double none =
      largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  const Arg not_yet = make.Two("gt", Positions(make, x, last, in.size() + 1, last + 1),
                               Positions(make, x, last, in.size() + 1, last));
  const Arg seen = make.Where(not_yet, NodeMaker::Number(none), Unsqueezed(make, x, last));
  return Moved(make, make.Reduce(largest ? "amax" : "amin", seen, {last + 1}, false), last, dim);
}

bool Flag(const Arg& a) { return a.IsNumber() && a.number.Real() != 0; }
constexpr int64_t kOneByOne = 8;  // as many of a topk are looked for one after the other
}  // namespace

std::optional<Arg> Rearranged(NodeMaker& make, const record::GraphNode& n, bool alone) {
  const std::string& op = n.op;
  const Args& a = n.args;
  if (n.out.empty()) return std::nullopt;
  if (op.starts_with("upsample_")) return Upsampled(make, op, a, n.out[0].shape);
  if (op == "pixel_shuffle" || op == "pixel_unshuffle")
    return PixelsShuffled(make, a, op == "pixel_unshuffle");
  if (op == "diagonal") return Diagonal(make, a);
  if (op == "unfold") return Unfolded(make, a);
  if (op == "cdist") return Distances(make, a);
  if (op == "index_add") return IndexAdded(make, a);
  if (op == "scatter_add") return ScatterAdded(make, a);
  if (op == "scatter") return Scattered(make, a);
  if (op == "index_copy")
    return WrittenAt(make, a.at(0), DimOf(IntOf(a.at(1)), make.Of(a[0]).size()), a.at(2), a.at(3));
  if (op == "index_put") return IndexPut(make, a);
  if (op == "embedding") return Embedded(make, a.at(0), a.at(1));
  if (op == "take_along_dim")
    return make.Make("gather", {a.at(0), a.at(2), a.at(1)}, n.out[0].shape);
  if (op == "logcumsumexp") return RunningLogSum(make, a);
  if ((op == "cummax" || op == "cummin") && alone)
    return RunningExtreme(make, a.at(0), IntOf(a.at(1)), op == "cummax");
  if (op == "bucketize") return Bucketized(make, a.at(0), a.at(1), a.size() > 3 && Flag(a[3]));
  if (op == "searchsorted") return Bucketized(make, a.at(1), a.at(0), a.size() > 3 && Flag(a[3]));
  if (op == "argsort") return Sorted(make, a.at(0), IntOf(a.at(1)), Flag(a.at(2))).second;
  return std::nullopt;
}

std::pair<int64_t, bool> OrderOf(const record::GraphNode& sort, size_t rank) {
  const size_t at = sort.args.size() > 3 ? 2 : 1;
  return {DimOf(sort.args.size() > at ? InCase(sort.args[at]) : -1, rank),
          sort.args.size() > at + 1 && Flag(sort.args[at + 1])};
}

int64_t TakenOf(const record::GraphNode& n, const record::Graph& graph, size_t rank) {
  if (n.op != "sort" || n.out.size() != 2 || rank == 0) return 0;
  const int64_t dim = OrderOf(n, rank).first;
  int64_t few = 0;
  for (const auto& o : n.out) {
    if (std::find(graph.outputs.begin(), graph.outputs.end(), o.id) != graph.outputs.end())
      return 0;
    for (const record::GraphNode& user : graph.nodes) {
      bool uses = false;
      for (const Arg& a : user.args)
        record::ForEachTensor(a, [&](const std::string& id) { uses |= id == o.id; });
      if (!uses) continue;
      const Args& a = user.args;
      const bool slice = user.op == "slice" && a.size() == 5 && a[2].Is(0) && a[4].Is(1) &&
                         a[1].number.HasInt() && a[3].IsNumber() && a[3].number.IsConstant();
      if (!slice || DimOf(a[1].number.Int(), rank) != dim || (few && few != a[3].number.Int()))
        return 0;
      few = a[3].number.Int();
    }
  }
  return few > 0 && few <= kOneByOne && few <= n.out[0].shape[At(dim)] ? few : 0;
}

std::optional<std::pair<Arg, Arg>> Ordered(NodeMaker& make, const record::GraphNode& n) {
  const Args& a = n.args;
  if (n.op != "sort" && n.op != "kthvalue" && n.op != "median" && n.op != "topk")
    return std::nullopt;
  const Shape in = make.Of(a.at(0));
  if (n.out.size() != 2 || in.empty()) return std::nullopt;
  const bool fixed = n.op != "topk" || a.at(1).number.IsConstant();
  if (n.op == "topk" && fixed && IntOf(a[1]) <= kOneByOne) return std::nullopt;
  if (n.out[0].dtype == "Long") throw Unplanned{"an order of integers"};
  if (n.op == "sort") {
    const auto [dim, descending] = OrderOf(n, in.size());
    return Sorted(make, a[0], dim, descending);
  }
  const size_t at = n.op == "median" ? 1 : 2;
  const int64_t dim = DimOf(a.size() > at ? InCase(a[at]) : -1, in.size());
  const bool keep = a.size() > at + 1 && Flag(a[at + 1]);
  if (n.op == "median") return KthSmallest(make, a[0], (in[At(dim)] - 1) / 2, dim, keep, true);
  if (n.op == "kthvalue") return KthSmallest(make, a[0], IntOf(a.at(1)) - 1, dim, keep, false);
  auto [values, from] = Sorted(make, a[0], dim, a.size() < 4 || Flag(a[3]));
  Shape out = in;
  out[At(dim)] = n.out[0].shape[At(dim)];
  auto first = [&](const Arg& of) {
    return make.Make("slice", {of, NodeMaker::Int(dim), NodeMaker::Int(0), a[1], NodeMaker::Int(1)},
                     out);
  };
  return std::pair(first(values), first(from));
}

}  // namespace akgen::craft
