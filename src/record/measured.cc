#include "record/measured.h"

#include <algorithm>
#include <cmath>

#include "record/take.h"

namespace akgen::record {
using base::Json;

std::string_view NameOf(TimeSource source) {
  return source == TimeSource::kEvents ? "events" : "profiler";
}

std::optional<TimeSource> TimeSourceFromName(std::string_view name) {
  for (TimeSource s : {TimeSource::kEvents, TimeSource::kProfiler})
    if (name == NameOf(s)) return s;
  return std::nullopt;
}

namespace {
constexpr double kOutlier = 5;  // median deviations

// Of sorted numbers, the one below which this share lies.
double ShareOf(const std::vector<double>& sorted, double share) {
  const double at = share * double(sorted.size() - 1);
  const size_t low = size_t(at), high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - double(low));
}
}  // namespace

MeasuredTime MeasuredOf(const std::vector<LaunchSample>& launches, const TimingRule& rule) {
  MeasuredTime out;
  out.rule = rule;
  std::vector<double> us;
  for (const LaunchSample& launch : launches) {
    const bool known = launch.clock_mhz > 0 && launch.rated_mhz > 0;
    if (known && (out.clock_mhz == 0 || launch.clock_mhz < out.clock_mhz))
      out.clock_mhz = launch.clock_mhz;
    if (known) out.rated_mhz = std::max(out.rated_mhz, launch.rated_mhz);
    if (known && launch.clock_mhz < launch.rated_mhz)
      ++out.slow_clock;
    else if (launch.us > 0)
      us.push_back(launch.us);
  }
  if (us.empty()) {
    out.note = launches.empty() ? "no launch was measured"
               : out.slow_clock ? "the device ran below its rated frequency in every launch"
                                : "no launch has a time";
    return out;
  }
  std::sort(us.begin(), us.end());
  out.launches = int(us.size());
  out.us = ShareOf(us, 0.5), out.p10 = ShareOf(us, 0.1), out.p90 = ShareOf(us, 0.9);
  std::vector<double> off;
  for (double u : us) off.push_back(std::fabs(u - out.us));
  std::sort(off.begin(), off.end());
  const double most = kOutlier * std::max(ShareOf(off, 0.5), out.us * 1e-3);
  out.outliers = int(std::count_if(off.begin(), off.end(), [&](double o) { return o > most; }));
  return out;
}

Json ToJson(const MeasuredTime& t) {
  Json j{{"rule",
          {{"source", NameOf(t.rule.source)},
           {"warm_up", t.rule.warm_up},
           {"discarded", t.rule.discarded},
           {"repeats", t.rule.repeats},
           {"flush_bytes", t.rule.flush_bytes},
           {"fresh_inputs", t.rule.fresh_inputs},
           {"host_gaps", false}}},
         {"launches", t.launches},
         {"slow_clock", t.slow_clock},
         {"outliers", t.outliers}};
  if (t.known()) j.update({{"us", t.us}, {"p10", t.p10}, {"p90", t.p90}});
  if (t.rated_mhz > 0) j.update({{"clock_mhz", t.clock_mhz}, {"rated_mhz", t.rated_mhz}});
  if (!t.pipes.empty()) j["pipes"] = t.pipes;
  if (t.same_outputs) j["same_outputs"] = *t.same_outputs;
  if (!t.note.empty()) j["note"] = t.note;
  return j;
}

MeasuredTime MeasuredFromJson(const Json& j) {
  if (!j.is_object()) base::ThrowJsonShape("a measured time is an object");
  MeasuredTime t;
  const Json& rule = j.at("rule");
  const auto source = TimeSourceFromName(rule.at("source").get_ref<const std::string&>());
  if (!source) base::ThrowJsonShape("an unknown source of times");
  t.rule.source = *source;
  Take(rule, "warm_up", t.rule.warm_up), Take(rule, "discarded", t.rule.discarded);
  Take(rule, "repeats", t.rule.repeats), Take(rule, "flush_bytes", t.rule.flush_bytes);
  Take(rule, "fresh_inputs", t.rule.fresh_inputs);
  Take(j, "us", t.us), Take(j, "p10", t.p10), Take(j, "p90", t.p90);
  Take(j, "launches", t.launches), Take(j, "slow_clock", t.slow_clock),
      Take(j, "outliers", t.outliers);
  Take(j, "clock_mhz", t.clock_mhz), Take(j, "rated_mhz", t.rated_mhz);
  Take(j, "pipes", t.pipes), Take(j, "note", t.note);
  if (const auto same = j.find("same_outputs"); same != j.end()) t.same_outputs = same->get<bool>();
  return t;
}

Json ToJson(const DeviceFacts& f) {
  return {{"id", f.id}, {"soc", f.soc}, {"toolkit", f.toolkit}, {"driver", f.driver}};
}

DeviceFacts DeviceFactsFromJson(const Json& j) {
  DeviceFacts f;
  Take(j, "id", f.id), Take(j, "soc", f.soc), Take(j, "toolkit", f.toolkit),
      Take(j, "driver", f.driver);
  return f;
}

}  // namespace akgen::record
