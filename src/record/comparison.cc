#include "record/comparison.h"

namespace akgen::record {
using base::Json;

namespace {
constexpr int kComparisonSchema = 1;

Json ToJson(const Comparison::ByRun<ComparisonCounts>& counts) {
  Json out = Json::object();
  for (const auto& [run, c] : counts)
    out[run] = {{"samples", c.samples},
                {"missing", c.missing},
                {"answers", c.answers},
                {"built_first", c.built_first},
                {"passed_first", c.passed_first},
                {"passed", c.passed},
                {"turns_to_pass", c.TurnsToPass()},
                {"modelled_us", c.modelled_us}};
  return out;
}
}  // namespace

void ComparisonCounts::Add(const ComparisonCounts& o) {
  samples += o.samples, missing += o.missing, answers += o.answers, built_first += o.built_first;
  passed_first += o.passed_first, passed += o.passed, turns += o.turns, modelled_us += o.modelled_us;
}

Json ToJson(const Comparison& c) {
  Json tasks = Json::object();
  for (const auto& [task, counts] : c.tasks) tasks[task] = ToJson(counts);
  return {{"schema", kComparisonSchema},
          {"generators", c.runs},
          {"tasks", tasks},
          {"all", ToJson(c.all)},
          {"first_verdicts", c.first_verdicts}};
}

}  // namespace akgen::record
