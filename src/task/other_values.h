// Other values of an attribute than the published ones.
#pragma once
#include <vector>

#include "task/task.h"

namespace akgen::task {

// Values to try for an attribute beside the published ones: those that task.toml lists (`other`),
// else, by type, true and false where there is only one, other numbers for a float, numbers beyond
// for an integer that may be negative.
std::vector<base::Json> OtherValues(const AttrSpec& attr, const std::vector<base::Json>& published);

}  // namespace akgen::task
