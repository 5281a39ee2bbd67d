#include "toolchain/builder/check_language.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <vector>

#include "akgen/abi.h"
#include "toolchain/builder/divisions.h"
#include "toolchain/builder/scalar_price.h"

namespace akgen::toolchain {
namespace {
// What the toolkit's build rules give a kernel (cce-aicore-stack-size).
constexpr uint64_t kStackBytes = 32768;

// A number that has to stay below a limit.
struct Question {
  llvm::Instruction* at;
  llvm::Value* number;
  uint64_t limit;    // the first that is wrong
  uint64_t told;     // as the message has it
  uint32_t concern;  // AKGEN_UNDEFINED_…
};

// Is what lies there used, or its address alone? That of the element behind the last is no error.
bool IsUsed(const llvm::GetElementPtrInst& place) {
  return std::all_of(place.user_begin(), place.user_end(), [&](const llvm::User* user) {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
      return store->getPointerOperand() == &place;
    return llvm::isa<llvm::LoadInst>(user) || llvm::isa<llvm::GetElementPtrInst>(user);
  });
}

// Arrays of one element, or none, at the end of a structure stand for as many as there are.
void AskIndexes(llvm::GetElementPtrInst& place, std::vector<Question>* out) {
  llvm::Type* type = place.getSourceElementType();
  for (unsigned at = 2; at < place.getNumOperands();
       ++at) {  // the first index is a step between whole objects
    llvm::Value* index = place.getOperand(at);
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      type = structure->getTypeAtIndex(index);
      continue;
    }
    auto* array = llvm::dyn_cast<llvm::ArrayType>(type);
    if (!array) return;
    type = array->getElementType();
    const uint64_t count = array->getNumElements();
    const bool whole = at + 1 < place.getNumOperands() || IsUsed(place);
    if (count > 1)
      out->push_back({&place, index, whole ? count : count + 1, count, AKGEN_UNDEFINED_INDEX});
  }
}

void AskShift(llvm::Instruction& i, std::vector<Question>* out) {
  if (!i.isShift() || !i.getType()->isIntegerTy()) return;
  const uint64_t bits = i.getType()->getIntegerBitWidth();
  out->push_back({&i, i.getOperand(1), bits, bits, AKGEN_UNDEFINED_SHIFT});
}

bool IsArrayOfNumbers(llvm::Type* type) {
  if (!type->isArrayTy()) return false;
  while (type->isArrayTy()) type = type->getArrayElementType();
  return type->isIntegerTy() || type->isFloatingPointTy();
}

void AskStack(llvm::Function& f, std::vector<Question>* out) {
  uint64_t bytes = 0;
  for (llvm::Instruction& i : llvm::instructions(f))
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&i))
      if (auto size = local->getAllocationSize(f.getParent()->getDataLayout());
          size && IsArrayOfNumbers(local->getAllocatedType()))
        bytes += size->getFixedValue();
  llvm::Instruction* first = &*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  auto* number = llvm::ConstantInt::get(llvm::Type::getInt64Ty(f.getContext()), bytes);
  out->push_back({first, number, kStackBytes + 1, kStackBytes, AKGEN_UNDEFINED_STACK});
}

bool IsFine(const Question& q) {
  auto* known = llvm::dyn_cast<llvm::ConstantInt>(q.number);
  return known && known->getValue().getActiveBits() <= 64 && known->getZExtValue() < q.limit;
}

struct CheckLanguagePass : llvm::PassInfoMixin<CheckLanguagePass> {
  explicit CheckLanguagePass(bool native) : native(native) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    std::vector<Question> asked;
    for (llvm::Function& f : module) {
      if (!IsOwn(f)) continue;
      AskStack(f, &asked);
      for (llvm::Instruction& i : llvm::instructions(f)) {
        if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) AskIndexes(*place, &asked);
        AskShift(i, &asked);
      }
    }
    std::erase_if(asked, IsFine);
    bool changed = !asked.empty();
    if (changed) Ask(module, asked);
    for (llvm::Function& f : module)
      if (native && !f.isDeclaration()) changed |= GuardDivisions(f);
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
  bool native;

 private:
  static void Ask(llvm::Module& module, const std::vector<Question>& asked) {
    auto* word = llvm::Type::getInt64Ty(module.getContext());
    auto* half = llvm::Type::getInt32Ty(module.getContext());
    auto* nothing = llvm::Type::getVoidTy(module.getContext());
    llvm::FunctionCallee tell = module.getOrInsertFunction(
        "akgen_undefined", llvm::FunctionType::get(nothing, {half, word, word}, false));
    for (const Question& q : asked) {
      llvm::IRBuilder<> before(q.at);
      llvm::Value* number = before.CreateSExtOrTrunc(q.number, word);
      llvm::Value* wrong = before.CreateICmpUGE(number, llvm::ConstantInt::get(word, q.limit));
      llvm::IRBuilder<> there(llvm::SplitBlockAndInsertIfThen(wrong, q.at->getIterator(), false));
      there.SetCurrentDebugLocation(q.at->getDebugLoc());
      there.CreateCall(tell, {llvm::ConstantInt::get(half, q.concern), number,
                              llvm::ConstantInt::get(word, q.told)});
    }
  }
};
}  // namespace

void CheckLanguage(clang::CodeGenOptions& options, bool native) {
#if LLVM_VERSION_MAJOR >= 17
  options.PassBuilderCallbacks.push_back([native](llvm::PassBuilder& passes) {
    passes.registerPipelineStartEPCallback([native](llvm::ModulePassManager& manager, auto) {
      manager.addPass(CheckLanguagePass(native));
    });
  });
#else
  (void)options, (void)native;
#endif
}

}  // namespace akgen::toolchain
