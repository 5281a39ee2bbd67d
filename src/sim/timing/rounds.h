// The loop of a block over its tiles, found in its trace, and traces that cut the same work into
// rounds differently.
#pragma once
#include <optional>
#include <vector>

#include "sim/trace/trace.h"

namespace akgen::sim {

// One iteration of the loop: events [begin, end) of its block.
struct TraceRound {
  uint32_t block = 0;
  size_t begin = 0, end = 0;
};

// The rounds of a block: each from the events that fetch a tile to those that fetch the next. Empty
// when nothing repeats.
std::vector<TraceRound> RoundsOf(const Trace& trace, uint32_t block);

// Part `part` of `parts` equal parts of a round's work.
struct Piece {
  TraceRound round;
  uint32_t part = 0, parts = 1;
};
// Per block, per round of it: the work to be done in that round.
using Plan = std::vector<std::vector<std::vector<Piece>>>;

// The same kernel doing its work by another plan: instructions that the plan brings together become
// one where one can do their work. Flags and barriers are those of the first block's rounds.
// Nothing when rounds differ in more than their sizes.
std::optional<Trace> Replan(const Trace& trace, const Plan& plan);

}  // namespace akgen::sim
