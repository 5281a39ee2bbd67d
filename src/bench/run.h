// Runs candidates against tasks, in parallel, into a store. A run that was interrupted at any
// moment resumes with the first verdict that is missing; a verdict is stored once or not at all.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/candidates.h"
#include "bench/config.h"
#include "store/store.h"

namespace akgen::bench {

struct RunOptions {
  std::filesystem::path candidates;
  std::filesystem::path
      hosts;  // kernel-only mode: where the host sides are (FindHost); empty: the tasks' own
  int jobs = 1;
  int shard = 0, shards = 1;  // this process judges every shards-th candidate, from `shard` on
  bool cache = true;          // take and keep verdicts by content below CacheDir()/verdicts
  // After every candidate: how many of how many are done, of which how many were there before;
  // called by any worker, one at a time.
  struct Progress {
    size_t done = 0, all = 0, before = 0;
    std::string what, verdict;
  };
  std::function<void(const Progress&)> progress;
  std::atomic<bool>* stop = nullptr;  // set: finish what is in progress, then return
};

struct RunSummary {
  std::string run;
  size_t candidates = 0, before = 0, judged = 0, from_cache = 0;
  size_t left = 0;  // not judged: stopped, the candidate changed, or an internal error
  std::vector<base::Error>
      changed;             // AK0511, one per candidate whose folder changed during the run
  size_t task_faults = 0;  // of `faults`: mistakes in a task
  std::vector<base::Error>
      faults;  // AK0516, one per candidate that could not be judged; not stored, so that the same
               // command judges it when the fault is fixed
};

// Units of the tasks: themselves, or in static mode the cases that the configuration asks for
// (ProfileCases).
base::Result<std::vector<Unit>> UnitsOf(const std::vector<task::TaskInfo>& tasks,
                                        const Config& config);

// `config.units` must name `units`. AK0512 the store holds another run; errors of the store, of
// tasks and of helpers end the run; what is stored stays.
base::Result<RunSummary> Run(const Config& config, const std::vector<Unit>& units,
                             store::Store& store, const RunOptions& options);

// Puts the runs of `parts` together in `into`. AK0513 when they are not the same run.
base::Result<RunSummary> Merge(const std::vector<std::filesystem::path>& parts, store::Store& into);

}  // namespace akgen::bench
