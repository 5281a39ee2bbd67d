// Takes what is undefined out of a function whose scalar work is to be counted. Optimisation may
// make anything of an undefined value, nothing included; the executed code computes with what
// happens to be there. So in the copy that is counted such values are unknown instead, and
// assertions of the source are not believed. Part of count_work.cc.
#pragma once
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace akgen::toolchain {

// Of the copy, before functions are put where they are called. The work behind a call of
// `unmarked`, up to the next mark, is nobody's: it makes the unknown values. Instructions that the
// compiler added as patterns are gone already.
void MakeDefined(llvm::Function& f, llvm::Function* unmarked);

// The first pass of the simplification: what a constant address outside of its object holds is
// unknown.
struct ReadsOutsidePass : llvm::PassInfoMixin<ReadsOutsidePass> {
  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&);
};

}  // namespace akgen::toolchain
