// Counts the scalar work of a kernel: in front of each stretch of code without a jump stands a call of
// akgen_scalar_work (include/ascendc/akgen/abi.h) that says what the stretch costs the scalar unit.
//
// What is executed stays as it was written; how much it is, is read off a copy in canonical form: local variables are
// registers, functions are where they are called, what is known is folded, what does not change is computed before its
// loop, and counters and addresses that advance by a fixed step are free. So the price is one of the work, not of its
// spelling.
#pragma once
#include <clang/Basic/CodeGenOptions.h>

namespace akgen::toolchain {

// Functions of include/ascendc are left alone: the chip prices their calls. Nothing with clang before version 17, like
// WatchMemory, behind which this is to be called.
void CountWork(clang::CodeGenOptions& options);

}  // namespace akgen::toolchain
