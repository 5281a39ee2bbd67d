// Files of folders beside a project (the user's -I, a repository's neighbours): each is read when
// an #include leads to it, so that a folder of any size can be named.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "toolchain/build.h"
#include "toolchain/builder/compiler.h"

namespace akgen::toolchain {

struct Surroundings {
  std::string project;              // normal absolute paths, no slash at the end
  std::vector<std::string> search;  // -I, in order
  std::vector<Mount> mounts;        // the first one that has the file counts
  VirtualFiles own;  // further files of the project, taken when something includes them
};

// Adds to `files` what its files include from the search folders and the mounts, directly or
// through each other. `links` receives names that lead to a file which has another name in `files`.
// AK0303: more than 64 MiB or 5000 files.
base::Status AddReached(const Surroundings& around, VirtualFiles* files, VirtualLinks* links);

}  // namespace akgen::toolchain
