// What the tiles of a loop nest cover: elements along one axis, the lane, or several rows of them
// along another one. For plan/ only.
#pragma once
#include <functional>

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
  // As the tile at hand has it.
  std::string Now() const { return fmt::format("{}, {}", rows ? "n" : "1", lane ? "m" : "1"); }
};

struct NestTile {
  const NestLayout& l;
  int lane = kNone, row = kNone;  // axes
  int group = 0;                  // of segments whose tiles have equal sizes
  bool with_rows = false;         // tiles of this kernel may have several rows

  std::string At(int a) const;
  // Where a tile begins in the part of a tensor that these of its axes are.
  std::string Linear(const Run& r, const std::vector<Walk>& walks, size_t from, size_t to) const;
  std::string Offset(const Run& r) const { return Linear(r, Plain(r), 0, r.size()); }
  // How far apart the elements along `axis` lie; "" where it does not walk the tensor.
  std::string StepOf(const Run& r, const std::vector<Walk>& walks, int axis) const;
  std::vector<Walk> Plain(const Run& r) const;
  // How a leaf's tile walks its input.
  std::vector<Walk> LeafWalks(int n) const;
  // How a tile walks an output, of which it is this part.
  std::vector<Walk> OutWalks(size_t o, int p) const;
  // Whether elements lie in pairs at each place of the lane, of which the walks take one: the parts
  // of complex numbers.
  bool InPairs(const Run& r, const std::vector<Walk>& walks) const;
  // Loops over `axes`, the lane last; the text of the innermost place comes from `inner`.
  std::string Loops(const Set& axes, const std::string& in,
                    const std::function<std::string(const std::string&)>& inner) const;

  // Names of the tile's longest extents. Where no tile has rows, there is one extent for all.
  std::string LaneName() const;
  std::string RowsName() const { return fmt::format("rows{}", group); }
  std::string Size(Extent2 of) const;
  // A buffer's name among those of other groups.
  std::string Own(const std::string& name) const {
    return group ? fmt::format("{}_g{}", name, group) : name;
  }
  Extent2 Of(const Run& r) const;
  // What of a tile there is where these axes are walked.
  Extent2 Walked(const Set& axes) const;

 private:
  std::string Stepped(int axis, const std::string& step) const;
  void WithTap(Walk& w, const AxisRole& v) const;
  Walk PieceWalk(size_t o, int p) const;
};

}  // namespace akgen::craft
