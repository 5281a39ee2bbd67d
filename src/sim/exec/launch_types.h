// What a launch is asked for and what it gives back.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "sim/check/findings.h"
#include "sim/machine/chip_model.h"
#include "sim/machine/global_memory.h"
#include "sim/machine/mapping.h"
#include "sim/timing/extrapolate.h"
#include "sim/timing/replay.h"
#include "sim/timing/what_if.h"

namespace akgen::sim {

class LeftModes;

struct LaunchRequest {
  std::function<void()> kernel;  // runs one block
  uint32_t blocks = 1;
  std::vector<uint32_t> only;  // not empty: blocks that run, the others never start
  BlockCores cores;            // that each block starts
  uint64_t tiling_key = 0;
  ChipModel chip;
  Checks checks;
  // Asks for modelled time. The racecheck's book-keeping then runs even when the check is off: it
  // knows what the scalar unit waits for.
  const TimingParameters* timing = nullptr;
  uint32_t span_cores = 0;  // keep the timeline of so many cores
  bool what_if = false;     // and what changes to the kernel would gain
  double scale = 0;  // and the time of a launch of so many times the rounds; 0: not asked for
  bool keep_trace = false;  // hand the trace out
  uint8_t* sys_workspace = nullptr;
  uint64_t schedule =
      0;  // 0: eager and in order; else the seed of another legal order (exec/schedule.h)
  bool want_sites = false;  // fill LaunchResult::sites
  // What a core's memories hold where nothing was written: the chip promises nothing.
  uint8_t unwritten = kUnwritten;
  LeftModes* left =
      nullptr;  // of a program: what its launches leave in the cores, see exec/left_modes.h
  // Imprecise instructions give exact results, and each place that issues one is reported.
  bool exact = false;
  // Address range of the loaded object: its constants and variables are the kernel's own. 0 bytes:
  // not known, and plain accesses outside of stack, UB and GM are not judged.
  uintptr_t own_begin = 0;
  size_t own_bytes = 0;
  // Where the running block is, for code that is no code of this machine; empty: its frames are
  // walked.
  std::function<Site()> where;
};

// Vector instructions that round, by the dtype they computed in (AkgenDtype), casts of float to a
// shorter float, and instructions whose pages call them inaccurate.
struct Arithmetic {
  std::array<uint64_t, 32> by_dtype{};
  uint64_t narrowing_casts = 0, imprecise = 0;
  bool rounds = false;  // such a cast has lost digits; those before are not counted
  void Add(const Arithmetic& o) {
    for (size_t i = 0; i < by_dtype.size(); ++i) by_dtype[i] += o.by_dtype[i];
    narrowing_casts += o.narrowing_casts;
    rounds |= o.rounds;
    imprecise += o.imprecise;
  }
};
// {"float32": n, …, "narrowing_casts": n, "imprecise": n}; what did not occur is left out.
base::Json ToJson(const Arithmetic& arithmetic);

struct LaunchResult {
  // "ok", "deadlock", "crash" (invalid pointer), "stopped" (assert, trap), "unsupported"
  std::string status = "ok";
  std::string detail;  // unsupported: the API's name; crash: the address
  std::vector<RawFinding> findings;
  uint64_t vector_ops = 0, copies = 0, bytes_in = 0, bytes_out = 0, cube_ops = 0;
  std::string
      unmodelled;  // why no time is modelled although it was asked for; empty: it is, or trace_cut
  std::vector<Site> sites;  // every place that issued an instruction
  Arithmetic arithmetic;
  bool exchanged =
      false;  // blocks touched the same bytes, or told each other with flags (racecheck knows)
  std::optional<ModelledTime>
      time;  // of a launch that ended well and whose trace fitted into memory
  std::vector<WhatIf> what_ifs;
  std::optional<Extrapolated> scaled;
  std::vector<Site> span_sites;  // places that the timeline's spans and the changes name by index
  uint32_t ub_used = 0;  // bytes of the Unified Buffer given out at most, when time is modelled
  std::optional<Trace> trace;  // when keep_trace
  bool trace_cut = false;      // more instructions than a trace holds: no modelled time
  std::string print_output;    // printf of the kernel, at most 64 KiB
};

}  // namespace akgen::sim
