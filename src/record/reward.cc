#include "record/reward.h"

#include <algorithm>
#include <cmath>

namespace akgen::record {
namespace {
constexpr double kWrong = 0.2, kFinding = 0.1, kForTime = 0.25;
}  // namespace

std::optional<double> RewardOf(const Outcome& outcome, double us, double reference_us) {
  if (!Counts(outcome)) return std::nullopt;
  const int rank = Rank(outcome.name);
  if (rank == Rank(Verdict::kWrongAnswer)) return kWrong;
  if (rank == Rank(Verdict::kFinding)) return kFinding;
  if (rank != kRankOfPass) return 0.0;
  if (!std::isfinite(us) || !std::isfinite(reference_us) || us <= 0 || reference_us <= 0) return 1.0;
  return 1 + kForTime * std::clamp(std::log2(reference_us / us), -1.0, 1.0);
}

}  // namespace akgen::record
