#include "judge/time/launch_profile.h"

#include <algorithm>
#include <cmath>

#include "judge/time/timing.h"

namespace akgen::judge {
using base::Json;

base::Result<LaunchProfile> LaunchProfileOf(const record::LaunchTime& time,
                                            const record::Timeline& timeline,
                                            const chip::Chip& chip) {
  const auto timing = TimingOf(chip);
  if (!timing.ok()) return timing.error();
  LaunchProfile p;
  p.chip = chip.name;
  p.limits = ProfileOf(time, chip);
  p.roofline = RooflineOf(time, *timing, chip);
  p.bound_of_task = time.task_bound_us > 0;
  p.bound_us = p.bound_of_task ? time.task_bound_us : p.roofline.bound_us;
  p.timeline_cores = timeline.cores;
  p.path = CriticalPathOf(timeline);
  if (!p.path.empty()) p.path_core = timeline.spans[p.path.back()].core;
  p.shares = SharesOf(timeline, p.path);
  for (LineTime& line : LinesOf(timeline, p.path)) p.lines.push_back({std::move(line), ""});
  return p;
}

namespace {
Json ToJson(const Roofline& r) {
  Json out{{"memories", Json::array()},
           {"units", Json::array()},
           {"bound_us", r.bound_us},
           {"bound_by", r.bound_by}};
  for (const auto& m : r.memories)
    out["memories"].push_back({{"name", m.name}, {"bytes", m.bytes}, {"bytes_per_us", m.rate}});
  for (const auto& u : r.units)
    out["units"].push_back(
        {{"name", u.name}, {"operations", u.operations}, {"operations_per_us", u.rate}});
  return out;
}

Json ToJson(const LaunchProfile::Line& l) {
  return {{"file", l.file},
          {"line", l.line},
          {"text", l.text},
          {"path_us", l.path_us},
          {"busy", l.busy},
          {"wait_us", l.wait_us},
          {"instructions", l.instructions}};
}

LaunchProfile::Line LineFromJson(const Json& j) {
  LaunchProfile::Line l;
  j.at("file").get_to(l.file), j.at("line").get_to(l.line), j.at("text").get_to(l.text);
  j.at("path_us").get_to(l.path_us), j.at("busy").get_to(l.busy), j.at("wait_us").get_to(l.wait_us);
  j.at("instructions").get_to(l.instructions);
  return l;
}
}  // namespace

Json ToJson(const LaunchProfile& p) {
  Json out = ToJson(p.limits);
  out["roofline"] = ToJson(p.roofline);
  out["bound_us"] = p.bound_us, out["bound_of"] = p.bound_of_task ? "task" : "launch";
  Json shares = Json::array(), lines = Json::array();
  for (const PathShare& s : p.shares) shares.push_back({{"what", s.what}, {"us", s.us}});
  for (const auto& l : p.lines) lines.push_back(ToJson(l));
  out["critical_path"] = {{"core", p.path_core}, {"shares", std::move(shares)}};
  out["lines"] = std::move(lines);
  return out;
}

base::Result<EarlierProfile> EarlierProfileFromJson(const Json& record, const std::string& file) {
  const base::Error unreadable{"AK0014", "no profile in " + file, file,
                               "give a file that akgen profile --json wrote"};
  try {
    EarlierProfile out;
    const auto time = record::LaunchTimeFromJson(record);
    if (!time) return unreadable;
    out.time = *time;
    record.at("subject").get_to(out.subject), record.at("chip").get_to(out.chip);
    for (const Json& l : record.at("profile").at("lines")) out.lines.push_back(LineFromJson(l));
    return out;
  } catch (const Json::exception&) {
    return unreadable;
  }
}

std::vector<LineChange> LineChanges(const EarlierProfile& before, const LaunchProfile& now) {
  std::vector<LineChange> out;
  for (const auto& l : now.lines) out.push_back({l.file, l.text, l.line, 0, 0, l.path_us});
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.line < b.line; });
  auto earlier = before.lines;
  std::stable_sort(earlier.begin(), earlier.end(),
                   [](auto& a, auto& b) { return a.line < b.line; });
  for (const auto& l : earlier) {
    auto partner = std::find_if(out.begin(), out.end(), [&](const LineChange& c) {
      return c.line_before == 0 && c.line != 0 &&
             (l.text.empty() ? c.line == l.line : c.text == l.text);
    });
    if (partner == out.end())
      out.push_back({l.file, l.text, 0, l.line, l.path_us, 0});
    else
      partner->line_before = l.line, partner->before_us = l.path_us;
  }
  std::stable_sort(out.begin(), out.end(), [](const LineChange& a, const LineChange& b) {
    return std::fabs(a.us - a.before_us) > std::fabs(b.us - b.before_us);
  });
  return out;
}

}  // namespace akgen::judge
