// Sums whose order matters: what float32 cannot hold when its terms do not cancel.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace akgen::task::evaluate {

// What the terms of a sum may add up to by size; where they exceed it and cancel, the sum is
// `undecided_sum`. Usually there is no limit.
inline thread_local double limit_of_sums = std::numeric_limits<double>::infinity();
inline thread_local double undecided_sum = std::numeric_limits<double>::quiet_NaN();
inline thread_local double undecided_product = std::numeric_limits<double>::quiet_NaN();

// Sets the limit for a scope.
class LimitSums {
 public:
  explicit LimitSums(double limit, double sum = std::numeric_limits<double>::quiet_NaN(),
                     double product = std::numeric_limits<double>::quiet_NaN())
      : before_(limit_of_sums), sum_before_(undecided_sum), product_before_(undecided_product) {
    limit_of_sums = limit, undecided_sum = sum, undecided_product = product;
  }
  ~LimitSums() {
    limit_of_sums = before_, undecided_sum = sum_before_, undecided_product = product_before_;
  }
  LimitSums(const LimitSums&) = delete;
  LimitSums& operator=(const LimitSums&) = delete;

 private:
  double before_, sum_before_, product_before_;
};

// A sum and the sums of its terms' sizes, those above zero and those below it.
struct Terms {
  long double sum = 0, above = 0, below = 0;
  void Add(long double v) {
    sum += v;
    (v < 0 ? below : above) += std::fabs(v);
  }
  double Sum() const { return Within(sum); }
  // `value`, what the terms make, unless their order decides: their sizes exceed the limit and the
  // sum itself does not, or those of either sign exceed it by themselves. A sum beyond the limit is
  // infinite.
  double Within(long double value) const {
    const long double size = above + below;
    const bool crowded =
        (size > limit_of_sums && std::isfinite(size) && std::fabs(sum) <= limit_of_sums) ||
        std::min(above, below) > limit_of_sums;
    if (crowded) return undecided_sum;
    return std::fabs(sum) > limit_of_sums ? std::copysign(HUGE_VAL, double(sum)) : double(value);
  }
};

// A product, and what its factors above 1, and those below it, make by themselves: they may come
// first.
class Factors {
 public:
  void Multiply(double factor) {
    constexpr double kMost = std::numeric_limits<double>::max();
    const double size = std::fabs(factor);
    product_ *= factor;
    larger_ = std::min(larger_ * std::max(1.0, size), kMost);
    smaller_ *= std::min(1.0, size);
  }
  // Undecided where an order of the factors leaves the range that the whole product is in, at
  // either end, or may leave it at both. Digits are lost below the smallest normal number, which is
  // to 4 as 1 to the largest.
  double Product() const {
    if (limit_of_sums == std::numeric_limits<double>::infinity() || std::isnan(product_))
      return product_;
    const double size = std::fabs(product_), least = 4 / limit_of_sums;
    const bool beyond = larger_ > limit_of_sums, lost = smaller_ < least;
    if ((beyond && (lost || size <= limit_of_sums)) || (lost && size >= least))
      return undecided_product;
    return size > limit_of_sums ? std::copysign(HUGE_VAL, product_) : product_;
  }

 private:
  double product_ = 1, larger_ = 1, smaller_ = 1;
};

// The sum of f(0) to f(n - 1). Without a limit the order decides nothing.
template <class F>
double SumOf(size_t n, F f) {
  if (limit_of_sums == std::numeric_limits<double>::infinity()) {
    long double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += f(i);
    return double(sum);
  }
  Terms terms;
  for (size_t i = 0; i < n; ++i) terms.Add(f(i));
  return terms.Sum();
}

}  // namespace akgen::task::evaluate
