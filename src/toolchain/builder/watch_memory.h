// Makes the loads and stores of a kernel visible to the chip: each one that is not provably on the
// stack or in a constant place is announced by a call of akgen_raw_read or akgen_raw_write
// (include/ascendc/akgen/abi.h) in front of it.
#pragma once
#include <clang/Basic/CodeGenOptions.h>
#include <llvm/Config/llvm-config.h>

namespace akgen::toolchain {

// clang runs passes of its users since version 17; with an older one plain loads and stores go
// unseen.
inline constexpr bool kCanWatchMemory = LLVM_VERSION_MAJOR >= 17;

// Functions with the attribute disable_sanitizer_instrumentation are exempt: those of
// include/ascendc, which announce their accesses to the chip's memories themselves. `device`: also
// refuses, as errors of the compilation, what no chip has and what would pass by the announcements:
// jumps to computed addresses, instructions of this machine, library functions used with other
// types than their own, code that runs before the launch.
void WatchMemory(clang::CodeGenOptions& options, bool device);

}  // namespace akgen::toolchain
