#include "judge/time/critical_path.h"

#include <algorithm>
#include <tuple>

namespace akgen::judge {
using record::Timeline;
using record::TimeSpan;

namespace {
constexpr double kEps = 1e-6;  // us

// The spans of one core, by pipe in order of time.
class Walk {
 public:
  Walk(const Timeline& t, uint32_t core) : t_(t), pipes_(t.pipes.size()) {
    for (uint32_t i = 0; i < t.spans.size(); ++i)
      if (t.spans[i].core == core) pipes_[t.spans[i].pipe].push_back(i);
    for (auto& list : pipes_)
      std::stable_sort(list.begin(), list.end(),
                       [&](uint32_t a, uint32_t b) { return t.spans[a].begin < t.spans[b].begin; });
  }

  // What let span `i` begin; -1: nothing that is known.
  int64_t Before(uint32_t i) const {
    const TimeSpan& s = t_.spans[i];
    const int64_t own = Previous(i);
    if (s.wait || s.after == s.pipe || s.after >= Elsewhere())
      return own < 0 ? -1 : Work(uint32_t(own));
    const int64_t other = Ended(s.after, s.begin);
    return other < 0 ? own : Work(uint32_t(other));
  }

 private:
  size_t Elsewhere() const { return t_.pipes.size() - 1; }
  // A wait stands for the work that it was for, unless other cores did that.
  int64_t Work(uint32_t i) const {
    constexpr int kMaxHops = 16;  // pipes that wait for each other in a row
    for (int hop = 0; hop < kMaxHops; ++hop) {
      const TimeSpan& s = t_.spans[i];
      if (!s.wait || s.after >= Elsewhere()) return i;
      const int64_t released = s.after == s.pipe ? Previous(i) : Ended(s.after, s.end);
      if (released < 0 || t_.spans[size_t(released)].end > s.end + kEps) return i;
      i = uint32_t(released);
    }
    return i;
  }
  int64_t Previous(uint32_t i) const {
    const auto& list = pipes_[t_.spans[i].pipe];
    const auto at = std::lower_bound(list.begin(), list.end(), i, [&](uint32_t a, uint32_t b) {
      return std::tie(t_.spans[a].begin, a) < std::tie(t_.spans[b].begin, b);
    });
    return at == list.begin() ? -1 : int64_t(*(at - 1));
  }
  // The last of a pipe's spans that ended by then.
  int64_t Ended(uint8_t pipe, double by) const {
    const auto& list = pipes_[pipe];
    auto at = std::upper_bound(list.begin(), list.end(), by + kEps,
                               [&](double time, uint32_t i) { return time < t_.spans[i].begin; });
    while (at != list.begin()) {
      const uint32_t i = *--at;
      if (t_.spans[i].end <= by + kEps) return i;
    }
    return -1;
  }

  const Timeline& t_;
  std::vector<std::vector<uint32_t>> pipes_;
};
}  // namespace

std::vector<uint32_t> CriticalPathOf(const Timeline& t) {
  std::vector<uint32_t> path;
  int64_t at = -1;
  for (uint32_t i = 0; i < t.spans.size(); ++i)
    if (!t.spans[i].wait && (at < 0 || t.spans[i].end > t.spans[size_t(at)].end)) at = i;
  if (at < 0) return path;
  const Walk walk(t, t.spans[size_t(at)].core);
  while (at >= 0) {
    path.push_back(uint32_t(at));
    const int64_t before = walk.Before(uint32_t(at));
    // Towards the beginning, always: a timeline from elsewhere may say anything.
    if (before >= 0 &&
        std::tie(t.spans[size_t(before)].begin, before) >= std::tie(t.spans[size_t(at)].begin, at))
      break;
    at = before;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<PathShare> SharesOf(const Timeline& t, const std::vector<uint32_t>& path) {
  std::map<std::string, double> by;
  double covered = 0;  // until when
  for (uint32_t i : path) {
    const TimeSpan& s = t.spans[i];
    if (s.begin > covered) by[i == path[0] ? "launch" : "hand-over"] += s.begin - covered;
    const std::string what = s.wait                       ? t.pipes[s.after]
                             : t.names[s.what] == "start" ? "start"
                                                          : t.pipes[s.pipe];
    by[what] += std::max(0.0, s.end - std::max(covered, s.begin));
    covered = std::max(covered, s.end);
  }
  std::vector<PathShare> out;
  for (const auto& [what, us] : by) out.push_back({what, us});
  std::stable_sort(out.begin(), out.end(),
                   [](const PathShare& a, const PathShare& b) { return a.us > b.us; });
  return out;
}

double LineTime::BusyUs() const {
  double sum = 0;
  for (const auto& [pipe, us] : busy) sum += us;
  return sum;
}

std::vector<LineTime> LinesOf(const Timeline& t, const std::vector<uint32_t>& path) {
  std::map<std::pair<std::string, int>, LineTime> lines;
  auto line_of = [&](const TimeSpan& s) -> LineTime* {
    if (s.site >= t.sites.size() || t.sites[s.site].line <= 0) return nullptr;
    return &lines[{t.sites[s.site].file, t.sites[s.site].line}];
  };
  const double cores = std::max(1u, t.cores);
  for (const TimeSpan& s : t.spans) {
    LineTime* line = line_of(s);
    if (!line) continue;
    if (s.wait)
      line->wait_us += (s.end - s.begin) / cores;
    else
      line->busy[t.pipes[s.pipe]] += (s.end - s.begin) / cores, ++line->instructions;
  }
  double covered = 0;
  for (uint32_t i : path) {
    const TimeSpan& s = t.spans[i];
    if (LineTime* line = line_of(s))
      line->path_us += std::max(0.0, s.end - std::max(covered, s.begin));
    covered = std::max(covered, s.end);
  }
  std::vector<LineTime> out;
  for (auto& [place, line] : lines) {
    line.file = place.first, line.line = place.second;
    out.push_back(std::move(line));
  }
  std::stable_sort(out.begin(), out.end(), [](const LineTime& a, const LineTime& b) {
    return std::pair(a.path_us, a.BusyUs()) > std::pair(b.path_us, b.BusyUs());
  });
  return out;
}

}  // namespace akgen::judge
