// Kernel launches `kernel<T><<<blocks, dynamic UB bytes, stream>>>(args…)` are not C++. This
// rewrites them into a call of akgen_launch (include/ascendc/acl/launch.h), token for token in the
// same order, so that every line and nearly every column stays where its author wrote it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace akgen::toolchain {

struct LaunchRewrite {
  std::string text;     // the source, launches replaced; the same number of lines
  size_t launches = 0;  // how many there were
};

// Comments, string and character literals (raw ones too) and macros are left alone; a launch inside
// a macro definition is rewritten in place. `name` is the file's name for errors. AK2201: the
// callee, the configuration or the argument list of a launch cannot be found.
base::Result<LaunchRewrite> RewriteLaunches(std::string_view source, std::string_view name);

// Cube cores and Vector cores that a block of the kernel starts, 16 bits each from the lowest on,
// as the kernel's source says: by a qualifier, a kernel type or objects of the Matmul library. 0:
// nothing says, it has one Vector core.
uint32_t CoresOf(std::string_view source, std::string_view kernel);

// Does the text contain a launch outside comments and literals? (Cheap; false for nearly every
// header.)
bool HasLaunch(std::string_view source);

}  // namespace akgen::toolchain
