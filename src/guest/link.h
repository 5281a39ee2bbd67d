// Relocatable objects of the compiler to one guest image (guest/image.h), with line tables and
// symbols for tools.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "guest/ready.h"

namespace akgen::guest {

// What names of a second program in the same image end with: it shares nothing with the first one.
inline constexpr const char* kCubeSuffix = "@cube";

// `objects`: contents of ELF files. What neither they nor `ready` define becomes an import. `cube`:
// those of the same kernel for the other type of core, whose names, imports too, all get
// kCubeSuffix. AK0305: they cannot be one guest program, and why.
base::Result<std::string> Link(const std::vector<std::string>& objects,
                               const std::vector<std::string>& cube = {}, const Ready& ready = {},
                               const Ready& cube_ready = {});

}  // namespace akgen::guest
