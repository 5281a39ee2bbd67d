#include "bench/config.h"

#include <algorithm>

namespace akgen::bench {
using base::Json;
using base::Result;

namespace {
constexpr int kConfigSchema = 1;

uint64_t Elements(const task::CaseDesc& c) {
  uint64_t n = 0;
  for (const auto* side : {&c.inputs, &c.outputs})
    for (const auto& t : task::Flatten(*side)) n += uint64_t(t.Numel());
  return n;
}

uint64_t ElementLimit(const std::string& profile) {
  if (profile == "sim") return 1u << 21;
  if (profile == "tiny") return 1u << 14;
  return ~0ull;
}
constexpr int64_t kMaxSamples = 1'000'000;  // of a unit: statistics hold a number for each
}  // namespace

Json ToJson(const Config& c) {
  Json j{{"schema", kConfigSchema},
         {"units", c.units},
         {"chip", c.chip},
         {"backend", record::NameOf(c.backend)},
         {"profile", c.profile},
         {"mode", c.mode},
         {"form", c.form},
         {"host_hash", c.host_hash},
         {"precision", c.precision},
         {"inputs", c.inputs},
         {"checks", c.checks},
         {"include_dirs", c.include_dirs},
         {"max_cases", c.max_cases},
         {"samples", c.samples},
         {"hidden", c.hidden},
         {"timeout_s", c.timeout_s},
         {"seed", c.seed},
         {"hidden_seed", c.hidden_seed},
         {"judge_hash", c.judge_hash},
         {"chip_hash", c.chip_hash}};
  // Absent otherwise: runs without keep their ids.
  if (c.time) j["time"] = true;
  // Which device of a machine is free is no part of a run.
  if (c.devices.npu) j["devices"] = {{"sim", c.devices.sim}, {"npu", true}};
  return j;
}

Config ConfigFromJson(const Json& j) {
  Config c;
  c.units = j.value("units", c.units);
  c.chip = j.value("chip", c.chip);
  // Runs that do not say were made before there were guests.
  c.backend =
      record::BackendFromName(j.value("backend", "native")).value_or(record::Backend::kNative);
  c.profile = j.value("profile", c.profile);
  c.mode = j.value("mode", c.mode);
  c.form = j.value("form", c.form);
  c.host_hash = j.value("host_hash", c.host_hash);
  c.precision = j.value("precision", c.precision);
  c.inputs = j.value("inputs", c.inputs);
  c.checks = j.value("checks", c.checks);
  c.include_dirs = j.value("include_dirs", c.include_dirs);
  c.time = j.value("time", c.time);
  if (j.contains("devices")) {
    c.devices.npu = true, c.devices.sim = j["devices"].at("sim");
  }
  c.max_cases = j.value("max_cases", c.max_cases);
  const int64_t samples = j.value("samples", int64_t{c.samples});
  if (samples < 0 || samples > kMaxSamples)
    base::ThrowJsonShape("`samples` is not from 0 to 1,000,000");
  c.samples = static_cast<int>(samples);
  c.hidden = j.value("hidden", c.hidden);
  c.timeout_s = j.value("timeout_s", c.timeout_s);
  c.seed = j.value("seed", c.seed);
  c.hidden_seed = j.value("hidden_seed", c.hidden_seed);
  c.judge_hash = j.value("judge_hash", c.judge_hash);
  c.chip_hash = j.value("chip_hash", c.chip_hash);
  return c;
}

std::string Differences(const Json& a, const Json& b) {
  std::string out;
  for (const auto& [key, value] : a.items())
    if (!b.contains(key) || b[key] != value) out += (out.empty() ? "" : ", ") + key;
  for (const auto& [key, value] : b.items())
    if (!a.contains(key)) out += (out.empty() ? "" : ", ") + key;
  return out;
}

Result<std::vector<task::CaseRow>> ProfileCases(const task::TaskSpec& task, const Config& config,
                                                const std::string& case_id) {
  std::vector<task::CaseRow> out;
  const task::CaseRow* smallest = nullptr;
  uint64_t least = ~0ull, limit = ElementLimit(config.profile);
  for (const task::CaseRow& row : task.cases) {
    if (!case_id.empty() && row.id != case_id) continue;
    auto c = task::ResolveCase(task, row);
    if (!c.ok()) return c.error();
    uint64_t n = Elements(*c);
    if (n < least) least = n, smallest = &row;
    if (n <= limit) out.push_back(row);
  }
  if (out.empty() && smallest) out.push_back(*smallest);
  if (config.max_cases > 0 && out.size() > size_t(config.max_cases))
    out.resize(size_t(config.max_cases));
  return out;
}

}  // namespace akgen::bench
