#include "generate/limits.h"

#include <fmt/format.h>

namespace akgen::generate {

double RateLimit::Next() {
  if (gap_ <= 0) return 0;
  std::lock_guard lock(mutex_);
  auto now = Clock::now();
  if (next_ < now) next_ = now;
  double wait = std::chrono::duration<double>(next_ - now).count();
  next_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(gap_));
  return wait;
}

void Budget::Spend(int64_t prompt_tokens, int64_t completion_tokens) {
  std::lock_guard lock(mutex_);
  tokens_ += prompt_tokens + completion_tokens;
  cost_ += (double(prompt_tokens) * price_in_ + double(completion_tokens) * price_out_) / 1e6;
}

base::Status Budget::Check() const {
  std::lock_guard lock(mutex_);
  if (most_tokens_ > 0 && tokens_ >= most_tokens_)
    return base::Error{"AK0704",
                       fmt::format("the budget is spent: {} of {} tokens", tokens_, most_tokens_),
                       "", "raise --max-total-tokens and start the same command again"};
  if (most_cost_ > 0 && cost_ >= most_cost_)
    return base::Error{"AK0704",
                       fmt::format("the budget is spent: {:.4f} of {:.4f}", cost_, most_cost_), "",
                       "raise --max-cost and start the same command again"};
  return {};
}

}  // namespace akgen::generate
