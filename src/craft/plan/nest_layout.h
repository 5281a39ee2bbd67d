// Which axes a loop nest walks, in which order, and which segment makes what. For plan/ only.
#pragma once
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>

#include "craft/plan/nest.h"

namespace akgen::craft {
inline constexpr int kNone = -1;
using Set = std::set<int>;

inline bool Has(const Run& r, int a) { return std::find(r.begin(), r.end(), a) != r.end(); }
inline bool Within(const Set& a, const Set& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

struct Segment {
  Set kept;  // axes of its reductions' results, or of its outputs
  std::vector<int> reductions;
  std::vector<std::pair<size_t, int>> outputs;  // output, part
  Set walked;                                   // all axes
  int lane = kNone, row = kNone;                // what a tile walks
};

class NestLayout {
 public:
  explicit NestLayout(const NestGraph& g) : g_(g) {}

 protected:
  void LayOut() {
    Resolve();
    Merge();
    Order();
    Segments();
  }

  // ---- axes ----
  // Leaves walk their input's axes; everything is brought to runs of whole axes without extents of
  // one.
  void Resolve() {
    needed_ = g_.Needed();
    for (size_t n = 0; n < g_.nodes.size(); ++n)
      if (needed_[n] && g_.nodes[n].kind == NestNode::kLeaf) used_.insert(g_.nodes[n].input);
    for (const auto& [id, dims] : g_.inputs) {
      craft::Run& all = input_[id];
      for (const craft::Run& r : dims)
        for (int a : g_.axes.Resolve(r)) all.push_back(a);
    }
    for (const NestNode& n : g_.nodes) {
      craft::Run r;
      for (const craft::Run& d : n.dims)
        for (int a : g_.axes.Resolve(d)) r.push_back(a);
      Set once(r.begin(), r.end());
      if (needed_[run_.size()] && once.size() != r.size())
        throw Unplanned{"the same axis twice in one value"};
      run_.push_back(r);
      roles_.emplace_back();
      for (const auto& [axis, role] : n.roles) {
        craft::Run whole = g_.axes.Resolve({axis});
        if (whole.empty()) continue;
        AxisRole v = role;
        if (!role.fixed && !role.by.empty()) {
          v.places = g_.axes.Resolve(role.places);
          if (v.places.empty()) v.fixed = true;
        } else if (!role.fixed) {
          craft::Run w = g_.axes.Resolve({role.walk}),
                     t = role.tap < 0 ? craft::Run{} : g_.axes.Resolve({role.tap});
          if (w.size() > 1 || t.size() > 1) throw Unplanned{"a part that is cut once more"};
          v.tap = t.empty() ? kNone : t[0];
          if (w.empty() && v.tap != kNone) w = t, v.step = role.tap_step, v.tap = kNone;
          if (w.empty())
            v.fixed = true, v.index = role.start;
          else
            v.walk = w[0];
        }
        if (whole.size() != 1) throw Unplanned{"a part of several dimensions at once"};
        roles_.back()[whole[0]] = v;
      }
    }
    for (const NestValue& o : g_.outputs) {
      craft::Run r;
      for (const craft::Run& d : o.dims)
        for (int a : g_.axes.Resolve(d)) r.push_back(a);
      out_run_.push_back(r);
      out_part_.push_back(o.part_axis < 0 ? craft::Run{} : g_.axes.Resolve({o.part_axis}));
      out_pieces_.emplace_back();
      for (const craft::Run& part : o.part_runs) {
        const craft::Run one = g_.axes.Resolve(part);
        if (one.size() > 1 || out_part_.back().size() != 1)
          throw Unplanned{"parts of different size that are cut once more"};
        out_pieces_.back().push_back(one.empty() ? kNone : one[0]);
      }
    }
    for (int a = 0; a < g_.axes.size(); ++a) extent_.push_back(g_.axes.extent(a));
  }
  // Axes that are always adjacent are merged.
  void Merge() {
    for (bool again = true; again;) {
      again = false;
      Set all;
      for (size_t n = 0; n < run_.size(); ++n)
        if (needed_[n]) all.insert(run_[n].begin(), run_[n].end());
      for (const craft::Run& r : out_run_) all.insert(r.begin(), r.end());
      for (const craft::Run& part : out_part_)
        for (int a : part) all.erase(a);
      for (int a : all)
        for (int b : all)
          if (a != b && !again && Together(a, b)) Join(a, b), again = true;
    }
  }
  bool Together(int a, int b) const {
    auto fits = [&](const craft::Run& r) {
      auto i = std::find(r.begin(), r.end(), a), j = std::find(r.begin(), r.end(), b);
      return (i == r.end() && j == r.end()) || (i != r.end() && i + 1 != r.end() && *(i + 1) == b);
    };
    for (size_t n = 0; n < run_.size(); ++n) {
      if (!needed_[n]) continue;
      if (!fits(run_[n])) return false;
      for (const auto& [axis, role] : roles_[n])
        if (axis == a || axis == b || role.walk == a || role.walk == b || role.tap == a ||
            role.tap == b || Has(role.places, a) || Has(role.places, b))
          return false;
    }
    for (const auto& [id, r] : input_)
      if (used_.count(id) && !fits(r)) return false;
    return std::all_of(out_run_.begin(), out_run_.end(), fits);
  }
  void Join(int a, int b) {
    int both = static_cast<int>(extent_.size());
    extent_.push_back(extent_[a] * extent_[b]);
    auto join = [&](craft::Run& r) {
      auto i = std::find(r.begin(), r.end(), a);
      if (i == r.end() || i + 1 == r.end() || *(i + 1) != b) return;
      *i = both;
      r.erase(i + 1);
    };
    for (auto& r : run_) join(r);
    for (auto& [id, r] : input_) join(r);
    for (auto& r : out_run_) join(r);
    joined_[both] = {a, b};
  }
  // An order that every value agrees with, as far as there is one: that of the largest first.
  void Order() {
    std::vector<craft::Run> runs = out_run_;
    for (size_t n = 0; n < run_.size(); ++n)
      if (needed_[n]) runs.push_back(run_[n]);
    for (const auto& [id, r] : input_)
      if (used_.count(id)) runs.push_back(r);
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto& x, const auto& y) { return x.size() > y.size(); });
    for (const auto& r : runs) {
      size_t at = 0;  // new axes go in front of those that follow them
      for (size_t i = r.size(); i-- > 0;) {
        auto it = std::find(order_.begin(), order_.end(), r[i]);
        if (it != order_.end())
          at = static_cast<size_t>(it - order_.begin());
        else if (i + 1 == r.size())
          order_.push_back(r[i]), at = order_.size() - 1;
        else
          order_.insert(order_.begin() + static_cast<long>(at), r[i]);
      }
    }
    Set constants;
    for (int a : g_.constants)
      for (int r : g_.axes.Resolve({a})) constants.insert(r);
    for (const auto& [both, pair] : joined_)  // in the order in which they were made
      if (constants.count(pair.first) && constants.count(pair.second)) constants.insert(both);
    for (int a : order_)
      out_.extents.push_back(extent_[a]), out_.constant.push_back(constants.count(a) > 0);
    for (const std::string& r : g_.requires_) out_.requires_.push_back(Marks(r));
    for (const auto& [axis, how] : g_.derived) {
      const craft::Run one = g_.axes.Resolve({axis});
      if (one.size() != 1 || std::find(order_.begin(), order_.end(), one[0]) == order_.end())
        continue;
      out_.derived.insert({Position(one[0]), how});
    }
    for (const auto& [mark, split] : g_.splits) {
      std::string e = Marks(mark);  // (e2)
      if (e.find('*') == std::string::npos && e.size() > 3)
        out_.runtime_extents[std::stoi(e.substr(2))] = split;
    }
    for (const auto& [id, r] : input_)
      for (int a : r)
        if (used_.count(id)) out_.inputs[id].push_back(Position(a));
    for (size_t n = 0; n < run_.size(); ++n) {
      craft::Run named;
      for (int a : run_[n])
        if (needed_[n]) named.push_back(Position(a));
      out_.node_dims.push_back({named});
    }
  }
  int Position(int a) const {
    auto it = std::find(order_.begin(), order_.end(), a);
    if (it == order_.end()) throw Unplanned{"an axis that nothing walks"};
    return static_cast<int>(it - order_.begin());
  }
  std::string Extent(int a) const { return fmt::format("e{}", Position(a)); }
  std::string Product(const craft::Run& r) const {
    std::string out;
    for (int a : r) out += (out.empty() ? "" : " * ") + Extent(a);
    return out.empty() ? "1" : out;
  }
  // Extents in a text.
  std::string Marks(const std::string& text) const {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\x01') {
        out += text[i];
        continue;
      }
      size_t end = text.find('\x02', i);
      craft::Run r;
      for (size_t at = i + 1; at < end;) {
        size_t comma = std::min(text.find(',', at), end);
        r.push_back(std::stoi(text.substr(at, comma - at)));
        at = comma + 1;
      }
      r = g_.axes.Resolve(r);
      for (bool again = true; again;) {
        again = false;
        for (const auto& [both, pair] : joined_) {
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

  // ---- segments ----
  Set AxesOf(int n) const { return {run_[n].begin(), run_[n].end()}; }
  int SegmentOf(int reduction) const {
    for (size_t s = 0; s < segments_.size(); ++s)
      if (std::count(segments_[s].reductions.begin(), segments_[s].reductions.end(), reduction))
        return static_cast<int>(s);
    return kNone;
  }
  // The reductions that a segment makes or reads.
  std::set<int> ReductionsOf(const Segment& s) const {
    std::set<int> out(s.reductions.begin(), s.reductions.end());
    for (int r : s.reductions) g_.Reductions(r, out);
    for (const auto& [o, p] : s.outputs) {
      const int n = g_.NodeOf(o, p);
      if (g_.nodes[n].kind == NestNode::kReduce)
        out.insert(n);
      else
        g_.Reductions(n, out);
    }
    return out;
  }
  bool StoredLater(int r) const {
    for (size_t s = 0; s < segments_.size(); ++s)
      if (static_cast<int>(s) > SegmentOf(r) && ReductionsOf(segments_[s]).count(r)) return true;
    return false;
  }
  void Segments() {
    for (size_t n = 0; n < g_.nodes.size(); ++n) {
      if (!needed_[n] || g_.nodes[n].kind != NestNode::kReduce) continue;
      std::set<int> before;
      g_.Reductions(static_cast<int>(n), before);
      int first = 0;
      for (int r : before) first = std::max(first, SegmentOf(r));
      Set kept = AxesOf(static_cast<int>(n));
      int at = kNone;
      for (size_t s = static_cast<size_t>(first); s < segments_.size() && at < 0; ++s)
        if (segments_[s].kept == kept) at = static_cast<int>(s);
      if (at < 0) {
        at = static_cast<int>(segments_.size());
        segments_.emplace_back();
        segments_.back().kept = kept;
      }
      segments_[at].reductions.push_back(static_cast<int>(n));
    }
    for (size_t o = 0; o < g_.outputs.size(); ++o) {
      const NestValue& v = g_.outputs[o];
      std::vector<int> parts = v.part_axis < 0 ? std::vector<int>{v.node} : v.parts;
      for (size_t p = 0; p < parts.size(); ++p)
        PlaceOutput(o, static_cast<int>(v.part_axis < 0 ? kNone : static_cast<int>(p)), parts[p]);
    }
    for (Segment& s : segments_) {
      s.walked = s.kept;
      for (int r : s.reductions)
        for (int a : run_[g_.nodes[r].args[0]]) s.walked.insert(a);
      for (const auto& [o, p] : s.outputs)
        for (int a : OutAxes(o, p)) s.walked.insert(a);
      // Elements that other elements point to do not lie side by side.
      Set pointed;
      for (size_t n = 0; n < roles_.size(); ++n)
        for (const auto& [axis, role] : roles_[n])
          if (needed_[n] && !role.fixed) pointed.insert(role.places.begin(), role.places.end());
      for (int a : order_)
        if (s.walked.count(a) && !pointed.count(a)) s.lane = a;
      if (!pointed.empty() && s.lane != kNone && !order_.empty() && s.lane != order_.back())
        s.lane = kNone;
    }
  }
  Set OutAxes(size_t o, int part) const {
    Set s(out_run_[o].begin(), out_run_[o].end());
    for (int a : out_part_[o]) s.erase(a);
    if (const int piece = Piece(o, part); piece != kNone) s.insert(piece);
    return s;
  }
  // The axis of a part that has its own size.
  int Piece(size_t o, int part) const {
    return out_pieces_[o].empty() || part == kNone ? kNone
                                                   : out_pieces_[o][static_cast<size_t>(part)];
  }
  void PlaceOutput(size_t o, int part, int node) {
    std::set<int> before;
    if (g_.nodes[node].kind == NestNode::kReduce)
      before.insert(node);
    else
      g_.Reductions(node, before);
    Set axes = OutAxes(o, part);
    int at = kNone;
    for (int r : before) at = std::max(at, SegmentOf(r));
    bool fits = at >= 0 && Within(segments_[at].kept, axes) &&
                (!segments_[at].kept.empty() || axes.empty());
    if (!fits) {
      int first = at + 1;
      at = kNone;
      for (size_t s = static_cast<size_t>(first); s < segments_.size(); ++s)
        if (segments_[s].reductions.empty() && segments_[s].kept == axes) at = static_cast<int>(s);
      if (at < 0) {
        at = static_cast<int>(segments_.size());
        segments_.emplace_back();
        segments_.back().kept = axes;
      }
    }
    segments_[at].outputs.push_back({o, part});
  }

  const NestGraph& g_;
  std::map<std::string, craft::Run> input_;
  std::vector<craft::Run> run_, out_run_;
  std::vector<std::map<int, AxisRole>> roles_;
  std::vector<craft::Run>
      out_part_;  // of joined outputs: which part it is, seen in another shape as several axes
  std::vector<std::vector<int>> out_pieces_;
  std::vector<int64_t> extent_;
  std::map<int, std::pair<int, int>> joined_;
  std::vector<bool> needed_;
  std::set<std::string> used_;
  craft::Run order_;
  std::vector<Segment> segments_;
  NestText out_;
};

}  // namespace akgen::craft
