// Divisions in code that this machine executes itself, where a core goes on and the processor ends
// the process: by zero, and of the least number by -1. Part of CheckLanguage.
#pragma once
#include <llvm/IR/Function.h>

namespace akgen::toolchain {

// By zero: tells akgen_undefined (include/ascendc/akgen/abi.h), and the result is 0. By -1: the
// number with the other sign, which overflows as on a core. Result: was there any such division?
bool GuardDivisions(llvm::Function& f);

}  // namespace akgen::toolchain
