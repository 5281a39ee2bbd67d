// The modelled timeline of a launch: what each pipe of each core did when, and what it waited for.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/launch_time.h"

namespace akgen::record {

// Work or waiting of one pipe; microseconds from the launch on.
struct TimeSpan {
  double begin = 0, end = 0;
  uint16_t core = 0;
  uint8_t pipe = 0;   // index of Timeline::pipes
  uint8_t after = 0;  // the pipe that let it begin (of a wait: end), its own where nothing else did
  bool wait = false;
  uint16_t what = 0;  // index of Timeline::names
  uint32_t site = 0;  // index of Timeline::sites
  bool operator==(const TimeSpan&) const = default;
};

struct Timeline {
  std::vector<std::string> pipes;  // "V", "MTE2", …; the last one is "other cores"
  std::vector<std::string> names;  // of instructions, waits and "start"
  std::vector<TimeSite> sites;
  uint32_t cores = 0;             // whose spans are all there
  uint32_t cube = 0, vector = 1;  // cores of a block, which follow each other, the Cube core first
  std::vector<TimeSpan> spans;
  bool OnCube(uint32_t core) const { return core % (cube + vector) < cube; }
  double EndUs() const;
};

// Without the sites, which a modelled time has beside its "spans": {"pipes", "names", "cores",
// "cube", "vector", "count", "columns": {"begin": float64, "length": float32, "core": uint16,
// "pipe": uint8 (pipe + 16 * after), "what": uint16 (name + 32768 for a wait), "site": uint32}},
// each column as Base64 of little-endian numbers.
base::Json ToJson(const Timeline& timeline);
// Of a modelled time; empty where it has no timeline. Throws base::Json::exception.
Timeline TimelineFromJson(const base::Json& modelled);

}  // namespace akgen::record
