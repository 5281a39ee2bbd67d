// Reinforcement with the judge in the loop: akgen-lm trains and writes answers, here they get their
// rewards (docs/lm.md, GRPO).
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "learn/problems.h"
#include "record/completion.h"

namespace akgen::learn {

struct ReinforceOptions {
  ProblemOptions problems;
  bool time =
      false;     // modelled time counts: a pass that is faster than the planner's program gets more
  int jobs = 1;  // answers judged at a time
  bool resume = false;
  const std::atomic<bool>* stop = nullptr;
};

// Rewards (record/reward.h; with `time` against the planner's program) for the answers of a step.
// Its threads live as long as it does.
class Rewarder {
 public:
  // Writes a line for each answer to `log`: {"id", "inputs_seed", "verdict", "reward", "text"}.
  Rewarder(std::map<std::string, Problem> problems, const ReinforceOptions& options,
           const std::filesystem::path& log);
  ~Rewarder();
  // Of each text the reward; nothing: nobody can tell. AK0801 an id that is none; errors of
  // JudgeAnswer; AK0002.
  base::Result<std::vector<std::optional<double>>> Rewards(
      const std::vector<record::RewardedText>& rollouts);
  std::map<std::string, size_t> verdicts() const;  // of all answers so far

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

struct Reinforced {
  size_t steps = 0;                        // of this call
  std::map<std::string, size_t> verdicts;  // of all answers
  int exit_code = 0;                       // of akgen-lm
};
base::Json ToJson(const Reinforced& done);  // members by name

// Trains OUT by these settings of `akgen-lm train` with objective grpo; `data` is written here:
// OUT.prompts.jsonl. Answers and rewards: OUT.answers.jsonl. Errors of Problems, Rewarder,
// LineProcess.
base::Result<Reinforced> Reinforce(base::Json settings, const std::filesystem::path& out,
                                   const ReinforceOptions& options,
                                   const std::function<void(size_t, size_t)>& progress);

}  // namespace akgen::learn
