#include "judge/objective.h"

#include <memory>

#include "base/files.h"
#include "record/modelled.h"

namespace akgen::judge {

Objective ModelledObjective(Judge& judge, const task::TaskSpec& task, Options options) {
  options.time.on = true;
  return [&judge, &task, options](const std::string& dir) -> std::optional<double> {
    Judgement j = judge.Run(dir, task, options);
    if (j.verdict != record::Verdict::kPass) return std::nullopt;
    double sum = 0;
    for (const CaseResult& c : j.cases) {
      if (c.skipped) continue;
      if (!HasTime(c.modelled)) return std::nullopt;
      sum += record::ModelledOf(c.modelled).us;
    }
    return sum > 0 ? std::optional(sum) : std::nullopt;
  };
}

Objective LoneObjective(Executor& executor, const std::string& launch, LoneOptions options) {
  options.time.on = true;
  auto expected = std::make_shared<std::string>();
  return [&executor, launch, options, expected](const std::string& file) -> std::optional<double> {
    auto source = base::ReadFile(file);
    if (!source.ok()) return std::nullopt;
    auto line = ParseLaunch(launch.empty() ? LaunchComment(*source) : launch);
    if (!line.ok()) return std::nullopt;
    LoneResult r = RunLone(executor, file, *line, options);
    if (r.verdict != record::Verdict::kPass || !HasTime(r.modelled)) return std::nullopt;
    if (expected->empty()) *expected = r.hash;
    if (r.hash != *expected) return std::nullopt;
    return record::ModelledOf(r.modelled).us;
  };
}

}  // namespace akgen::judge
