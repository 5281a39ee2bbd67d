// What a reader wants to see of an answer: findings without repetition, cases by verdict, what limits the kernel.
#pragma once
#include "base/json.h"
#include "serve/service.h"

namespace akgen::serve {

// The findings of a record, each with "cases": ids, none of a standalone kernel.
base::Json MergedFindings(const base::Json& record);
// [{"case", "bottleneck", "why", "modelled_us", "advice"}…] of the cases that were profiled (JudgeWork::advise);
// `chip`: of a record that names none.
base::Json ProfilesOf(const base::Json& record, const std::string& chip = std::string(chip::kDefaultChip));
// {"verdict", "reason", "reward", "retryable", "cached", "cases": {"judged", "passed", "failed": [ids]}, "findings",
// "diagnostics"}: of a judgement or a standalone kernel's run.
base::Json SummaryOf(const Answer& answer);
base::Json SummarySchema();  // with $defs of docs/schema

}  // namespace akgen::serve
