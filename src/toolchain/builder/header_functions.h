// Which functions of a precompiled header are compiled once for all that includes it.
#pragma once
#include <clang/Frontend/FrontendAction.h>

#include <memory>

namespace akgen::toolchain {

// Writes a precompiled header like GeneratePCHAction, for -fmodules-codegen. What counts as a
// kernel's own work (count_work.h), members that the compiler makes by itself for the headers'
// structures among it, is left to kernels.
std::unique_ptr<clang::FrontendAction> PrecompileFunctions();

}  // namespace akgen::toolchain
