#include "record/launch_time.h"

#include <cstdlib>

namespace akgen::record {
using base::Json;

namespace {
PipeTime PipeFromJson(const Json& j) {
  PipeTime p;
  p.busy_us = j.value("busy_us", 0.0), p.flag_wait_us = j.value("flag_wait_us", 0.0);
  p.conflict_us = j.value("conflict_us", 0.0), p.shared_us = j.value("shared_us", 0.0);
  p.waits = j.value("waits", std::map<std::string, double>());
  p.instructions = j.value("instructions", uint64_t{0});
  p.bytes = j.value("bytes", 0.0), p.bursts = j.value("bursts", 0.0);
  return p;
}

// What the chip did, and what the task allows.
void TakeWork(const Json& m, LaunchTime& t) {
  t.hbm_bytes = m.value("hbm_bytes", 0.0), t.l2_bytes = m.value("l2_bytes", 0.0);
  t.elements_16 = m.value("elements_16", 0.0), t.elements_32 = m.value("elements_32", 0.0);
  for (const auto& [bits, n] : m.value("macs", std::map<std::string, double>()))
    t.macs[std::atoi(bits.c_str())] = n;
  t.task_bound_us = m.value("bound_us", 0.0);
  t.eager_us = m.value("baseline_us", 0.0), t.eager_kernels = m.value("eager_kernels", 0);
  const auto eager = m.value("baseline_range_us", std::vector<double>());
  const auto own = m.value("range_us", std::vector<double>());
  if (eager.size() == 2) t.eager_low = eager[0], t.eager_high = eager[1];
  if (own.size() == 2) t.low = own[0], t.high = own[1];
}
}  // namespace

std::vector<TimeSite> SitesFromJson(const Json& modelled) {
  std::vector<TimeSite> out;
  const auto sites = modelled.find("sites");
  if (sites == modelled.end()) return out;
  for (const Json& s : *sites)
    out.push_back(s.is_object() ? TimeSite{s.value("file", ""), s.value("line", 0)} : TimeSite());
  return out;
}

Json ToJson(const std::vector<TimeSite>& sites) {
  Json out = Json::array();
  for (const TimeSite& s : sites) out.push_back({{"file", s.file}, {"line", s.line}});
  return out;
}

std::optional<std::vector<std::vector<uint64_t>>> SiteAddressesFromJson(const Json& modelled) {
  if (!modelled.is_object() || !modelled.contains("sites")) return std::nullopt;
  return modelled["sites"].get<std::vector<std::vector<uint64_t>>>();
}

std::optional<LaunchTime> LaunchTimeFromJson(const Json& m) {
  if (!HasTime(m)) return std::nullopt;
  LaunchTime t;
  t.us = m.value("us", 0.0), t.core_us = m.value("core_us", 0.0),
  t.longest_core_us = m.value("longest_core_us", 0.0);
  t.start_us = m.value("start_us", 0.0), t.ub_used = m.value("ub_used", 0.0);
  t.cores = m.value("cores", 0), t.blocks = m.value("blocks", 0);
  t.cube_cores = m.value("cube_cores", 0);
  t.regime = m.value("regime", ""), t.bottleneck = m.value("bottleneck", "");
  const Json pipes = m.value("pipes", Json::object());
  for (const auto& [name, pipe] : pipes.items()) t.pipes[name] = PipeFromJson(pipe);
  TakeWork(m, t);
  t.sites = SitesFromJson(m);
  t.tried = m.contains("what_if");
  for (const Json& w : m.value("what_if", Json::array()))
    t.changes.push_back({w.value("change", ""), w.value("amount", 0), w.value("us", 0.0),
                         w.value("site", size_t{0})});
  if (m.contains("scaled")) {
    const Json& s = m["scaled"];
    t.scaled = ScaledTime{s.value("factor", 0.0), s.value("us", 0.0), s.value("bound_us", 0.0)};
  }
  return t;
}

std::string NoTime::Why() const {
  if (!unmodelled.empty()) return unmodelled;
  return scalar_unpriced ? "akgen-builder was built without LLVM and does not count scalar work"
                         : "the launch issues more than a trace holds; a smaller shape with "
                           "--scale is the way then";
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
