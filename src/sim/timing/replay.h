// Time of a launch: replays its trace over the cores' pipes, the flags between them and the memory they share.
// Everything here is modelled; docs/timing.md says on what it was fitted and what is not modelled.
#pragma once
#include <cstdint>
#include <vector>

#include "base/json.h"
#include "sim/timing/parameters.h"
#include "sim/trace/trace.h"

namespace akgen::sim {
class L2;

// A stretch of work or waiting of one pipe, in cycles since the core began.
struct Span {
  uint32_t core = 0, block = 0, site = 0;
  uint8_t pipe = 0;
  TraceKind kind = TraceKind::kCall;
  uint16_t op = 0;
  double begin = 0, end = 0;
};

struct PipeTime {
  double busy = 0;       // cycles at work, waiting for memory included
  double flag_wait = 0;  // cycles held by a flag of another pipe
  double conflicts = 0;  // vector: cycles lost to bank conflicts
  uint64_t instructions = 0;
  double bytes = 0;     // copies: moved
  uint64_t bursts = 0;  // … in so many contiguous pieces
};

struct ModelledTime {
  double us = 0;       // from launch to end, launch overhead included
  double core_us = 0;  // mean over the cores that ran
  double longest_core_us = 0;
  double start_us = 0;  // of core_us: before the first instructions of blocks; the scalar unit's `busy` holds it too
  uint32_t cores = 0, cube_cores = 0;     // all, and those of them that are Cube cores
  PipeTime pipes[AKGEN_PIPE_COUNT];       // sums over the Vector cores
  PipeTime cube_pipes[AKGEN_PIPE_COUNT];  // … over the Cube cores
  double hbm_bytes = 0, l2_bytes = 0, bypass_bytes = 0;
  std::vector<double> core_end;  // cycles, per core
  std::vector<Span> spans;       // of the first cores, when asked for
  bool stuck = false;            // a wait was never met: the functional run found a deadlock
};

struct ReplayOptions {
  uint32_t cores = 48;      // blocks beyond them wait for a free core, of several cores for so many as they start
  uint32_t span_cores = 0;  // keep the spans of so many cores
  size_t most_spans = 200'000;
  L2* l2 = nullptr;  // what earlier launches left in L2, and in return what this one leaves; null: nothing
};

// {"us", "core_us", "longest_core_us", "start_us", "cores", "hbm_bytes", "l2_bytes", "bypass_bytes", "core_end_us":
// [per core],
//  "pipes": {"V": {"busy_us", "flag_wait_us", "conflict_us" (means over cores), "instructions", "bytes", "bursts"}, …}}
base::Json ToJson(const ModelledTime& time, const TimingParameters& p);

ModelledTime Replay(const Trace& trace, const TimingParameters& p, const ReplayOptions& options);

// What a launch is bound by: "launch", "bandwidth", "compute" or "sync" (no pipe is at work most of the time).
const char* RegimeOf(const ModelledTime& time, const TimingParameters& p);
const char* BusyRegimeOf(const ModelledTime& time, const TimingParameters& p);  // … launch left aside

// Microseconds of a launch on so many cores that does nothing.
double EmptyUs(const TimingParameters& p, double cores);

// Cycles the vector unit needs for one instruction, without waiting.
double VectorCycles(const TraceEvent& e, const TimingParameters& p, double* lost_to_banks = nullptr);

}  // namespace akgen::sim
