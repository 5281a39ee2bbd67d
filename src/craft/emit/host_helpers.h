// Functions that a tiling function calls, as text.
#pragma once
#include <string>

#include "craft/ir/target.h"

namespace akgen::craft {

// Those that `callers` calls, and their constants.
std::string HostHelpers(const Target& target, const std::string& callers);
// The search for the sizes of a product's blocks. `fits`: it asks its caller which ones fit in UB.
std::string BlockOfHelper(const Target& target, bool fits);

}  // namespace akgen::craft
