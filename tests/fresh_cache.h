// A cache that holds nothing but the precompiled headers of the user's own, which take a second to make.
#pragma once
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"

namespace akgen::base {

// Makes `dir` this process' cache, and that of what it starts. A header's name says which builder and which sources
// made it, so an old one is never taken for a new one.
inline void UseFreshCache(const std::filesystem::path& dir) {
  const std::filesystem::path shared = CacheDir() / "pch";
  std::error_code ec;
  std::filesystem::create_directories(shared, ec);
  std::filesystem::create_directories(dir, ec);
  struct stat a{}, b{};  // headers are moved to their place, which works within one file system only
  if (::stat(shared.c_str(), &a) == 0 && ::stat(dir.c_str(), &b) == 0 && a.st_dev == b.st_dev)
    std::filesystem::create_directory_symlink(shared, dir / "pch", ec);
  ::setenv("AKGEN_CACHE", dir.c_str(), 1);
}

}  // namespace akgen::base
