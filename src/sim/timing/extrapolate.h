// Modelled time of a larger launch from the trace of a smaller one.
#pragma once
#include <optional>

#include "sim/timing/replay.h"

namespace akgen::sim {

struct Extrapolated {
  double us = 0;  // modelled, of the same kernel going `factor` times as often around its loop on
                  // every core
  double bound = 0;  // us: how far off that may be, from how evenly the rounds that were run took
};

// The rounds of the loop are timed with a half, three quarters and all of them; what one more costs
// is added (factor - 1) times. Beginning and end are counted once. Nothing when blocks have fewer
// than eight rounds, or factor < 1.
std::optional<Extrapolated> Extrapolate(const Trace& trace, const TimingParameters& p,
                                        const ReplayOptions& options, double factor);

}  // namespace akgen::sim
