// Comparison of runs: the same tasks, answers by different generators or of different days.
#pragma once
#include "base/json.h"
#include "corpus/export/columns.h"

namespace akgen::corpus {

// {"schema", "generators": [names of the columns], "tasks": {task: {column: COUNTS}}, "all": {column: COUNTS},
// "first_verdicts": {column: {verdict: count}}}, COUNTS: {"samples", "missing", "answers", "built_first",
// "passed_first", "passed", "turns_to_pass", "modelled_us"}. samples: that were to be there, of which `missing` have no
// verdict; _first: of the samples, by their first answer; passed: with repairs; turns_to_pass: mean over those that
// pass; modelled_us: of the fastest that passes, 0 where unknown. "all" and "first_verdicts" add up, over the tasks
// that every column has; a missing sample's verdict is "missing".
base::Json CompareGenerators(const std::vector<Column>& columns);
std::string CompareMarkdown(const base::Json& comparison);

}  // namespace akgen::corpus
