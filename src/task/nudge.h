// How the inputs of a reference are moved a little, to see what that does to its outputs.
#pragma once
#include <cstdint>

namespace akgen::task {

// Each element a little larger or smaller than it is; any two of eight inputs against each other in
// a pattern at least, so that their difference moves. Pattern -1 is pattern 0 the other way round.
struct Nudge {
  double by = 0;
  int pattern = 0;
  uint64_t input = 0;
};

inline void NudgeElements(const Nudge& nudge, double* p, uint64_t n) {
  const bool turned = nudge.pattern < 0;
  const int pattern = turned ? 0 : nudge.pattern;
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t mixed = (i + 1 + (uint64_t(pattern) << 40)) * 0x9e3779b97f4a7c15ull;
    const double share =
        nudge.by * (0.5 + double(mixed >> 40) / double(1 << 25));  // half of it to all of it
    const bool up = ((mixed ^ mixed >> 29) >> 35 & 1) != (nudge.input >> pattern & 1);
    p[i] *= up != turned ? 1 + share : 1 - share;
  }
}

}  // namespace akgen::task
