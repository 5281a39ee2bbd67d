// A program's kernels for Cube cores: the program is compiled once more for these, with other names
// in the same object, and host code launches the kernels of both copies
// (include/ascendc/acl/launch.h).
#pragma once
#include <clang/Basic/CodeGenOptions.h>

namespace akgen::toolchain {

// Tells each launch whether its kernel uses instructions of its type of core. `cube`: this is the
// copy.
void PrepareProgram(clang::CodeGenOptions& options, bool cube);

}  // namespace akgen::toolchain
