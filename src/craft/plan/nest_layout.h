// Which axes a loop nest walks, in which order, and which segment makes what. For plan/ only.
#pragma once
#include <fmt/format.h>
#include <algorithm>

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

// What a nest of loops is made of; what depends on tiles is elsewhere (nest_tile.h).
struct NestLayout {
  const NestGraph& g;
  std::map<std::string, Run> input{};
  std::vector<Run> run{}, out_run{};  // by node, by output
  std::vector<std::map<int, AxisRole>> roles{};
  // Of joined outputs: which part it is, seen in another shape as several axes; and where parts
  // have sizes of their own the axis of each.
  std::vector<Run> out_part{};
  std::vector<std::vector<int>> out_pieces{};
  std::vector<int64_t> extent{};                // in this case
  Set constants{};                              // axes whose extent is the same for every shape
  std::map<int, std::pair<int, int>> joined{};  // axes that became one
  std::vector<bool> needed{};                   // nodes
  std::set<std::string> used{};                 // inputs
  Run order{};                                  // of the axes
  std::vector<Segment> segments{};

  int Position(int a) const;  // in `order`
  std::string Extent(int a) const { return fmt::format("e{}", Position(a)); }
  std::string Product(const Run& r) const;
  // A text with the extents that its marks stand for.
  std::string Marks(const std::string& text) const;
  Run Sorted(const Set& s) const;
  Set AxesOf(int n) const { return {run[n].begin(), run[n].end()}; }
  Set OutAxes(size_t o, int part) const;
  // The axis of a part that has its own size.
  int Piece(size_t o, int part) const;
  int SegmentOf(int reduction) const;
  // The reductions that a segment makes or reads.
  std::set<int> ReductionsOf(const Segment& s) const;
  bool StoredLater(int r) const;
  std::string StoredDtype(int r) const {
    return g.nodes[r].whole.empty() ? "f32" : g.nodes[r].whole;
  }
};
// Throws Unplanned.
NestLayout LaidOut(const NestGraph& g);
// What the kernel's text says about axes.
void DescribeAxes(const NestLayout& layout, NestText& out);

}  // namespace akgen::craft
