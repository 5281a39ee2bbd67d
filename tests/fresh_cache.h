// A cache that holds nothing but what is slow to make: the precompiled headers of the user's own,
// and the scripts of references as nodes, which need libtorch.
#pragma once
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"

namespace akgen::base {

// Makes `dir` this process' cache, and that of what it starts. The name of what is shared says
// which program and which sources made it, so an old one is never taken for a new one.
inline void UseFreshCache(const std::filesystem::path& dir) {
  std::error_code ec;
  std::filesystem::create_directories(dir, ec);
  for (const char* name : {"pch", "scripts"}) {
    const std::filesystem::path shared = CacheDir() / name;
    std::filesystem::create_directories(shared, ec);
    struct stat a{},
        b{};  // files are moved to their place, which works within one file system only
    if (::stat(shared.c_str(), &a) == 0 && ::stat(dir.c_str(), &b) == 0 && a.st_dev == b.st_dev)
      std::filesystem::create_directory_symlink(shared, dir / name, ec);
  }
  ::setenv("AKGEN_CACHE", dir.c_str(), 1);
}

}  // namespace akgen::base
