#include "record/launch_time.h"

namespace akgen::record {
using base::Json;

namespace {
PipeTime PipeFromJson(const Json& j) {
  return {j.value("busy_us", 0.0),     j.value("flag_wait_us", 0.0),
          j.value("conflict_us", 0.0), j.value("instructions", uint64_t{0}),
          j.value("bytes", 0.0),       j.value("bursts", 0.0)};
}

std::vector<TimeSite> SitesFromJson(const Json& modelled) {
  std::vector<TimeSite> out;
  const auto sites = modelled.find("sites");
  if (sites == modelled.end()) return out;
  for (const Json& s : *sites)
    out.push_back(s.is_object() ? TimeSite{s.value("file", ""), s.value("line", 0)} : TimeSite());
  return out;
}
}  // namespace

std::optional<LaunchTime> LaunchTimeFromJson(const Json& m) {
  if (!HasTime(m)) return std::nullopt;
  LaunchTime t;
  t.us = m.value("us", 0.0), t.core_us = m.value("core_us", 0.0), t.longest_core_us = m.value("longest_core_us", 0.0);
  t.start_us = m.value("start_us", 0.0), t.ub_used = m.value("ub_used", 0.0);
  t.cores = m.value("cores", 0), t.blocks = m.value("blocks", 0);
  t.cube_cores = m.value("cube_cores", 0);
  t.regime = m.value("regime", ""), t.bottleneck = m.value("bottleneck", "");
  const Json pipes = m.value("pipes", Json::object());
  for (const auto& [name, pipe] : pipes.items()) t.pipes[name] = PipeFromJson(pipe);
  t.sites = SitesFromJson(m);
  t.tried = m.contains("what_if");
  for (const Json& w : m.value("what_if", Json::array()))
    t.changes.push_back({w.value("change", ""), w.value("amount", 0), w.value("us", 0.0), w.value("site", size_t{0})});
  if (m.contains("scaled")) {
    const Json& s = m["scaled"];
    t.scaled = ScaledTime{s.value("factor", 0.0), s.value("us", 0.0), s.value("bound_us", 0.0)};
  }
  return t;
}

std::vector<TimeSpan> SpansFromJson(const Json& m) {
  std::vector<TimeSpan> out;
  const auto spans = m.is_object() ? m.find("spans") : m.end();
  if (!m.is_object() || spans == m.end()) return out;
  const auto sites = SitesFromJson(m);
  for (const Json& s : *spans) {
    const size_t site = s.at(3);
    out.push_back({s.at(0), s.at(1), s.at(2), site < sites.size() ? sites[site] : TimeSite(), s.at(4), s.at(5)});
  }
  return out;
}

std::string NoTime::Why() const {
  if (!unmodelled.empty()) return unmodelled;
  return scalar_unpriced ? "akgen-builder was built without LLVM and does not count scalar work"
                         : "the launch issues more than a trace holds; a smaller shape with --scale is the way then";
}

Json ToJson(const NoTime& none) {
  if (!none.unmodelled.empty()) return {{"unmodelled", none.unmodelled}};
  return {{none.scalar_unpriced ? "scalar_unpriced" : "trace_cut", true}};
}

std::optional<NoTime> NoTimeFromJson(const Json& modelled) {
  if (!modelled.is_object() || HasTime(modelled)) return std::nullopt;
  return NoTime{modelled.contains("scalar_unpriced"), modelled.value("unmodelled", "")};
}

}  // namespace akgen::record
