// What a command line names must exist; else it is a usage error, and never a verdict.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "task/task.h"

namespace akgen::cli {

base::Status ProjectIsThere(const std::string& path);  // AK0310
// "" and nothing at all stand for the command's own choice. AK0103.
base::Status CasesAreThere(const task::TaskSpec& task, const std::vector<std::string>& ids);

}  // namespace akgen::cli
