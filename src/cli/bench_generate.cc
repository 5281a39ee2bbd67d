// `akgen bench run --generator plan`: candidates made before the run, and what became of them.
#include <fmt/core.h>

#include "base/files.h"
#include "base/hash.h"
#include "cli/bench.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace akgen::cli {

int Generate(const std::vector<bench::Unit>& units, const bench::Config& config,
             std::string& candidates, std::string& out, std::vector<bench::Generated>& made) {
  if (candidates.empty()) {
    std::string names;
    for (const auto& u : units) names += u.name + "\n";
    candidates = (base::CacheDir() / "generated" / base::ContentHash(names)).string();
  }
  auto target = craft::LoadTarget(config.chip);
  if (!target.ok()) return PrintError(target.error()), kUsage;
  Progress bar;
  auto result =
      bench::GenerateByPlan(units, candidates, *target, [&](size_t done, const std::string& task) {
        bar.Show(done, units.size(), 0, "planning " + task);
      });
  bar.End();
  if (!result.ok()) {
    PrintError(result.error());
    return kFault;
  }
  made = std::move(*result);
  if (!out.empty()) return kOk;
  out = candidates + "." +
        base::ContentHash(base::HashOfFolder(candidates) + base::Dump(bench::ToJson(config))) +
        ".db";
  fmt::print("candidates: {}\nstore:      {}\n", candidates, out);
  return kOk;
}

int ReportGenerated(const std::vector<bench::Generated>& made, const store::Store& store,
                    const std::string& run, const std::string& json) {
  auto report = bench::ReportOf(made, store, run);
  if (!report.ok()) {
    PrintError(report.error());
    return kFault;
  }
  if (json != "-") {
    for (const auto& [task, reason] : report->refused)
      fmt::print("{:<42} refused: {}\n", task, reason.substr(0, reason.find('\n')));
    for (const auto& [task, f] : report->failed)
      fmt::print("{:<42} {} {}: {}\n", task, f.part, f.verdict, f.reason);
    fmt::print(
        "{} tasks, {} emitted, {} built, {} passed, {} of them the hidden cases too, {} with "
        "findings\n",
        report->tasks, report->emitted, report->built, report->passed, report->passed_hidden,
        report->findings);
  }
  return json.empty() ? kOk : WriteJson(bench::ToJson(*report), json);
}

}  // namespace akgen::cli
