#include "craft/plan/nest_values.h"

#include <algorithm>

#include "craft/plan/nest_joined.h"
#include "craft/plan/nest_views.h"

namespace akgen::craft::nest {
using record::GraphArg;

Dims Fresh(NestGraph& g, const std::vector<int64_t>& shape) {
  Dims d;
  for (int64_t e : shape) d.push_back(e == 1 ? Run{} : Run{g.axes.New(e)});
  return d;
}

Dims Sized(NestGraph& g, const GraphArg& sizes, const std::vector<int64_t>& shape) {
  Dims d = Fresh(g, shape);
  for (size_t i = 0; i < d.size() && i < sizes.list.size(); ++i)
    if (sizes.list[i].IsNumber() && sizes.list[i].number.IsConstant())
      g.constants.insert(d[i].begin(), d[i].end());
  return d;
}

Run Flat(const Dims& d) {
  Run r;
  for (const auto& x : d) r.insert(r.end(), x.begin(), x.end());
  return r;
}

int Add(NestGraph& g, NestNode n) {
  g.nodes.push_back(std::move(n));
  return static_cast<int>(g.nodes.size()) - 1;
}

size_t Dim(const GraphArg& a, size_t rank) {
  int64_t d = a.number.Int();
  return static_cast<size_t>(d < 0 ? d + static_cast<int64_t>(rank) : d);
}

std::vector<size_t> DimsOf(const GraphArg& a, size_t rank) {
  std::vector<size_t> out;
  if (a.IsNumber()) return {Dim(a, rank)};
  for (int64_t i : a.Ints())
    out.push_back(static_cast<size_t>(i < 0 ? i + static_cast<int64_t>(rank) : i));
  return out;
}

NestValue Element(NestGraph& g, const std::string& text, const std::vector<NestValue>& operands,
                  std::optional<std::vector<int64_t>> shape) {
  for (const NestValue& v : operands)
    if (v.part_axis >= 0) return ByParts(g, text, operands, v);
  if (auto apart = Apart(g, operands)) return Element(g, text, *apart, shape);
  NestNode n;
  n.text = text;
  size_t rank = shape ? shape->size() : 0;
  for (const NestValue& v : operands) rank = std::max(rank, v.dims.size());
  n.dims.resize(rank);
  for (const NestValue& v : operands) {
    n.args.push_back(v.node);
    for (size_t i = 0; i < v.dims.size(); ++i) {
      const Run& from = v.dims[v.dims.size() - 1 - i];
      Run& to = n.dims[rank - 1 - i];
      if (g.axes.Resolve(from).empty()) continue;
      if (g.axes.Resolve(to).empty())
        to = from;
      else
        g.axes.Unify(to, from);
    }
  }
  Dims dims = n.dims;
  return {Add(g, n), dims, {}, -1};
}

Reduced ReduceCounted(NestGraph& g, const std::string& what, const NestValue& x,
                      std::vector<size_t> dims, bool keep, const std::string& whole) {
  if (x.part_axis >= 0) return ReducedParts(g, what, x, dims, keep, whole);
  NestNode n;
  n.kind = NestNode::kReduce;
  n.text = what;
  n.whole = whole;
  n.args = {x.node};
  if (dims.empty())
    for (size_t i = 0; i < x.dims.size(); ++i) dims.push_back(i);
  Dims kept;
  Run gone;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    bool out = std::find(dims.begin(), dims.end(), i) != dims.end();
    if (!out || keep) kept.push_back(out ? Run{} : x.dims[i]);
    if (out) gone.insert(gone.end(), x.dims[i].begin(), x.dims[i].end());
  }
  n.dims = kept;
  return {{Add(g, n), kept, {}, -1}, ExtentMark(gone)};
}

NestValue Index(NestGraph& g, const Dims& of, size_t dim) {
  NestNode n;
  n.kind = NestNode::kIndex;
  n.dims = {of[dim]};
  Dims d(of.size());
  d[dim] = of[dim];
  return {Add(g, n), d, {}, -1};
}

}  // namespace akgen::craft::nest
