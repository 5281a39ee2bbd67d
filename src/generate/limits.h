// How often a model is asked, and how much it may use.
#pragma once
#include <chrono>
#include <mutex>

#include "generate/model.h"

namespace akgen::generate {

// Hands out starting times, evenly spaced.
class RateLimit {
 public:
  explicit RateLimit(double per_minute) : gap_(per_minute > 0 ? 60 / per_minute : 0) {}
  // Seconds to wait before the next request may start.
  double Next();

 private:
  using Clock = std::chrono::steady_clock;
  double gap_;
  std::mutex mutex_;
  Clock::time_point next_ = Clock::now();
};

// Tokens and cost of a run. Requests under way when the limit is met are still paid.
class Budget {
 public:
  explicit Budget(const ModelSettings& s)
      : most_tokens_(s.most_tokens),
        most_cost_(s.most_cost),
        price_in_(s.price_in),
        price_out_(s.price_out) {}
  void Spend(int64_t prompt_tokens, int64_t completion_tokens);
  // AK0704 when nothing is left.
  base::Status Check() const;

 private:
  int64_t most_tokens_;
  double most_cost_, price_in_, price_out_;
  mutable std::mutex mutex_;
  int64_t tokens_ = 0;
  double cost_ = 0;
};

}  // namespace akgen::generate
