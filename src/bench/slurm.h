// Spreads a run over a Slurm cluster: one job array of long-lived workers, each judging a shard
// into a store of its own; the shards are merged at the end. A worker that is killed loses nothing:
// its shard is submitted again and resumes. The store, the candidates, akgen and its cache must be
// on a file system that the nodes share.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/run.h"

namespace akgen::bench {

struct SlurmOptions {
  std::vector<std::string> worker;  // command of a worker but for --shard and --out
  std::vector<std::string> sbatch;  // further options of sbatch
  int workers = 2;
  int poll_ms = 2000;
  size_t candidates = 0;  // of the whole run
  std::function<void(size_t done)> progress;
  std::atomic<bool>* stop = nullptr;  // set: cancel the jobs and merge what there is
};

// AK0015 Slurm's commands are missing; AK0515 it refuses the job, or workers end without getting
// on.
base::Result<RunSummary> RunOnSlurm(const SlurmOptions& options, store::Store& into);

// A word as /bin/sh reads it.
std::string Quoted(const std::string& word);

}  // namespace akgen::bench
