#include "lm/train/rollout.h"

#include <cmath>
#include <thread>

#include "base/files.h"
#include "lm/sample/wrap.h"

namespace akgen::lm {
using base::Error;

base::Result<std::unique_ptr<RolloutMaker>> RolloutMaker::Create(std::shared_ptr<const Model> model,
                                                                 at::Tensor flat,
                                                                 const Tokenizer& tokenizer,
                                                                 const TrainSettings& settings,
                                                                 RewardFn reward) {
  auto maker = std::make_unique<RolloutMaker>();
  if (!reward)
    return Error{"AK1926", "there is no reward function", "objective = grpo",
                 "start the training through a program that judges completions"};
  if (!settings.grpo.grammar.empty()) {
    auto text = base::ReadFile(settings.grpo.grammar);
    if (!text.ok()) return text.error();
    maker->grammar_ = *text;
  }
  maker->model_ = std::move(model), maker->flat_ = std::move(flat), maker->tokenizer_ = &tokenizer,
  maker->settings_ = settings, maker->reward_ = std::move(reward);
  return maker;
}

// Thread w answers prompts w, w + threads, …; draws depend on step and prompt alone.
base::Result<std::vector<std::vector<Completion>>> RolloutMaker::Sample(
    const std::vector<const Item*>& prompts, int64_t step) {
  size_t count = flat_.is_cpu() ? size_t(settings_.workers) : 1;
  if (models_.empty() || settings_.compute != "float32") {
    models_.clear();
    for (size_t w = 0; w < count; ++w)
      models_.push_back(WrapModel(model_, flat_, *tokenizer_, settings_.compute));
  }
  std::vector<std::vector<Completion>> out(prompts.size());
  std::vector<base::Status> status(count);
  auto work = [&](size_t w) {
    for (size_t i = w; i < prompts.size() && status[w].ok(); i += count) {
      SampleOptions o;
      o.n = settings_.grpo.group, o.max_tokens = settings_.grpo.max_tokens,
      o.temperature = settings_.grpo.temperature, o.grammar = grammar_;
      o.seed = (settings_.seed << 40) + uint64_t(step) * 4096 + i;
      const auto& ids = prompts[i]->parts[0].ids;
      auto c = models_[w]->Complete({ids.begin(), ids.end()}, o);
      if (c.ok())
        out[i] = std::move(*c);
      else
        status[w] = c.error();
    }
  };
  std::vector<std::thread> threads;
  for (size_t w = 1; w < count; ++w) threads.emplace_back(work, w);
  work(0);
  for (std::thread& t : threads) t.join();
  for (const base::Status& s : status)
    if (!s.ok()) return s.error();
  return out;
}

base::Result<RolloutStep> RolloutMaker::Make(const std::vector<const Item*>& prompts,
                                             int64_t step) {
  auto groups = Sample(prompts, step);
  if (!groups.ok()) return groups.error();
  std::vector<Rollout> rollouts;
  for (size_t i = 0; i < prompts.size(); ++i)
    for (const Completion& c : (*groups)[i])
      rollouts.push_back({prompts[i]->source, c.text, c.finish});
  auto rewards = reward_(rollouts);
  if (!rewards.ok()) return rewards.error();
  if (rewards->size() != rollouts.size())
    return Error{"AK1926",
                 std::to_string(rewards->size()) + " rewards for " +
                     std::to_string(rollouts.size()) + " completions",
                 "step " + std::to_string(step + 1),
                 "one number per completion, in order; null for one that could not be judged"};
  RolloutStep out;
  size_t at = 0, judged = 0;
  for (size_t i = 0; i < prompts.size(); ++i) {
    double sum = 0, squares = 0, n = 0;
    for (size_t k = 0; k < (*groups)[i].size(); ++k)
      if (double r = (*rewards)[at + k]; std::isfinite(r)) sum += r, squares += r * r, ++n;
    double mean = n > 0 ? sum / n : 0,
           deviation = n > 0 ? std::sqrt(std::max(0.0, squares / n - mean * mean)) : 0;
    out.reward += sum, judged += size_t(n);
    for (const Completion& c : (*groups)[i]) {
      double r = (*rewards)[at++];
      if (!std::isfinite(r) || deviation < 1e-6) continue;
      Item item;
      item.where = prompts[i]->where, item.reference = {(r - mean) / (deviation + 1e-4)};
      Sequence s = prompts[i]->parts[0];
      for (int id : c.ids) s.ids.push_back(id), s.loss.push_back(1);
      item.parts.push_back(std::move(s));
      out.items.push_back(std::move(item));
    }
  }
  out.reward /= double(std::max<size_t>(1, judged));
  return out;
}

}  // namespace akgen::lm
