#include "toolchain/builder/header_speed.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <set>

namespace akgen::toolchain {
namespace {
constexpr size_t kSmallest = 40, kLimit = 2000,
                 kMaxDeep = 16;  // instructions; functions calling functions

bool IsOfHeaders(const llvm::Function& f) {
  return !f.isDeclaration() && f.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

struct OptimiseHeadersPass : llvm::PassInfoMixin<OptimiseHeadersPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

class Optimiser {
 public:
  Optimiser() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(groups_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, groups_, modules_);
    passes_.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes_.addPass(llvm::EarlyCSEPass(true));
    passes_.addPass(llvm::SimplifyCFGPass());
    passes_.addPass(llvm::InstCombinePass());
    passes_.addPass(llvm::SimplifyCFGPass());
  }

  // What `f` calls comes first.
  void Optimise(llvm::Function& f, size_t depth = 0) {
    if (depth > kMaxDeep || !seen_.insert(&f).second) return;
    std::vector<llvm::CallBase*> calls;
    for (llvm::Instruction& i : llvm::instructions(f))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
        if (const llvm::Function* callee = call->getCalledFunction();
            callee && IsOfHeaders(*callee))
          calls.push_back(call);
    for (llvm::CallBase* call : calls) {
      llvm::Function* callee = call->getCalledFunction();
      Optimise(*callee, depth + 1);
      if (!done_.contains(callee) || callee->getInstructionCount() > kSmallest ||
          f.getInstructionCount() > kLimit)
        continue;
      llvm::InlineFunctionInfo info;
      (void)llvm::InlineFunction(*call, info);
    }
    f.removeFnAttr(llvm::Attribute::OptimizeNone);
    functions_.invalidate(f, passes_.run(f, functions_));
    done_.insert(&f);
  }

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager groups_;
  llvm::ModuleAnalysisManager modules_;
  llvm::FunctionPassManager passes_;
  std::set<const llvm::Function*> seen_, done_;
};

llvm::PreservedAnalyses OptimiseHeadersPass::run(llvm::Module& module,
                                                 llvm::ModuleAnalysisManager&) {
  Optimiser optimiser;
  for (llvm::Function& f : module)
    if (IsOfHeaders(f)) optimiser.Optimise(f);
  return llvm::PreservedAnalyses::none();
}
}  // namespace

void OptimiseHeaders(clang::CodeGenOptions& options) {
#if LLVM_VERSION_MAJOR >= 17
  options.PassBuilderCallbacks.push_back([](llvm::PassBuilder& passes) {
    passes.registerOptimizerLastEPCallback([](llvm::ModulePassManager& manager, auto... rest) {
      manager.addPass(OptimiseHeadersPass());
    });
  });
#else
  (void)options;
#endif
}

std::vector<std::string> FlagsOfHeaders() {
  return {"-O2",
          "-fno-strict-aliasing",
          "-fwrapv",
          "-fno-delete-null-pointer-checks",
          "-fno-builtin",
          "-fno-vectorize",
          "-fno-slp-vectorize",
          "-fno-optimize-sibling-calls"};
}

}  // namespace akgen::toolchain
