// Makes visible where the kernel's own C++ is undefined and the machine that judges may do other
// than a core: indexes that lead out of arrays, shifts by the width of the number or more, local
// arrays that a core's stack does not hold. Each such place asks first, and calls akgen_undefined
// (include/ascendc/akgen/abi.h) where the answer is yes.
#pragma once
#include <clang/Basic/CodeGenOptions.h>

namespace akgen::toolchain {

// `native`: this machine executes it, divisions by zero too (divisions.h). Behind CountWork, which
// would count the questions. Functions of include/ascendc are exempt. Nothing with clang before
// version 17.
void CheckLanguage(clang::CodeGenOptions& options, bool native);

}  // namespace akgen::toolchain
