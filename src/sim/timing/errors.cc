#include "sim/timing/errors.h"

#include "base/files.h"
#include "base/toml.h"

namespace akgen::sim {
namespace {
// Ranges by name; false where one makes no sense or there is none.
bool ReadRanges(const toml::table& file, const char* rows, const char* key,
                std::map<std::string, Range>& out) {
  const toml::array* all = file[rows].as_array();
  if (!all || all->empty()) return false;
  for (const toml::node& node : *all) {
    const toml::table* t = node.as_table();
    if (!t) return false;
    const Range r{(*t)["low"].value_or(0.0), (*t)["high"].value_or(0.0)};
    const std::string name = (*t)[key].value_or(std::string());
    if (name.empty() || r.low <= 0 || r.high < r.low) return false;
    out[name] = r;
  }
  return true;
}
}  // namespace

base::Result<TimingErrors> ParseErrors(std::string_view text, const std::string& where) {
  const toml::parse_result parsed = toml::parse(text);
  TimingErrors out;
  if (!parsed || !ReadRanges(parsed.table(), "clock", "regime", out.clock) ||
      !ReadRanges(parsed.table(), "eager", "size", out.eager))
    return base::Error{"AK0121", "no ranges of modelled times", where,
                       "write [[clock]] and [[eager]] with low and high"};
  return out;
}

base::Result<TimingErrors> LoadErrors() {
  const auto path = base::HomeDir() / "data" / "timing" / "errors.toml";
  auto text = base::ReadFile(path);
  return text.ok() ? ParseErrors(*text, path.string()) : text.error();
}

}  // namespace akgen::sim
