// Comparison of generators, as one page that needs no network.
#pragma once
#include <string>

#include "record/comparison.h"

namespace akgen::report {

std::string BesideHtml(const record::Comparison& comparison, const std::string& title);

}  // namespace akgen::report
