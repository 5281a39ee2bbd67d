// Reinforcement with the judge in the loop: akgen-lm trains and writes answers, here they get their rewards
// (docs/lm.md, GRPO).
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "learn/problems.h"

namespace akgen::learn {

struct ReinforceOptions {
  ProblemOptions problems;
  bool time = false;  // modelled time counts: a pass that is faster than the planner's program gets more
  int jobs = 1;       // answers judged at a time
  bool resume = false;
  const std::atomic<bool>* stop = nullptr;
};

// Rewards (record/reward.h; with `time` against the planner's program) for the answers of a step. Its threads live as
// long as it does.
class Rewarder {
 public:
  // Writes a line for each answer to `log`: {"id", "inputs_seed", "verdict", "reward", "text"}.
  Rewarder(std::map<std::string, Problem> problems, const ReinforceOptions& options, const std::filesystem::path& log);
  ~Rewarder();
  // {"rollouts": [{"source": {"id"}, "text"}]} -> {"rewards": […]}. AK0801 an id that is none; errors of JudgeAnswer;
  // AK0002.
  base::Result<base::Json> Rewards(const base::Json& line);
  std::map<std::string, size_t> verdicts() const;  // of all answers so far

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

// Trains OUT by these settings of `akgen-lm train` with objective grpo; `data` is written here: OUT.prompts.jsonl.
// Answers and rewards: OUT.answers.jsonl. Returns {"steps": of this call, "verdicts": {verdict: n}, "exit_code": of
// akgen-lm}. Errors of Problems, Rewarder, LineProcess.
base::Result<base::Json> Reinforce(base::Json settings, const std::filesystem::path& out,
                                   const ReinforceOptions& options,
                                   const std::function<void(size_t, size_t)>& progress);

}  // namespace akgen::learn
