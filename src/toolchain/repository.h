// What lies around an operator project: the repository of operators that it is one of, laid out as the public ones are
// (category/operator/op_host and op_kernel, common/inc, common/src), and the operator-base library that such a
// repository is written against. Both are the user's, and read only where an #include or an undefined symbol leads
// there.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/project.h"

namespace akgen::toolchain {

struct Around {
  std::filesystem::path repository, base;  // empty: none
  std::vector<std::string> include_dirs;   // the user's own -I, of both halves

  // What host code and kernels find besides their project.
  std::vector<std::string> HostIncludes(const Project& project) const;
  std::vector<std::string> KernelIncludes() const;
  // Kernels are written against their installed folders: ../rms_norm/x.h is rms_norm/op_kernel/x.h of the repository.
  std::vector<Mount> KernelMounts(const Project& project) const;
  // Host sources of its dependencies that register something for the project's operators: they count as its own.
  std::vector<std::filesystem::path> Adopted(const Project& project) const;
  // Host sources of others that the project is linked with: the base library's, the repository's common ones, and those
  // of the operators that its CMakeLists.txt names as DEPENDENCIES. Each takes what it needs of the ones behind it.
  std::vector<BuildRequest> Libraries(const Project& project) const;
  // Sources for other chips, of the project and of its dependencies: what the rest may be linked with where it names
  // their functions.
  std::vector<BuildRequest> OtherChips(const Project& project) const;
};

// The repository that `project` lies in, by its layout; empty: none.
std::filesystem::path FindRepository(const std::filesystem::path& project);

}  // namespace akgen::toolchain
