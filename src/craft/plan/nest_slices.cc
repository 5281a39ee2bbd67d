// Operations that choose, shift or join elements.
#include <algorithm>
#include <cstdlib>

#include "craft/plan/element.h"
#include "craft/plan/nest_joined.h"
#include "craft/plan/nest_operations.h"
#include "craft/plan/nest_views.h"

namespace akgen::craft::nest {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;
using record::GraphNumber;

NestValue Slice(NestScope& s, const GraphNode& n, const NestValue& x,
                const std::vector<int64_t>& shape) {
  const GraphArgs& a = n.args;
  bool narrow = n.op == "narrow";
  size_t dim = Dim(a[1], x.dims.size());
  int64_t whole = 1;
  for (int e : s.g.axes.Resolve(x.dims[dim])) whole *= s.g.axes.extent(e);
  std::string start = a[2].IsNone() ? "0" : s.Number(a[2].number);
  int64_t step = narrow ? 1 : a[4].number.Int();
  const std::string& id = n.id();
  if (s.changed.count(id)) {
    if (step != 1) throw Unplanned{"every other element of a value is changed"};
    s.regions[id] = {
        a[0].tensor, dim, start,
        narrow ? fmt::format("({} + {})", start, s.Number(a[3].number)) : s.Number(a[3].number),
        shape[dim] == whole};
    return {x.node, x.dims, {}, -1};
  }
  if (shape[dim] == whole) {
    auto said = [](const GraphArg& x) {
      return x.number.IsConstant() ? std::nullopt : HostNumber(x.number);
    };
    auto end = said(a[3]), by = narrow ? std::nullopt : said(a[4]);
    if (end) s.g.requires_.push_back(fmt::format("{} == {}", *end, ExtentMark(x.dims[dim])));
    if (by) s.g.requires_.push_back(*by + " == 1");
    return x;
  }
  if (x.part_axis >= 0 && step == 1)
    if (auto some = SomeParts(s.g, x, dim, a[2].IsNone() ? 0 : a[2].number.Int(), shape[dim]))
      return *some;
  int axis = Single(s.g, x.dims[dim]);
  AxisRole r;
  if (a[2].IsNumber() && a[2].number.IsConstant() && a[2].number.Int() < 0)
    start = fmt::format("max(0, {} - {})", ExtentMark(x.dims[dim]), -a[2].number.Int());
  r.start = start;
  r.step = step == 1 ? "1" : s.Number(a[4].number);
  Dims d = x.dims;
  d[dim] = {r.walk = s.g.axes.New(shape[dim])};
  if (auto text = narrow ? std::nullopt : s.SliceLength(a, x.dims[dim]))
    s.g.derived[r.walk] = {*text, id, dim};
  return View(s.g, x, axis, r, d);
}

NestValue Select(NestScope& s, const NestValue& x, const GraphArgs& a) {
  size_t dim = Dim(a[1], x.dims.size());
  Dims d = x.dims;
  d.erase(d.begin() + static_cast<long>(dim));
  if (s.g.axes.Resolve(x.dims[dim]).empty()) return {x.node, d, {}, -1};
  if (s.g.nodes[x.node].kind == NestNode::kScalar) return {x.node, d, {}, -1};
  AxisRole r;
  r.fixed = true;
  r.index = s.Number(a[2].number);
  const int axis = Single(s.g, x.dims[dim]);
  if (a[2].number.IsConstant() && a[2].number.Int() < 0)  // counted from the end
    r.index = x.part_axis >= 0 && s.g.axes.Resolve({x.part_axis}) == Run{axis}
                  ? std::to_string(s.g.axes.extent(axis) + a[2].number.Int())
                  : fmt::format("({} - {})", ExtentMark(x.dims[dim]), -a[2].number.Int());
  return View(s.g, x, axis, r, d);
}

NestValue SplitAt(NestScope& s, const GraphArgs& a, const std::vector<int64_t>& shape) {
  std::string dim = s.Number(a[1].number), input = a[0].tensor;
  if (!s.g.inputs.count(input) || s.values.count(input))
    throw Unplanned{
        "dimensions that an element tells, of a value that is seen in another way, too"};
  Dims dims;
  for (int part = 0; part < 3; ++part) {
    dims.push_back({s.g.axes.New(shape[part], true)});
    s.g.splits.push_back({ExtentMark(dims.back()), {input, dim, part}});
  }
  s.g.inputs[input] = dims;
  return s.Value(input);
}

NestValue Picked(NestScope& s, const NestValue& x, const GraphArgs& a) {
  size_t dim = Dim(a[1], x.dims.size());
  const NestValue places = s.Value(a[2].tensor);
  const bool plain = places.node >= 0 && s.g.nodes[places.node].kind == NestNode::kLeaf &&
                     s.g.nodes[places.node].roles.empty();
  if (!plain || places.dims.size() != 1)
    throw Unplanned{"places that are computed", Obstacle::kComputedPlaces};
  const std::string by = s.g.nodes[places.node].input;
  Dims d = x.dims;
  Run all = s.g.axes.Resolve(x.dims[dim]), walk = places.dims[0];
  d[dim] = walk;
  if (all.empty()) return {x.node, d, {}, -1};
  s.g.items.insert(by);
  AxisRole r;
  r.by = by;
  r.start = "0";
  r.step = "1";
  r.fixed = walk.empty();
  r.index = fmt::format("item({}[0])", by);
  r.places = walk;
  return View(s.g, x, Single(s.g, all), r, d);
}

// From the last place of each dimension to the first. Elements of a row change places in
// ReorderWriter.
NestValue Flipped(NestScope& s, const GraphNode& n, NestValue x) {
  for (size_t dim : DimsOf(n.args.at(1), x.dims.size())) {
    const Run whole = x.dims[dim];
    if (s.g.axes.Resolve(whole).empty()) continue;
    if (dim + 1 == x.dims.size()) throw Unplanned{"elements of a row in another order"};
    const int axis = Single(s.g, whole);
    AxisRole r;
    r.start = ExtentMark(whole) + " - 1", r.step = "(-1)";
    r.walk = s.g.axes.New(s.g.axes.extent(axis));
    if (const auto host = s.HostExtent(whole)) s.g.derived[r.walk] = {*host, n.id(), dim};
    Dims d = x.dims;
    d[dim] = {r.walk};
    x = View(s.g, x, axis, r, d);
  }
  return x;
}

NestValue Windows(NestScope& s, const GraphNode& n, NestValue x) {
  const std::vector<int64_t> sizes = n.args.at(1).Ints(), steps = n.args.at(2).Ints(),
                             apart = n.args.at(3).Ints(), &shape = n.out[0].shape;
  if (x.node < 0 || s.g.nodes[x.node].kind != NestNode::kLeaf)
    throw Unplanned{"windows of a computed value"};
  // windows(x, …): [before…, taps…, windows…]; folds(x, …): x has the taps already, [before…,
  // taps…, elements…].
  const bool folds = n.op == "folds";
  const size_t all = sizes.size(), first = x.dims.size() - all;
  Dims taps(all), places(all);
  for (size_t d = 0; d < all; ++d) {
    const Run whole = x.dims[first + d];
    if (sizes[d] == 1 && (steps[d] == 1 || s.g.axes.Resolve(whole).empty())) {
      places[d] = whole;
      continue;
    }
    const int axis = Single(s.g, whole);
    AxisRole r;
    const int64_t span = (sizes[d] - 1) * std::abs(apart[d]);
    r.start = std::to_string(apart[d] < 0 ? span : 0);
    r.step = std::to_string(steps[d]);
    r.tap_step = apart[d] < 0 ? fmt::format("({})", apart[d]) : std::to_string(apart[d]);
    const size_t to = folds ? first + d : first + all + d;
    if (!folds)
      s.g.constants.insert(r.tap = s.g.axes.New(sizes[d]));
    else if (sizes[d] > 1)
      r.tap = Single(s.g, x.dims[first - all + d]);
    r.walk = s.g.axes.New(shape[to]);
    if (const auto host = s.HostExtent(whole))
      s.g.derived[r.walk] = {fmt::format("({} - {}) // {} + 1", *host, span + 1, steps[d]), n.id(),
                             to};
    taps[d] = {r.tap}, places[d] = {r.walk};
    Dims now = x.dims;
    now[first + d] = places[d];
    x = View(s.g, x, axis, r, now);
    // The value has both axes; until its dimensions are known it is seen along the windows.
    if (!folds) s.g.nodes[static_cast<size_t>(x.node)].dims.push_back(taps[d]);
  }
  if (folds) return x;
  Dims dims(x.dims.begin(), x.dims.begin() + static_cast<long>(first));
  dims.insert(dims.end(), taps.begin(), taps.end());
  dims.insert(dims.end(), places.begin(), places.end());
  s.g.nodes[static_cast<size_t>(x.node)].dims = dims;
  return {x.node, dims, {}, -1};
}

NestValue Widened(NestScope& s, const GraphNode& n, const NestValue& x) {
  const std::vector<int64_t> pads = n.args.at(1).Ints();
  std::vector<NestValue> parts;
  size_t dim = x.dims.size();
  auto numbers = [&](int64_t many) {
    if (many == 0) return;
    NestNode c;
    c.kind = NestNode::kScalar;
    c.text = s.Number(n.args.at(2).number);
    Dims dims = x.dims;
    dims[dim] = many == 1 ? Run{} : Run{s.g.axes.New(many)};
    s.g.constants.insert(dims[dim].begin(), dims[dim].end());
    c.dims = dims;
    parts.push_back({Add(s.g, c), dims, {}, -1});
  };
  for (size_t i = 0; i * 2 < pads.size(); ++i) {
    if (pads[i * 2] == 0 && pads[i * 2 + 1] == 0) continue;
    if (pads[i * 2] < 0 || pads[i * 2 + 1] < 0) throw Unplanned{"padding that cuts"};
    if (dim < x.dims.size()) throw Unplanned{"padding of several dimensions at once"};
    dim = x.dims.size() - 1 - i;
    numbers(pads[i * 2]);
    parts.push_back(x);
    numbers(pads[i * 2 + 1]);
  }
  return parts.empty() ? x : Concatenated(s, n, parts, dim);
}

NestValue Concatenated(NestScope& s, const GraphNode& n, const std::vector<NestValue>& parts,
                       size_t dim) {
  std::string all;
  for (const NestValue& p : parts) {
    const auto one = s.HostExtent(p.dims[dim]);
    if (!one) all.clear();
    if (!one) break;
    all += (all.empty() ? "" : " + ") + *one;
  }
  NestValue out = Join(s.g, parts, dim);
  if (!out.starts.empty() && !all.empty()) s.g.derived[out.part_axis] = {all, n.id(), dim};
  return out;
}

NestValue Cross(NestScope& s, const NestValue& x, const NestValue& y, const GraphArg& dim_arg) {
  size_t dim = Dim(dim_arg, x.dims.size());
  auto a = Chunk(s.g, x, dim, 3), b = Chunk(s.g, y, dim, 3);
  std::vector<NestValue> out;
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out.push_back(Element(s.g, "@0@ * @1@ - @2@ * @3@", {a[j], b[k], a[k], b[j]}));
  }
  return Join(s.g, out, dim);
}

}  // namespace akgen::craft::nest
