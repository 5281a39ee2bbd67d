// Examines the checks: plants faults in a correct kernel and sees which are caught. Whether a fault
// matters is decided without the checks (other bytes under some legal order, or a documented rule
// broken by construction), and what counts as caught is written down before anything runs.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "mutate/mutate.h"
#include "record/backend.h"
#include "record/verdict.h"

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

struct Mutant {
  size_t number = 0;
  mutate::FaultLabel label;
  // Of one that was run.
  struct Observed {
    std::string by;  // what shows the fault without the checks; empty: nothing does
    struct Checked {
      std::string by;  // what of the checks answers for it; empty: nothing does
      record::Verdict verdict = record::Verdict::kInfraError;
      std::string reason;
      std::vector<std::string> findings;  // at most 8, in words
    };
    std::optional<Checked> checked;  // of an observable one
  };
  std::optional<Observed> observed;
  bool Observable() const { return observed && !observed->by.empty(); }
  bool Caught() const { return observed && observed->checked && !observed->checked->by.empty(); }
};

struct Examined {
  std::string kernel;
  bool usable = false;  // passes clean, and its own bytes are the same under all legal orders
  std::string reason;   // why it is not usable
  std::string case_id;
  uint32_t schedules = 0;
  int does_not_compile = 0;  // changed texts that are no mutants
  size_t places = 0;         // where faults can be planted
  std::vector<Mutant> mutants;
};
// A label's members (mutate/mutate.h), "number", and what was observed.
base::Json ToJson(const Mutant& mutant);
// {"kernel", "usable", "reason", "case", "schedules", "does_not_compile", "places", "mutants"}
base::Json ToJson(const Examined& examined);

// What that record comes to. Throws base::Json::exception.
struct ExaminedTotals {
  bool usable = false;
  std::string reason, case_id;
  size_t observable = 0, caught = 0;
  std::vector<size_t> missed;  // numbers of those that are observable and not caught
  base::Json mutants = base::Json::array();
};
ExaminedTotals ExaminedTotalsFromJson(const base::Json& examined);

// AK0012 no source index; AK0002 files; what builder and runner say when they break.
base::Result<Examined> Examine(const std::string& path, const ExamineOptions& options);

}  // namespace akgen::judge
