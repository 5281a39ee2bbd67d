// Fitted parameters as a file (sim/timing/refit.h).
#include <fmt/core.h>

#include <map>
#include <set>

#include "base/toml.h"
#include "sim/timing/refit.h"

namespace akgen::sim {
namespace {
// Of a TOML string between quotes.
std::string Quotable(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' || c == 127) c = '_';
  return text;
}

std::string ErrorsText(const std::string& heading, const record::ErrorQuantiles& of) {
  return fmt::format("{}rows = {}\nmedian = {:.4f}\np90 = {:.4f}\n", heading, of.rows, of.median,
                     of.p90);
}

std::string ErrorsText(const Refit& refit) {
  const record::ErrorSummary summary = SummaryOf(refit.after);
  std::string out = ErrorsText(
      "\n# Modelled against measured, |relative error|. left_out: each operator under a fit that "
      "did not see it.\n"
      "[errors]\n",
      summary);
  for (const auto& [regime, mine] : summary.by_regime)
    out += ErrorsText(fmt::format("[errors.by_regime.{}]\n", regime), mine);
  if (!refit.left_out.empty()) out += ErrorsText("[errors.left_out]\n", SummaryOf(refit.left_out));
  return out;
}
}  // namespace

record::ErrorSummary SummaryOf(const std::vector<RefitError>& errors) {
  const auto quantiles = [](const std::vector<RefitError>& of) {
    return record::ErrorQuantiles{of.size(), QuantileOf(of, 0.5), QuantileOf(of, 0.9)};
  };
  std::map<std::string, std::vector<RefitError>> by;
  for (const RefitError& e : errors) by[e.regime].push_back(e);
  record::ErrorSummary out{quantiles(errors), {}};
  for (const auto& [regime, mine] : by) out.by_regime[regime] = quantiles(mine);
  return out;
}

base::Result<std::string> RefitFile(const std::string& text, const Refit& refit,
                                    const std::string& source) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) return chip::BrokenTiming("", "the file", "is not valid TOML");
  std::string out;
  std::set<std::string> written;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line == "[errors]") break;  // of the fit before this one, and the last of a file
    const std::string name = line.substr(0, line.find_first_of(" ="));
    for (const RefitParameter& f : refit.fitted) {
      const auto row = parsed.table()["parameters"][name];
      if (f.name != name || !row.is_table()) continue;
      written.insert(name);
      line = fmt::format(
          R"({} = {{ value = {}, unit = "{}", kind = "fitted", source = "{}", what = "{}" }})",
          name, f.value, Quotable(row["unit"].value_or(std::string())), Quotable(source),
          Quotable(row["what"].value_or(std::string())));
    }
    out += line + "\n";
  }
  for (const RefitParameter& f : refit.fitted)
    if (!written.count(f.name))
      return chip::BrokenTiming("", f.name, "does not stand in a line of its own");
  out += ErrorsText(refit);
  if (auto p = ParseTiming(out, "the timing file"); !p.ok()) return p.error();
  return out;
}

}  // namespace akgen::sim
