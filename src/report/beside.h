// Comparison of generators, as one page that needs no network.
#pragma once
#include <string>

#include "base/json.h"

namespace akgen::report {

// `comparison`: as corpus/export/compare.h makes it.
std::string BesideHtml(const base::Json& comparison, const std::string& title);

}  // namespace akgen::report
