#include "toolchain/builder/program_copies.h"

#include <dlfcn.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include <set>
#include <vector>

namespace akgen::toolchain {
namespace {
constexpr const char* kSuffix = ".akgen_cube";

std::set<llvm::Function*> ReachedFrom(llvm::Function* start) {
  std::set<llvm::Function*> out{start};
  for (std::vector<llvm::Function*> open{start}; !open.empty();) {
    llvm::Function* f = open.back();
    open.pop_back();
    for (llvm::Instruction& i : llvm::instructions(*f))
      for (llvm::Value* operand : i.operands())
        if (auto* next = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
            next && out.insert(next).second)
          open.push_back(next);
  }
  return out;
}

struct ProgramPass : llvm::PassInfoMixin<ProgramPass> {
  explicit ProgramPass(bool cube) : cube(cube) {}

  bool Uses(const std::set<llvm::Function*>& reached) const {
    for (const llvm::Function* f : reached)
      for (const char* one : {"akgen_vec", "akgen_cross_set", "akgen_cross_wait", "akgen_job_post"})
        if (f->getName() == (cube ? "akgen_cube" : one)) return true;
    return false;
  }

  // Kernels that launches name: argument `run` of the function that takes them, whose last one is
  // told.
  void Tell(llvm::Module& module, const char* function, unsigned run,
            std::set<llvm::Function*>* kernels) const {
    llvm::Function* taken = module.getFunction(function);
    if (!taken) return;
    for (llvm::User* user : taken->users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call || call->getCalledFunction() != taken) continue;
      auto* kernel = llvm::dyn_cast<llvm::Function>(call->getArgOperand(run)->stripPointerCasts());
      if (!kernel) continue;
      const auto reached = ReachedFrom(kernel);
      const unsigned last = unsigned(call->arg_size()) - 1;
      call->setArgOperand(
          last, llvm::ConstantInt::get(call->getArgOperand(last)->getType(), Uses(reached)));
      kernels->insert(reached.begin(), reached.end());
    }
  }

  // Device code of another source has its second copy too; what the runtime and the C library have
  // exists once.
  static bool IsTheirs(const llvm::Function& f) {
    return f.isDeclaration() && !f.getName().starts_with("akgen_") &&
           !f.getName().starts_with("llvm.") &&
           ::dlsym(RTLD_DEFAULT, f.getName().str().c_str()) == nullptr;
  }

  static void Rename(llvm::Module& module, const std::set<llvm::Function*>& kernels) {
    for (llvm::GlobalValue& g : module.global_values()) {
      auto* f = llvm::dyn_cast<llvm::Function>(&g);
      const bool device = f && kernels.contains(f) && IsTheirs(*f);
      if (g.hasLocalLinkage() || g.hasAvailableExternallyLinkage() ||
          g.getName().starts_with("llvm.") || (g.isDeclaration() && !device))
        continue;
      const std::string name = g.getName().str() + kSuffix;
      g.setName(name);
      if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&g); object && object->hasComdat()) {
        llvm::Comdat* own =
            module.getOrInsertComdat(object->getComdat()->getName().str() + kSuffix);
        own->setSelectionKind(object->getComdat()->getSelectionKind());
        object->setComdat(own);
      }
    }
  }

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    std::set<llvm::Function*> kernels;
    if (cube)
      Tell(module, "akgen_cube_body", 2, &kernels), Rename(module, kernels);
    else
      Tell(module, "akgen_launch_cores", 0, &kernels);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
  bool cube;
};
}  // namespace

void PrepareProgram(clang::CodeGenOptions& options, bool cube) {
  options.PassBuilderCallbacks.push_back([cube](llvm::PassBuilder& passes) {
    passes.registerOptimizerLastEPCallback(
        [cube](llvm::ModulePassManager& manager, auto...) { manager.addPass(ProgramPass(cube)); });
  });
}

}  // namespace akgen::toolchain
