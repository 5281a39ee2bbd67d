#include "judge/timing.h"

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

Json NameModelled(Executor& executor, const std::string& so, const sim::RunReply& reply) {
  if (reply.trace_cut || !reply.unmodelled.empty())
    return record::ToJson(record::NoTime{false, reply.trace_cut ? "" : reply.unmodelled});
  Json modelled = reply.modelled;
  if (modelled.is_object() && !executor.CountsWork())
    return record::ToJson(record::NoTime{true, ""});
  NoteRange(modelled);
  if (const auto time = record::LaunchTimeFromJson(modelled); time && !time->tried)
    modelled["what_if"] = Json::array();  // nothing would help
  const auto sites = record::SiteAddressesFromJson(modelled);
  if (!sites) return modelled;
  std::vector<uint64_t> pcs;
  for (const auto& site : *sites) pcs.insert(pcs.end(), site.begin(), site.end());
  std::vector<toolchain::SourceLine> lines;
  if (auto named = executor.Symbolise(so, pcs); named.ok()) lines = std::move(*named);
  size_t at = 0;
  std::vector<record::TimeSite> named;
  for (const auto& site : *sites) {
    record::TimeSite place;
    for (size_t i = 0; i < site.size(); ++i, ++at) {
      bool own = at < lines.size() && !lines[at].file.empty() &&
                 lines[at].file.find("include/ascendc/") == std::string::npos;
      if (own && place.line == 0) place = {lines[at].file, lines[at].line};
    }
    named.push_back(std::move(place));
  }
  modelled["sites"] = record::ToJson(named);
  return modelled;
}

std::string WhyNoTime(const Json& modelled) {
  const auto none = record::NoTimeFromJson(modelled);
  return none ? none->Why() : "";
}

}  // namespace akgen::judge
