#include "record/comparison.h"

#include <algorithm>
#include <random>

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
  passed_first += o.passed_first, passed += o.passed, turns += o.turns,
      modelled_us += o.modelled_us;
}

Share ShareOf(const std::vector<std::pair<uint64_t, uint64_t>>& tasks) {
  constexpr int kResamples = 1000;
  auto share = [](uint64_t part, uint64_t all) {
    return all ? static_cast<double>(part) / static_cast<double>(all) : 0.0;
  };
  uint64_t part = 0, all = 0;
  for (const auto& [p, a] : tasks) part += p, all += a;
  Share out{share(part, all), 0, 0};
  if (tasks.empty()) return out;
  std::mt19937_64 random(1);
  std::vector<double> drawn;
  for (int i = 0; i < kResamples; ++i) {
    part = all = 0;
    for (size_t k = 0; k < tasks.size(); ++k) {
      const auto& [p, a] = tasks[random() % tasks.size()];
      part += p, all += a;
    }
    drawn.push_back(share(part, all));
  }
  std::sort(drawn.begin(), drawn.end());
  out.low = drawn[kResamples / 40], out.high = drawn[kResamples - 1 - kResamples / 40];
  return out;
}

Share Comparison::ShareOf(const std::string& run, uint64_t ComparisonCounts::* part) const {
  std::vector<std::pair<uint64_t, uint64_t>> of;
  for (const auto& [task, counts] : tasks)
    if (const auto at = counts.find(run); counts.size() == runs.size() && at != counts.end())
      of.emplace_back(at->second.*part, at->second.samples);
  return record::ShareOf(of);
}

Json ToJson(const Comparison& c) {
  Json shares = Json::object();
  for (const std::string& run : c.runs) {
    auto one = [&](uint64_t ComparisonCounts::* part) {
      const Share s = c.ShareOf(run, part);
      return Json{s.value, s.low, s.high};
    };
    shares[run] = {{"built_first", one(&ComparisonCounts::built_first)},
                   {"passed_first", one(&ComparisonCounts::passed_first)},
                   {"passed", one(&ComparisonCounts::passed)}};
  }
  Json tasks = Json::object();
  for (const auto& [task, counts] : c.tasks) tasks[task] = ToJson(counts);
  return {{"schema", kComparisonSchema},
          {"generators", c.runs},
          {"tasks", tasks},
          {"all", ToJson(c.all)},
          {"first_verdicts", c.first_verdicts},
          {"failures", c.failures},
          {"shares", shares}};
}

}  // namespace akgen::record
