// What a kernel of loops needs beside its stages; for plan/ only.
#pragma once
#include "craft/plan/nest_tile.h"

namespace akgen::craft {

// A tile's window of a tensor, in names that `lets` gives to the indices.
struct Window {
  std::string tensor, lets, text;
};
// Of the tiles of segments that share their buffers, as texts of the host: the longest lane and
// rows, and the elements that a segment has.
struct TileSizes {
  std::string lane, rows, area;
};

struct NestNeeds {
  std::set<std::string> buffers{};  // their lines
  std::set<std::string> flat{};     // tensors seen with one dimension
  std::map<std::string, std::pair<std::string, std::string>>
      views{};                 // with two: of which tensor, extents
  std::set<int> workspaces{};  // reductions that lie in memory
  std::set<int> stored{};      // those that the segments so far have made
  std::set<int> packed{};      // leaves whose elements lie apart and are brought side by side
  std::set<std::pair<size_t, int>> scattered{};  // parts of outputs that are brought back
  std::vector<TileSizes> groups{};
  int group = 0;  // of the last segment with a lane

  // A segment's sizes as the host finds them from `tile`, the elements that a tile may have, and
  // `lane`, its longest row. What is kept is spread over the cores. Segments with equal sizes share
  // their buffers.
  void Group(const NestLayout& l, const Segment& s);
  // A buffer of this group of sizes; `name` says what is in it.
  std::string Buffer(const NestTile& tile, const std::string& name, Extent2 of,
                     const std::string& dtype);
  Window WindowOf(const NestTile& tile, const std::string& tensor, const Run& r,
                  const std::vector<Walk>& walks, Extent2 of, const std::string& name,
                  const std::string& in);
};

}  // namespace akgen::craft
