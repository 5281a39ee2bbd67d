// What decides the verdicts of a run. The run's id is the hash of ToJson(config), so a file can be
// resumed only by the same run, and shards can be merged only when they belong together.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "judge/judge.h"
#include "record/backend.h"
#include "task/task.h"

namespace akgen::bench {

struct Config {
  std::vector<std::string> units;  // names, in order
  std::string chip{chip::kDefaultChip};
  record::Backend backend =
      record::kDefaultBackend;   // native: the run is unsealed, and no verdict of it counts
  std::string profile = "full";  // full, sim, tiny, ragged: which cases (ProfileCases)
  std::string mode = "dynamic";  // dynamic: a candidate answers all cases; static: one
  std::string form =
      "full";  // full: a candidate is host and kernel; kernel-only: the host side is given
  std::string
      host_hash;  // kernel-only: of the host sides that are given, "" when all are the tasks' own
  std::string precision = "strict";  // strict or upstream
  std::string inputs = "wide";       // wide or upstream (judge/judge.h)
  base::Json checks = base::Json::object();
  std::vector<std::string> include_dirs;
  bool time = false;  // model the time of every case
  judge::DeviceOptions devices;
  int max_cases = 0;    // of the profile, the first so many; 0: all
  int samples = 1;      // n of pass@k: missing candidates count as failed
  int hidden = 4;       // hidden cases per task; 0: none
  int timeout_s = 120;  // one case
  // Both are drawn by the run and told to no candidate: values of the public cases; shapes and
  // values of hidden ones.
  uint64_t seed = 0, hidden_seed = 0;
  std::string judge_hash, chip_hash;
};
base::Json ToJson(const Config& config);
Config ConfigFromJson(const base::Json& json);
// Names of the fields in which two configurations differ, as "precision, seed"; the hidden seed and
// units included.
std::string Differences(const base::Json& a, const base::Json& b);

// Cases of a profile, by the sum of elements of all tensors of a case:
//   full    every case            sim    at most 2^21 elements     tiny   at most 2^14
//   ragged  no case of its own: shapes are made by the generator of the hidden cases from the
//   public seed
// Where a task has no case that small, its smallest. AK0102 when a case is malformed.
base::Result<std::vector<task::CaseRow>> ProfileCases(const task::TaskSpec& task,
                                                      const Config& config,
                                                      const std::string& case_id);

}  // namespace akgen::bench
