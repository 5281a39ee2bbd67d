// What the tiles of a loop nest cover: elements along one axis, the lane, or several rows of them
// along another one. For plan/ only.
#pragma once
#include "craft/plan/nest_layout.h"

namespace akgen::craft {

// How one axis of a tensor is walked: at which index, by which axis (kNone: by none), in which
// steps ("" or "1": one).
struct Walk {
  std::string index;
  int axis = kNone;
  std::string by;
};

// Whether a value differs along the rows and along the lane of a tile.
struct Extent2 {
  bool rows = false, lane = false;
  bool any() const { return rows || lane; }
  Extent2 With(const Extent2& o) const { return {rows || o.rows, lane || o.lane}; }
  bool operator==(const Extent2& o) const { return rows == o.rows && lane == o.lane; }
};

// Where along `axis`, one of `all`, part p lies: its number, or a digit of it where the parts are
// seen as several axes.
inline std::string PartIndex(const Run& all, int p, int axis,
                             const std::function<std::string(int)>& extent) {
  std::string text = std::to_string(p);
  for (size_t i = all.size(); all[--i] != axis;) text += " // " + extent(all[i]);
  return axis == all[0] ? text : text + " % " + extent(axis);
}

class NestTiles : public NestLayout {
 protected:
  NestTiles(const NestGraph& g, bool rows) : NestLayout(g), with_rows_(rows) {}

  std::string At(int a) const {
    return a == lane_ ? "c" : a == row_ ? "d" : fmt::format("i{}", Position(a));
  }
  std::string Times(const std::string& index, const craft::Run& after) const {
    bool simple = index.find_first_of(" +-") == std::string::npos;
    return after.empty()
               ? index
               : fmt::format("{} * {}", simple ? index : "(" + index + ")", Product(after));
  }
  // Where a tile begins in the part of a tensor that these of its axes are.
  std::string Linear(const craft::Run& r, const std::vector<Walk>& walks, size_t from,
                     size_t to) const {
    std::string out;
    for (size_t i = from; i < to; ++i)
      if (walks[i].index != "0")
        out += (out.empty() ? "" : " + ") +
               Times(walks[i].index, craft::Run(r.begin() + static_cast<long>(i) + 1,
                                                r.begin() + static_cast<long>(to)));
    return out.empty() ? "0" : out;
  }
  // How far apart the elements along `axis` lie; "" where it does not walk the tensor.
  std::string StepOf(const craft::Run& r, const std::vector<Walk>& walks, int axis) const {
    std::string step;
    for (size_t i = 0; i < r.size() && axis != kNone; ++i) {
      if (walks[i].axis != axis) continue;
      if (!step.empty()) throw Unplanned{"a diagonal"};
      craft::Run after(r.begin() + static_cast<long>(i) + 1, r.end());
      const std::string& by = walks[i].by;
      step = after.empty() ? (by.empty() ? "1" : by)
                           : (by.empty() || by == "1" ? "" : by + " * ") + Product(after);
    }
    return step;
  }
  std::vector<Walk> Plain(const craft::Run& r) const {
    std::vector<Walk> out;
    for (int a : r) out.push_back({At(a), a, ""});
    return out;
  }

  craft::Run Sorted(const Set& s) const {
    craft::Run out;
    for (int a : order_)
      if (s.count(a)) out.push_back(a);
    return out;
  }
  // How a leaf's tile walks its input.
  std::vector<Walk> LeafWalks(int n) const {
    const craft::Run& r = input_.at(g_.nodes[n].input);
    std::vector<Walk> out;
    for (int a : r) {
      auto role = roles_[n].find(a);
      Walk w{At(a), a, ""};
      if (role != roles_[n].end() && role->second.fixed) {
        w = {Marks(role->second.index), kNone, ""};
      } else if (role != roles_[n].end()) {
        const AxisRole& v = role->second;
        if (v.by.empty()) {
          w = {Stepped(v.walk, v.step), v.walk, v.step};
          if (v.tap != kNone) WithTap(w, v);
        } else {
          if (Has(v.places, lane_) || Has(v.places, row_))
            throw Unplanned{"elements side by side that other elements point to"};
          w = {fmt::format("item({}[{}])", v.by,
                           Linear(v.places, Plain(v.places), 0, v.places.size())),
               kNone, ""};
        }
        if (v.start != "0") w.index = fmt::format("{} + {}", Marks(v.start), w.index);
      } else if (!Has(run_[n], a)) {
        throw Unplanned{"a leaf that leaves out an axis"};
      }
      out.push_back(w);
    }
    return out;
  }
  std::string Stepped(int axis, const std::string& step) const {
    return step == "1" ? At(axis) : fmt::format("{} * {}", At(axis), step);
  }
  void WithTap(Walk& w, const AxisRole& v) const {
    auto tile = [&](int a) { return a == lane_ || a == row_; };
    if (tile(v.tap) && tile(v.walk)) throw Unplanned{"a diagonal"};
    w.index += " + " + Stepped(v.tap, v.tap_step);
    if (tile(v.tap)) w.axis = v.tap, w.by = v.tap_step;
  }
  // How a tile walks an output, of which it is this part.
  std::vector<Walk> OutWalks(size_t o, int p) const {
    std::vector<Walk> out;
    const auto extent = [this](int axis) { return Extent(axis); };
    for (int a : out_run_[o])
      out.push_back(!Has(out_part_[o], a) ? Walk{At(a), a, ""}
                    : out_pieces_[o].empty()
                        ? Walk{PartIndex(out_part_[o], p, a, extent), kNone, ""}
                        : PieceWalk(o, p));
    return out;
  }
  Walk PieceWalk(size_t o, int p) const {
    const std::string start = Marks(g_.outputs[o].starts[static_cast<size_t>(p)]);
    const int piece = Piece(o, p);
    if (piece == kNone) return {start, kNone, ""};
    return {start == "0" ? At(piece) : start + " + " + At(piece), piece, ""};
  }
  // Whether elements lie in pairs at each place of the lane, of which the walks take one: the parts
  // of complex numbers.
  bool InPairs(const craft::Run& r, const std::vector<Walk>& walks) const {
    return row_ == kNone && r.size() > 1 && walks.back().axis == kNone && extent_[r.back()] == 2 &&
           out_.constant[static_cast<size_t>(Position(r.back()))] &&
           StepOf(r, walks, lane_) == Extent(r.back());
  }
  // Loops over `axes`, the lane last; the text of the innermost place comes from `inner`.
  std::string Loops(const Set& axes, const std::string& in,
                    const std::function<std::string(const std::string&)>& inner) {
    std::string out, deep = in;
    for (int a : order_) {
      if (!axes.count(a) || a == lane_ || a == row_) continue;
      out += fmt::format("{}for {} in range({}):\n", deep, At(a), Extent(a));
      deep += "    ";
    }
    if (row_ != kNone && axes.count(row_)) {
      out += fmt::format("{}for d, n in tiles(0, {}, {}):\n", deep, Extent(row_), Rows());
      deep += "    ";
    }
    if (lane_ != kNone && axes.count(lane_)) {
      out += fmt::format("{}for c, m in tiles(0, {}, {}):\n", deep, Extent(lane_), Lane());
      deep += "    ";
    }
    return out + inner(deep);
  }

  // A tile's window of a tensor, in names that `lets` gives to the indices.
  struct Window {
    std::string tensor, lets, text;
  };
  Window WindowOf(const std::string& tensor, const craft::Run& r, const std::vector<Walk>& walks,
                  Extent2 of, const std::string& name, const std::string& in) {
    std::string lanes = of.lane ? "m" : "1";
    if (!of.rows) {
      flat_.insert(tensor);
      return {tensor, fmt::format("{}{} = {}\n", in, name, Linear(r, walks, 0, r.size())),
              fmt::format("{}[{} : {} + {}]", tensor, name, name, lanes)};
    }
    size_t at = r.size();
    for (size_t i = 0; i < r.size(); ++i) {
      if (walks[i].axis != row_) continue;
      if (at < r.size()) throw Unplanned{"a diagonal"};
      at = i;
    }
    bool whole = at < r.size() && (walks[at].by.empty() || walks[at].by == "1");
    for (size_t i = 0; i < at; ++i) whole &= lane_ == kNone || walks[i].axis != lane_;
    if (!whole) throw Unplanned{"rows that do not lie one behind the other"};
    std::string view = fmt::format("{}_rows{}", tensor, at);
    views_[view] = {
        tensor,
        fmt::format("{}, {}", Product(craft::Run(r.begin(), r.begin() + static_cast<long>(at) + 1)),
                    Product(craft::Run(r.begin() + static_cast<long>(at) + 1, r.end())))};
    std::string lets = fmt::format("{0}{1} = {2}\n{0}{1}_in = {3}\n", in, name,
                                   Linear(r, walks, 0, at + 1), Linear(r, walks, at + 1, r.size()));
    return {view, lets,
            fmt::format("{0}[{1} : {1} + n, {1}_in : {1}_in + {2}]", view, name, lanes)};
  }

  // ---- sizes ----
  // Names of the tile's longest extents. Where no tile has rows, there is one extent for all.
  std::string Lane() const { return with_rows_ ? fmt::format("lane{}", group_) : "tile"; }
  std::string Rows() const { return fmt::format("rows{}", group_); }
  std::string Size(Extent2 of) const {
    return of.rows ? fmt::format("{}, {}", Rows(), of.lane ? Lane() : "1") : of.lane ? Lane() : "1";
  }
  static std::string Now(Extent2 of) {
    return fmt::format("{}, {}", of.rows ? "n" : "1", of.lane ? "m" : "1");
  }

  // A segment's sizes as the host finds them from `tile`, the elements that a tile may have, and
  // `lane`, its longest row. What is kept is spread over the cores. Segments with equal sizes share
  // their buffers.
  void Group(const Segment& s) {
    if (!with_rows_ || s.lane == kNone) return;
    craft::Run others;
    bool lane_kept = s.kept.count(s.lane) > 0, row_kept = row_ != kNone && s.kept.count(row_);
    for (int a : order_)
      if (s.kept.count(a) && a != s.lane && a != row_) others.push_back(a);
    std::string cores = others.empty()
                            ? "best_cores()"
                            : fmt::format("ceil_div(best_cores(), max(1, {}))", Product(others));
    // An extent may be 0: nothing to do, and no size to divide by.
    std::string all = fmt::format("max(1, min(align({}, 8), tile))", Extent(s.lane)), lane = all,
                rows = "1";
    if (lane_kept && !row_kept)
      lane = fmt::format("max(1, min(align(ceil_div({}, {}), 64), align({}, 8), tile))",
                         Extent(s.lane), cores, Extent(s.lane));
    if (row_ != kNone)
      rows = fmt::format(
          "max(1, min({}, tile // lane))",
          row_kept ? fmt::format("ceil_div({}, {})", Extent(row_), cores) : Extent(row_));
    std::string area = row_ == kNone
                           ? fmt::format("align({}, 64)", Extent(s.lane))
                           : fmt::format("align({}, 8) * {}", Extent(s.lane), Extent(row_));
    for (group_ = 0; group_ < static_cast<int>(groups_.size()); ++group_)
      if (groups_[group_].lane == lane && groups_[group_].rows == rows) return;
    groups_.push_back({lane, rows, area});
  }
  struct Sizes {
    std::string lane, rows, area;
  };

  bool with_rows_;
  int lane_ = kNone, row_ = kNone, group_ = 0;
  std::vector<Sizes> groups_;
  std::set<std::string> flat_;  // tensors seen with one dimension
  std::map<std::string, std::pair<std::string, std::string>>
      views_;  // with two: of which tensor, extents
};

}  // namespace akgen::craft
