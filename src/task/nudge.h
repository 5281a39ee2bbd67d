// How the inputs of a reference are moved a little, to see what that does to its outputs.
#pragma once
#include <cstdint>

namespace akgen::task {

// Each element a little larger or smaller than it is; any two of eight inputs against each other in
// a pattern at least, so that their difference moves. Pattern -1 is pattern 0 the other way round,
// -2 is pattern 1.
struct Nudge {
  double by = 0;
  int pattern = 0;
  uint64_t input = 0;
  uint64_t place = 0;  // changes of different places have nothing to do with each other
};

inline void NudgeElements(const Nudge& nudge, double* p, uint64_t n) {
  const bool turned = nudge.pattern < 0;
  const int pattern = turned ? -1 - nudge.pattern : nudge.pattern;
  for (uint64_t i = 0; i < n; ++i) {
    // Mixed well (splitmix64): inputs that repeat or mirror themselves must not cancel the changes.
    uint64_t mixed =
        (i + 1 + (uint64_t(pattern) << 40) + (nudge.place << 44)) * 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    mixed ^= mixed >> 31;
    const double share =
        nudge.by * (0.5 + double(mixed >> 40) / double(1 << 25));  // half of it to all of it
    const bool up = (mixed & 1) != (nudge.input >> pattern & 1);
    p[i] *= up != turned ? 1 + share : 1 - share;
  }
}

}  // namespace akgen::task
