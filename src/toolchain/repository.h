// What lies around an operator project: the repository of operators that it is one of, laid out as
// the public ones are (category/operator/op_host and op_kernel, common/inc, common/src), and the
// operator-base library that such a repository is written against. Both are the user's, and read
// only where an #include or an undefined symbol leads there.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/project.h"

namespace akgen::toolchain {

// Host sources of others, built once for all operators that are linked with them.
struct Library {
  BuildRequest build;
  bool whole = false;  // something in it registers for the project's operators, by name: no symbol
                       // asks for that
};

struct Around {
  std::filesystem::path repository, base;  // empty: none
  std::vector<std::string> include_dirs;   // the user's own -I, of both halves

  // What host code of the folder `project`, and kernels, find besides what is there.
  std::vector<std::string> HostIncludes(const std::filesystem::path& project) const;
  std::vector<std::string> KernelIncludes(const std::filesystem::path& project) const;
  // Host sources of the project that no build file compiles: the repository's take them by patterns
  // of their names, and none fits.
  std::vector<std::filesystem::path> Unnamed(const Project& project) const;
  // The submodule, not checked out, that this header lies in, by the first folder of its name;
  // empty: none.
  std::string AbsentSubmodule(const std::string& header) const;
  // Kernels are written against their installed folders: ../rms_norm/x.h is rms_norm/op_kernel/x.h
  // of the repository.
  std::vector<Mount> KernelMounts(const Project& project) const;
  // What the project is linked with: the operators that its CMakeLists.txt names as DEPENDENCIES,
  // the repository's common host sources and the base library's. Each takes what it needs of the
  // ones behind it.
  std::vector<Library> Libraries(const Project& project) const;
  // Sources for other chips, of the project and of its dependencies: what the rest may be linked
  // with where it names their functions.
  std::vector<BuildRequest> OtherChips(const Project& project) const;
};

// The repository that `project` lies in, by its layout; empty: none.
std::filesystem::path FindRepository(const std::filesystem::path& project);

}  // namespace akgen::toolchain
