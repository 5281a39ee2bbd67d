// Random programs, each from text to compared bits; failing ones are minimised.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "base/json.h"
#include "craft/fuzz/generate.h"
#include "judge/validate.h"

namespace akgen::judge {

struct FuzzOptions {
  uint64_t seed = 1;
  uint64_t first = 0, count = 200;  // programs first … first + count - 1
  size_t together = 50;             // programs in one build
  bool shrink = true;
  std::string state;  // file: written after each build, read at the start; empty: none
  std::function<void(uint64_t done, uint64_t before, const std::string& what)> progress;
};

// {"schema": 1, "seed", "first", "count", "done", "agree", "refused_by_checker", "refused_by_interpreter", "mismatch",
//  "finding", "build_failed", "crashed", "elements", "exact", "undecided", "worst", "seconds", "failures": [at most 20:
//  {"index", "outcome", "reason", "source", "inputs", "small": {"source", "inputs", "reason"}}], "refusals": {code: n}}
// Errors: the state file belongs to another seed or range (AK0401), or cannot be written.
base::Result<base::Json> Fuzz(Validator& validator, const FuzzOptions& options);

}  // namespace akgen::judge
