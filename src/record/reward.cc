#include "record/reward.h"

#include <algorithm>

namespace akgen::record {
namespace {
constexpr double kPass = 1, kForTime = 0.25, kRightValues = 0.3, kWrongValues = 0.1,
                 kFailedRun = 0.05;
}  // namespace

Merit MeritOf(const std::vector<CaseRecord>& cases) {
  Merit out;
  Modelled own;
  double bound_us = 0;
  size_t judged = 0, right = 0, asked = 0, timed = 0;
  for (const CaseRecord& c : cases) {
    if (!c.verdict) continue;
    ++judged, right += c.numbers_pass, asked += !c.modelled.is_null();
    const auto time = c.Time();
    if (!time || !time->own.known() || !(time->bound_us > 0)) continue;
    ++timed, own = own + time->own, bound_us += time->bound_us;
  }
  out.right_values = judged > 0 && right == judged;
  if (timed > 0 && timed == asked)
    out.bound_share = std::clamp(SpeedBeyond(own, {bound_us, bound_us, bound_us}), 0.0, 1.0);
  return out;
}

std::optional<double> RewardOf(const Outcome& outcome, const Merit& merit) {
  if (!Counts(outcome)) return std::nullopt;
  if (Rank(outcome.name) == kRankOfPass)
    return kPass + kForTime * std::clamp(merit.bound_share, 0.0, 1.0);
  const auto verdict = VerdictFromName(outcome.name);
  if (verdict == Verdict::kFinding) return merit.right_values ? kRightValues : kWrongValues;
  if (verdict == Verdict::kWrongAnswer) return kWrongValues;
  if (verdict == Verdict::kRuntimeError || verdict == Verdict::kTimeout) return kFailedRun;
  return 0.0;
}

}  // namespace akgen::record
