// Graph to axes: what only changes the shape, chooses or joins.
#include "craft/plan/nest_reader.h"

#include <fmt/format.h>
#include <algorithm>

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
  for (int64_t i : a.Ints()) out.push_back(static_cast<size_t>(i < 0 ? i + static_cast<int64_t>(rank) : i));
  return out;
}

NestValue NestReader::Reshaped(const NestValue& x, const std::vector<int64_t>& shape) {
  Dims to = Fresh(shape);
  g_.axes.Unify(Flat(x.dims), Flat(to));
  return {x.node, to, x.parts, x.part_axis, x.imaginary};
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
    else if (shape[i] != 1) to[i] = {g_.axes.New(shape[i])};
  }
  return {x.node, to, {}, -1};
}

NestValue NestReader::View(const NestValue& x, int axis, AxisRole role, const Dims& dims) {
  if (x.node < 0 || At(x.node).kind != NestNode::kLeaf) return {kShapeOnly, dims, {}, -1};
  NestNode n = At(x.node);
  n.roles[axis] = std::move(role);
  n.dims = dims;
  return {Add(n), dims, {}, -1};
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
  craft::Run rest = whole == static_cast<int64_t>(parts) ? craft::Run{}
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

NestValue NestReader::Join(const std::vector<NestValue>& parts, size_t dim) {
  NestValue out;
  out.dims = parts[0].dims;
  for (const NestValue& p : parts) {
    out.parts.push_back(p.node);
    for (size_t i = 0; i < p.dims.size(); ++i) g_.axes.Unify(out.dims[i], p.dims[i]);
  }
  out.part_axis = g_.axes.New(static_cast<int64_t>(parts.size()));
  g_.constants.insert(out.part_axis);
  out.dims[dim].insert(out.dims[dim].begin(), out.part_axis);
  return out;
}

NestValue NestReader::Slice(const GraphNode& n, const NestValue& x, const std::vector<int64_t>& shape) {
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
    regions_[id] = {a[0].tensor, dim, start,
                    narrow ? fmt::format("({} + {})", start, Number(a[3].number)) : Number(a[3].number),
                    shape[dim] == whole};
    return {x.node, x.dims, {}, -1};
  }
  if (shape[dim] == whole) {
    auto said = [](const GraphArg& x) { return x.number.IsConstant() ? std::nullopt : HostNumber(x.number); };
    auto end = said(a[3]), by = narrow ? std::nullopt : said(a[4]);
    if (end) g_.requires_.push_back(fmt::format("{} == {}", *end, ExtentMark(x.dims[dim])));
    if (by) g_.requires_.push_back(*by + " == 1");
    return x;
  }
  int axis = Single(x.dims[dim]);
  AxisRole r;
  r.start = start;
  r.step = step == 1 ? "1" : Number(a[4].number);
  Dims d = x.dims;
  d[dim] = {r.walk = g_.axes.New(shape[dim])};
  return View(x, axis, r, d);
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
    NestValue in = Element("(@0@ >= @1@) & (@0@ < @2@)", {at, {Add(first), {}, {}, -1}, {Add(last), {}, {}, -1}});
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
  return View(x, Single(x.dims[dim]), r, d);
}

NestValue NestReader::SplitAt(const GraphArgs& a, const std::vector<int64_t>& shape) {
  std::string dim = Number(a[1].number), input = a[0].tensor;
  if (!g_.inputs.count(input) || values_.count(input))
    throw Unplanned{"dimensions that an element tells, of a value that is seen in another way, too"};
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
  const std::string& by = a[2].tensor;
  auto places = g_.inputs.find(by);
  if (places == g_.inputs.end() || places->second.size() != 1) throw Unplanned{"places that are computed"};
  Dims d = x.dims;
  craft::Run all = g_.axes.Resolve(x.dims[dim]), walk = places->second[0];
  d[dim] = walk;
  if (all.empty()) return {x.node, d, {}, -1};
  g_.items.insert(by);
  AxisRole r;
  r.by = by;
  r.start = "0";
  r.step = "1";
  r.fixed = walk.empty();
  r.index = fmt::format("item({}[0])", by);
  if (!walk.empty()) r.walk = walk[0];
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
