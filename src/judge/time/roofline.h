// Where a launch stands between memory and arithmetic, from what its instructions asked of the
// chip.
#pragma once
#include <string>
#include <vector>

#include "chip/chip.h"
#include "record/launch_time.h"
#include "sim/timing/parameters.h"

namespace akgen::judge {

struct Roofline {
  struct Memory {
    std::string name;  // "HBM", "L2"
    double bytes = 0;  // that it moved
    double rate = 0;   // bytes per microsecond at most, all cores together
  };
  struct Unit {
    std::string name;  // "vector, 16 bits", "Cube, 8 bits"
    double operations =
        0;  // elements of vector instructions; multiplications and additions of the Cube unit
    double rate = 0;  // per microsecond at most, all cores together
  };
  std::vector<Memory> memories;  // that the launch used
  std::vector<Unit> units;       // …
  double bound_us = 0;           // all of this at full rate: the slowest of them
  std::string bound_by;          // its name
};
Roofline RooflineOf(const record::LaunchTime& time, const sim::TimingParameters& timing,
                    const chip::Chip& chip);

}  // namespace akgen::judge
