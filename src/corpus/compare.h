// Generators side by side: the same tasks, the same model, answers in Ascend C and in the kernel language.
#pragma once
#include "corpus/tries.h"

namespace akgen::corpus {

// {"schema", "generators": [names], "tasks": {task: {generator: COUNTS}}, "all": {generator: COUNTS}, "first_verdicts":
// {generator: {verdict: count}}}, COUNTS: {"samples", "answers",
//  "built_first", "passed_first", "passed", "turns_to_pass", "modelled_us"}. _first: of the samples, by their first
//  answer; passed: with
// repairs; turns_to_pass: mean over those that pass; modelled_us: of the fastest that passes, 0 where unknown. "all"
// and "first_verdicts" add up, over the tasks that every generator tried.
base::Json CompareGenerators(const std::vector<Try>& tries);
std::string CompareMarkdown(const base::Json& comparison);

}  // namespace akgen::corpus
