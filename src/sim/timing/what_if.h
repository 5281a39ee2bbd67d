// What a launch would take if its kernel were written differently: its trace, changed, and replayed
// again. Modelled gains of hypothetical changes; a changed trace moves and computes the same data.
#pragma once
#include <string>
#include <vector>

#include "sim/timing/replay.h"

namespace akgen::sim {

struct WhatIf {
  std::string change;  // see WhatIfs
  uint32_t amount =
      0;  // "larger_tiles": how many tiles become one; "more_cores", "even_cores": blocks
  uint32_t site = 0;  // SiteIndex of the place it concerns
  double us = 0;      // modelled time with the change
};

// Every change that is possible and would save more than one part in a hundred, the best first:
//   double_buffer    queues of one buffer get a second one (where UB has room)
//   double_buffer_half_tiles  the same with tiles of half the size (where it has not)
//   larger_tiles     several tiles become one, as far as UB has room
//   more_cores       the rounds of the loop are distributed over all cores
//   even_cores       … to the same cores, evenly
//   aligned          copies begin at multiples of 512 bytes in GM
//   apart_in_ub      operands lie where no banks are in conflict
//   past_l2          copies in ask L2 not to keep what nobody reads again
//   vector_for_scalar  elements that the scalar unit handles one by one go through the vector unit
//   flags_for_barriers  pipes wait for each other by flags, where the block waits for all of them
// Of launches with Cube cores instead:
//   double_buffer_l0, double_buffer_l1  L0A and L0B, or the tiles in L1, get a second buffer where
//   they have one larger_base_block  blocks of L0C twice as large: of two operands the one is
//   fetched and loaded half as often
// Of all others:
//   one_copy         copies one after the other become one of several bursts
// Nothing for traces above 4 million records: each change is a replay of its own.
std::vector<WhatIf> WhatIfs(const Trace& trace, const TimingParameters& p,
                            const ReplayOptions& options, uint32_t ub_bytes, uint32_t chip_cores);

// Shares by which a class of bottleneck is told (judge/time/profile.h names them): of the time that
// launch and starts of blocks take, of the mean core's time in the longest's, of a pipe at work, of
// UB in use.
inline constexpr double kLaunchBound = 0.5, kEven = 0.8, kBusy = 0.6, kRoomy = 0.5;

// Those of WhatIfs that the class of a bottleneck turns on: more_cores, double_buffer(_half_tiles),
// larger_tiles. Only tried where `time` leaves the class open, so that most launches cost no
// further replay.
std::vector<WhatIf> WhatIfsOfClass(const Trace& trace, const ModelledTime& time,
                                   const TimingParameters& p, const ReplayOptions& options,
                                   uint32_t ub_bytes, uint32_t chip_cores);

}  // namespace akgen::sim
