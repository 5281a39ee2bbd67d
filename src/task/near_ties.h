// Rounded numbers: the rule of strict.h, for elements with their values before rounding in float64
// and in float32.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>

namespace akgen::task {

// Whether float32 arithmetic decides to which side of a tie an element is rounded.
class NearTies {
 public:
  NearTies(std::span<const double> exact, std::span<const double> single)
      : exact_(exact), single_(single) {
    if (exact_.size() != single_.size()) exact_ = {};
    double worst = 0;
    for (size_t i = 0; i < exact_.size(); ++i)
      if (const double e = std::fabs(single_[i] - exact_[i]) / Scale(i); std::isfinite(e))
        worst = std::max(worst, e);
    share_ = std::max(2 * worst, kLeastShare);
  }
  bool Decides(int64_t i, double out, double ref) const {
    const auto at = static_cast<size_t>(i);
    if (at >= exact_.size()) return false;
    const double tie = (out + ref) / 2;
    if (exact_[at] == tie && single_[at] == tie) return false;
    return std::fabs(exact_[at] - tie) <= std::min(share_ * Scale(at), kMaxDistance);
  }
  // The element before rounding, for messages.
  std::string Before(int64_t i) const {
    char text[48] = "";
    if (static_cast<size_t>(i) < exact_.size())
      std::snprintf(text, sizeof text, " (%.9g before rounding)", exact_[static_cast<size_t>(i)]);
    return text;
  }

 private:
  static constexpr double kLeastShare = 1.0 / (1 << 22), kMaxDistance = 1.0 / 256;
  double Scale(size_t i) const { return std::max(1.0, std::fabs(exact_[i])); }
  std::span<const double> exact_, single_;
  double share_ = 0;
};

}  // namespace akgen::task
