// Time of a launch: replays its trace over the cores' pipes, the flags between them and the memory
// they share. Everything here is modelled; docs/timing.md says on what it was fitted and what is
// not modelled.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "base/json.h"
#include "sim/timing/parameters.h"
#include "sim/trace/trace.h"

namespace akgen::sim {
class L2;

constexpr uint8_t kOtherCores = AKGEN_PIPE_COUNT;  // in place of a pipe: another core

enum class SpanRole : uint8_t {
  kWork,
  kWait,
  kStart
};  // kStart: of a block, before its first instruction

// A stretch of work or waiting of one pipe, in cycles since the core began.
struct Span {
  uint32_t core = 0, block = 0, site = 0;
  uint8_t pipe = 0;
  uint8_t after = 0;  // the pipe that let it begin (of a wait: end), its own where nothing else
                      // did; or kOtherCores
  SpanRole role = SpanRole::kWork;
  TraceKind kind = TraceKind::kCall;
  uint16_t op = 0;
  double begin = 0, end = 0;
};

struct PipeTime {
  double busy = 0;                          // cycles at work, waiting for memory included
  double flag_wait = 0;                     // cycles held by a flag of another pipe
  double waits[AKGEN_PIPE_COUNT + 1] = {};  // … by the pipe that was waited for, and kOtherCores
  double shared = 0;     // of busy: beyond what a copy takes when no other core copies
  double conflicts = 0;  // vector: cycles lost to bank conflicts
  uint64_t instructions = 0;
  double bytes = 0;     // copies: moved
  uint64_t bursts = 0;  // … in so many contiguous pieces
};

struct ModelledTime {
  double us = 0;       // from launch to end, launch overhead included
  double core_us = 0;  // mean over the cores that ran
  double longest_core_us = 0;
  double start_us = 0;  // of core_us: before the first instructions of blocks; the scalar unit's
                        // `busy` holds it too
  uint32_t cores = 0, cube_cores = 0;     // all, and those of them that are Cube cores
  PipeTime pipes[AKGEN_PIPE_COUNT];       // sums over the Vector cores
  PipeTime cube_pipes[AKGEN_PIPE_COUNT];  // … over the Cube cores
  double hbm_bytes = 0, l2_bytes = 0, bypass_bytes = 0;
  double elements_16 = 0,
         elements_32 = 0;  // that vector instructions computed, of 16 bits at most and of more
  std::map<uint8_t, double> macs;  // of the Cube cores' products as issued, by bits of an operand
  std::vector<double> core_end;    // cycles, per core
  std::vector<Span> spans;         // of the first cores, when asked for
  uint32_t span_cores = 0;  // cores of which all spans are there (one alone may have too many)
  bool stuck = false;       // a wait was never met: the functional run found a deadlock
};

struct ReplayOptions {
  uint32_t cores =
      48;  // blocks beyond them wait for a free core, of several cores for so many as they start
  uint32_t span_cores = 0;  // keep the spans of so many cores, of fewer where they are too many
  size_t most_spans = 1'000'000;
  L2* l2 = nullptr;  // what earlier launches left in L2, and in return what this one leaves; null:
                     // nothing
};

// {"us", "core_us", "longest_core_us", "start_us", "cores", "hbm_bytes", "l2_bytes",
// "bypass_bytes", "core_end_us": [per core],
//  "pipes": {"V": {"busy_us", "flag_wait_us", "conflict_us", "shared_us", "waits": {pipe: us}
//  (means over cores), "instructions", "bytes", "bursts"}, …}, "elements_16", "elements_32",
//  "macs": {bits: n}}
base::Json ToJson(const ModelledTime& time, const TimingParameters& p);

ModelledTime Replay(const Trace& trace, const TimingParameters& p, const ReplayOptions& options);

// What a launch is bound by: "launch", "bandwidth", "compute" or "sync" (no pipe is at work most of
// the time).
const char* RegimeOf(const ModelledTime& time, const TimingParameters& p);
const char* BusyRegimeOf(const ModelledTime& time,
                         const TimingParameters& p);  // … launch left aside

// Microseconds of a launch on so many cores that does nothing.
double EmptyUs(const TimingParameters& p, double cores);

// Cycles the vector unit needs for one instruction, without waiting.
double VectorCycles(const TraceEvent& e, const TimingParameters& p,
                    double* lost_to_banks = nullptr);

}  // namespace akgen::sim
