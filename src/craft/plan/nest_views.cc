// Graph to axes: what only changes the shape, chooses or joins.
#include "craft/plan/nest_reader.h"
#include "craft/plan/products.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

namespace akgen::craft {

NestValue NestReader::Index(const Dims& of, size_t dim) {
  NestNode n;
  n.kind = NestNode::kIndex;
  n.dims = {of[dim]};
  Dims d(of.size());
  d[dim] = of[dim];
  return {Add(n), d, {}, -1};
}

std::vector<size_t> NestReader::DimsOf(const GraphArg& a, size_t rank) {
  std::vector<size_t> out;
  if (a.IsNumber()) return {Dim(a, rank)};
  for (int64_t i : a.Ints())
    out.push_back(static_cast<size_t>(i < 0 ? i + static_cast<int64_t>(rank) : i));
  return out;
}

NestValue NestReader::Reshaped(const NestValue& x, const std::vector<int64_t>& shape) {
  Dims to = Fresh(shape);
  g_.axes.Unify(Flat(x.dims), Flat(to));
  NestValue out = x;
  out.dims = to, out.pair = false;
  return out;
}

NestValue NestReader::Unflattened(const NestValue& x, size_t dim, const std::vector<int64_t>& sizes,
                                  const std::vector<int64_t>& shape) {
  NestValue out = Reshaped(x, shape);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != -1) g_.constants.insert(out.dims[dim + i].begin(), out.dims[dim + i].end());
  return out;
}

NestValue NestReader::Spread(const NestValue& x, const std::vector<int64_t>& shape) {
  Dims to(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t back = shape.size() - i;
    if (back <= x.dims.size() && !g_.axes.Resolve(x.dims[x.dims.size() - back]).empty())
      to[i] = x.dims[x.dims.size() - back];
    else if (shape[i] != 1)
      to[i] = {g_.axes.New(shape[i])};
  }
  NestValue out = x;
  out.dims = to, out.imaginary = -1;
  return out;
}

int NestReader::Single(const craft::Run& r) {
  craft::Run a = g_.axes.Resolve(r);
  if (a.size() != 1) throw Unplanned{"a part of several dimensions at once"};
  return a[0];
}

std::vector<NestValue> NestReader::Chunk(const NestValue& x, size_t dim, size_t parts) {
  int64_t whole = 1;
  for (int a : g_.axes.Resolve(x.dims[dim])) whole *= g_.axes.extent(a);
  if (whole % static_cast<int64_t>(parts) != 0) throw Unplanned{"parts of different size"};
  int which = g_.axes.New(static_cast<int64_t>(parts));
  g_.constants.insert(which);
  craft::Run rest = whole == static_cast<int64_t>(parts)
                        ? craft::Run{}
                        : craft::Run{g_.axes.New(whole / static_cast<int64_t>(parts))},
             both = rest;
  both.insert(both.begin(), which);
  g_.axes.Unify(x.dims[dim], both);
  which = g_.axes.Resolve({which})[0];
  std::vector<NestValue> out;
  for (size_t i = 0; i < parts; ++i) {
    Dims d = x.dims;
    d[dim] = rest;
    AxisRole r;
    r.fixed = true;
    r.index = std::to_string(i);
    out.push_back(View(x, which, r, d));
  }
  return out;
}

int64_t NestReader::Extent(const craft::Run& r) const {
  int64_t n = 1;
  for (int a : g_.axes.Resolve(r)) n *= g_.axes.extent(a);
  return n;
}

// Whether parts have one size, and not by chance.
bool NestReader::Alike(const std::vector<NestValue>& parts, size_t dim) const {
  return std::all_of(parts.begin(), parts.end(), [&](const NestValue& p) {
    const craft::Run r = g_.axes.Resolve(p.dims[dim]);
    return Extent(r) == Extent(parts[0].dims[dim]) && (r.size() != 1 || !g_.derived.count(r[0]));
  });
}

NestValue NestReader::Join(const std::vector<NestValue>& parts, size_t dim) {
  NestValue out;
  out.dims = parts[0].dims;
  const bool alike = Alike(parts, dim);
  int64_t all = 0;
  for (const NestValue& p : parts) {
    if (p.part_axis >= 0) throw Unplanned{"joined values that are joined once more"};
    out.parts.push_back(p.node);
    for (size_t i = 0; i < p.dims.size(); ++i)
      if (alike || i != dim) g_.axes.Unify(out.dims[i], p.dims[i]);
    if (alike) continue;
    std::string start = "0";
    for (const craft::Run& before : out.part_runs)
      start = start == "0" ? ExtentMark(before) : start + " + " + ExtentMark(before);
    out.starts.push_back(start);
    out.part_runs.push_back(p.dims[dim]);
    all += Extent(p.dims[dim]);
  }
  if (!alike) {
    out.part_axis = g_.axes.New(all, true);
    out.dims[dim] = {out.part_axis};
    return out;
  }
  out.part_axis = g_.axes.New(static_cast<int64_t>(parts.size()));
  g_.constants.insert(out.part_axis);
  out.dims[dim].insert(out.dims[dim].begin(), out.part_axis);
  return out;
}

NestValue NestReader::Slice(const GraphNode& n, const NestValue& x,
                            const std::vector<int64_t>& shape) {
  const GraphArgs& a = n.args;
  bool narrow = n.op == "narrow";
  size_t dim = Dim(a[1], x.dims.size());
  int64_t whole = 1;
  for (int e : g_.axes.Resolve(x.dims[dim])) whole *= g_.axes.extent(e);
  std::string start = a[2].IsNone() ? "0" : Number(a[2].number);
  int64_t step = narrow ? 1 : a[4].number.Int();
  const std::string& id = n.id();
  if (changed_.count(id)) {
    if (step != 1) throw Unplanned{"every other element of a value is changed"};
    regions_[id] = {
        a[0].tensor, dim, start,
        narrow ? fmt::format("({} + {})", start, Number(a[3].number)) : Number(a[3].number),
        shape[dim] == whole};
    return {x.node, x.dims, {}, -1};
  }
  if (shape[dim] == whole) {
    auto said = [](const GraphArg& x) {
      return x.number.IsConstant() ? std::nullopt : HostNumber(x.number);
    };
    auto end = said(a[3]), by = narrow ? std::nullopt : said(a[4]);
    if (end) g_.requires_.push_back(fmt::format("{} == {}", *end, ExtentMark(x.dims[dim])));
    if (by) g_.requires_.push_back(*by + " == 1");
    return x;
  }
  if (x.part_axis >= 0 && step == 1)
    if (auto some = SomeParts(x, dim, a[2].IsNone() ? 0 : a[2].number.Int(), shape[dim]))
      return *some;
  int axis = Single(x.dims[dim]);
  AxisRole r;
  if (a[2].IsNumber() && a[2].number.IsConstant() && a[2].number.Int() < 0)
    start = fmt::format("max(0, {} - {})", ExtentMark(x.dims[dim]), -a[2].number.Int());
  r.start = start;
  r.step = step == 1 ? "1" : Number(a[4].number);
  Dims d = x.dims;
  d[dim] = {r.walk = g_.axes.New(shape[dim])};
  if (auto text = narrow ? std::nullopt : SliceLength(a, x.dims[dim]))
    g_.derived[r.walk] = {*text, id, dim};
  return View(x, axis, r, d);
}

// From the last place of each dimension to the first. Elements of a row change places in
// ReorderWriter.
NestValue NestReader::Flipped(const GraphNode& n, NestValue x) {
  for (size_t dim : DimsOf(n.args.at(1), x.dims.size())) {
    const craft::Run whole = x.dims[dim];
    if (g_.axes.Resolve(whole).empty()) continue;
    if (dim + 1 == x.dims.size()) throw Unplanned{"elements of a row in another order"};
    const int axis = Single(whole);
    AxisRole r;
    r.start = ExtentMark(whole) + " - 1", r.step = "(-1)";
    r.walk = g_.axes.New(g_.axes.extent(axis));
    if (const auto host = HostExtent(whole)) g_.derived[r.walk] = {*host, n.id(), dim};
    Dims d = x.dims;
    d[dim] = {r.walk};
    x = View(x, axis, r, d);
  }
  return x;
}

NestValue NestReader::Windows(const GraphNode& n, NestValue x) {
  const std::vector<int64_t> sizes = n.args.at(1).Ints(), steps = n.args.at(2).Ints(),
                             apart = n.args.at(3).Ints(), &shape = n.out[0].shape;
  if (x.node < 0 || At(x.node).kind != NestNode::kLeaf)
    throw Unplanned{"windows of a computed value"};
  // windows(x, …): [before…, taps…, windows…]; folds(x, …): x has the taps already, [before…,
  // taps…, elements…].
  const bool folds = n.op == "folds";
  const size_t all = sizes.size(), first = x.dims.size() - all;
  Dims taps(all), places(all);
  for (size_t d = 0; d < all; ++d) {
    const craft::Run whole = x.dims[first + d];
    if (sizes[d] == 1 && (steps[d] == 1 || g_.axes.Resolve(whole).empty())) {
      places[d] = whole;
      continue;
    }
    const int axis = Single(whole);
    AxisRole r;
    const int64_t span = (sizes[d] - 1) * std::abs(apart[d]);
    r.start = std::to_string(apart[d] < 0 ? span : 0);
    r.step = std::to_string(steps[d]);
    r.tap_step = apart[d] < 0 ? fmt::format("({})", apart[d]) : std::to_string(apart[d]);
    const size_t to = folds ? first + d : first + all + d;
    if (!folds)
      g_.constants.insert(r.tap = g_.axes.New(sizes[d]));
    else if (sizes[d] > 1)
      r.tap = Single(x.dims[first - all + d]);
    r.walk = g_.axes.New(shape[to]);
    if (const auto host = HostExtent(whole))
      g_.derived[r.walk] = {fmt::format("({} - {}) // {} + 1", *host, span + 1, steps[d]), n.id(),
                            to};
    taps[d] = {r.tap}, places[d] = {r.walk};
    Dims now = x.dims;
    now[first + d] = places[d];
    x = View(x, axis, r, now);
    // The value has both axes; until its dimensions are known it is seen along the windows.
    if (!folds) g_.nodes[static_cast<size_t>(x.node)].dims.push_back(taps[d]);
  }
  if (folds) return x;
  Dims dims(x.dims.begin(), x.dims.begin() + static_cast<long>(first));
  dims.insert(dims.end(), taps.begin(), taps.end());
  dims.insert(dims.end(), places.begin(), places.end());
  g_.nodes[static_cast<size_t>(x.node)].dims = dims;
  return {x.node, dims, {}, -1};
}

NestValue NestReader::Widened(const GraphNode& n, const NestValue& x) {
  const std::vector<int64_t> pads = n.args.at(1).Ints();
  std::vector<NestValue> parts;
  size_t dim = x.dims.size();
  auto numbers = [&](int64_t many) {
    if (many == 0) return;
    NestNode c;
    c.kind = NestNode::kScalar;
    c.text = Number(n.args.at(2).number);
    Dims dims = x.dims;
    dims[dim] = many == 1 ? craft::Run{} : craft::Run{g_.axes.New(many)};
    g_.constants.insert(dims[dim].begin(), dims[dim].end());
    c.dims = dims;
    parts.push_back({Add(c), dims, {}, -1});
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
  return parts.empty() ? x : Joined(n, parts, dim);
}

// A dimension as the host finds it: one of an input, or a part of one.
std::optional<std::string> NestReader::HostExtent(const craft::Run& run) const {
  const craft::Run r = g_.axes.Resolve(run);
  if (r.empty()) return "1";
  if (r.size() == 1)
    if (auto how = g_.derived.find(r[0]); how != g_.derived.end()) return how->second.text;
  if (r.size() == 1 && g_.constants.count(r[0])) return std::to_string(g_.axes.extent(r[0]));
  for (const auto& [id, dims] : g_.inputs)
    for (size_t d = 0; d < dims.size(); ++d)
      if (g_.axes.Resolve(dims[d]) == r) return fmt::format("{}.shape[{}]", id, d);
  return std::nullopt;
}

std::optional<std::string> NestReader::HostSize(const GraphNumber& n) const {
  if (n.IsConstant()) return n.HasInt() ? ConstantText(n.value) : std::nullopt;
  if (n.from != GraphNumber::From::kOperation) return std::nullopt;
  if (n.name == "size") {
    auto value = values_.find(n.args.at(0).name);
    auto input = g_.inputs.find(n.args.at(0).name);
    if (value == values_.end() && input == g_.inputs.end()) return std::nullopt;
    const Dims& dims = value != values_.end() ? value->second.dims : input->second;
    const int64_t i = n.args.at(1).Int();
    return HostExtent(
        dims.at(static_cast<size_t>(i < 0 ? i + static_cast<int64_t>(dims.size()) : i)));
  }
  static const std::map<std::string, const char*> kOps = {
      {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"floordiv", "//"}, {"remainder", "%"}};
  auto op = kOps.find(n.name);
  if (n.args.size() == 1 && n.name == "neg")
    if (auto a = HostSize(n.args[0])) return fmt::format("(-{})", *a);
  if (op == kOps.end() || n.args.size() != 2) return std::nullopt;
  auto a = HostSize(n.args[0]), b = HostSize(n.args[1]);
  return a && b ? std::optional(fmt::format("({} {} {})", *a, op->second, *b)) : std::nullopt;
}

// x[start:end:step] of a dimension, as Python cuts it.
std::optional<std::string> NestReader::SliceLength(const GraphArgs& a,
                                                   const craft::Run& whole) const {
  const auto all = HostExtent(whole);
  if (!all) return std::nullopt;
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  auto place = [&](const GraphArg& x, int64_t otherwise) -> std::optional<std::string> {
    const bool none = x.IsNone() || (x.number.IsConstant() && x.number.Int() == kLast);
    if (none) return otherwise == 0 ? "0" : *all;
    auto text = HostSize(x.number);
    if (text && x.number.Int() < 0) text = fmt::format("max(0, {} + {})", *all, *text);
    return text;
  };
  const auto start = place(a[2], 0), end = place(a[3], kLast);
  if (!start || !end || !a[4].number.IsConstant()) return std::nullopt;
  std::string length = *end == *all ? *all : fmt::format("min({}, {})", *end, *all);
  if (*start != "0") length = fmt::format("max(0, {} - {})", length, *start);
  return a[4].Is(1) ? length : fmt::format("ceil_div({}, {})", length, a[4].number.Int());
}

void NestReader::Change(const GraphNode& n, const std::string& op, const std::string& id) {
  const std::string& target = n.args.at(0).tensor;
  NestValue old = Value(target), made = Plainly(op, n.args);
  for (size_t i = 1; i < n.args.size(); ++i)
    if (n.args[i].IsTensor() && !Value(n.args[i].tensor).dims.empty())
      throw Unplanned{"a part of a value that another tensor changes"};
  auto region = regions_.find(target);
  if (region == regions_.end()) {
    values_[target] = values_[id] = made;
    return;
  }
  const Region& r = region->second;
  if (!r.all) {
    NestValue at = Index(old.dims, r.dim);
    NestNode first, last;
    first.kind = last.kind = NestNode::kScalar;
    first.text = r.start;
    last.text = r.end;
    NestValue in = Element("(@0@ >= @1@) & (@0@ < @2@)",
                           {at, {Add(first), {}, {}, -1}, {Add(last), {}, {}, -1}});
    made = Element("where(@0@, @1@, @2@)", {in, made, old});
  }
  values_[r.base] = values_[id] = made;
}

NestValue NestReader::Select(const NestValue& x, const GraphArgs& a) {
  size_t dim = Dim(a[1], x.dims.size());
  Dims d = x.dims;
  d.erase(d.begin() + static_cast<long>(dim));
  if (g_.axes.Resolve(x.dims[dim]).empty()) return {x.node, d, {}, -1};
  if (At(x.node).kind == NestNode::kScalar) return {x.node, d, {}, -1};
  AxisRole r;
  r.fixed = true;
  r.index = Number(a[2].number);
  const int axis = Single(x.dims[dim]);
  if (a[2].number.IsConstant() && a[2].number.Int() < 0)  // counted from the end
    r.index = x.part_axis >= 0 && g_.axes.Resolve({x.part_axis}) == craft::Run{axis}
                  ? std::to_string(g_.axes.extent(axis) + a[2].number.Int())
                  : fmt::format("({} - {})", ExtentMark(x.dims[dim]), -a[2].number.Int());
  return View(x, axis, r, d);
}

NestValue NestReader::SplitAt(const GraphArgs& a, const std::vector<int64_t>& shape) {
  std::string dim = Number(a[1].number), input = a[0].tensor;
  if (!g_.inputs.count(input) || values_.count(input))
    throw Unplanned{
        "dimensions that an element tells, of a value that is seen in another way, too"};
  Dims dims;
  for (int part = 0; part < 3; ++part) {
    dims.push_back({g_.axes.New(shape[part], true)});
    g_.splits.push_back({ExtentMark(dims.back()), {input, dim, part}});
  }
  g_.inputs[input] = dims;
  return Value(input);
}

NestValue NestReader::Picked(const NestValue& x, const GraphArgs& a) {
  size_t dim = Dim(a[1], x.dims.size());
  const NestValue places = Value(a[2].tensor);
  const bool plain =
      places.node >= 0 && At(places.node).kind == NestNode::kLeaf && At(places.node).roles.empty();
  if (!plain || places.dims.size() != 1)
    throw Unplanned{"places that are computed", Obstacle::kComputedPlaces};
  const std::string by = At(places.node).input;
  Dims d = x.dims;
  craft::Run all = g_.axes.Resolve(x.dims[dim]), walk = places.dims[0];
  d[dim] = walk;
  if (all.empty()) return {x.node, d, {}, -1};
  g_.items.insert(by);
  AxisRole r;
  r.by = by;
  r.start = "0";
  r.step = "1";
  r.fixed = walk.empty();
  r.index = fmt::format("item({}[0])", by);
  r.places = walk;
  return View(x, Single(all), r, d);
}

NestValue NestReader::Cross(const NestValue& x, const NestValue& y, const GraphArg& dim_arg) {
  size_t dim = Dim(dim_arg, x.dims.size());
  auto a = Chunk(x, dim, 3), b = Chunk(y, dim, 3);
  std::vector<NestValue> out;
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out.push_back(Element("@0@ * @1@ - @2@ * @3@", {a[j], b[k], a[k], b[j]}));
  }
  return Join(out, dim);
}

}  // namespace akgen::craft
