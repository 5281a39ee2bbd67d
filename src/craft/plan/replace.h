// Programs in which a part of an input is replaced in its own memory; for plan/ only.
#pragma once
#include <string>

#include "base/status.h"

namespace akgen::craft {
struct PlanTask;

base::Result<std::string> PlanReplace(const PlanTask& task);

}  // namespace akgen::craft
