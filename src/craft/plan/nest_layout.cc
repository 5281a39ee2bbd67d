// Axes of a graph's values brought to whole axes in one order, and the segments that walk them.
#include "craft/plan/nest_layout.h"

namespace akgen::craft {
namespace {
class LayoutBuilder {
 public:
  explicit LayoutBuilder(const NestGraph& g) : l_{g} {}

  NestLayout Build();

 private:
  // Leaves walk their input's axes; everything is brought to runs of whole axes without extents of
  // one.
  void ResolveInputs();
  void ResolveNodes();
  void ResolveOutputs();
  AxisRole Resolved(const AxisRole& role) const;
  // Axes that are always adjacent are merged.
  void Merge();
  bool Together(int a, int b) const;
  void Join(int a, int b);
  // An order that every value agrees with, as far as there is one: that of the largest first.
  void Order();
  void FindConstants();
  void Segments();
  void PlaceReduction(int n);
  void PlaceOutput(size_t o, int part, int node);
  // What a segment walks.
  void Walk(Segment& s) const;

  NestLayout l_;
};

NestLayout LayoutBuilder::Build() {
  l_.needed = l_.g.Needed();
  ResolveInputs();
  ResolveNodes();
  ResolveOutputs();
  for (int a = 0; a < l_.g.axes.size(); ++a) l_.extent.push_back(l_.g.axes.extent(a));
  Merge();
  Order();
  FindConstants();
  Segments();
  return std::move(l_);
}

void LayoutBuilder::ResolveInputs() {
  for (size_t n = 0; n < l_.g.nodes.size(); ++n)
    if (l_.needed[n] && l_.g.nodes[n].kind == NestNode::kLeaf) l_.used.insert(l_.g.nodes[n].input);
  for (const auto& [id, dims] : l_.g.inputs) {
    Run& all = l_.input[id];
    for (const Run& r : dims)
      for (int a : l_.g.axes.Resolve(r)) all.push_back(a);
  }
}

void LayoutBuilder::ResolveNodes() {
  for (const NestNode& n : l_.g.nodes) {
    Run r;
    for (const Run& d : n.dims)
      for (int a : l_.g.axes.Resolve(d)) r.push_back(a);
    Set once(r.begin(), r.end());
    if (l_.needed[l_.run.size()] && once.size() != r.size())
      throw Unplanned{"the same axis twice in one value"};
    l_.run.push_back(r);
    l_.roles.emplace_back();
    for (const auto& [axis, role] : n.roles) {
      Run whole = l_.g.axes.Resolve({axis});
      if (whole.empty()) continue;
      const AxisRole v = Resolved(role);
      if (whole.size() != 1) throw Unplanned{"a part of several dimensions at once"};
      l_.roles.back()[whole[0]] = v;
    }
  }
}

AxisRole LayoutBuilder::Resolved(const AxisRole& role) const {
  AxisRole v = role;
  if (!role.fixed && !role.by.empty()) {
    v.places = l_.g.axes.Resolve(role.places);
    if (v.places.empty()) v.fixed = true;
  } else if (!role.fixed) {
    Run w = l_.g.axes.Resolve({role.walk}),
        t = role.tap < 0 ? Run{} : l_.g.axes.Resolve({role.tap});
    if (w.size() > 1 || t.size() > 1) throw Unplanned{"a part that is cut once more"};
    v.tap = t.empty() ? kNone : t[0];
    if (w.empty() && v.tap != kNone) w = t, v.step = role.tap_step, v.tap = kNone;
    if (w.empty())
      v.fixed = true, v.index = role.start;
    else
      v.walk = w[0];
  }
  return v;
}

void LayoutBuilder::ResolveOutputs() {
  for (const NestValue& o : l_.g.outputs) {
    Run r;
    for (const Run& d : o.dims)
      for (int a : l_.g.axes.Resolve(d)) r.push_back(a);
    l_.out_run.push_back(r);
    l_.out_part.push_back(o.part_axis < 0 ? Run{} : l_.g.axes.Resolve({o.part_axis}));
    l_.out_pieces.emplace_back();
    for (const Run& part : o.part_runs) {
      const Run one = l_.g.axes.Resolve(part);
      if (one.size() > 1 || l_.out_part.back().size() != 1)
        throw Unplanned{"parts of different size that are cut once more"};
      l_.out_pieces.back().push_back(one.empty() ? kNone : one[0]);
    }
  }
}

void LayoutBuilder::Merge() {
  for (bool again = true; again;) {
    again = false;
    Set all;
    for (size_t n = 0; n < l_.run.size(); ++n)
      if (l_.needed[n]) all.insert(l_.run[n].begin(), l_.run[n].end());
    for (const Run& r : l_.out_run) all.insert(r.begin(), r.end());
    for (const Run& part : l_.out_part)
      for (int a : part) all.erase(a);
    for (int a : all)
      for (int b : all)
        if (a != b && !again && Together(a, b)) Join(a, b), again = true;
  }
}

bool LayoutBuilder::Together(int a, int b) const {
  auto fits = [&](const Run& r) {
    auto i = std::find(r.begin(), r.end(), a), j = std::find(r.begin(), r.end(), b);
    return (i == r.end() && j == r.end()) || (i != r.end() && i + 1 != r.end() && *(i + 1) == b);
  };
  for (size_t n = 0; n < l_.run.size(); ++n) {
    if (!l_.needed[n]) continue;
    if (!fits(l_.run[n])) return false;
    for (const auto& [axis, role] : l_.roles[n])
      if (axis == a || axis == b || role.walk == a || role.walk == b || role.tap == a ||
          role.tap == b || Has(role.places, a) || Has(role.places, b))
        return false;
  }
  for (const auto& [id, r] : l_.input)
    if (l_.used.count(id) && !fits(r)) return false;
  return std::all_of(l_.out_run.begin(), l_.out_run.end(), fits);
}

void LayoutBuilder::Join(int a, int b) {
  int both = static_cast<int>(l_.extent.size());
  l_.extent.push_back(l_.extent[a] * l_.extent[b]);
  auto join = [&](Run& r) {
    auto i = std::find(r.begin(), r.end(), a);
    if (i == r.end() || i + 1 == r.end() || *(i + 1) != b) return;
    *i = both;
    r.erase(i + 1);
  };
  for (auto& r : l_.run) join(r);
  for (auto& [id, r] : l_.input) join(r);
  for (auto& r : l_.out_run) join(r);
  l_.joined[both] = {a, b};
}

void LayoutBuilder::Order() {
  std::vector<Run> runs = l_.out_run;
  for (size_t n = 0; n < l_.run.size(); ++n)
    if (l_.needed[n]) runs.push_back(l_.run[n]);
  for (const auto& [id, r] : l_.input)
    if (l_.used.count(id)) runs.push_back(r);
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& x, const auto& y) { return x.size() > y.size(); });
  for (const auto& r : runs) {
    size_t at = 0;  // new axes go in front of those that follow them
    for (size_t i = r.size(); i-- > 0;) {
      auto it = std::find(l_.order.begin(), l_.order.end(), r[i]);
      if (it != l_.order.end())
        at = static_cast<size_t>(it - l_.order.begin());
      else if (i + 1 == r.size())
        l_.order.push_back(r[i]), at = l_.order.size() - 1;
      else
        l_.order.insert(l_.order.begin() + static_cast<long>(at), r[i]);
    }
  }
}

void LayoutBuilder::FindConstants() {
  for (int a : l_.g.constants)
    for (int r : l_.g.axes.Resolve({a})) l_.constants.insert(r);
  for (const auto& [both, pair] : l_.joined)  // in the order in which they were made
    if (l_.constants.count(pair.first) && l_.constants.count(pair.second))
      l_.constants.insert(both);
}

void LayoutBuilder::Segments() {
  for (size_t n = 0; n < l_.g.nodes.size(); ++n)
    if (l_.needed[n] && l_.g.nodes[n].kind == NestNode::kReduce)
      PlaceReduction(static_cast<int>(n));
  for (size_t o = 0; o < l_.g.outputs.size(); ++o) {
    const NestValue& v = l_.g.outputs[o];
    if (v.part_axis < 0) PlaceOutput(o, kNone, v.node);
    for (size_t p = 0; v.part_axis >= 0 && p < v.parts.size(); ++p)
      PlaceOutput(o, static_cast<int>(p), v.parts[p]);
  }
  for (Segment& s : l_.segments) Walk(s);
}

void LayoutBuilder::PlaceReduction(int n) {
  std::set<int> before;
  l_.g.Reductions(n, before);
  int first = 0;
  for (int r : before) first = std::max(first, l_.SegmentOf(r));
  Set kept = l_.AxesOf(n);
  int at = kNone;
  for (size_t s = static_cast<size_t>(first); s < l_.segments.size() && at < 0; ++s)
    if (l_.segments[s].kept == kept) at = static_cast<int>(s);
  if (at < 0) {
    at = static_cast<int>(l_.segments.size());
    l_.segments.emplace_back();
    l_.segments.back().kept = kept;
  }
  l_.segments[at].reductions.push_back(n);
}

void LayoutBuilder::Walk(Segment& s) const {
  s.walked = s.kept;
  for (int r : s.reductions)
    for (int a : l_.run[l_.g.nodes[r].args[0]]) s.walked.insert(a);
  for (const auto& [o, p] : s.outputs)
    for (int a : l_.OutAxes(o, p)) s.walked.insert(a);
  // Elements that other elements point to do not lie side by side.
  Set pointed;
  for (size_t n = 0; n < l_.roles.size(); ++n)
    for (const auto& [axis, role] : l_.roles[n])
      if (l_.needed[n] && !role.fixed) pointed.insert(role.places.begin(), role.places.end());
  for (int a : l_.order)
    if (s.walked.count(a) && !pointed.count(a)) s.lane = a;
  if (!pointed.empty() && s.lane != kNone && !l_.order.empty() && s.lane != l_.order.back())
    s.lane = kNone;
}

void LayoutBuilder::PlaceOutput(size_t o, int part, int node) {
  std::set<int> before;
  if (l_.g.nodes[node].kind == NestNode::kReduce)
    before.insert(node);
  else
    l_.g.Reductions(node, before);
  Set axes = l_.OutAxes(o, part);
  int at = kNone;
  for (int r : before) at = std::max(at, l_.SegmentOf(r));
  bool fits = at >= 0 && Within(l_.segments[at].kept, axes) &&
              (!l_.segments[at].kept.empty() || axes.empty());
  if (!fits) {
    int first = at + 1;
    at = kNone;
    for (size_t s = static_cast<size_t>(first); s < l_.segments.size(); ++s)
      if (l_.segments[s].reductions.empty() && l_.segments[s].kept == axes)
        at = static_cast<int>(s);
    if (at < 0) {
      at = static_cast<int>(l_.segments.size());
      l_.segments.emplace_back();
      l_.segments.back().kept = axes;
    }
  }
  l_.segments[at].outputs.push_back({o, part});
}

}  // namespace

NestLayout LaidOut(const NestGraph& g) { return LayoutBuilder(g).Build(); }

void DescribeAxes(const NestLayout& layout, NestText& out) {
  for (int a : layout.order)
    out.extents.push_back(layout.extent[a]), out.constant.push_back(layout.constants.count(a) > 0);
  for (const std::string& r : layout.g.requires_) out.requires_.push_back(layout.Marks(r));
  for (const auto& [axis, how] : layout.g.derived) {
    const Run one = layout.g.axes.Resolve({axis});
    if (one.size() != 1 ||
        std::find(layout.order.begin(), layout.order.end(), one[0]) == layout.order.end())
      continue;
    out.derived.insert({layout.Position(one[0]), how});
  }
  for (const auto& [mark, split] : layout.g.splits) {
    std::string e = layout.Marks(mark);  // (e2)
    if (e.find('*') == std::string::npos && e.size() > 3)
      out.runtime_extents[std::stoi(e.substr(2))] = split;
  }
  for (const auto& [id, r] : layout.input)
    for (int a : r)
      if (layout.used.count(id)) out.inputs[id].push_back(layout.Position(a));
  for (size_t n = 0; n < layout.run.size(); ++n) {
    Run named;
    for (int a : layout.run[n])
      if (layout.needed[n]) named.push_back(layout.Position(a));
    out.node_dims.push_back({named});
  }
}

int NestLayout::Position(int a) const {
  auto it = std::find(order.begin(), order.end(), a);
  if (it == order.end()) throw Unplanned{"an axis that nothing walks"};
  return static_cast<int>(it - order.begin());
}

std::string NestLayout::Product(const Run& r) const {
  std::string out;
  for (int a : r) out += (out.empty() ? "" : " * ") + Extent(a);
  return out.empty() ? "1" : out;
}

std::string NestLayout::Marks(const std::string& text) const {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x01') {
      out += text[i];
      continue;
    }
    size_t end = text.find('\x02', i);
    Run r;
    for (size_t at = i + 1; at < end;) {
      size_t comma = std::min(text.find(',', at), end);
      r.push_back(std::stoi(text.substr(at, comma - at)));
      at = comma + 1;
    }
    r = g.axes.Resolve(r);
    for (bool again = true; again;) {
      again = false;
      for (const auto& [both, pair] : joined) {
        auto it = std::find(r.begin(), r.end(), pair.first);
        if (it == r.end() || it + 1 == r.end() || *(it + 1) != pair.second) continue;
        *it = both;
        r.erase(it + 1);
        again = true;
      }
    }
    out += "(" + Product(r) + ")";
    i = end;
  }
  return out;
}

Set NestLayout::OutAxes(size_t o, int part) const {
  Set s(out_run[o].begin(), out_run[o].end());
  for (int a : out_part[o]) s.erase(a);
  if (const int piece = Piece(o, part); piece != kNone) s.insert(piece);
  return s;
}

int NestLayout::Piece(size_t o, int part) const {
  return out_pieces[o].empty() || part == kNone ? kNone : out_pieces[o][static_cast<size_t>(part)];
}

int NestLayout::SegmentOf(int reduction) const {
  for (size_t s = 0; s < segments.size(); ++s)
    if (std::count(segments[s].reductions.begin(), segments[s].reductions.end(), reduction))
      return static_cast<int>(s);
  return kNone;
}

std::set<int> NestLayout::ReductionsOf(const Segment& s) const {
  std::set<int> out(s.reductions.begin(), s.reductions.end());
  for (int r : s.reductions) g.Reductions(r, out);
  for (const auto& [o, p] : s.outputs) {
    const int n = g.NodeOf(o, p);
    if (g.nodes[n].kind == NestNode::kReduce)
      out.insert(n);
    else
      g.Reductions(n, out);
  }
  return out;
}

bool NestLayout::StoredLater(int r) const {
  for (size_t s = 0; s < segments.size(); ++s)
    if (static_cast<int>(s) > SegmentOf(r) && ReductionsOf(segments[s]).count(r)) return true;
  return false;
}

Run NestLayout::Sorted(const Set& s) const {
  Run out;
  for (int a : order)
    if (s.count(a)) out.push_back(a);
  return out;
}

}  // namespace akgen::craft
