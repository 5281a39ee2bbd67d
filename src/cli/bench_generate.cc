// `akgen bench run --generator plan`: candidates made before the run, and what became of them.
#include <fmt/core.h>

#include "base/files.h"
#include "base/hash.h"
#include "cli/bench.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace akgen::cli {

int Generate(const std::vector<bench::Unit>& units, const bench::Config& config, std::string& candidates,
             std::string& out, std::vector<bench::Generated>& made) {
  if (candidates.empty()) {
    std::string names;
    for (const auto& u : units) names += u.name + "\n";
    candidates = (base::CacheDir() / "generated" / base::ContentHash(names)).string();
  }
  auto target = craft::LoadTarget(config.chip);
  if (!target.ok()) return PrintError(target.error()), kUsage;
  Progress bar;
  auto result = bench::GenerateByPlan(units, candidates, *target, [&](size_t done, const std::string& task) {
    bar.Show(done, units.size(), 0, "planning " + task);
  });
  bar.End();
  if (!result.ok()) {
    PrintError(result.error());
    return kFault;
  }
  made = std::move(*result);
  if (!out.empty()) return kOk;
  out =
      candidates + "." + base::ContentHash(base::HashOfFolder(candidates) + base::Dump(bench::ToJson(config))) + ".db";
  fmt::print("candidates: {}\nstore:      {}\n", candidates, out);
  return kOk;
}

int ReportGenerated(const std::vector<bench::Generated>& made, const store::Store& store, const std::string& run,
                    const std::string& json) {
  auto summary = bench::GeneratorSummary(made, store, run);
  if (!summary.ok()) {
    PrintError(summary.error());
    return kFault;
  }
  if (json != "-") {
    for (const auto& [task, reason] : (*summary)["refused"].items()) {
      std::string text = reason;
      fmt::print("{:<42} refused: {}\n", task, text.substr(0, text.find('\n')));
    }
    for (const auto& [task, why] : (*summary)["failed"].items())
      fmt::print("{:<42} {} {}: {}\n", task, why["part"].get<std::string>(), why["verdict"].get<std::string>(),
                 why["reason"].get<std::string>());
    fmt::print("{} tasks, {} emitted, {} built, {} passed, {} of them the hidden cases too, {} with findings\n",
               made.size(), (*summary)["emitted"].get<int>(), (*summary)["built"].get<int>(),
               (*summary)["passed"].get<int>(), (*summary)["passed_hidden"].get<int>(),
               (*summary)["findings"].get<int>());
  }
  return json.empty() ? kOk : WriteJson(*summary, json);
}

}  // namespace akgen::cli
