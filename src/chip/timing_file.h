// The numbers of a timing model as data/timing holds them, by name: one file for all chips that
// name it. What they mean is up to the model (sim/timing, docs/timing.md) and to the planner's cost
// model (craft).
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace akgen::chip {

struct TimingFile {
  struct VectorRate {
    double per_cycle[2] = {0,
                           0};  // elements per cycle for 16-bit and smaller, and for 32-bit types
    double passes = 1;          // composed operations: instructions over the whole operand
  };
  std::map<std::string, double> parameters;  // in the file's units
  std::map<std::string, VectorRate> vector;
};

// Reads data/timing/<name>.toml below base::HomeDir(). AK0121: the file is broken (place = file and
// key), a number lacks its unit, kind or source, or is not sensible.
base::Result<TimingFile> LoadTimingFile(std::string_view name);
base::Result<TimingFile> ParseTimingFile(std::string_view toml, const std::string& where);

// What a model says of a file that it cannot use.
base::Error BrokenTiming(const std::string& where, const std::string& key, const std::string& why);

}  // namespace akgen::chip
