#include "report/beside.h"

#include <fmt/format.h>

#include "report/plain_page.h"

namespace akgen::report {
using base::Json;

namespace {
std::string Share(uint64_t n, uint64_t of) {
  return of ? fmt::format("{} of {} ({:.0f} %)", n, of, 100.0 * static_cast<double>(n) / static_cast<double>(of)) : "–";
}

// One row of COUNTS for every generator: what `text` makes of each.
template <typename F>
std::string Row(const Json& generators, const Json& cells, const std::string& name, F text) {
  std::string out = "<tr><th scope=\"row\">" + Escaped(name) + "</th>";
  for (const auto& g : generators) {
    const Json cell = cells.value(g.get<std::string>(), Json());
    out += "<td>" + (cell.is_object() ? Escaped(text(cell)) : "–") + "</td>";
  }
  return out + "</tr>\n";
}

std::string Table(const Json& generators, const std::string& corner, const std::string& rows) {
  std::string out = "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">" + corner + "</th>";
  for (const auto& g : generators) out += "<th scope=\"col\">" + Escaped(g) + "</th>";
  return out + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string Overall(const Json& generators, const Json& all) {
  auto share = [](const char* key, const char* of) { return [=](const Json& c) { return Share(c[key], c[of]); }; };
  std::string rows;
  rows += Row(generators, all, "first answers that build", share("built_first", "samples"));
  rows += Row(generators, all, "first answers that pass", share("passed_first", "samples"));
  rows += Row(generators, all, "samples that pass, with repairs", share("passed", "samples"));
  rows += Row(generators, all, "samples missing", share("missing", "samples"));
  rows += Row(generators, all, "turns until a pass, mean", [](const Json& c) {
    return c["passed"] == 0 ? std::string("–") : fmt::format("{:.2f}", c["turns_to_pass"].get<double>());
  });
  rows += Row(generators, all, "modelled time of the fastest, summed", [](const Json& c) {
    return c["modelled_us"] == 0 ? std::string("–") : fmt::format("{:.1f} µs", c["modelled_us"].get<double>());
  });
  return Table(generators, "tasks that each one tried", rows);
}

std::string Tasks(const Json& generators, const Json& tasks) {
  std::string rows;
  for (const auto& [task, cells] : tasks.items())
    rows += Row(generators, cells, task, [](const Json& c) {
      std::string out =
          fmt::format("{} / {} / {} of {}", c["built_first"].get<uint64_t>(), c["passed_first"].get<uint64_t>(),
                      c["passed"].get<uint64_t>(), c["samples"].get<uint64_t>());
      if (const auto missing = c.value("missing", uint64_t{0})) out += fmt::format(", {} missing", missing);
      return c["modelled_us"] == 0 ? out : out + fmt::format(", {:.1f} µs", c["modelled_us"].get<double>());
    });
  return Table(generators, "task", rows);
}

std::string Verdicts(const Json& generators, const Json& first) {
  Json by_verdict = Json::object();
  for (const auto& [generator, counts] : first.items())
    for (const auto& [verdict, n] : counts.items()) by_verdict[verdict][generator] = {{"n", n}};
  std::string rows;
  for (const auto& [verdict, cells] : by_verdict.items())
    rows += Row(generators, cells, verdict, [](const Json& c) { return base::Dump(c["n"]); });
  return Table(generators, "verdict", rows);
}
}  // namespace

std::string BesideHtml(const Json& comparison, const std::string& title) {
  const Json& generators = comparison["generators"];
  std::string out;
  out +=
      "<p class=\"note\">The same tasks: answers of each generator or run, judged alike. A sample without a verdict is "
      "missing and counts as wrong.</p>\n" +
      Overall(generators, comparison["all"]);
  out += "<h2>Verdicts of first answers</h2>\n" + Verdicts(generators, comparison["first_verdicts"]);
  out +=
      "<h2>Tasks</h2>\n<p class=\"note\">First answers that build / that pass / samples that pass with repairs, of how "
      "many; modelled time of the fastest that passes.</p>\n" +
      Tasks(generators, comparison["tasks"]);
  return PlainPage(title, out, "Made from records alone. Modelled time is never measured time.");
}

}  // namespace akgen::report
