// Modelled time of one launch: what the chip's process says of it, with the names that the judge
// adds (judge/time/timing.h). Whoever looks into a time, and not only at its totals
// (record/judgement.h), reads this.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::record {

// Sums over the mean core.
struct PipeTime {
  double busy_us = 0, flag_wait_us = 0, conflict_us = 0;
  double shared_us = 0;  // of busy_us: a copy's beyond what it takes when no other core copies
  std::map<std::string, double> waits;  // flag_wait_us, by the pipe that is waited for
  uint64_t instructions = 0;
  double bytes = 0, bursts = 0;  // bursts: contiguous pieces
};

struct TimeSite {
  std::string file;  // "": not a line of the candidate's own source
  int line = 0;
};

// A change to the kernel and the time with it.
struct TimedChange {
  std::string change;  // sim/timing/what_if.h
  int amount = 0;
  double us = 0;
  size_t site = 0;  // index of the line that it concerns
};

// With `factor` times the rounds of the kernel's loop.
struct ScaledTime {
  double factor = 0, us = 0, bound_us = 0;
};

struct LaunchTime {
  double us = 0;
  double low = 0, high = 0;  // where it lies; 0: nobody says
  double core_us = 0, longest_core_us = 0,
         start_us = 0;  // of the mean core; of the longest; before first instructions
  double ub_used = 0;   // bytes
  int cores = 0, blocks = 0;
  int cube_cores = 0;  // of `cores`
  std::string regime, bottleneck;
  double hbm_bytes = 0, l2_bytes = 0;  // moved by HBM; served and taken by L2
  double elements_16 = 0,
         elements_32 = 0;      // computed by vector instructions, of 16 bits at most and of more
  std::map<int, double> macs;  // of the Cube cores, by bits of an operand
  double task_bound_us = 0;    // the least that the chip allows the task; 0: no task
  double eager_us = 0, eager_low = 0, eager_high = 0;  // of a framework's own launches; 0: no task
  int eager_kernels = 0;
  std::map<std::string, PipeTime> pipes;
  std::vector<TimeSite> sites;
  bool tried = false;                // whether changes were tried
  std::vector<TimedChange> changes;  // that gain, the largest gain first
  std::optional<ScaledTime> scaled;
};
// Nothing: it says no time. Throws base::Json::exception.
std::optional<LaunchTime> LaunchTimeFromJson(const base::Json& modelled);

std::vector<TimeSite> SitesFromJson(const base::Json& modelled);  // throws base::Json::exception
base::Json ToJson(const std::vector<TimeSite>& sites);
// Of a time as the chip says it: each site's addresses in the kernel object, innermost first.
// Nothing: it says no sites. Throws base::Json::exception.
std::optional<std::vector<std::vector<uint64_t>>> SiteAddressesFromJson(const base::Json& modelled);

// Why a time that was asked for is not said.
struct NoTime {
  bool scalar_unpriced = false;  // the builder does not count scalar work
  std::string
      unmodelled;  // what the kernel uses that has no modelled time; else its trace is too large
  std::string Why() const;
};
base::Json ToJson(const NoTime& none);
std::optional<NoTime> NoTimeFromJson(
    const base::Json& modelled);  // nothing: a time, or nobody asked

inline bool HasTime(const base::Json& modelled) {
  return modelled.is_object() && modelled.contains("us");
}

}  // namespace akgen::record
