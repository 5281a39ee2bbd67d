// Exports of a run to other tools' formats. Text only; the caller writes it.
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

}  // namespace akgen::bench
