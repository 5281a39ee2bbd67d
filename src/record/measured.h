// Time on a real device, the rule by which it was taken, and the device.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace akgen::record {

// Both are times of the device: what the host does between launches is no part of them.
enum class TimeSource : uint8_t {
  kEvents,   // events on the stream, before and after each launch
  kProfiler  // the vendor's profiler, for each launch
};
std::string_view NameOf(TimeSource source);  // "events", "profiler"
std::optional<TimeSource> TimeSourceFromName(std::string_view name);

struct TimingRule {
  TimeSource source = TimeSource::kEvents;
  int warm_up = 10, discarded = 1, repeats = 100;  // launches, in this order
  uint64_t flush_bytes =
      0;  // of device memory overwritten before each launch, so that L2 holds nothing of use
  bool fresh_inputs =
      false;  // inputs are copied to the device before each launch; outputs always are reset
};

// One launch as it was measured.
struct LaunchSample {
  double us = 0;
  double clock_mhz = 0, rated_mhz = 0;  // 0: not known
};

struct MeasuredTime {
  TimingRule rule;
  double us = 0, p10 = 0,
         p90 = 0;  // of the launches that count; us is the median. 0: no time, and `note` says why
  int launches = 0;    // that count
  int slow_clock = 0;  // launches left out because the device ran below its rated frequency
  int outliers = 0;    // of those that count, further from the median than five median deviations
  double clock_mhz = 0, rated_mhz = 0;  // the lowest of all launches, and the rated one
  std::map<std::string, double> pipes;  // microseconds by pipe, where the profiler gives them
  std::optional<bool> same_outputs;     // whether the first and the last launch gave the same bytes
  std::string note;
  bool known() const { return us > 0; }
};
// By the rule: launches below the rated frequency are left out, outliers are counted. No launch
// left: no time.
MeasuredTime MeasuredOf(const std::vector<LaunchSample>& launches, const TimingRule& rule);

base::Json ToJson(const MeasuredTime& time);
MeasuredTime MeasuredFromJson(const base::Json& json);  // throws base::Json::exception
inline void to_json(base::Json& j, const MeasuredTime& t) { j = ToJson(t); }
inline void from_json(const base::Json& j, MeasuredTime& t) { t = MeasuredFromJson(j); }

// The device that ran a kernel, as its runtime and the installed packages name it.
struct DeviceFacts {
  int id = 0;
  std::string soc, toolkit, driver;  // "Ascend910B2"; versions, "" where unknown
};
base::Json ToJson(const DeviceFacts& facts);
DeviceFacts DeviceFactsFromJson(const base::Json& json);  // throws base::Json::exception
inline void to_json(base::Json& j, const DeviceFacts& f) { j = ToJson(f); }
inline void from_json(const base::Json& j, DeviceFacts& f) { f = DeviceFactsFromJson(j); }

}  // namespace akgen::record
