// One build, resolved: shared by the two files that implement Server.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/builder/server.h"
#include "toolchain/system.h"

namespace akgen::toolchain {

inline constexpr const char* kKernelHeader = "kernel_operator.h";
inline constexpr const char* kPreludePath = "/akgen/prelude.h";
inline constexpr const char* kLaunchFolder =
    "/akgen/launch/";  // headers made for kernels that other sources launch
inline constexpr uint64_t kFileBytes = 512ull << 20;  // largest file that a compilation may write

struct Server::Plan {
  VirtualFiles files;
  VirtualLinks links;                // further names of some of them
  std::string project;               // normal absolute path, no trailing slash, or ""
  std::vector<std::string> sources;  // paths in `files`
  std::vector<std::string> flags;    // enter the precompiled header
  std::vector<std::string> search;   // -I, -D, prefix maps
  std::string headers;               // hash of the headers that every build may include
  Precompiled pch;
  // Of a kernel that runs on Cube cores too, the same for the second compilation; no flags: there
  // is none.
  std::vector<std::string> cube_flags;
  Precompiled cube_pch;
  bool compiled =
      false;  // the objects are there (Server::objects_), the linker is all that is left
};

// A file by its place in the project or among akgen's headers ("": neither counts).
std::string Shorten(const std::string& file, const std::string& project,
                    const std::string& headers);

}  // namespace akgen::toolchain
