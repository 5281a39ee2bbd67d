#include "judge/objective.h"

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
      sum += c.modelled.value("us", 0.0);
    }
    return sum > 0 ? std::optional(sum) : std::nullopt;
  };
}

}  // namespace akgen::judge
