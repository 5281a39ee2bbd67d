// The report as Markdown (report/report.h).
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/markdown.h"
#include "report/report.h"

namespace akgen::report {
namespace {
std::string Percent(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", x * 100);
  return text;
}

constexpr size_t kLongestCell = 160, kMaxDropped = 20;

std::string Cell(const std::string& text) { return base::MarkdownText(text, kLongestCell); }

std::string Words(std::string name) {
  for (char& c : name)
    if (c == '_') c = ' ';
  return name;
}

using Rates = std::map<int, bench::Interval>;  // by k

std::string Headline(const bench::Metrics& m, bool has_hidden) {
  std::string out = "| measure |", rule = "|---|";
  for (const auto& [k, unused] : m.pass) out += " k = " + std::to_string(k) + " |", rule += "---|";
  out += "\n" + rule + "\n";
  std::vector<std::pair<const char*, const Rates*>> rows{
      {"compile@k", &m.compile}, {"pass@k", &m.pass}, {"pass@k, public cases", &m.pass_public}};
  if (has_hidden) rows.push_back({"pass@k, hidden cases", &m.pass_hidden});
  for (const auto& [name, rates] : rows) {
    out += std::string("| ") + name + " |";
    for (const auto& [k, v] : *rates)
      out += " " + Percent(v.value) + " [" + Percent(v.low) + ", " + Percent(v.high) + "] |";
    out += "\n";
  }
  for (const bench::FastPShares& s : bench::FastPSharesOf(m)) {
    out += "| fast_p, p = " + s.Name() + " | ";
    if (m.modelled_time)
      out += Percent(s.said) + " [" + Percent(s.low) + ", " + Percent(s.high) +
             "], beyond the ranges " + Percent(s.beyond);
    else
      out += bench::kNotModelled;
    out += " |";
    for (size_t i = 1; i < m.pass.size(); ++i) out += " |";
    out += "\n";
  }
  return out;
}

std::string HeatMap(const std::vector<ReportTask>& tasks) {
  std::set<int> levels;
  std::map<std::string, std::map<int, std::pair<int, int>>> cells;  // category, level → right, of
  for (const ReportTask& t : tasks) {
    levels.insert(t.level);
    auto& cell = cells[t.category][t.level];
    cell.first += t.right, cell.second += t.of;
  }
  std::string out = "| category |", rule = "|---|";
  for (int l : levels) out += " level " + std::to_string(l) + " |", rule += "---|";
  out += "\n" + rule + "\n";
  for (const auto& [category, row] : cells) {
    out += "| " + Cell(category.empty() ? "–" : category) + " |";
    for (int l : levels) {
      auto at = row.find(l);
      out += at == row.end() ? " |"
                             : " " + std::to_string(at->second.first) + " of " +
                                   std::to_string(at->second.second) + " |";
    }
    out += "\n";
  }
  return out;
}
}  // namespace

std::string Markdown(const Model& model) {
  std::string out = "# " + Cell(model.title) + "\n\n";
  std::string facts;
  for (const auto& [name, text] : {std::pair{"created", &model.created},
                                   {"chip", &model.chip},
                                   {"precision", &model.precision}})
    if (!text->empty())
      facts += (facts.empty() ? "" : ", ") + std::string(name) + " " + Cell(*text);
  if (!facts.empty()) out += facts + "\n\n";
  for (const std::string& what : model.mixture)
    out += "**Mixed:** these records are of " + what + ".\n\n";
  if (!model.dropped.empty()) {
    out += "**Left out:** records that contradict themselves and count as missing (" +
           std::to_string(model.dropped.size()) + ").\n\n";
    for (size_t i = 0; i < model.dropped.size() && i < kMaxDropped; ++i)
      out += "- " + Cell(model.dropped[i]) + "\n";
    if (model.dropped.size() > kMaxDropped)
      out += "- and " + std::to_string(model.dropped.size() - kMaxDropped) + " more\n";
    out += "\n";
  }
  out +=
      "Shares of all tasks; a missing candidate counts as wrong. In brackets the 95 % interval, "
      "bootstrapped over "
      "tasks.\n\n";
  out += Headline(model.headline, model.has_hidden);
  out += "\n## By level and category\n\nSamples that pass.\n\n" + HeatMap(model.tasks);
  out += "\n## Where samples end\n\n| stage | left | lost |\n|---|---|---|\n";
  for (const FlowStage& stage : model.flow) {
    std::string lost;
    for (const auto& [verdict, n] : stage.lost)
      lost += (lost.empty() ? "" : ", ") + std::to_string(n) + " " + Cell(Words(verdict));
    out += "| " + stage.name + " | " + std::to_string(stage.left) + " | " + lost + " |\n";
  }
  out +=
      "\n## Tasks\n\n| task | level | category | best verdict | passing | reason "
      "|\n|---|---|---|---|---|---|\n";
  for (const ReportTask& t : model.tasks)
    out += "| " + Cell(t.name) + " | " + std::to_string(t.level) + " | " + Cell(t.category) +
           " | " + Cell(Words(t.best)) + " | " + std::to_string(t.right) + " of " +
           std::to_string(t.of) + " | " + Cell(t.reason) + " |\n";
  if (model.device) out += "\n" + DeviceMarkdown(*model.device);
  return out;
}

}  // namespace akgen::report
