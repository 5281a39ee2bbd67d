#include "sim/timing/parameters.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/files.h"
#include "sim/ops/ops.h"

namespace akgen::sim {
namespace {
struct Field {
  const char* name;
  double TimingParameters::* at;
};
constexpr Field kFields[] = {{"clock_mhz", &TimingParameters::clock_mhz},
                             {"vector_head", &TimingParameters::vector_head},
                             {"bank_read", &TimingParameters::bank_read},
                             {"bank_write", &TimingParameters::bank_write},
                             {"scalar_issue", &TimingParameters::scalar_issue},
                             {"scalar_ub", &TimingParameters::scalar_ub},
                             {"scalar_gm", &TimingParameters::scalar_gm},
                             {"scalar_plain", &TimingParameters::scalar_plain},
                             {"scalar_slow", &TimingParameters::scalar_slow},
                             {"scalar_word", &TimingParameters::scalar_word},
                             {"scalar_library", &TimingParameters::scalar_library},
                             {"scalar_least", &TimingParameters::scalar_least},
                             {"mte2_rate", &TimingParameters::mte2_rate},
                             {"l2_core_rate", &TimingParameters::l2_core_rate},
                             {"block_start", &TimingParameters::block_start},
                             {"mte2_latency", &TimingParameters::mte2_latency},
                             {"mte2_floor", &TimingParameters::mte2_floor},
                             {"mte2_burst", &TimingParameters::mte2_burst},
                             {"mte3_rate", &TimingParameters::mte3_rate},
                             {"hbm_rate", &TimingParameters::hbm_rate},
                             {"write_share", &TimingParameters::write_share},
                             {"bypass_rate", &TimingParameters::bypass_rate},
                             {"l2_rate", &TimingParameters::l2_rate},
                             {"l2_bytes", &TimingParameters::l2_bytes},
                             {"shared_line", &TimingParameters::shared_line},
                             {"same_line", &TimingParameters::same_line},
                             {"launch_us", &TimingParameters::launch_us},
                             {"launch_core_us", &TimingParameters::launch_core_us}};

base::Error Broken(const std::string& where, const std::string& key, const std::string& why) {
  return {"AK0121", key + " " + why, where,
          "give it as { value = NUMBER, unit = \"…\", kind = \"documented|fitted|assumed\", source = \"…\" }"};
}

base::Status ReadVector(const toml::table& table, const std::string& where, TimingParameters& p) {
  std::map<std::string, TimingParameters::VectorRate> named;
  const toml::array* rows = table["vector"].as_array();
  if (!rows) return Broken(where, "vector", "is missing: one table per rate of vector instructions");
  for (const toml::node& node : *rows) {
    const toml::table& row = *node.as_table();
    TimingParameters::VectorRate rate;
    rate.per_cycle[0] = row["rate_16"].value_or(0.0);
    rate.per_cycle[1] = row["rate_32"].value_or(0.0);
    rate.passes = row["passes"].value_or(1.0);
    const std::string name = row["rate"].value_or(std::string());
    if (name.empty() || rate.per_cycle[0] <= 0 || rate.per_cycle[1] <= 0 || rate.passes <= 0)
      return Broken(where, "vector", "has a row without its rate's name or with a number that is not above 0");
    if (std::find(std::begin(kRateNames), std::end(kRateNames), name) == std::end(kRateNames))
      return Broken(where, "vector", "names a rate that no instruction has: " + name);
    named[name] = rate;
  }
  for (const char* name : kRateNames)
    if (!named.count(name)) return Broken(where, "vector", "has no row for the rate " + std::string(name));
  p.vector.resize(AKGEN_OP_COUNT_);
  for (uint32_t op = 0; op < AKGEN_OP_COUNT_; ++op) p.vector[op] = named[kRateNames[size_t(RowOf(op).rate)]];
  return {};
}
}  // namespace

base::Result<TimingParameters> ParseTiming(std::string_view text, const std::string& where) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) return base::Error{"AK0121", std::string(parsed.error().description()), where, "mend the file's syntax"};
  const toml::table& table = parsed.table();
  TimingParameters p;
  for (const Field& f : kFields) {
    auto node = table["parameters"][f.name];
    auto value = node["value"].value<double>();
    if (!value || !std::isfinite(*value) || *value < 0)
      return Broken(where, f.name, value ? "is not a sensible number" : "is missing");
    if (!node["unit"].value<std::string>() || !node["source"].value<std::string>() ||
        !node["kind"].value<std::string>())
      return Broken(where, f.name, "lacks its unit, kind or source");
    p.*f.at = *value;
  }
  for (const char* divisor :
       {"clock_mhz", "mte2_rate", "mte3_rate", "hbm_rate", "bypass_rate", "l2_rate", "l2_core_rate"})
    for (const Field& f : kFields)
      if (std::string_view(f.name) == divisor && p.*f.at <= 0) return Broken(where, divisor, "must be above 0");
  if (auto status = ReadVector(table, where, p); !status.ok()) return status.error();
  return p;
}

base::Result<TimingParameters> LoadTiming(std::string_view name) {
  auto path = base::HomeDir() / "data" / "timing" / (std::string(name) + ".toml");
  auto text = base::ReadFile(path);
  if (!text.ok()) return text.error();
  return ParseTiming(*text, path.string());
}

base::Json ToJson(const TimingParameters& p) {
  base::Json j;
  for (const Field& f : kFields) j[f.name] = p.*f.at;
  for (const auto& v : p.vector) j["vector"].push_back({v.per_cycle[0], v.per_cycle[1], v.passes});
  return j;
}

TimingParameters TimingFromJson(const base::Json& j) {
  TimingParameters p;
  for (const Field& f : kFields) p.*f.at = j.value(f.name, 0.0);
  for (const base::Json& v : j.value("vector", base::Json::array())) p.vector.push_back({{v[0], v[1]}, v[2]});
  p.vector.resize(AKGEN_OP_COUNT_);
  return p;
}

}  // namespace akgen::sim
