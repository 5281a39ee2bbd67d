// Examines the checks: plants faults in a correct kernel and sees which are caught. Whether a fault matters is decided
// without the checks (other bytes under some legal order, or a documented rule broken by construction), and what counts
// as caught is written down before anything runs.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "record/backend.h"

namespace akgen::judge {

struct ExamineOptions {
  std::string task;                       // empty: `path` is a standalone kernel with a launch line
  std::string case_id;                    // empty: the smallest case of some size
  std::vector<std::string> include_dirs;  // further folders for host code
  std::vector<std::string> classes;       // of faults; empty: all
  std::string chip{chip::kDefaultChip};
  record::Backend backend = record::kDefaultBackend;
  uint64_t seed = 1;        // which faults, and the inputs
  size_t count = SIZE_MAX;  // mutants at most
  uint32_t schedules = 32;
  bool run = true;  // false: plant and label only, in whatever the source holds
  std::string out;  // folder for the mutants: <number>.json and <number>/ with the project
  std::function<void(size_t done, size_t all, const std::string& what)> progress;
};

// {"kernel", "usable", "reason", "case", "schedules", "does_not_compile", "mutants": [label and, with `run`,
//  {"observable", "observed_by", "caught", "caught_by", "verdict", "reason"}]}. A kernel that does not pass clean, or
//  whose
// own bytes differ between legal orders, is not usable.
// AK0012 no source index; AK0002 files; what builder and runner say when they break.
base::Result<base::Json> Examine(const std::string& path, const ExamineOptions& options);

}  // namespace akgen::judge
