// Arrays of variable length that have initialisers: compilers that kernels and host code are
// written for take them.
#pragma once
#include <vector>

#include "toolchain/builder/compiler.h"

namespace akgen::toolchain {

// Where `errors` say that such an array may not be initialised, sets it behind its declaration, on
// the same line. What is not understood stays. Result: what was changed; nothing: compiling again
// is no use.
std::vector<Rewrite> SetVariableArrays(const std::vector<BuildDiagnostic>& errors,
                                       const VirtualLinks& links, VirtualFiles* files);

}  // namespace akgen::toolchain
