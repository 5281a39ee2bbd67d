// What a step minimises, per sample; see StepRunner.
#pragma once
#include "lm/train/step.h"

namespace akgen::lm {

// sft: mean over all target tokens of the items. dpo: mean over pairs of -log sigmoid(beta * how
// much more the policy than the reference prefers the chosen text). grpo: mean over target tokens
// of -advantage * log p, whose gradient is that of the clipped ratio as long as each completion is
// used for one step.
ItemLoss LossOf(const TrainSettings& settings, const std::vector<const Item*>& items);

}  // namespace akgen::lm
