#include "judge/time/timing.h"

#include "sim/timing/errors.h"

namespace akgen::judge {
using base::Json;

base::Result<sim::TimingParameters> TimingOf(const chip::Chip& chip) {
  if (chip.timing.empty())
    return base::Error{"AK0121", "no timing model stands for the chip " + chip.name,
                       "data/chips/" + chip.name + ".toml",
                       "name a file of data/timing: timing = \"…\""};
  auto p = sim::LoadTiming(chip.timing);
  if (!p.ok()) return p.error();
  p->clock_mhz = chip.clock_mhz;
  if (chip.l2_bytes) p->l2_bytes = double(chip.l2_bytes);
  return p;
}

base::Result<std::optional<sim::RunTiming>> TimingRequest(const chip::Chip& chip,
                                                          const TimeOptions& options) {
  if (!options.on) return std::optional<sim::RunTiming>();
  auto p = TimingOf(chip);
  if (!p.ok()) return p.error();
  return std::optional(sim::RunTiming{std::move(*p), options.span_cores, options.what_if,
                                      options.scale, options.keep_trace});
}

void NoteRange(Json& modelled) {
  const auto errors = sim::LoadErrors();
  const auto time = record::LaunchTimeFromJson(modelled);
  if (!errors.ok() || !time) return;
  const auto known = errors->clock.find(sim::RangeClassOf(time->regime, time->cube_cores));
  if (known != errors->clock.end())
    modelled["range_us"] = {time->us * known->second.low, time->us * known->second.high};
}

std::string WhyNoTime(const Json& modelled) {
  const auto none = record::NoTimeFromJson(modelled);
  return none ? none->Why() : "";
}

}  // namespace akgen::judge
