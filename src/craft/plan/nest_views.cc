// What only changes the shape, and single places of computed values.
#include "craft/plan/nest_views.h"

#include <algorithm>

namespace akgen::craft::nest {
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

int ViewedIndex(NestGraph& g, const NestNode& index, const AxisRole& role) {
  if (index.dims[0].size() != 1 || !role.by.empty())
    throw Unplanned{"some of the positions along several dimensions"};
  NestNode n;
  n.kind = NestNode::kScalar;
  n.text = role.fixed ? role.index : role.start;
  const int number = Add(g, n);
  if (role.fixed) return number;
  n.text = role.step;
  const int step = Add(g, n);
  NestNode walk;
  walk.kind = NestNode::kIndex;
  walk.dims = {{role.walk}};
  const Dims dims = walk.dims;
  return Element(g, "@0@ * @1@ + @2@",
                 {{Add(g, walk), dims, {}, -1}, {step, {}, {}, -1}, {number, {}, {}, -1}})
      .node;
}

int ViewedLeaf(NestGraph& g, NestNode leaf, int axis, const AxisRole& role) {
  leaf.label.clear();
  for (auto& [of, walked] : leaf.roles) {
    if (walked.tap >= 0 && g.axes.Resolve({walked.tap}) == Run{axis})
      throw Unplanned{"some taps of a window"};
    if (walked.fixed || !walked.by.empty() || g.axes.Resolve({walked.walk}) != Run{axis}) continue;
    if (!role.by.empty()) throw Unplanned{"places in a part of an input"};
    if (walked.tap >= 0 && role.fixed) throw Unplanned{"one window of several"};
    if (role.fixed)
      walked.fixed = true, walked.index = Sum(walked.start, Times(role.index, walked.step));
    walked.start = Sum(walked.start, Times(role.start, walked.step));
    walked.step = Times(role.step, walked.step);
    walked.walk = role.walk;
    return Add(g, std::move(leaf));
  }
  for (const auto& [of, walked] : leaf.roles)
    for (int p : walked.places)
      if (const auto r = g.axes.Resolve({p}); std::find(r.begin(), r.end(), axis) != r.end())
        throw Unplanned{"some of the places that an input gives"};
  leaf.roles[axis] = role;
  return Add(g, std::move(leaf));
}

int Viewed(NestGraph& g, int n, int axis, const AxisRole& role) {
  NestNode node = g.nodes[n];
  bool walks = false;
  for (Run& r : node.dims) {
    r = g.axes.Resolve(r);
    walks |= std::find(r.begin(), r.end(), axis) != r.end();
  }
  if (!walks || node.kind == NestNode::kScalar) return n;
  if (node.kind == NestNode::kIndex) return ViewedIndex(g, node, role);
  for (Run& r : node.dims) r = Replaced(r, axis, role);
  if (node.kind == NestNode::kLeaf) return ViewedLeaf(g, std::move(node), axis, role);
  for (int& a : node.args) a = Viewed(g, a, axis, role);
  node.label.clear();
  return Add(g, std::move(node));
}

}  // namespace

NestValue Reshaped(NestGraph& g, const NestValue& x, const std::vector<int64_t>& shape) {
  Dims to = Fresh(g, shape);
  g.axes.Unify(Flat(x.dims), Flat(to));
  NestValue out = x;
  out.dims = to, out.pair = false;
  return out;
}

NestValue Unflattened(NestGraph& g, const NestValue& x, size_t dim,
                      const std::vector<int64_t>& sizes, const std::vector<int64_t>& shape) {
  NestValue out = Reshaped(g, x, shape);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != -1) g.constants.insert(out.dims[dim + i].begin(), out.dims[dim + i].end());
  return out;
}

NestValue Spread(NestGraph& g, const NestValue& x, const std::vector<int64_t>& shape) {
  Dims to(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t back = shape.size() - i;
    if (back <= x.dims.size() && !g.axes.Resolve(x.dims[x.dims.size() - back]).empty())
      to[i] = x.dims[x.dims.size() - back];
    else if (shape[i] != 1)
      to[i] = {g.axes.New(shape[i])};
  }
  NestValue out = x;
  out.dims = to, out.imaginary = -1;
  return out;
}

NestValue View(NestGraph& g, const NestValue& x, int axis, const AxisRole& role, const Dims& dims) {
  if (x.node == kShapeOnly) return {kShapeOnly, dims, {}, -1};
  if (x.part_axis < 0) return {Viewed(g, x.node, axis, role), dims, {}, -1};
  const Run whole = g.axes.Resolve({x.part_axis});
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
  for (int p : x.parts) out.parts.push_back(Viewed(g, p, axis, role));
  return out;
}

std::optional<std::vector<NestValue>> Apart(NestGraph& g, const std::vector<NestValue>& operands) {
  std::map<int, std::pair<size_t, size_t>> seen;  // by axis: operand, dimension from the end
  for (size_t k = 0; k < operands.size(); ++k)
    for (size_t back = 1; back <= operands[k].dims.size(); ++back) {
      const size_t dim = operands[k].dims.size() - back;
      for (int axis : g.axes.Resolve(operands[k].dims[dim])) {
        const auto first = seen.insert({axis, {k, back}}).first->second;
        if (first.second == back || first.first == k) continue;
        AxisRole role;
        role.start = "0", role.step = "1";
        role.walk = g.axes.New(g.axes.extent(axis));
        std::vector<NestValue> out = operands;
        Dims d = operands[k].dims;
        d[dim] = Replaced(g.axes.Resolve(d[dim]), axis, role);
        out[k] = View(g, operands[k], axis, role, d);
        return out;
      }
    }
  return std::nullopt;
}

int Single(const NestGraph& g, const Run& r) {
  Run a = g.axes.Resolve(r);
  if (a.size() != 1) throw Unplanned{"a part of several dimensions at once"};
  return a[0];
}

int64_t SizeOf(const NestGraph& g, const Run& r) {
  int64_t n = 1;
  for (int a : g.axes.Resolve(r)) n *= g.axes.extent(a);
  return n;
}

}  // namespace akgen::craft::nest
