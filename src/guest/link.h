// Relocatable objects of the compiler to one guest image (guest/image.h), with line tables and symbols for tools.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"

namespace akgen::guest {

// `objects`: contents of ELF files. What none of them defines becomes an import. AK0305: they cannot be one guest
// program, and why.
base::Result<std::string> Link(const std::vector<std::string>& objects);

}  // namespace akgen::guest
