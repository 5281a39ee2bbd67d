#include "cli/named.h"

#include <filesystem>

namespace akgen::cli {

base::Status ProjectIsThere(const std::string& path) {
  std::error_code ec;
  if (std::filesystem::exists(path, ec)) return {};
  return base::Error{"AK0310", "no such operator project", path,
                     "give a folder with op_host/ and op_kernel/ in it"};
}

base::Status CasesAreThere(const task::TaskSpec& task, const std::vector<std::string>& ids) {
  for (const auto& id : ids)
    if (!id.empty() && !task.FindCase(id))
      return base::Error{"AK0103", "the task has no case " + id, task.name,
                         "its cases: akgen tasks show " + task.name};
  return {};
}

}  // namespace akgen::cli
