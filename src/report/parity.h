// Modelled against measured times: a drawing and tables.
#pragma once
#include <string>

#include "base/json.h"

namespace akgen::report {

// `model`: {"rows": [{"kernel", "case", "bound_by", "measured", "modelled", "error"}…], "untied": [{"line", "what",
// "case", "why"}…], "errors": {"rows", "median", "p90", "by_regime": {regime: {"rows", "median", "p90"}}}}, times in
// microseconds (judge/measured.h).
std::string ParityHtml(const base::Json& model, const std::string& title);
std::string ParityMarkdown(const base::Json& model);

}  // namespace akgen::report
