// The completions of a GRPO step: prompts are answered a group at a time, judged by a callback, and
// become samples with the reward's distance from the group's mean, in standard deviations, as their
// advantage.
#pragma once
#include <ATen/core/Tensor.h>

#include "lm/model/model.h"
#include "lm/sample/sampler.h"
#include "lm/train/data.h"
#include "lm/train/trainer.h"

namespace akgen::lm {

struct RolloutStep {
  std::vector<Item> items;  // empty when no group has two different rewards
  double reward = 0;        // mean of all finite ones
};

class RolloutMaker {
 public:
  // AK0001 the grammar's file cannot be read.
  static base::Result<std::unique_ptr<RolloutMaker>> Create(std::shared_ptr<const Model> model,
                                                            at::Tensor flat,
                                                            const Tokenizer& tokenizer,
                                                            const TrainSettings& settings,
                                                            RewardFn reward);
  // AK1926: the rewards do not fit the completions. `step` seeds the draws.
  base::Result<RolloutStep> Make(const std::vector<const Item*>& prompts, int64_t step);

 private:
  base::Result<std::vector<std::vector<Completion>>> Sample(const std::vector<const Item*>& prompts,
                                                            int64_t step);

  std::shared_ptr<const Model> model_;
  at::Tensor flat_;
  const Tokenizer* tokenizer_ = nullptr;
  TrainSettings settings_;
  RewardFn reward_;
  std::string grammar_;
  std::vector<std::unique_ptr<LocalModel>> models_;  // one per thread
};

}  // namespace akgen::lm
