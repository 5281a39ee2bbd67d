// The report as Markdown (report/report.h).
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/report.h"

namespace akgen::report {
using base::Json;
namespace {
std::string Percent(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", x * 100);
  return text;
}

std::string Cell(const std::string& text) {
  std::string out;
  for (char c : text.substr(0, 160)) {
    if (c == '|') out += "\\|";
    else out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string Words(std::string name) {
  for (char& c : name)
    if (c == '_') c = ' ';
  return name;
}

std::string Headline(const Json& m, bool has_hidden) {
  std::string out = "| measure |", rule = "|---|";
  std::vector<int> ks;
  for (const auto& [k, unused] : m["pass"].items()) ks.push_back(std::stoi(k));
  std::sort(ks.begin(), ks.end());  // as numbers, where JSON has them as text
  for (int k : ks) out += " k = " + std::to_string(k) + " |", rule += "---|";
  out += "\n" + rule + "\n";
  std::vector<std::pair<const char*, const char*>> rows{
      {"compile@k", "compile"}, {"pass@k", "pass"}, {"pass@k, public cases", "pass_public"}};
  if (has_hidden) rows.push_back({"pass@k, hidden cases", "pass_hidden"});
  for (auto [name, key] : rows) {
    out += std::string("| ") + name + " |";
    for (int k : ks) {
      const Json& v = m[key][std::to_string(k)];
      out += " " + Percent(v["value"]) + " [" + Percent(v["low"]) + ", " + Percent(v["high"]) + "] |";
    }
    out += "\n";
  }
  const Json ranges = m.value("fast_p_range", Json::object()), beyond = m.value("fast_p_beyond", Json::object());
  for (const auto& [p, v] : m["fast_p"].items()) {
    out += "| fast_p, p = " + p + " | " + (v.is_number() ? Percent(v) : v.get<std::string>());
    if (ranges.contains(p)) out += " [" + Percent(ranges[p][0]) + ", " + Percent(ranges[p][1]) + "]";
    if (beyond.contains(p)) out += ", beyond the ranges " + Percent(beyond[p]);
    out += " |";
    for (size_t i = 1; i < ks.size(); ++i) out += " |";
    out += "\n";
  }
  return out;
}

std::string HeatMap(const Json& tasks) {
  std::set<int> levels;
  std::map<std::string, std::map<int, std::pair<int, int>>> cells;  // category, level → right, of
  for (const Json& t : tasks) {
    levels.insert(t["level"].get<int>());
    auto& cell = cells[t["category"]][t["level"]];
    cell.first += t["right"].get<int>();
    cell.second += t["of"].get<int>();
  }
  std::string out = "| category |", rule = "|---|";
  for (int l : levels) out += " level " + std::to_string(l) + " |", rule += "---|";
  out += "\n" + rule + "\n";
  for (const auto& [category, row] : cells) {
    out += "| " + Cell(category.empty() ? "–" : category) + " |";
    for (int l : levels) {
      auto at = row.find(l);
      out += at == row.end()
                 ? " |"
                 : " " + std::to_string(at->second.first) + " of " + std::to_string(at->second.second) + " |";
    }
    out += "\n";
  }
  return out;
}
}  // namespace

std::string Markdown(const Json& model) {
  std::string out = "# " + model.value("title", "") + "\n\n";
  std::string facts;
  for (const char* key : {"created", "chip", "precision"})
    if (std::string v = model["run"].value(key, ""); !v.empty())
      facts += (facts.empty() ? "" : ", ") + std::string(key) + " " + v;
  if (!facts.empty()) out += facts + "\n\n";
  for (const Json& what : model.value("mixture", Json::array()))
    out += "**Mixed:** these records are of " + what.get<std::string>() + ".\n\n";
  out +=
      "Shares of all tasks; a missing candidate counts as wrong. In brackets the 95 % interval, bootstrapped over "
      "tasks.\n\n";
  out += Headline(model["headline"], model["has_hidden"]);
  out += "\n## By level and category\n\nSamples that pass.\n\n" + HeatMap(model["tasks"]);
  out += "\n## Where samples end\n\n| stage | left | lost |\n|---|---|---|\n";
  for (const Json& stage : model["flow"]) {
    std::string lost;
    for (const Json& l : stage["lost"])
      lost += (lost.empty() ? "" : ", ") + std::to_string(l[1].get<int>()) + " " + Words(l[0]);
    out += "| " + stage["name"].get<std::string>() + " | " + std::to_string(stage["count"].get<int>()) + " | " + lost +
           " |\n";
  }
  out += "\n## Tasks\n\n| task | level | category | best verdict | passing | reason |\n|---|---|---|---|---|---|\n";
  for (const Json& t : model["tasks"])
    out += "| " + Cell(t["name"]) + " | " + std::to_string(t["level"].get<int>()) + " | " + Cell(t["category"]) +
           " | " + Words(t["best"]) + " | " + std::to_string(t["right"].get<int>()) + " of " +
           std::to_string(t["of"].get<int>()) + " | " + Cell(t["reason"]) + " |\n";
  return out;
}

}  // namespace akgen::report
