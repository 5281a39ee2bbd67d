// What a launch's time consists of, read from its timeline: the chain of work that ends last, and
// time by source line.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/timeline.h"

namespace akgen::judge {

// Of the core that ends last: indices of spans, the first one first, each of which let the next
// begin. What lies between two of them is hand-over: latency, flags and issue. Waits are on it
// where other cores ended them.
std::vector<uint32_t> CriticalPathOf(const record::Timeline& timeline);

struct PathShare {
  std::string what;  // a pipe, "launch" of the cores before it, "start", "other cores", "hand-over"
  double us = 0;
};
// The whole time of that core, by what the path goes through, the largest first.
std::vector<PathShare> SharesOf(const record::Timeline& timeline,
                                const std::vector<uint32_t>& path);

struct LineTime {
  std::string file;
  int line = 0;
  double path_us = 0;                  // of the critical path
  std::map<std::string, double> busy;  // us by pipe, mean over the cores of the timeline
  double wait_us = 0;                  // held at this line, all pipes together, mean over the cores
  uint64_t instructions = 0;           // of all cores of the timeline
  double BusyUs() const;               // all pipes
};
// Lines of the candidate's own source, those with most of the path first.
std::vector<LineTime> LinesOf(const record::Timeline& timeline, const std::vector<uint32_t>& path);

}  // namespace akgen::judge
