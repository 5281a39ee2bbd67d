// Generators side by side, as one page that needs no network.
#pragma once
#include <string>

#include "base/json.h"

namespace akgen::report {

// `comparison`: {"generators": [names], "tasks": {task: {generator: COUNTS}}, "all": {generator: COUNTS},
// "first_verdicts": {generator: {verdict: count}}} with COUNTS as corpus/compare.h has them.
std::string BesideHtml(const base::Json& comparison, const std::string& title);

}  // namespace akgen::report
