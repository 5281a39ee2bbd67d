// An operator project on disk: host tiling sources in op_host/, one kernel in op_kernel/.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "toolchain/build.h"

namespace akgen::toolchain {

struct Project {
  std::filesystem::path dir;     // absolute
  std::string name;              // stem of the kernel file, usually the operator in snake_case
  std::filesystem::path kernel;  // the file that defines the entry
  Entry entry;
  std::vector<std::pair<std::filesystem::path, Entry>>
      entries;  // all that the kernel sources define, this one among them
  std::vector<std::filesystem::path> host_sources;  // sorted
  std::vector<std::filesystem::path>
      skipped;  // in op_host/, but of the aclnn call layer: nothing here needs it
  std::vector<std::filesystem::path>
      elsewhere;  // host sources for other chips: compiled where the others need them
};

// Takes the entry whose file has the first of these names that one has; leaves things as they are
// when none has.
void ChooseEntry(const std::vector<std::string>& names, Project* project);

// Whether the builder shows a file of this name to #include.
bool SourceLike(const std::filesystem::path& file);

// Recognises `dir` (or a single .cpp kernel file; then host_sources is empty).
// AK0310 no such project, AK0311 no kernel file, AK0312 no __global__ entry, AK0313 several entries
// and none named after its file, AK0314 no host sources although op_host/ is expected (need_host),
// AK0316 a source file whose name is no UTF-8, AK0317 one that is a link out of the project.
base::Result<Project> LoadProject(const std::filesystem::path& dir, bool need_host = true);

// The host half alone: op_host/ of `dir`, whatever else is there. AK0310, AK0314.
base::Result<Project> LoadHost(const std::filesystem::path& dir);

// Requests for its two halves; prelude, defines and include_dirs are the caller's to add.
BuildRequest HostRequest(const Project& project);
BuildRequest KernelRequest(const Project& project, const Device& device,
                           Backend backend = record::kDefaultBackend);

}  // namespace akgen::toolchain
