// One segment of a loop nest as text; for plan/ only.
#pragma once
#include "craft/plan/nest_stage.h"

namespace akgen::craft {

class SegmentWriter {
 public:
  // `with_rows`: tiles of this kernel may have several rows.
  SegmentWriter(const PlanTask& task, const NestLayout& l, const Segment& s, bool with_rows,
                NestNeeds& needs);

  // `which`: its number. Throws Unplanned.
  std::string Text(int which);

 private:
  // Reductions in the order in which they wait for each other.
  std::string Phases(const std::string& in, std::set<int>& here);
  int Level(int r) const;
  std::string StartOf(int r, const std::string& in);
  // Over the lane, over the rows of a tile or over both; `tile`: what of a tile there is here.
  std::string Accumulate(int r, Extent2 tile, const NestStage& stage, const std::string& in) const;

  std::string Outputs(const std::string& in, const std::set<int>& here);
  // Results that later segments read.
  std::string Kept(const std::string& in);
  std::string Store(const std::vector<std::pair<size_t, int>>& outputs, Extent2 of,
                    const std::set<int>& here, const std::string& in);
  // Whether an output's parts lie in pairs along the lane and are made in the same place.
  bool BothOfPairs(size_t o, int p, Extent2 of,
                   const std::vector<std::pair<size_t, int>>& outputs) const;
  // Both parts beside each other again.
  std::string StorePairs(size_t o, const std::string& first, const std::string& second,
                         NestStage& stage, const std::string& in);
  // Where an integer output may get a float, the conversion is said; it cuts towards zero.
  std::string Converted(size_t o, const std::string& v, const std::string& tensor) const;

  const PlanTask& task_;
  const NestLayout& l_;
  const Segment& s_;
  NestNeeds& needs_;
  const NestTile tile_;
  NestStageWriter stages_;
};

}  // namespace akgen::craft
