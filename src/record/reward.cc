#include "record/reward.h"

#include <algorithm>
#include <cmath>

namespace akgen::record {
namespace {
constexpr double kWrong = 0.2, kFinding = 0.1, kForTime = 0.25;
}  // namespace

std::optional<double> RewardOf(const Outcome& outcome, const Modelled& time, const Modelled& reference) {
  if (!Counts(outcome)) return std::nullopt;
  const int rank = Rank(outcome.name);
  if (rank == Rank(Verdict::kWrongAnswer)) return kWrong;
  if (rank == Rank(Verdict::kFinding)) return kFinding;
  if (rank != kRankOfPass) return 0.0;
  return 1 + kForTime * std::clamp(std::log2(SpeedBeyond(time, reference)), -1.0, 1.0);
}

}  // namespace akgen::record
