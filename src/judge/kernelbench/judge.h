// AscendKernelBench: a candidate against a task file of KernelBench, by the benchmark's seeds,
// transforms and tolerances. The task file is its user's own and run; what the candidate says is
// data: its model and its host code run in the sandbox on shapes alone, its kernels as guests.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "judge/kernelbench/stop.h"
#include "judge/run/executor.h"

namespace akgen::judge::kernelbench {

struct Options {
  std::string chip{chip::kDefaultChip};
  base::Json checks = base::Json::object();
  int timeout_ms = 60000;  // of each launch
  int64_t elements = 0;    // at most so many in a task's largest tensor; 0: the file's own shapes
  uint64_t secret = 0;     // seed of the trial that no candidate knows
};

// Modelled, microseconds.
struct Time {
  double us = 0;              // of all launches of one call of forward
  double eager_us = 0;        // of the reference's operators, one by one
  double speed_of_light = 0;  // inputs and outputs at the rate of Global Memory
  double Speedup() const { return us > 0 ? eager_us / us : 0; }
  // 0.5 for a candidate as fast as eager, 1 for one at the speed of light.
  double Sol() const;
};

struct Result {
  record::Verdict verdict = record::Verdict::kInfraError;
  std::string reason;
  std::string trial;  // the one that failed
  int trials = 0;     // that passed
  uint64_t launches = 0;
  int64_t cap = 0;  // numbers of the task file above this became this; 0: its own shapes
  std::optional<Time> time;
  std::string untimed;  // why there is none of a pass
  std::vector<record::Finding> findings;
  std::vector<record::BuildDiagnostic> diagnostics;
};
base::Json ToJson(const Result& result);

// `candidate`: as ReadAnswer takes it. Errors of PrepareTask and ReadAnswer.
base::Result<Result> Judge(Executor& executor, const std::filesystem::path& task,
                           const std::filesystem::path& candidate, const Options& options);

// Of many samples of many tasks, as the benchmark counts.
struct Sample {
  std::string task;  // "level1/19_ReLU"
  int sample = 0;
  Result result;
};
struct Score {
  size_t samples = 0;
  int correct = 0;
  int flagged = 0;  // with a speed-up of more than 10: these count for fast_0 and pass@k alone
  std::vector<std::pair<std::string, double>>
      fast;  // "0", "0.5" …: share of the samples that are faster
  std::vector<std::pair<std::string, double>>
      pass;  // "1", "5", "10": pass@k, as far as there are so many samples
  std::optional<double> geometric_mean, sol;  // of speed-ups; the mean of SOL
};
Score ScoreOf(const std::vector<Sample>& samples);
base::Json ToJson(const Score& score);

}  // namespace akgen::judge::kernelbench
