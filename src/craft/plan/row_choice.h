// Which axis the rows of a segment's tiles walk. For plan/ only.
#pragma once
#include <cstdint>
#include <vector>

#include "craft/plan/nest_layout.h"

namespace akgen::craft {

class RowChoice {
 public:
  // By the extents of axes in one case, and the order in which they are walked.
  RowChoice(const std::vector<int64_t>& extent, const Run& order)
      : extent_(extent), order_(order) {}

  // Axes that give fewer iterations than none, best first.
  std::vector<int> Axes(const Segment& s) const;

 private:
  // Iterations of the busiest of some cores, by this case's extents: fewer are better.
  double Turns(const Segment& s, int row) const;
  // Rows so long that broadcasting a number over each one costs more than an iteration for each
  // does.
  bool Long(const Segment& s, int row) const;

  const std::vector<int64_t>& extent_;
  const Run& order_;
};

}  // namespace akgen::craft
