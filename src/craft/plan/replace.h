// Programs in which a part of an input is replaced in its own memory; for plan/ only.
#pragma once
#include <string>

#include "craft/plan/unplanned.h"

namespace akgen::craft {
struct PlanTask;

PlanResult<std::string> PlanReplace(const PlanTask& task);

}  // namespace akgen::craft
