// From a request to build a kernel (toolchain/build.h) to what the vendor's compiler is given: one
// unit, and the command that makes a shared object of it, for this process alone. Nothing is
// installed, nothing outside of `folder` is written, so that any number of builds run side by side.
//
// The unit includes the candidate's kernel where it lies and adds a function that launches it. It
// is an ordinary launch of a function by name: no operator is registered with the vendor's
// framework, none is looked up there.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/toolkit.h"
#include "toolchain/build.h"

namespace akgen::device {

inline constexpr const char* kLaunchSymbol =
    "akgen_launch";  // int(uint32_t blocks, void* stream, void** args)
inline constexpr const char* kParametersSymbol = "akgen_parameters";  // uint32_t: of the kernel
inline constexpr const char* kBuildSymbol = "akgen_build";  // const char[]: Translation::id
inline constexpr const char* kKernelName = "akgen_kernel";  // what the kernel is called in the unit

struct Translation {
  std::string id;                      // hash of unit and command
  std::filesystem::path unit, object;  // below `folder`
  std::string text, twin;              // of the unit; with a kernel that computes nothing
  std::map<std::filesystem::path, std::filesystem::path>
      links;  // below `folder`, and where they lead
  std::vector<std::string> command;
  std::vector<std::filesystem::path> readable;  // sources and headers
  std::filesystem::path kernel;                 // the candidate's
  size_t parameters = 0;
};

// AK0623: the kernel cannot be launched this way; says what of it.
base::Result<Translation> Translate(const toolchain::BuildRequest& request, const Toolkit& toolkit,
                                    const std::filesystem::path& folder);

// Writes unit and links, and runs the compiler. The reply's `so` is the object, its `key` the
// translation's id. An internal error: a product that the compiler did not write now, a compiler
// that cannot be started, and a failure that names no line of the candidate's, where the twin fails
// too.
toolchain::BuildReply Compile(const Translation& translation, int wall_ms);

}  // namespace akgen::device
