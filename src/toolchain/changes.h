// Which operators of a Git repository a change touches.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace akgen::toolchain {

// Files below `repository` that differ from `since` (a commit, branch or tag: from where HEAD left
// it), in commits or in the working tree, relative to it; new files too. AK0320: Git does not
// answer.
base::Result<std::vector<std::string>> ChangedFiles(const std::filesystem::path& repository,
                                                    const std::string& since);

struct TouchedOperator {
  std::filesystem::path dir;       // with op_kernel/ in it
  std::vector<std::string> files;  // what of the change touches it
  bool own = false;                // one of them lies in it
};
// Those that the files lie in, then those that include one of them, by whatever way.
std::vector<TouchedOperator> TouchedOperators(const std::filesystem::path& repository,
                                              const std::vector<std::string>& changed);

}  // namespace akgen::toolchain
