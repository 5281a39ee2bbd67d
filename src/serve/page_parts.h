// Pieces of the page.
#pragma once
#include <string>
#include <string_view>

#include "report/page.h"
#include "serve/record_view.h"
#include "serve/service.h"

namespace akgen::serve {

report::Page PageOf(const std::string& title, const std::string& body, bool form = false);
std::string VerdictBadge(const Answer& answer);  // a verdict, or how it ended without one
std::string FactRow(const std::string& name, const std::string& value);
std::string FindingCard(const record::MergedFinding& finding);
// The files of a candidate with numbered lines; those that findings and diagnostics name stand out.
std::string SourceView(const Candidate& candidate, const Shown& shown);

}  // namespace akgen::serve
