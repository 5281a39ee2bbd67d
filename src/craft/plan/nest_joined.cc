// Values that are joined from parts, and what is done to them.
#include "craft/plan/nest_joined.h"

#include <algorithm>

#include "craft/plan/nest_views.h"

namespace akgen::craft::nest {
namespace {
size_t JoinedDim(const NestGraph& g, const NestValue& joined) {
  const Run part = g.axes.Resolve({joined.part_axis});
  for (size_t i = 0; i < joined.dims.size() && part.size() == 1; ++i)
    if (const auto r = g.axes.Resolve(joined.dims[i]); !r.empty() && r[0] == part[0]) return i;
  throw Unplanned{"parts of a value that is seen in another shape"};
}

NestValue Part(const NestGraph& g, const NestValue& joined, size_t i) {
  NestValue out{joined.parts.at(i), joined.dims, {}, -1};
  Run& run = out.dims[JoinedDim(g, joined)];
  run = g.axes.Resolve(run);
  if (joined.starts.empty())
    run.erase(run.begin());
  else
    run = joined.part_runs[i];
  return out;
}

NestValue PartBeside(NestGraph& g, const NestValue& x, const NestValue& joined, size_t dim_from_end,
                     size_t i) {
  if (x.part_axis >= 0) {
    if (x.parts.size() != joined.parts.size() ||
        g.axes.Resolve({x.part_axis}) != g.axes.Resolve({joined.part_axis}) ||
        x.starts != joined.starts)
      throw Unplanned{"values that are joined along different dimensions"};
    return Part(g, x, i);
  }
  if (x.dims.size() < dim_from_end) return x;
  const size_t dim = x.dims.size() - dim_from_end;
  Dims d = x.dims;
  d[dim] = g.axes.Resolve(d[dim]);
  const int axis = g.axes.Resolve({joined.part_axis}).at(0);
  if (d[dim].empty()) return x;
  if (d[dim][0] != axis) throw Unplanned{"a joined value beside one that has no such parts"};
  AxisRole role;
  if (joined.starts.empty()) {
    d[dim].erase(d[dim].begin());
    role.fixed = true;
    role.index = std::to_string(i);
    return View(g, x, axis, role, d);
  }
  const Run piece = g.axes.Resolve(joined.part_runs[i]);
  if (d[dim].size() != 1 || piece.size() > 1)
    throw Unplanned{"a joined value beside one that has no such parts"};
  d[dim] = piece;
  role.fixed = piece.empty();
  role.index = role.start = joined.starts[i];
  role.step = "1";
  if (!piece.empty()) role.walk = piece[0];
  return View(g, x, axis, role, d);
}

NestValue Rejoined(const std::vector<NestValue>& parts, const NestValue& like,
                   size_t dim_from_end) {
  NestValue out = like;
  out.dims = parts[0].dims, out.parts.clear();
  for (const NestValue& p : parts) out.parts.push_back(p.node);
  Run& run = out.dims[out.dims.size() - dim_from_end];
  if (like.starts.empty())
    run.insert(run.begin(), like.part_axis);
  else
    run = {like.part_axis};
  return out;
}

// Whether parts have one size, and not by chance.
bool Alike(const NestGraph& g, const std::vector<NestValue>& parts, size_t dim) {
  return std::all_of(parts.begin(), parts.end(), [&](const NestValue& p) {
    const Run r = g.axes.Resolve(p.dims[dim]);
    return SizeOf(g, r) == SizeOf(g, parts[0].dims[dim]) &&
           (r.size() != 1 || !g.derived.count(r[0]));
  });
}

}  // namespace

NestValue ByParts(NestGraph& g, const std::string& text, const std::vector<NestValue>& operands,
                  const NestValue& joined) {
  if (joined.pair) throw Unplanned{"this operation on complex numbers", Obstacle::kOperands};
  const size_t from_end = joined.dims.size() - JoinedDim(g, joined);
  const Run whole = joined.dims[JoinedDim(g, joined)];
  for (const NestValue& v : operands)
    if (v.dims.size() >= from_end)
      if (const Run& run = v.dims[v.dims.size() - from_end]; !g.axes.Resolve(run).empty())
        g.axes.Unify(whole, run);
  std::vector<NestValue> made;
  for (size_t i = 0; i < joined.parts.size(); ++i) {
    std::vector<NestValue> beside;
    for (const NestValue& v : operands) beside.push_back(PartBeside(g, v, joined, from_end, i));
    made.push_back(Element(g, text, beside));
    if (made.back().dims.size() < from_end) throw Unplanned{"a joined value of fewer dimensions"};
  }
  return Rejoined(made, joined, from_end);
}

Reduced ReducedParts(NestGraph& g, const std::string& what, const NestValue& x,
                     const std::vector<size_t>& dims, bool keep, const std::string& whole) {
  const size_t dim = JoinedDim(g, x);
  const bool over = dims.empty() || std::find(dims.begin(), dims.end(), dim) != dims.end();
  std::vector<NestValue> made;
  std::string count;
  for (size_t i = 0; i < x.parts.size(); ++i) {
    Reduced part = ReduceCounted(g, what, Part(g, x, i), dims, keep, whole);
    made.push_back(std::move(part.value)), count = std::move(part.count);
  }
  if (!over) {
    size_t behind = x.dims.size() - dim;
    for (size_t d : dims) behind -= !keep && d > dim;
    return {Rejoined(made, x, behind), count};
  }
  if (what.rfind("arg", 0) == 0) throw Unplanned{"positions in a joined value"};
  Run gone;
  for (size_t d = 0; d < x.dims.size() && !x.starts.empty(); ++d)
    if (dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end())
      gone.insert(gone.end(), x.dims[d].begin(), x.dims[d].end());
  count = x.starts.empty() ? fmt::format("{} * {}", count, x.parts.size()) : ExtentMark(gone);
  NestValue all = made[0];
  const std::string text = what == "sum"    ? "@0@ + @1@"
                           : what == "prod" ? "@0@ * @1@"
                                            : what + "imum(@0@, @1@)";
  for (size_t i = 1; i < made.size(); ++i) all = Element(g, text, {all, made[i]});
  return {all, count};
}

std::optional<NestValue> SomeParts(NestGraph& g, const NestValue& x, size_t dim, int64_t start,
                                   int64_t length) {
  const auto parts = static_cast<int64_t>(x.parts.size());
  if (!x.starts.empty() || g.axes.Resolve(x.dims[dim]) != g.axes.Resolve({x.part_axis}))
    return std::nullopt;
  start = start < 0 ? std::max<int64_t>(0, start + parts) : start;
  NestValue out = x;
  out.parts = {x.parts.begin() + start, x.parts.begin() + start + length};
  out.dims[dim] = {};
  if (length == 1) return NestValue{out.parts[0], out.dims, {}, -1};
  out.part_axis = g.axes.New(length);
  g.constants.insert(out.part_axis);
  out.dims[dim] = {out.part_axis};
  return out;
}

std::vector<NestValue> Chunk(NestGraph& g, const NestValue& x, size_t dim, size_t parts) {
  int64_t whole = 1;
  for (int a : g.axes.Resolve(x.dims[dim])) whole *= g.axes.extent(a);
  if (whole % static_cast<int64_t>(parts) != 0) throw Unplanned{"parts of different size"};
  int which = g.axes.New(static_cast<int64_t>(parts));
  g.constants.insert(which);
  Run rest = whole == static_cast<int64_t>(parts)
                 ? Run{}
                 : Run{g.axes.New(whole / static_cast<int64_t>(parts))},
      both = rest;
  both.insert(both.begin(), which);
  g.axes.Unify(x.dims[dim], both);
  which = g.axes.Resolve({which})[0];
  std::vector<NestValue> out;
  for (size_t i = 0; i < parts; ++i) {
    Dims d = x.dims;
    d[dim] = rest;
    AxisRole r;
    r.fixed = true;
    r.index = std::to_string(i);
    out.push_back(View(g, x, which, r, d));
  }
  return out;
}

NestValue Join(NestGraph& g, const std::vector<NestValue>& parts, size_t dim) {
  NestValue out;
  out.dims = parts[0].dims;
  const bool alike = Alike(g, parts, dim);
  int64_t all = 0;
  for (const NestValue& p : parts) {
    if (p.part_axis >= 0) throw Unplanned{"joined values that are joined once more"};
    out.parts.push_back(p.node);
    for (size_t i = 0; i < p.dims.size(); ++i)
      if (alike || i != dim) g.axes.Unify(out.dims[i], p.dims[i]);
    if (alike) continue;
    std::string start = "0";
    for (const Run& before : out.part_runs)
      start = start == "0" ? ExtentMark(before) : start + " + " + ExtentMark(before);
    out.starts.push_back(start);
    out.part_runs.push_back(p.dims[dim]);
    all += SizeOf(g, p.dims[dim]);
  }
  if (!alike) {
    out.part_axis = g.axes.New(all, true);
    out.dims[dim] = {out.part_axis};
    return out;
  }
  out.part_axis = g.axes.New(static_cast<int64_t>(parts.size()));
  g.constants.insert(out.part_axis);
  out.dims[dim].insert(out.dims[dim].begin(), out.part_axis);
  return out;
}

NestValue Paired(NestGraph& g, const NestValue& v) {
  NestValue out{-1, v.dims, {v.node, v.imaginary}, g.axes.New(2)};
  out.pair = true;
  g.constants.insert(out.part_axis);
  out.dims.push_back({out.part_axis});
  return out;
}

}  // namespace akgen::craft::nest
