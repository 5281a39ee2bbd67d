// A finding with the sources it is about: both places, what their operands are, the order that is missing, the smallest
// change that gives it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "record/verdict.h"

namespace akgen::report {

// Text of a source by the name that a finding has for it; "": it cannot be read.
using ReadSource = std::function<std::string(const std::string& file)>;

// Several lines for people, with a line break at the end.
std::string Explain(const record::Finding& finding, const ReadSource& read);

}  // namespace akgen::report
