#include "craft/plan/nest_needs.h"

namespace akgen::craft {

void NestNeeds::Group(const NestLayout& l, const Segment& s) {
  if (s.lane == kNone) return;
  Run others;
  bool lane_kept = s.kept.count(s.lane) > 0, row_kept = s.row != kNone && s.kept.count(s.row);
  for (int a : l.order)
    if (s.kept.count(a) && a != s.lane && a != s.row) others.push_back(a);
  std::string cores = others.empty()
                          ? "best_cores()"
                          : fmt::format("ceil_div(best_cores(), max(1, {}))", l.Product(others));
  // An extent may be 0: nothing to do, and no size to divide by.
  std::string all = fmt::format("max(1, min(align({}, 8), tile))", l.Extent(s.lane)), lane = all,
              rows = "1";
  if (lane_kept && !row_kept)
    lane = fmt::format("max(1, min(align(ceil_div({}, {}), 64), align({}, 8), tile))",
                       l.Extent(s.lane), cores, l.Extent(s.lane));
  if (s.row != kNone)
    rows = fmt::format(
        "max(1, min({}, tile // lane))",
        row_kept ? fmt::format("ceil_div({}, {})", l.Extent(s.row), cores) : l.Extent(s.row));
  std::string area = s.row == kNone
                         ? fmt::format("align({}, 64)", l.Extent(s.lane))
                         : fmt::format("align({}, 8) * {}", l.Extent(s.lane), l.Extent(s.row));
  for (group = 0; group < static_cast<int>(groups.size()); ++group)
    if (groups[group].lane == lane && groups[group].rows == rows) return;
  groups.push_back({lane, rows, area});
}

std::string NestNeeds::Buffer(const NestTile& tile, const std::string& name, Extent2 of,
                              const std::string& dtype) {
  std::string own = tile.Own(name);
  buffers.insert(fmt::format("    {} = ub({}, dtype={})\n", own, tile.Size(of), dtype));
  return own;
}

Window NestNeeds::WindowOf(const NestTile& tile, const std::string& tensor, const Run& r,
                           const std::vector<Walk>& walks, Extent2 of, const std::string& name,
                           const std::string& in) {
  std::string lanes = of.lane ? "m" : "1";
  if (!of.rows) {
    flat.insert(tensor);
    return {tensor, fmt::format("{}{} = {}\n", in, name, tile.Linear(r, walks, 0, r.size())),
            fmt::format("{}[{} : {} + {}]", tensor, name, name, lanes)};
  }
  size_t at = r.size();
  for (size_t i = 0; i < r.size(); ++i) {
    if (walks[i].axis != tile.row) continue;
    if (at < r.size()) throw Unplanned{"a diagonal"};
    at = i;
  }
  bool whole = at < r.size() && (walks[at].by.empty() || walks[at].by == "1");
  for (size_t i = 0; i < at; ++i) whole &= tile.lane == kNone || walks[i].axis != tile.lane;
  if (!whole) throw Unplanned{"rows that do not lie one behind the other"};
  std::string view = fmt::format("{}_rows{}", tensor, at);
  views[view] = {
      tensor,
      fmt::format("{}, {}", tile.l.Product(Run(r.begin(), r.begin() + static_cast<long>(at) + 1)),
                  tile.l.Product(Run(r.begin() + static_cast<long>(at) + 1, r.end())))};
  std::string lets =
      fmt::format("{0}{1} = {2}\n{0}{1}_in = {3}\n", in, name, tile.Linear(r, walks, 0, at + 1),
                  tile.Linear(r, walks, at + 1, r.size()));
  return {view, lets, fmt::format("{0}[{1} : {1} + n, {1}_in : {1}_in + {2}]", view, name, lanes)};
}

}  // namespace akgen::craft
