#include "craft/plan/row_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace akgen::craft {

double RowChoice::Turns(const Segment& s, int row) const {
  constexpr double kCores = 16, kTile = 8192, kShortest = 64;
  double all = 1, others = 1, lane = std::min(static_cast<double>(extent_[s.lane]), kTile);
  for (int a : s.walked) all *= static_cast<double>(extent_[a]);
  for (int a : s.kept)
    if (a != row && a != s.lane) others *= static_cast<double>(extent_[a]);
  double rows = row == kNone ? 1 : static_cast<double>(extent_[row]), most = rows, jobs = others;
  if (row != kNone && s.kept.count(row))
    rows = std::min(rows, std::ceil(rows * others / kCores));
  else if (s.kept.count(s.lane))
    lane = std::min(lane, std::max(kShortest, std::ceil(lane * others / kCores)));
  rows = std::max(1.0, std::min(rows, std::floor(kTile / lane)));
  if (row != kNone && s.kept.count(row)) jobs *= std::ceil(most / rows);
  if (s.kept.count(s.lane)) jobs *= std::ceil(static_cast<double>(extent_[s.lane]) / lane);
  return all / (rows * lane) / std::min(kCores, jobs);
}

bool RowChoice::Long(const Segment& s, int row) const {
  constexpr int64_t kLong = 1024;
  return s.kept.count(row) && !s.kept.count(s.lane) && extent_[s.lane] > kLong;
}

std::vector<int> RowChoice::Axes(const Segment& s) const {
  std::vector<std::pair<double, int>> good;
  if (s.lane == kNone) return {};
  for (size_t i = order_.size(); i-- > 0;)
    if (int a = order_[i];
        s.walked.count(a) && a != s.lane && !Long(s, a) && Turns(s, a) < Turns(s, kNone))
      good.push_back({Turns(s, a), a});
  std::stable_sort(good.begin(), good.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<int> out;
  for (const auto& [turns, a] : good) out.push_back(a);
  return out;
}

}  // namespace akgen::craft
