#include "sim/timing/extrapolate.h"

#include <algorithm>
#include <cmath>

#include "sim/timing/rounds.h"

namespace akgen::sim {
namespace {
constexpr size_t kFewest = 8;
constexpr size_t kMaxRecordsToExtend = size_t{24}
                                       << 20;  // rounds are found in full records, 48 bytes each

// The trace with the first `share` of every block's rounds.
std::optional<Trace> Shortened(const Trace& t, const std::vector<std::vector<TraceRound>>& rounds,
                               double share, double& kept) {
  Plan plan;
  kept = 0;
  for (const auto& mine : rounds) {
    plan.emplace_back();
    size_t n = size_t(std::lround(double(mine.size()) * share));
    for (size_t r = 0; r < n; ++r) plan.back().push_back({{mine[r], 0, 1}});
    kept += double(n);
  }
  return Replan(t, plan);
}
}  // namespace

std::optional<Extrapolated> Extrapolate(const Trace& trace, const TimingParameters& p,
                                        const ReplayOptions& options, double factor) {
  if (!(factor >= 1) || trace.cube() || trace.records() > kMaxRecordsToExtend) return std::nullopt;
  std::vector<std::vector<TraceRound>> rounds;
  for (uint32_t b = 0; b < trace.block_count(); ++b) {
    rounds.push_back(RoundsOf(trace, b));
    if (rounds.back().size() < kFewest) return std::nullopt;
  }
  ReplayOptions plain = options;
  plain.span_cores = 0;
  double us[3], count[3];
  for (int i = 0; i < 3; ++i) {
    const double share = i == 0 ? 0.5 : i == 1 ? 0.75 : 1;
    auto t = Shortened(trace, rounds, share, count[i]);
    if (!t) return std::nullopt;
    // As much less L2 as there is less of the work, so that it fills at the same place.
    TimingParameters part = p;
    part.l2_bytes *= share / factor;
    ModelledTime time = Replay(*t, part, plain);
    if (time.stuck) return std::nullopt;
    us[i] = time.us;
  }
  double early = (us[1] - us[0]) / std::max(1.0, count[1] - count[0]),
         late = (us[2] - us[1]) / std::max(1.0, count[2] - count[1]);
  double more = (factor - 1) * count[2];
  return Extrapolated{us[2] + more * late, more * std::fabs(late - early)};
}

}  // namespace akgen::sim
