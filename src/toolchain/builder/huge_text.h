// Large pages for the code of the compiler.
#pragma once

namespace akgen::toolchain {

// Moves the code of LLVM and clang into anonymous memory with pages of 2 MiB, at the same
// addresses. A child that is forked then has it mapped from the start, where each page of a file is
// mapped again at its first use, and few entries of the processor's page tables cover it. Costs as
// much memory as that code has. To be called while there is one thread.
void UseHugeText();

}  // namespace akgen::toolchain
