// Uncertainty of modelled times: the spread of left-out errors, by what bounds a launch
// (docs/timing.md, Ranges).
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace akgen::sim {

struct Range {
  double low = 1, high = 1;  // times what is modelled
};

struct TimingErrors {
  std::map<std::string, Range> clock;  // by RangeClassOf
  std::map<std::string, Range> eager;  // by EagerSizeOf
};

// Whose rows tell the range of a launch: "cube" where it uses Cube cores, else what bounds it
// (RegimeOf).
inline std::string RangeClassOf(const std::string& regime, int cube_cores) {
  return cube_cores ? "cube" : regime;
}

// data/timing/errors.toml. AK0121: the file is broken.
base::Result<TimingErrors> ParseErrors(std::string_view toml, const std::string& where);
base::Result<TimingErrors> LoadErrors();

}  // namespace akgen::sim
