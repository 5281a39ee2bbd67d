#include "record/reward.h"

#include <algorithm>
#include <cmath>

#include "record/verdict.h"

namespace akgen::record {
namespace {
constexpr double kWrong = 0.2, kFinding = 0.1, kForTime = 0.25;
}  // namespace

std::optional<double> RewardOf(std::string_view outcome, double us, double reference_us) {
  const int rank = Rank(outcome);
  if (rank < 0) return std::nullopt;
  if (rank == Rank(Verdict::kWrongAnswer)) return kWrong;
  if (rank == Rank(Verdict::kFinding)) return kFinding;
  if (rank != kRankOfPass) return 0.0;
  if (!std::isfinite(us) || !std::isfinite(reference_us) || us <= 0 || reference_us <= 0) return 1.0;
  return 1 + kForTime * std::clamp(std::log2(reference_us / us), -1.0, 1.0);
}

}  // namespace akgen::record
