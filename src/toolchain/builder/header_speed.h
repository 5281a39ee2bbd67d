// Functions of include/ascendc are optimised in kernels that are not, so that few instructions are
// executed for a call of the interface: they are counted for a block's least time (docs/trust.md),
// and they take the judge's own.
#pragma once
#include <clang/Basic/CodeGenOptions.h>

#include <string>
#include <vector>

namespace akgen::toolchain {

// In guests, what a kernel's own source instantiates of them: locals in registers, small ones put
// where they are called. The kernel's own functions stay as they are. Nothing with clang before
// version 17.
void OptimiseHeaders(clang::CodeGenOptions& options);

// Flags for those that are compiled once (header_functions.h). Whatever a kernel passes to them,
// they do what they say: nothing is taken for granted that the source does not state.
std::vector<std::string> FlagsOfHeaders();

}  // namespace akgen::toolchain
