#include "lm/train/loss.h"

#include <ATen/ATen.h>

namespace akgen::lm {

ItemLoss LossOf(const TrainSettings& settings, const std::vector<const Item*>& items) {
  if (settings.objective == "dpo") {
    double beta = settings.dpo_beta, pairs = double(items.size());
    return [=](const Item& item, const PartLogProbs& p) {
      at::Tensor margin =
          (p.parts[0].sum() - item.reference[0]) - (p.parts[1].sum() - item.reference[1]);
      return -at::log_sigmoid(beta * margin) / pairs;
    };
  }
  int64_t targets = 0;
  for (const Item* i : items)
    for (const Sequence& s : i->parts) targets += s.targets();
  if (settings.objective == "grpo")
    return [=](const Item& item, const PartLogProbs& p) {
      return -item.reference[0] * p.parts[0].sum() / double(targets);
    };
  return [=](const Item&, const PartLogProbs& p) { return -p.parts[0].sum() / double(targets); };
}

}  // namespace akgen::lm
