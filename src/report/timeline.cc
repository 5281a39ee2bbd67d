#include "report/timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "report/page.h"

namespace akgen::report {
using base::Json;
using record::Timeline;
using record::TimeSpan;

namespace {
// In order of a tile's way through the pipes.
constexpr std::array<std::string_view, 7> kOrder = {"S", "MTE2", "MTE1", "M", "FIX", "V", "MTE3"};

int PlaceOf(const std::string& pipe) {
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), pipe) - kOrder.begin());
}

using Track = std::pair<uint32_t, int>;  // core, place of the pipe
std::map<Track, std::vector<const TimeSpan*>> TracksOf(const Timeline& t) {
  std::map<Track, std::vector<const TimeSpan*>> rows;
  for (const TimeSpan& s : t.spans)
    if (!s.wait) rows[{s.core, PlaceOf(t.pipes[s.pipe])}].push_back(&s);
  for (auto& [row, spans] : rows)
    std::stable_sort(spans.begin(), spans.end(),
                     [](auto* a, auto* b) { return a->begin < b->begin; });
  return rows;
}

std::string PlaceText(const Timeline& t, const TimeSpan& s) {
  if (s.site >= t.sites.size() || t.sites[s.site].line <= 0) return "";
  const record::TimeSite& site = t.sites[s.site];
  return fmt::format("{}:{}", site.file.substr(site.file.find_last_of('/') + 1), site.line);
}
}  // namespace

Json ChromeTrace(const Timeline& t) {
  Json events = Json::array();
  auto name = [&](const char* what, const Track& row, const std::string& text) {
    events.push_back({{"ph", "M"},
                      {"name", what},
                      {"pid", row.first},
                      {"tid", row.second},
                      {"args", {{"name", text}}}});
  };
  for (const auto& [row, spans] : TracksOf(t)) {
    const std::string& pipe = t.pipes[spans[0]->pipe];
    name("process_name", row,
         fmt::format("{} core {}", t.OnCube(row.first) ? "cube" : "vector", row.first));
    name("thread_name", row, "PIPE_" + pipe);
    for (const TimeSpan* s : spans)
      events.push_back({{"ph", "X"},
                        {"name", t.names[s->what]},
                        {"cat", "PIPE_" + pipe},
                        {"pid", row.first},
                        {"tid", row.second},
                        {"ts", s->begin},
                        {"dur", s->end - s->begin},
                        {"args", {{"line", PlaceText(t, *s)}}}});
  }
  return {
      {"traceEvents", events}, {"displayTimeUnit", "ns"}, {"otherData", {{"time", "modelled"}}}};
}

std::string TimelineSvg(const Timeline& t, size_t most) {
  constexpr double kLabels = 60, kDrawn = 1140;
  constexpr int kRow = 20;
  std::vector<const TimeSpan*> shown;
  for (const TimeSpan& s : t.spans)
    if (!s.wait && s.core == t.spans[0].core && shown.size() < most) shown.push_back(&s);
  double end = 1e-9;
  for (const TimeSpan* s : shown) end = std::max(end, s->end);
  std::map<int, std::string> rows;
  for (const TimeSpan* s : shown) rows[PlaceOf(t.pipes[s->pipe])] = t.pipes[s->pipe];
  std::map<int, int> y;
  std::string out;
  for (const auto& [place, pipe] : rows) {
    const int top = y[place] = 4 + static_cast<int>(y.size()) * kRow;
    out += fmt::format(
        "<line class=\"line\" x1=\"0\" x2=\"{0}\" y1=\"{1}\" y2=\"{1}\"/><text x=\"4\" "
        "y=\"{2}\">{3}</text>",
        kLabels + kDrawn, top + kRow - 2, top + 13, pipe);
  }
  for (const TimeSpan* s : shown)
    out += fmt::format(
        "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"><title>{} {:.3f} "
        "to {:.3f} us "
        "{}</title></rect>",
        t.pipes[s->pipe], kLabels + s->begin / end * kDrawn, y[PlaceOf(t.pipes[s->pipe])],
        std::max(0.4, (s->end - s->begin) / end * kDrawn), kRow - 5, Escaped(t.names[s->what]),
        s->begin, s->end, Escaped(PlaceText(t, *s)));
  const int height = static_cast<int>(rows.size()) * kRow + 26;
  return fmt::format(
             "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"timeline of one core\">",
             kLabels + kDrawn, height) +
         out +
         fmt::format(
             "<text x=\"{}\" y=\"{}\">0</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.2f} "
             "us</text></svg>",
             kLabels, height - 6, kLabels + kDrawn, height - 6, end);
}

std::string TimelineText(const Timeline& t, size_t width, uint32_t cores) {
  const double end = std::max(1e-9, t.EndUs()), step = end / double(width);
  std::string out;
  for (const auto& [row, spans] : TracksOf(t)) {
    if (row.first >= cores) continue;
    std::vector<double> share(width, 0.0);
    for (const TimeSpan* s : spans)
      for (size_t i = size_t(s->begin / step); i < width && double(i) * step < s->end; ++i)
        share[i] +=
            (std::min(s->end, double(i + 1) * step) - std::max(s->begin, double(i) * step)) / step;
    std::string line;
    for (double s : share)
      line += " .:-=+*#"[std::min<size_t>(7, size_t(std::lround(std::max(0.0, s) * 7)))];
    out += fmt::format("  core {:<3} {:<5} |{}|\n", row.first, t.pipes[spans[0]->pipe], line);
  }
  return out + fmt::format("  modelled, 0 to {:.2f} us; launch left out\n", end);
}

}  // namespace akgen::report
