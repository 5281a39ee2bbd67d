// A task folder to be completed, out of an operator definition.
#pragma once
#include <map>
#include <string>

#include "base/status.h"
#include "judge/session/project_run.h"

namespace akgen::judge {

// Result: file name → text. The task loads; its reference says what is to be written. AK0405: there
// is no definition with inputs and outputs.
base::Result<std::map<std::string, std::string>> NewTask(const ExaminedProject& examined);

}  // namespace akgen::judge
