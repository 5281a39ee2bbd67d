#include "report/beside.h"

#include <fmt/format.h>

#include "report/plain_page.h"

namespace akgen::report {
using record::Comparison;
using record::ComparisonCounts;

namespace {
using Runs = std::vector<std::string>;

std::string Share(uint64_t n, uint64_t of) {
  return of ? fmt::format("{} of {} ({:.0f} %)", n, of, 100.0 * static_cast<double>(n) / static_cast<double>(of)) : "–";
}

// What `text` makes of each run's cell.
template <typename T, typename F>
std::string Row(const Runs& runs, const Comparison::ByRun<T>& cells, const std::string& name, F text) {
  std::string out = "<tr><th scope=\"row\">" + Escaped(name) + "</th>";
  for (const std::string& run : runs) {
    const auto cell = cells.find(run);
    out += "<td>" + (cell == cells.end() ? "–" : Escaped(text(cell->second))) + "</td>";
  }
  return out + "</tr>\n";
}

std::string Table(const Runs& runs, const std::string& corner, const std::string& rows) {
  std::string out = "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">" + corner + "</th>";
  for (const std::string& run : runs) out += "<th scope=\"col\">" + Escaped(run) + "</th>";
  return out + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string Overall(const Runs& runs, const Comparison::ByRun<ComparisonCounts>& all) {
  auto share = [](uint64_t ComparisonCounts::* count) {
    return [=](const ComparisonCounts& c) { return Share(c.*count, c.samples); };
  };
  std::string rows;
  rows += Row(runs, all, "first answers that build", share(&ComparisonCounts::built_first));
  rows += Row(runs, all, "first answers that pass", share(&ComparisonCounts::passed_first));
  rows += Row(runs, all, "samples that pass, with repairs", share(&ComparisonCounts::passed));
  rows += Row(runs, all, "samples missing", share(&ComparisonCounts::missing));
  rows += Row(runs, all, "turns until a pass, mean", [](const ComparisonCounts& c) {
    return c.passed == 0 ? std::string("–") : fmt::format("{:.2f}", c.TurnsToPass());
  });
  rows += Row(runs, all, "modelled time of the fastest, summed", [](const ComparisonCounts& c) {
    return c.modelled_us == 0 ? std::string("–") : fmt::format("{:.1f} µs", c.modelled_us);
  });
  return Table(runs, "tasks that each one tried", rows);
}

std::string Tasks(const Comparison& comparison) {
  std::string rows;
  for (const auto& [task, cells] : comparison.tasks)
    rows += Row(comparison.runs, cells, task, [](const ComparisonCounts& c) {
      std::string out = fmt::format("{} / {} / {} of {}", c.built_first, c.passed_first, c.passed, c.samples);
      if (c.missing) out += fmt::format(", {} missing", c.missing);
      return c.modelled_us == 0 ? out : out + fmt::format(", {:.1f} µs", c.modelled_us);
    });
  return Table(comparison.runs, "task", rows);
}

std::string Verdicts(const Comparison& comparison) {
  std::map<std::string, Comparison::ByRun<uint64_t>> by_verdict;
  for (const auto& [run, counts] : comparison.first_verdicts)
    for (const auto& [verdict, n] : counts) by_verdict[verdict][run] = n;
  std::string rows;
  for (const auto& [verdict, cells] : by_verdict)
    rows += Row(comparison.runs, cells, verdict, [](uint64_t n) { return std::to_string(n); });
  return Table(comparison.runs, "verdict", rows);
}
}  // namespace

std::string BesideHtml(const Comparison& comparison, const std::string& title) {
  std::string out;
  out +=
      "<p class=\"note\">The same tasks: answers of each generator or run, judged alike. A sample without a verdict is "
      "missing and counts as wrong.</p>\n" +
      Overall(comparison.runs, comparison.all);
  out += "<h2>Verdicts of first answers</h2>\n" + Verdicts(comparison);
  out +=
      "<h2>Tasks</h2>\n<p class=\"note\">First answers that build / that pass / samples that pass with repairs, of how "
      "many; modelled time of the fastest that passes.</p>\n" +
      Tasks(comparison);
  return PlainPage(title, out, "Made from records alone. Modelled time is never measured time.");
}

}  // namespace akgen::report
