#include "toolchain/builder/gm_variables.h"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/CodeGenOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace akgen::toolchain {
namespace {
constexpr const char* kMark = "akgen.gm";

class Marks : public clang::ASTConsumer, public clang::RecursiveASTVisitor<Marks> {
 public:
  explicit Marks(const clang::SourceManager& sources) : sources_(sources) {}
  // The precompiled headers have none.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* d : group)
      if (!d->isFromASTFile()) TraverseDecl(d);
    return true;
  }
  // NOLINTNEXTLINE(readability-identifier-naming): the visitor's own names
  bool VisitVarDecl(clang::VarDecl* d) {
    if (d->hasGlobalStorage() && !d->getType()->isPointerType() && SaysGm(*d))
      d->addAttr(clang::AnnotateAttr::CreateImplicit(d->getASTContext(), kMark, nullptr, 0));
    return true;
  }

 private:
  // Nothing is left of the word where the preprocessor has been: it is one of those in front of the
  // variable's name.
  bool SaysGm(const clang::VarDecl& d) const {
    constexpr llvm::StringRef kOfType =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:<> \t\r\n";
    const auto [file, at] = sources_.getDecomposedLoc(sources_.getExpansionLoc(d.getLocation()));
    const llvm::StringRef before = sources_.getBufferData(file).take_front(at);
    llvm::StringRef type = before.drop_front(before.find_last_not_of(kOfType) + 1);
    for (llvm::StringRef word; !type.empty();) {
      std::tie(word, type) = llvm::getToken(type);
      if (word == "__gm__") return true;
    }
    return false;
  }

  const clang::SourceManager& sources_;
};

std::vector<llvm::GlobalVariable*> Marked(llvm::Module& module) {
  std::vector<llvm::GlobalVariable*> out;
  const llvm::GlobalVariable* all = module.getNamedGlobal("llvm.global.annotations");
  if (!all || !all->hasInitializer()) return out;
  for (const llvm::Use& row : all->getInitializer()->operands()) {
    auto* of = llvm::cast<llvm::ConstantStruct>(row);
    auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(of->getOperand(0)->stripPointerCasts());
    auto* word = llvm::dyn_cast<llvm::GlobalVariable>(of->getOperand(1)->stripPointerCasts());
    auto* text = word ? llvm::dyn_cast<llvm::ConstantDataArray>(word->getInitializer()) : nullptr;
    if (variable && !variable->isConstant() && text && text->isCString() &&
        text->getAsCString() == kMark)
      out.push_back(variable);
  }
  return out;
}

// What a kernel does with a variable. Not followed: an address that another variable starts with.
struct Uses {
  std::vector<llvm::Instruction*> reads;  // handing out the address counts as both
  bool changed = false;
};

Uses UsesOf(llvm::GlobalVariable& variable) {
  Uses out;
  std::vector<llvm::Value*> places{&variable};
  std::set<llvm::Value*> seen;
  while (!places.empty()) {
    llvm::Value* place = places.back();
    places.pop_back();
    for (llvm::Use& use : place->uses()) {
      llvm::User* user = use.getUser();
      auto* i = llvm::dyn_cast<llvm::Instruction>(user);
      auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      if (llvm::isa<llvm::GlobalValue>(user)) continue;
      if (!i || llvm::isa<llvm::GetElementPtrInst>(user)) {
        if (seen.insert(user).second) places.push_back(user);
        continue;
      }
      out.changed |= !llvm::isa<llvm::LoadInst>(user);
      if (store && store->getPointerOperand() == place) continue;
      out.reads.push_back(phi ? phi->getIncomingBlock(use)->getTerminator() : i);
    }
  }
  return out;
}

struct GmVariablesPass : llvm::PassInfoMixin<GmVariablesPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    const std::vector<llvm::GlobalVariable*> marked = Marked(module);
    if (marked.empty()) return llvm::PreservedAnalyses::all();
    module.getNamedGlobal("llvm.global.annotations")->eraseFromParent();  // it says no more
    auto* address = llvm::PointerType::getUnqual(module.getContext());
    const llvm::FunctionCallee stop = module.getOrInsertFunction(
        "akgen_unsupported",
        llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {address}, false));
    for (llvm::GlobalVariable* variable : marked) {
      const Uses uses = UsesOf(*variable);
      if (!uses.changed) continue;
      const std::string what = "variables in Global Memory that a kernel changes: " +
                               llvm::demangle(variable->getName().str());
      for (llvm::Instruction* at : uses.reads) {
        llvm::IRBuilder<> before(at);
        before.CreateCall(stop, {before.CreateGlobalString(what)});
      }
    }
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};
}  // namespace

std::unique_ptr<clang::ASTConsumer> MarkGmVariables(const clang::CompilerInstance& compiler) {
  return std::make_unique<Marks>(compiler.getSourceManager());
}

void StopAtGmVariables(clang::CodeGenOptions& options) {
#if LLVM_VERSION_MAJOR >= 17
  options.PassBuilderCallbacks.push_back([](llvm::PassBuilder& passes) {
    passes.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& manager, auto) { manager.addPass(GmVariablesPass()); });
  });
#else
  (void)options;
#endif
}

}  // namespace akgen::toolchain
