#include "chip/timing_file.h"

#include <cmath>

#include "base/files.h"
#include "base/toml.h"

namespace akgen::chip {
namespace {

base::Status ReadParameters(const toml::table& table, const std::string& where, TimingFile& out) {
  const toml::table* rows = table["parameters"].as_table();
  if (!rows) return BrokenTiming(where, "parameters", "is missing");
  for (const auto& [key, node] : *rows) {
    const std::string name(key.str());
    auto row = (*rows)[name];
    auto value = row["value"].value<double>();
    if (!value || !std::isfinite(*value) || *value < 0)
      return BrokenTiming(where, name, value ? "is not a sensible number" : "has no value");
    for (const char* note : {"unit", "source", "kind"})
      if (!row[note].value<std::string>())
        return BrokenTiming(where, name, "lacks its unit, kind or source");
    out.parameters[name] = *value;
  }
  return {};
}

base::Status ReadVectorRates(const toml::table& table, const std::string& where, TimingFile& out) {
  const toml::array* rows = table["vector"].as_array();
  if (!rows)
    return BrokenTiming(where, "vector", "is missing: one table per rate of vector instructions");
  for (const toml::node& node : *rows) {
    const toml::table* row = node.as_table();
    if (!row) return BrokenTiming(where, "vector", "has a row that is not a table");
    TimingFile::VectorRate rate;
    rate.per_cycle[0] = (*row)["rate_16"].value_or(0.0);
    rate.per_cycle[1] = (*row)["rate_32"].value_or(0.0);
    rate.passes = (*row)["passes"].value_or(1.0);
    const std::string name = (*row)["rate"].value_or(std::string());
    if (name.empty() || rate.per_cycle[0] <= 0 || rate.per_cycle[1] <= 0 || rate.passes <= 0)
      return BrokenTiming(where, "vector",
                          "has a row without its rate's name or with a number that is not above 0");
    out.vector[name] = rate;
  }
  return {};
}
}  // namespace

base::Error BrokenTiming(const std::string& where, const std::string& key, const std::string& why) {
  return {"AK0121", key + " " + why, where,
          "give it as { value = NUMBER, unit = \"…\", kind = \"documented|fitted|assumed\", source "
          "= \"…\" }"};
}

base::Result<TimingFile> ParseTimingFile(std::string_view text, const std::string& where) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return base::Error{"AK0121", std::string(parsed.error().description()), where,
                       "fix the file's syntax"};
  TimingFile out;
  if (auto s = ReadParameters(parsed.table(), where, out); !s.ok()) return s.error();
  if (auto s = ReadVectorRates(parsed.table(), where, out); !s.ok()) return s.error();
  return out;
}

base::Result<TimingFile> LoadTimingFile(std::string_view name) {
  auto path = base::HomeDir() / "data" / "timing" / (std::string(name) + ".toml");
  auto text = base::ReadFile(path);
  if (!text.ok()) return text.error();
  return ParseTimingFile(*text, path.string());
}

}  // namespace akgen::chip
