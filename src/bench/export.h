// Exports of a run to other tools' formats, and comparisons of two runs. Text only; the caller
// writes it.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "store/store.h"

namespace akgen::bench {

// upstream            {"results": {"<op>/<case>": {"total_samples", "format_parse_pass",
// "compile_pass", "precision_pass"}},
//                     "levels": {…}, "score"}: the counts and the score NPUKernelBench prints;
//                     public cases only
// kernelbench         eval_results.json: {"<problem>": [{"sample_id", "compiled", "correctness",
// "metadata", "runtime", …}]} multikernelbench    result.json of sample 0: {"<op>": {"compiled",
// "correctness", "performance", "hardware", …}} junit               JUnit XML, a suite per category
// csv                 a line per verdict
// AK0514 for another name.
base::Result<std::string> Export(const store::Store& store, const store::RunRow& run,
                                 const std::string& format);

// One candidate in two runs.
struct Flip {
  std::string unit, before, after;  // verdicts "public/hidden"
  int sample = 0;
};
struct RunComparison {
  int both = 0, only_first = 0, only_second = 0,
      neither = 0;                   // right in …; candidates of either run
  double p_value = 1;                // exact McNemar test over the flips
  std::vector<Flip> flips;           // every candidate whose verdicts differ
  std::string different_config;      // fields in which the runs' configurations differ
  std::vector<std::string> mixture;  // in what their records differ (record::Mixture)
};
base::Result<RunComparison> Compare(const store::Store& a, const store::RunRow& run_a,
                                    const store::Store& b, const store::RunRow& run_b);
// Two-sided: the chance of a split at least as uneven as (b, c) when both are equally likely.
double McNemar(int b, int c);

}  // namespace akgen::bench
