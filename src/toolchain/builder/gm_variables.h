// Variables that a kernel declares in Global Memory: `__gm__ uint32_t turn[16];` outside of
// functions. All cores share them on the chip, and how a core's loads and stores of them meet the
// data cache is documented nowhere. Here each block has variables of its own, which is as good
// where all only read them, or only write them.
#pragma once
#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace clang {
class CodeGenOptions;
class CompilerInstance;
}  // namespace clang

namespace akgen::toolchain {

// Marks them; goes in front of the consumer that generates code.
std::unique_ptr<clang::ASTConsumer> MarkGmVariables(const clang::CompilerInstance& compiler);
// A kernel that has a place where it writes one, and comes to where it reads that one or hands out
// its address, ends as unsupported (akgen_unsupported).
void StopAtGmVariables(clang::CodeGenOptions& options);

}  // namespace akgen::toolchain
