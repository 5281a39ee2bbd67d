// The values that a tile has at one place of a loop nest; for plan/ only.
#pragma once
#include "craft/plan/nest_needs.h"

namespace akgen::craft {

struct NestStage {
  std::string lets, loads, compute;
  std::map<int, Extent2> spans;  // of nodes whose values differ within a tile
  std::map<std::string, std::string>
      pairs;  // buffers of elements that lie in pairs, by input and place
  Extent2 Of(int n) const { return spans.count(n) ? spans.at(n) : Extent2{}; }
  std::string Text(const std::string& in) const {
    return lets + (loads.empty() ? "" : in + "with copyin:\n" + loads) +
           (compute.empty() ? "" : in + "with compute:\n" + compute);
  }
};

// Nodes to compute for `targets`, in order, up to reductions that are done. Throws Unplanned.
std::vector<int> NodesFor(const NestGraph& g, const std::vector<int>& targets,
                          const std::set<int>& done);

class NestStageWriter {
 public:
  NestStageWriter(const NestLayout& l, const NestTile& tile, NestNeeds& needs)
      : l_(l), tile_(tile), needs_(needs) {}

  // What it takes to have `targets` at this place; `here`: reductions that the segment has made,
  // `in`: the depth. Throws Unplanned.
  NestStage Prepare(const std::vector<int>& targets, const std::set<int>& here,
                    const std::string& in);
  // Numbers stand where they are used; positions and single elements are named before the stage.
  std::string Name(int n) const;
  // The buffer that a reduction's result is in.
  std::string Result(int r) const { return tile_.Own(fmt::format("r{}", r)); }

 private:
  void Element(int n, NestStage& s, const std::string& in) const;
  void Leaf(int n, NestStage& s, const std::string& in);
  // Both elements are loaded as they lie, once.
  void OneOfPairs(int n, std::vector<Walk> walks, NestStage& s, const std::string& in);
  void LoadStored(int r, NestStage& s, const std::string& in);
  void Index(int n, NestStage& s, const std::string& in);

  const NestLayout& l_;
  const NestTile& tile_;
  NestNeeds& needs_;
};

}  // namespace akgen::craft
