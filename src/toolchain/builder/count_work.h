// Counts the scalar work of a kernel: in front of each straight-line segment it puts a call of
// akgen_scalar_work (include/ascendc/akgen/abi.h) that says what the segment costs the scalar unit.
//
// The executed code is unchanged but for the patterns of -ftrivial-auto-var-init in functions of
// include/ascendc; its cost is determined on a copy in canonical form: local variables in
// registers, functions inlined, constants folded, loop invariants hoisted, and induction variables
// (counters and addresses that advance by a fixed step) are free. So the cost is that of the work,
// not of its spelling.
#pragma once
#include <clang/Basic/CodeGenOptions.h>

#include "guest/ready.h"

namespace akgen::toolchain {

// Functions of include/ascendc are exempt, and so are those that `header` has: the chip charges for
// their calls. Nothing with clang before version 17, like WatchMemory, behind which this is to be
// called.
void CountWork(clang::CodeGenOptions& options, const guest::Ready& header);

}  // namespace akgen::toolchain
