// Comparison of runs by the same tasks: counts of each, as tables and pages show them side by side.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::record {

struct ComparisonCounts {
  uint64_t samples = 0;  // that were to be there
  uint64_t missing = 0;  // of them, those without a verdict
  uint64_t answers = 0;
  uint64_t built_first = 0, passed_first = 0;  // samples, by their first answer
  uint64_t passed = 0;                         // with repairs
  uint64_t turns = 0;                          // until they passed, summed
  double modelled_us = 0;                      // of the fastest that passes; 0: not known

  void Add(const ComparisonCounts& other);
  double TurnsToPass() const {
    return passed ? static_cast<double>(turns) / static_cast<double>(passed) : 0.0;
  }
};

// A share of samples with its 95 % interval, bootstrapped over tasks.
struct Share {
  double value = 0, low = 0, high = 0;
};
Share ShareOf(
    const std::vector<std::pair<uint64_t, uint64_t>>& part_and_all);  // by task; deterministic

// What was asked and what came of it, turn by turn.
struct Transcript {
  struct Answer {
    std::string text, verdict, reason, feedback;  // feedback: what its author was shown
    double modelled_us = 0;                       // 0: not known
  };
  std::string task;
  int sample = 0;
  std::vector<std::pair<std::string, std::string>> prompt;  // role and text
  std::vector<Answer> answers;
};

struct Comparison {
  template <typename T>
  using ByRun = std::map<std::string, T>;  // by the name of a run
  std::vector<std::string> runs;           // the columns, in order
  std::map<std::string, ByRun<ComparisonCounts>> tasks;
  // Sums over the tasks that every run has; a missing sample's verdict is "missing".
  ByRun<ComparisonCounts> all;
  ByRun<std::map<std::string, uint64_t>> first_verdicts;  // of first answers
  ByRun<std::map<std::string, uint64_t>>
      failures;                                // of samples that do not pass: by verdict and code
  ByRun<std::vector<Transcript>> transcripts;  // of journals

  // Over the tasks that every run has.
  Share ShareOf(const std::string& run, uint64_t ComparisonCounts::* part) const;
};

// {"schema", "generators": [names], "tasks": {task: {run: COUNTS}}, "all": {run: COUNTS},
// "first_verdicts": {run: {verdict: count}}, "failures": {run: {cause: count}}, "shares": {run:
// {"built_first", "passed_first", "passed": [share, low, high]}}}, COUNTS: {"samples", "missing",
// "answers", "built_first", "passed_first", "passed", "turns_to_pass", "modelled_us"}
base::Json ToJson(const Comparison& comparison);

}  // namespace akgen::record
