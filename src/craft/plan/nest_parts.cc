// Graph to axes: views of computed values, and what is done to joined ones.
#include <algorithm>

#include "craft/plan/nest_reader.h"

namespace akgen::craft {
namespace {
// The run with what walks in place of the axis.
Run Replaced(const Run& run, int axis, const AxisRole& role) {
  Run out;
  for (int a : run) {
    if (a != axis)
      out.push_back(a);
    else if (!role.fixed && !role.by.empty())
      out.insert(out.end(), role.places.begin(), role.places.end());
    else if (!role.fixed)
      out.push_back(role.walk);
  }
  return out;
}
std::string Sum(const std::string& a, const std::string& b) {
  return a == "0" ? b : b == "0" ? a : fmt::format("({} + {})", a, b);
}
std::string Times(const std::string& a, const std::string& b) {
  return a == "1" ? b : b == "1" ? a : a == "0" || b == "0" ? "0" : fmt::format("({} * {})", a, b);
}
}  // namespace

NestValue NestReader::View(const NestValue& x, int axis, const AxisRole& role, const Dims& dims) {
  if (x.node == kShapeOnly) return {kShapeOnly, dims, {}, -1};
  if (x.part_axis < 0) return {Viewed(x.node, axis, role), dims, {}, -1};
  const craft::Run whole = g_.axes.Resolve({x.part_axis});
  if (whole.size() != 1 || (whole[0] == axis && !x.starts.empty()))
    throw Unplanned{"some of the parts of a joined value"};
  if (whole[0] == axis) {
    const std::string& i = role.index;
    if (!role.fixed || i.empty() || i.size() > 4 ||
        i.find_first_not_of("0123456789") != std::string::npos)
      throw Unplanned{"some of the parts of a joined value"};
    return {x.parts.at(std::stoul(i)), dims, {}, -1};
  }
  NestValue out = x;
  out.dims = dims, out.parts.clear();
  for (int p : x.parts) out.parts.push_back(Viewed(p, axis, role));
  return out;
}

int NestReader::Viewed(int n, int axis, const AxisRole& role) {
  NestNode node = At(n);
  bool walks = false;
  for (craft::Run& r : node.dims) {
    r = g_.axes.Resolve(r);
    walks |= std::find(r.begin(), r.end(), axis) != r.end();
  }
  if (!walks || node.kind == NestNode::kScalar) return n;
  if (node.kind == NestNode::kIndex) return ViewedIndex(node, axis, role);
  for (craft::Run& r : node.dims) r = Replaced(r, axis, role);
  if (node.kind == NestNode::kLeaf) return ViewedLeaf(std::move(node), axis, role);
  for (int& a : node.args) a = Viewed(a, axis, role);
  node.label.clear();
  return Add(std::move(node));
}

int NestReader::ViewedLeaf(NestNode leaf, int axis, const AxisRole& role) {
  leaf.label.clear();
  for (auto& [of, walked] : leaf.roles) {
    if (walked.tap >= 0 && g_.axes.Resolve({walked.tap}) == craft::Run{axis})
      throw Unplanned{"some taps of a window"};
    if (walked.fixed || !walked.by.empty() || g_.axes.Resolve({walked.walk}) != craft::Run{axis})
      continue;
    if (!role.by.empty()) throw Unplanned{"places in a part of an input"};
    if (walked.tap >= 0 && role.fixed) throw Unplanned{"one window of several"};
    if (role.fixed)
      walked.fixed = true, walked.index = Sum(walked.start, Times(role.index, walked.step));
    walked.start = Sum(walked.start, Times(role.start, walked.step));
    walked.step = Times(role.step, walked.step);
    walked.walk = role.walk;
    return Add(std::move(leaf));
  }
  for (const auto& [of, walked] : leaf.roles)
    for (int p : walked.places)
      if (const auto r = g_.axes.Resolve({p}); std::find(r.begin(), r.end(), axis) != r.end())
        throw Unplanned{"some of the places that an input gives"};
  leaf.roles[axis] = role;
  return Add(std::move(leaf));
}

int NestReader::ViewedIndex(const NestNode& index, int axis, const AxisRole& role) {
  if (index.dims[0].size() != 1 || !role.by.empty())
    throw Unplanned{"some of the positions along several dimensions"};
  NestNode n;
  n.kind = NestNode::kScalar;
  n.text = role.fixed ? role.index : role.start;
  const int number = Add(n);
  if (role.fixed) return number;
  n.text = role.step;
  const int step = Add(n);
  NestNode walk;
  walk.kind = NestNode::kIndex;
  walk.dims = {{role.walk}};
  const Dims dims = walk.dims;
  return Element("@0@ * @1@ + @2@",
                 {{Add(walk), dims, {}, -1}, {step, {}, {}, -1}, {number, {}, {}, -1}})
      .node;
}

std::optional<std::vector<NestValue>> NestReader::Apart(const std::vector<NestValue>& operands) {
  std::map<int, std::pair<size_t, size_t>> seen;  // by axis: operand, dimension from the end
  for (size_t k = 0; k < operands.size(); ++k)
    for (size_t back = 1; back <= operands[k].dims.size(); ++back) {
      const size_t dim = operands[k].dims.size() - back;
      for (int axis : g_.axes.Resolve(operands[k].dims[dim])) {
        const auto first = seen.insert({axis, {k, back}}).first->second;
        if (first.second == back || first.first == k) continue;
        AxisRole role;
        role.start = "0", role.step = "1";
        role.walk = g_.axes.New(g_.axes.extent(axis));
        std::vector<NestValue> out = operands;
        Dims d = operands[k].dims;
        d[dim] = Replaced(g_.axes.Resolve(d[dim]), axis, role);
        out[k] = View(operands[k], axis, role, d);
        return out;
      }
    }
  return std::nullopt;
}

size_t NestReader::JoinedDim(const NestValue& joined) const {
  const craft::Run part = g_.axes.Resolve({joined.part_axis});
  for (size_t i = 0; i < joined.dims.size() && part.size() == 1; ++i)
    if (const auto r = g_.axes.Resolve(joined.dims[i]); !r.empty() && r[0] == part[0]) return i;
  throw Unplanned{"parts of a value that is seen in another shape"};
}

NestValue NestReader::Part(const NestValue& joined, size_t i) const {
  NestValue out{joined.parts.at(i), joined.dims, {}, -1};
  craft::Run& run = out.dims[JoinedDim(joined)];
  run = g_.axes.Resolve(run);
  if (joined.starts.empty())
    run.erase(run.begin());
  else
    run = joined.part_runs[i];
  return out;
}

std::optional<NestValue> NestReader::SomeParts(const NestValue& x, size_t dim, int64_t start,
                                               int64_t length) {
  const auto parts = static_cast<int64_t>(x.parts.size());
  if (!x.starts.empty() || g_.axes.Resolve(x.dims[dim]) != g_.axes.Resolve({x.part_axis}))
    return std::nullopt;
  start = start < 0 ? std::max<int64_t>(0, start + parts) : start;
  NestValue out = x;
  out.parts = {x.parts.begin() + start, x.parts.begin() + start + length};
  out.dims[dim] = {};
  if (length == 1) return NestValue{out.parts[0], out.dims, {}, -1};
  out.part_axis = g_.axes.New(length);
  g_.constants.insert(out.part_axis);
  out.dims[dim] = {out.part_axis};
  return out;
}

NestValue NestReader::PartBeside(const NestValue& x, const NestValue& joined, size_t dim_from_end,
                                 size_t i) {
  if (x.part_axis >= 0) {
    if (x.parts.size() != joined.parts.size() ||
        g_.axes.Resolve({x.part_axis}) != g_.axes.Resolve({joined.part_axis}) ||
        x.starts != joined.starts)
      throw Unplanned{"values that are joined along different dimensions"};
    return Part(x, i);
  }
  if (x.dims.size() < dim_from_end) return x;
  const size_t dim = x.dims.size() - dim_from_end;
  Dims d = x.dims;
  d[dim] = g_.axes.Resolve(d[dim]);
  const int axis = g_.axes.Resolve({joined.part_axis}).at(0);
  if (d[dim].empty()) return x;
  if (d[dim][0] != axis) throw Unplanned{"a joined value beside one that has no such parts"};
  AxisRole role;
  if (joined.starts.empty()) {
    d[dim].erase(d[dim].begin());
    role.fixed = true;
    role.index = std::to_string(i);
    return View(x, axis, role, d);
  }
  const craft::Run piece = g_.axes.Resolve(joined.part_runs[i]);
  if (d[dim].size() != 1 || piece.size() > 1)
    throw Unplanned{"a joined value beside one that has no such parts"};
  d[dim] = piece;
  role.fixed = piece.empty();
  role.index = role.start = joined.starts[i];
  role.step = "1";
  if (!piece.empty()) role.walk = piece[0];
  return View(x, axis, role, d);
}

NestValue NestReader::Rejoined(const std::vector<NestValue>& parts, const NestValue& like,
                               size_t dim_from_end) const {
  NestValue out = like;
  out.dims = parts[0].dims, out.parts.clear();
  for (const NestValue& p : parts) out.parts.push_back(p.node);
  craft::Run& run = out.dims[out.dims.size() - dim_from_end];
  if (like.starts.empty())
    run.insert(run.begin(), like.part_axis);
  else
    run = {like.part_axis};
  return out;
}

NestValue NestReader::ByParts(const std::string& text, const std::vector<NestValue>& operands,
                              const NestValue& joined) {
  if (joined.pair) throw Unplanned{"this operation on complex numbers", Obstacle::kOperands};
  const size_t from_end = joined.dims.size() - JoinedDim(joined);
  const craft::Run whole = joined.dims[JoinedDim(joined)];
  for (const NestValue& v : operands)
    if (v.dims.size() >= from_end)
      if (const craft::Run& run = v.dims[v.dims.size() - from_end]; !g_.axes.Resolve(run).empty())
        g_.axes.Unify(whole, run);
  std::vector<NestValue> made;
  for (size_t i = 0; i < joined.parts.size(); ++i) {
    std::vector<NestValue> beside;
    for (const NestValue& v : operands) beside.push_back(PartBeside(v, joined, from_end, i));
    made.push_back(Element(text, beside));
    if (made.back().dims.size() < from_end) throw Unplanned{"a joined value of fewer dimensions"};
  }
  return Rejoined(made, joined, from_end);
}

NestValue NestReader::ReducedParts(const std::string& what, const NestValue& x,
                                   const std::vector<size_t>& dims, bool keep) {
  const size_t dim = JoinedDim(x);
  const bool over = dims.empty() || std::find(dims.begin(), dims.end(), dim) != dims.end();
  std::vector<NestValue> made;
  for (size_t i = 0; i < x.parts.size(); ++i) made.push_back(Reduce(what, Part(x, i), dims, keep));
  if (!over) {
    size_t behind = x.dims.size() - dim;
    for (size_t d : dims) behind -= !keep && d > dim;
    return Rejoined(made, x, behind);
  }
  if (what.rfind("arg", 0) == 0) throw Unplanned{"positions in a joined value"};
  craft::Run gone;
  for (size_t d = 0; d < x.dims.size() && !x.starts.empty(); ++d)
    if (dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end())
      gone.insert(gone.end(), x.dims[d].begin(), x.dims[d].end());
  reduced_ = x.starts.empty() ? fmt::format("{} * {}", reduced_, x.parts.size()) : ExtentMark(gone);
  NestValue all = made[0];
  const std::string text = what == "sum"    ? "@0@ + @1@"
                           : what == "prod" ? "@0@ * @1@"
                                            : what + "imum(@0@, @1@)";
  for (size_t i = 1; i < made.size(); ++i) all = Element(text, {all, made[i]});
  return all;
}

}  // namespace akgen::craft
