#include "report/timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/plain_page.h"

namespace akgen::report {
using base::Json;

namespace {
constexpr const char* kPipes[] = {"PIPE_S", "PIPE_MTE2", "PIPE_MTE1", "PIPE_M", "PIPE_FIX", "PIPE_V", "PIPE_MTE3"};
constexpr int kFirstOfCube = 2, kLastOfCube = 4;  // pipes that Cube cores alone have

struct Bar {
  int core = 0;
  std::string pipe, what, place;
  double begin = 0, end = 0;
};

std::vector<Bar> BarsOf(const std::vector<record::TimeSpan>& spans) {
  std::vector<Bar> out;
  for (const record::TimeSpan& s : spans) {
    Bar b{s.core, s.pipe, s.what, "", s.begin, s.end};
    if (s.site.line > 0)
      b.place = s.site.file.substr(s.site.file.find_last_of('/') + 1) + ":" + std::to_string(s.site.line);
    out.push_back(std::move(b));
  }
  std::stable_sort(out.begin(), out.end(), [](const Bar& a, const Bar& b) { return a.begin < b.begin; });
  return out;
}

// Rows in order of core, and of a tile's way through the pipes.
std::map<std::pair<int, int>, std::vector<const Bar*>> RowsOf(const std::vector<Bar>& bars) {
  std::map<std::pair<int, int>, std::vector<const Bar*>> rows;
  for (const Bar& b : bars) {
    int pipe = int(std::find(std::begin(kPipes), std::end(kPipes), b.pipe) - std::begin(kPipes));
    rows[{b.core, pipe}].push_back(&b);
  }
  return rows;
}

constexpr const char* kHead = R"(<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{0}</title><style>
body{{font:14px system-ui,sans-serif;margin:24px;color:#1c2733;background:#fff}}h1{{font-size:18px;margin:0 0 4px}}p{{margin:0 0 12px;color:#44525f}}
#view{{overflow-x:auto;border:1px solid #cfd8e0}}svg{{display:block}}text{{font:11px system-ui,sans-serif;fill:#1c2733}}
.S{{fill:#7a8794}}.MTE2{{fill:#2f6fb7}}.V{{fill:#c4572b}}.MTE1{{fill:#6a51a3}}.M{{fill:#c4572b}}.FIX{{fill:#8f7a2f}}.MTE3{{fill:#2f8f5b}}.line{{stroke:#e3e8ed}}rect:hover{{stroke:#000}}
button{{font:inherit;margin:0 4px 8px 0}}</style></head><body><h1>{0}</h1><p>{1}</p>
<button id="in">zoom in</button><button id="out">zoom out</button> <span id="said"></span><div id="view">)";
constexpr const char* kFoot = R"(</div><script>
const svg=document.querySelector('svg'),said=document.getElementById('said'),full=svg.viewBox.baseVal.width;let k=1;
const zoom=f=>{k=Math.max(1,Math.min(256,k*f));svg.setAttribute('width',full*k);svg.setAttribute('preserveAspectRatio','none')};
document.getElementById('in').onclick=()=>zoom(2);document.getElementById('out').onclick=()=>zoom(.5);
svg.addEventListener('mouseover',e=>{const t=e.target.querySelector&&e.target.querySelector('title');if(t)said.textContent=t.textContent});
</script></body></html>
)";
}  // namespace

Json ChromeTrace(const std::vector<record::TimeSpan>& spans) {
  Json events = Json::array();
  const auto bars = BarsOf(spans);
  const auto rows = RowsOf(bars);
  for (const auto& [row, list] : rows) {
    const auto own = rows.lower_bound({row.first, kFirstOfCube});
    const bool cube = own != rows.end() && own->first <= std::pair{row.first, kLastOfCube};
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"pid", row.first},
                      {"args", {{"name", fmt::format("{} core {}", cube ? "cube" : "vector", row.first)}}}});
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", row.first},
                      {"tid", row.second},
                      {"args", {{"name", list[0]->pipe}}}});
    for (const Bar* b : list)
      events.push_back({{"ph", "X"},
                        {"name", b->what},
                        {"cat", b->pipe},
                        {"pid", row.first},
                        {"tid", row.second},
                        {"ts", b->begin},
                        {"dur", b->end - b->begin},
                        {"args", {{"line", b->place}}}});
  }
  return {{"traceEvents", events}, {"displayTimeUnit", "ns"}, {"otherData", {{"time", "modelled"}}}};
}

namespace {
constexpr double kLabels = 110, kDrawn = 1100;
constexpr int kRow = 18;

double EndOf(const std::vector<Bar>& bars) {
  double end = 1e-9;
  for (const Bar& b : bars) end = std::max(end, b.end);
  return end;
}

// From the time `begin` on.
std::string SvgOf(const std::vector<Bar>& bars, double begin) {
  const double end = EndOf(bars), scale = kDrawn / std::max(1e-9, end - begin);
  const auto rows = RowsOf(bars);
  const int height = int(rows.size()) * kRow + 24;
  std::string out =
      fmt::format("<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"timeline\">",
                  kLabels + kDrawn + 10, height);
  int y = 4;
  for (const auto& [row, list] : rows) {
    out += fmt::format(
        "<line class=\"line\" x1=\"0\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/><text x=\"4\" y=\"{}\">core {} {}</text>",
        kLabels + kDrawn, y + kRow - 2, y + kRow - 2, y + 12, row.first, list[0]->pipe);
    std::string name = list[0]->pipe.substr(5);
    for (const Bar* b : list)
      out += fmt::format(
          "<rect class=\"{}\" x=\"{:.3f}\" y=\"{}\" width=\"{:.3f}\" height=\"{}\" data-core=\"{}\" data-pipe=\"{}\" "
          "data-begin=\"{:.4f}\" "
          "data-end=\"{:.4f}\"><title>{} {} to {} us {}</title></rect>",
          name, kLabels + (b->begin - begin) * scale, y, std::max(0.2, (b->end - b->begin) * scale), kRow - 4,
          row.first, b->pipe, b->begin, b->end, Escaped(b->what), fmt::format("{:.3f}", b->begin),
          fmt::format("{:.3f}", b->end), Escaped(b->place));
    y += kRow;
  }
  return out + fmt::format("<text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\">{:.2f} us</text></svg>", kLabels,
                           y + 14, begin > 0 ? fmt::format("{:.2f} us", begin) : "0", kLabels + kDrawn - 60, y + 14,
                           end);
}
}  // namespace

std::string TimelineSvg(const std::vector<record::TimeSpan>& spans, size_t most) {
  auto bars = BarsOf(spans);
  if (bars.size() > most) bars.resize(most);
  return SvgOf(bars, bars.empty() ? 0 : bars.front().begin);
}

std::string TimelineHtml(const std::vector<record::TimeSpan>& spans, double us, const std::string& title, size_t most) {
  auto bars = BarsOf(spans);
  size_t all = bars.size();
  if (bars.size() > most) bars.resize(most);
  std::string note = fmt::format("Modelled time: {:.2f} us in all; {} spans of {} rows, {:.2f} us shown.", us,
                                 bars.size(), RowsOf(bars).size(), EndOf(bars));
  if (all > bars.size()) note += fmt::format(" The first {} of {} spans.", bars.size(), all);
  return fmt::format(fmt::runtime(kHead), Escaped(title), note) + SvgOf(bars, 0) + kFoot;
}

std::string TimelineText(const std::vector<record::TimeSpan>& spans, size_t width) {
  const auto bars = BarsOf(spans);
  double end = 1e-9;
  for (const Bar& b : bars) end = std::max(end, b.end);
  std::string out;
  const auto rows = RowsOf(bars);
  for (const auto& [row, list] : rows) {
    std::vector<double> share(width, 0.0);
    double step = end / double(width);
    for (const Bar* b : list)
      for (size_t i = size_t(b->begin / step); i < width && double(i) * step < b->end; ++i)
        share[i] += (std::min(b->end, double(i + 1) * step) - std::max(b->begin, double(i) * step)) / step;
    std::string line;
    for (double s : share) line += " .:-=+*#"[std::min<size_t>(7, size_t(std::lround(std::max(0.0, s) * 7)))];
    out += fmt::format("core {:<3} {:<9} |{}|\n", row.first, list[0]->pipe, line);
  }
  return out + fmt::format("modelled, 0 to {:.2f} us\n", end);
}

}  // namespace akgen::report
