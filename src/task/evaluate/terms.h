// Sums whose order matters: what float32 cannot hold when its terms do not cancel.
#pragma once
#include <cmath>
#include <limits>

namespace akgen::task::evaluate {

// What the terms of a sum may add up to by size; where they exceed it and cancel, the sum is NaN. Usually there is no
// limit.
inline thread_local double limit_of_sums = std::numeric_limits<double>::infinity();

// Sets the limit for a scope.
class LimitSums {
 public:
  explicit LimitSums(double limit) : before_(limit_of_sums) { limit_of_sums = limit; }
  ~LimitSums() { limit_of_sums = before_; }
  LimitSums(const LimitSums&) = delete;
  LimitSums& operator=(const LimitSums&) = delete;

 private:
  double before_;
};

// `value`, what some terms with this sum make, unless their order decides: their sizes exceed the limit and the sum
// itself does not, or those of either sign exceed it by themselves.
inline double Within(long double value, long double sum, long double size) {
  const bool crowded = size > limit_of_sums && std::isfinite(size) &&
                       (std::fabs(sum) <= limit_of_sums || (size - std::fabs(sum)) / 2 > limit_of_sums);
  return crowded ? std::numeric_limits<double>::quiet_NaN() : double(value);
}

// A sum and the sum of its terms' sizes.
struct Terms {
  long double sum = 0, size = 0;
  void Add(long double v) { sum += v, size += std::fabs(v); }
  double Sum() const { return Within(sum, sum, size); }
};

}  // namespace akgen::task::evaluate
