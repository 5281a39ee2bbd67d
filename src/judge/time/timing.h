// Modelled time of a run: the options of a request for it, and the ranges of what is replied.
#pragma once
#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "record/launch_time.h"
#include "sim/launch/run_messages.h"
#include "sim/timing/parameters.h"

namespace akgen::judge {

struct TimeOptions {
  bool on = false;
  uint32_t span_cores = 0;  // keep the timeline of so many cores
  bool what_if = false;     // and what changes to the kernel would gain
  double scale = 0;  // and the time with so many times the rounds (sim/timing/extrapolate.h); 0: no
  bool keep_trace = false;  // and its trace, for who replays it (sim/trace/trace_json.h)
};

// The parameters of the chip's family with this chip's clock and L2. AK0121: the parameter file is
// broken.
base::Result<sim::TimingParameters> TimingOf(const chip::Chip& chip);

// What a run is asked for; nothing when time is not. Errors of TimingOf.
base::Result<std::optional<sim::RunTiming>> TimingRequest(const chip::Chip& chip,
                                                          const TimeOptions& options);

// Adds "range_us", [low, high], to a modelled time that says its "regime" (docs/timing.md, Ranges).
void NoteRange(base::Json& modelled);

using record::HasTime;
// Why a `modelled` that was asked for says no time; "" where it does, and where there is none.
std::string WhyNoTime(const base::Json& modelled);

}  // namespace akgen::judge
