// Where a tile lies in tensors, and the loops that walk it.
#include "craft/plan/nest_tile.h"

namespace akgen::craft {
namespace {
// Where along `axis`, one of `all`, part p lies: its number, or a digit of it where the parts are
// seen as several axes.
std::string PartIndex(const Run& all, int p, int axis, const NestLayout& l) {
  std::string text = std::to_string(p);
  for (size_t i = all.size(); all[--i] != axis;) text += " // " + l.Extent(all[i]);
  return axis == all[0] ? text : text + " % " + l.Extent(axis);
}

std::string Times(const std::string& index, const Run& after, const NestLayout& l) {
  bool simple = index.find_first_of(" +-") == std::string::npos;
  return after.empty()
             ? index
             : fmt::format("{} * {}", simple ? index : "(" + index + ")", l.Product(after));
}
}  // namespace

std::string NestTile::At(int a) const {
  return a == lane ? "c" : a == row ? "d" : fmt::format("i{}", l.Position(a));
}

std::string NestTile::Linear(const Run& r, const std::vector<Walk>& walks, size_t from,
                             size_t to) const {
  std::string out;
  for (size_t i = from; i < to; ++i)
    if (walks[i].index != "0")
      out += (out.empty() ? "" : " + ") +
             Times(walks[i].index,
                   Run(r.begin() + static_cast<long>(i) + 1, r.begin() + static_cast<long>(to)), l);
  return out.empty() ? "0" : out;
}

std::string NestTile::StepOf(const Run& r, const std::vector<Walk>& walks, int axis) const {
  std::string step;
  for (size_t i = 0; i < r.size() && axis != kNone; ++i) {
    if (walks[i].axis != axis) continue;
    if (!step.empty()) throw Unplanned{"a diagonal"};
    Run after(r.begin() + static_cast<long>(i) + 1, r.end());
    const std::string& by = walks[i].by;
    step = after.empty() ? (by.empty() ? "1" : by)
                         : (by.empty() || by == "1" ? "" : by + " * ") + l.Product(after);
  }
  return step;
}

std::vector<Walk> NestTile::Plain(const Run& r) const {
  std::vector<Walk> out;
  for (int a : r) out.push_back({At(a), a, ""});
  return out;
}

std::vector<Walk> NestTile::LeafWalks(int n) const {
  const Run& r = l.input.at(l.g.nodes[n].input);
  std::vector<Walk> out;
  for (int a : r) {
    auto role = l.roles[n].find(a);
    Walk w{At(a), a, ""};
    if (role != l.roles[n].end() && role->second.fixed) {
      w = {l.Marks(role->second.index), kNone, ""};
    } else if (role != l.roles[n].end()) {
      const AxisRole& v = role->second;
      if (v.by.empty()) {
        w = {Stepped(v.walk, v.step), v.walk, v.step};
        if (v.tap != kNone) WithTap(w, v);
      } else {
        if (Has(v.places, lane) || Has(v.places, row))
          throw Unplanned{"elements side by side that other elements point to"};
        w = {fmt::format("item({}[{}])", v.by,
                         Linear(v.places, Plain(v.places), 0, v.places.size())),
             kNone, ""};
      }
      if (v.start != "0") w.index = fmt::format("{} + {}", l.Marks(v.start), w.index);
    } else if (!Has(l.run[n], a)) {
      throw Unplanned{"a leaf that leaves out an axis"};
    }
    out.push_back(w);
  }
  return out;
}

std::string NestTile::Stepped(int axis, const std::string& step) const {
  return step == "1" ? At(axis) : fmt::format("{} * {}", At(axis), step);
}

void NestTile::WithTap(Walk& w, const AxisRole& v) const {
  auto tile = [&](int a) { return a == lane || a == row; };
  if (tile(v.tap) && tile(v.walk)) throw Unplanned{"a diagonal"};
  w.index += " + " + Stepped(v.tap, v.tap_step);
  if (tile(v.tap)) w.axis = v.tap, w.by = v.tap_step;
}

std::vector<Walk> NestTile::OutWalks(size_t o, int p) const {
  std::vector<Walk> out;
  for (int a : l.out_run[o])
    out.push_back(!Has(l.out_part[o], a)    ? Walk{At(a), a, ""}
                  : l.out_pieces[o].empty() ? Walk{PartIndex(l.out_part[o], p, a, l), kNone, ""}
                                            : PieceWalk(o, p));
  return out;
}

Walk NestTile::PieceWalk(size_t o, int p) const {
  const std::string start = l.Marks(l.g.outputs[o].starts[static_cast<size_t>(p)]);
  const int piece = l.Piece(o, p);
  if (piece == kNone) return {start, kNone, ""};
  return {start == "0" ? At(piece) : start + " + " + At(piece), piece, ""};
}

bool NestTile::InPairs(const Run& r, const std::vector<Walk>& walks) const {
  return row == kNone && r.size() > 1 && walks.back().axis == kNone && l.extent[r.back()] == 2 &&
         l.constants.count(r.back()) && StepOf(r, walks, lane) == l.Extent(r.back());
}

std::string NestTile::Loops(const Set& axes, const std::string& in,
                            const std::function<std::string(const std::string&)>& inner) const {
  std::string out, deep = in;
  for (int a : l.order) {
    if (!axes.count(a) || a == lane || a == row) continue;
    out += fmt::format("{}for {} in range({}):\n", deep, At(a), l.Extent(a));
    deep += "    ";
  }
  if (row != kNone && axes.count(row)) {
    out += fmt::format("{}for d, n in tiles(0, {}, {}):\n", deep, l.Extent(row), RowsName());
    deep += "    ";
  }
  if (lane != kNone && axes.count(lane)) {
    out += fmt::format("{}for c, m in tiles(0, {}, {}):\n", deep, l.Extent(lane), LaneName());
    deep += "    ";
  }
  return out + inner(deep);
}

std::string NestTile::LaneName() const { return with_rows ? fmt::format("lane{}", group) : "tile"; }

std::string NestTile::Size(Extent2 of) const {
  return of.rows   ? fmt::format("{}, {}", RowsName(), of.lane ? LaneName() : "1")
         : of.lane ? LaneName()
                   : "1";
}

Extent2 NestTile::Of(const Run& r) const {
  return {row != kNone && Has(r, row), lane != kNone && Has(r, lane)};
}

Extent2 NestTile::Walked(const Set& axes) const {
  return {row != kNone && axes.count(row) > 0, lane != kNone && axes.count(lane) > 0};
}

}  // namespace akgen::craft
