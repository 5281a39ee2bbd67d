#include "toolchain/builder/ub_arrays.h"

#include <clang/Basic/CodeGenOptions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "toolchain/builder/scalar_price.h"

namespace akgen::toolchain {
namespace {
constexpr uint64_t kDataBlock = 32;
constexpr const char* kWord = "akgen.ub";

struct Array {
  llvm::AllocaInst* local;
  llvm::DebugLoc declared;
  uint64_t bytes;
};
using ArraysOf = std::vector<std::pair<llvm::Function*, std::vector<Array>>>;

bool SaysUb(const llvm::Value* text) {
  auto* global = llvm::dyn_cast<llvm::GlobalVariable>(text->stripPointerCasts());
  auto* data = global && global->hasInitializer()
                   ? llvm::dyn_cast<llvm::ConstantDataArray>(global->getInitializer())
                   : nullptr;
  return data && data->isCString() && data->getAsCString() == kWord;
}

bool HoldsArrays(const llvm::Type* type) {
  if (type->isArrayTy()) return true;
  auto* structure = llvm::dyn_cast<llvm::StructType>(type);
  return structure &&
         std::any_of(structure->element_begin(), structure->element_end(), HoldsArrays);
}

// A pointer, an array of pointers: they lie on the stack, and point to the Unified Buffer.
bool IsOfPointers(const llvm::Type* type) {
  while (type->isArrayTy()) type = type->getArrayElementType();
  return type->isPointerTy();
}

class Places {
 public:
  explicit Places(llvm::Module& module) : module_(module) {}

  bool Run() {
    bool changed = false;
    ArraysOf found;
    for (llvm::Function& f : module_) {
      std::vector<Array> arrays;
      changed |= Take(f, &arrays);
      if (!arrays.empty()) found.emplace_back(&f, std::move(arrays));
    }
    if (found.empty()) return changed;
    FindKernels();
    for (auto& [f, arrays] : found) Move(*f, arrays);
    return true;
  }

 private:
  // The annotations of a function go; what they say of arrays stays in `out`.
  bool Take(llvm::Function& f, std::vector<Array>* out) {
    std::vector<llvm::IntrinsicInst*> words;
    for (llvm::Instruction& i : llvm::instructions(f)) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      const bool of_variable = call && call->getIntrinsicID() == llvm::Intrinsic::var_annotation;
      const bool of_field = call && call->getIntrinsicID() == llvm::Intrinsic::ptr_annotation;
      if ((of_variable || of_field) && SaysUb(call->getArgOperand(1))) words.push_back(call);
    }
    for (llvm::IntrinsicInst* word : words) {
      if (word->getIntrinsicID() == llvm::Intrinsic::ptr_annotation)
        word->replaceAllUsesWith(word->getArgOperand(0));
      else if (auto* local =
                   llvm::dyn_cast<llvm::AllocaInst>(word->getArgOperand(0)->stripPointerCasts()))
        if (auto array = Declared(*local, word->getDebugLoc())) out->push_back(*array);
      word->eraseFromParent();
    }
    return !words.empty();
  }

  std::optional<Array> Declared(llvm::AllocaInst& local, const llvm::DebugLoc& at) {
    llvm::Type* type = local.getAllocatedType();
    if (IsOfPointers(type)) return std::nullopt;
    const char* wrong =
        !local.isStaticAlloca() ? "an array of the Unified Buffer has a constant length"
        : type->isArrayTy() && HoldsArrays(type->getArrayElementType())
            ? "an array of the Unified Buffer has one dimension, and no arrays in its elements"
            : nullptr;
    if (wrong) {
      module_.getContext().diagnose(
          llvm::DiagnosticInfoUnsupported(*local.getFunction(), wrong, at));
      return std::nullopt;
    }
    return Array{&local, at, local.getAllocationSize(module_.getDataLayout())->getFixedValue()};
  }

  // What is not called by name in this file is called from outside: kernels, and what the host
  // hands to a launch.
  void FindKernels() {
    std::map<llvm::Function*, std::set<llvm::Function*>> calls;
    std::set<llvm::Function*> called;
    for (llvm::Function& f : module_)
      for (llvm::Instruction& i : llvm::instructions(f))
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call && call->getCalledFunction()) {
          calls[&f].insert(call->getCalledFunction());
          if (call->getCalledFunction() != &f) called.insert(call->getCalledFunction());
        }
    for (llvm::Function& f : module_) {
      if (f.isDeclaration() || (called.contains(&f) && !f.hasAddressTaken())) continue;
      std::vector<llvm::Function*> open{&f};
      while (!open.empty()) {
        llvm::Function* next = open.back();
        open.pop_back();
        if (!kernels_[next].insert(&f).second) continue;
        for (llvm::Function* callee : calls[next]) open.push_back(callee);
      }
    }
  }

  void Move(llvm::Function& f, const std::vector<Array>& arrays) {
    std::set<llvm::Function*>& kernels = kernels_[&f];
    if (kernels.empty()) kernels.insert(&f);  // it calls itself, and nobody else does
    uint64_t at = 0;
    for (llvm::Function* k : kernels) at = std::max(at, end_[k]);
    auto* number = llvm::Type::getInt32Ty(module_.getContext());
    auto* address = llvm::PointerType::getUnqual(module_.getContext());
    llvm::FunctionCallee place = module_.getOrInsertFunction(
        "akgen_ub_array", llvm::FunctionType::get(address, {number, number}, false));
    for (const Array& array : arrays) {
      llvm::IRBuilder<> first(&*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      first.SetCurrentDebugLocation(array.declared);
      llvm::Value* there = first.CreateCall(place, {Number(at), Number(array.bytes)});
      Clean(*array.local);
      array.local->replaceAllUsesWith(there);
      array.local->eraseFromParent();
      at += (array.bytes + kDataBlock - 1) / kDataBlock * kDataBlock;
    }
    for (llvm::Function* k : kernels) end_[k] = at;
  }

  // Too much is too much, however large.
  llvm::Constant* Number(uint64_t n) const {
    constexpr uint64_t kLimit = uint64_t{1} << 30;
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(module_.getContext()),
                                  std::min(n, kLimit));
  }

  // What is true of the stack alone, what no source wrote, and the braces of a structure, which
  // write nothing.
  static void Clean(llvm::AllocaInst& local) {
    std::vector<llvm::Instruction*> gone;
    for (llvm::Instruction& i : llvm::instructions(*local.getFunction()))
      if (IsPattern(i) && Writes(i, local)) gone.push_back(&i);
    for (llvm::User* user : local.users()) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
      if (!call || IsPattern(*call)) continue;
      const bool memset = call->getIntrinsicID() == llvm::Intrinsic::memset;
      if (call->isLifetimeStartOrEnd() || (memset && local.getAllocatedType()->isStructTy()))
        gone.push_back(call);
    }
    for (llvm::Instruction* i : gone) i->eraseFromParent();
  }
  static bool Writes(const llvm::Instruction& i, const llvm::AllocaInst& local) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
    auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i);
    const llvm::Value* to = store    ? store->getPointerOperand()
                            : memory ? memory->getRawDest()
                                     : nullptr;
    return to && llvm::getUnderlyingObject(to) == &local;
  }

  llvm::Module& module_;
  std::map<llvm::Function*, std::set<llvm::Function*>> kernels_;  // that reach a function
  std::map<llvm::Function*, uint64_t> end_;  // of what a kernel's functions have so far
};

struct UbArraysPass : llvm::PassInfoMixin<UbArraysPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    return Places(module).Run() ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};
}  // namespace

void PlaceUbArrays(clang::CodeGenOptions& options) {
#if LLVM_VERSION_MAJOR >= 17
  options.PassBuilderCallbacks.push_back([](llvm::PassBuilder& passes) {
    passes.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& manager, auto) { manager.addPass(UbArraysPass()); });
  });
#else
  (void)options;
#endif
}

}  // namespace akgen::toolchain
