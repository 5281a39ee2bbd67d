#include "toolchain/builder/divisions.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "akgen/abi.h"

namespace akgen::toolchain {
namespace {
using llvm::Instruction;

bool MayStop(const Instruction& i) {
  const unsigned op = i.getOpcode();
  const bool divides = op == Instruction::SDiv || op == Instruction::SRem ||
                       op == Instruction::UDiv || op == Instruction::URem;
  if (!divides || !i.getType()->isIntegerTy()) return false;
  auto* by = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
  return !by || by->isZero() || by->isMinusOne();
}

// `tell` is asked where the divisor is zero.
void Guard(Instruction& i, llvm::FunctionCallee tell) {
  llvm::IRBuilder<> before(&i);
  llvm::Type* type = i.getType();
  llvm::Value *number = i.getOperand(0), *by = i.getOperand(1);
  auto* none = llvm::ConstantInt::get(type, 0);
  auto* one = llvm::ConstantInt::get(type, 1);
  llvm::Value *zero = before.CreateICmpEQ(by, none), *safe = before.CreateSelect(zero, one, by),
              *minus = nullptr;
  if (i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem) {
    minus = before.CreateICmpEQ(by, llvm::ConstantInt::getAllOnesValue(type));
    safe = before.CreateSelect(minus, one, safe);
  }
  i.setOperand(1, safe);
  i.dropPoisonGeneratingFlags();
  if (i.getOpcode() == Instruction::SDiv ||
      i.getOpcode() == Instruction::UDiv) {  // a remainder by 1 is 0 already
    llvm::IRBuilder<> after(i.getNextNode());
    llvm::Value *own = after.CreateSelect(zero, none, &i), *chosen = own;
    if (minus) chosen = after.CreateSelect(minus, after.CreateNeg(number), own);
    i.replaceUsesWithIf(chosen, [&](const llvm::Use& use) { return use.getUser() != own; });
  }
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(zero); known && known->isZero()) return;
  llvm::IRBuilder<> there(llvm::SplitBlockAndInsertIfThen(zero, i.getIterator(), false));
  there.SetCurrentDebugLocation(i.getDebugLoc());
  llvm::Type* word = llvm::Type::getInt64Ty(i.getContext());
  there.CreateCall(tell, {llvm::ConstantInt::get(llvm::Type::getInt32Ty(i.getContext()),
                                                 AKGEN_UNDEFINED_DIVISION),
                          llvm::ConstantInt::get(word, 0), llvm::ConstantInt::get(word, 0)});
}
}  // namespace

bool GuardDivisions(llvm::Function& f) {
  std::vector<Instruction*> found;
  for (Instruction& i : llvm::instructions(f))
    if (MayStop(i)) found.push_back(&i);
  if (found.empty()) return false;
  llvm::LLVMContext& context = f.getContext();
  auto* word = llvm::Type::getInt64Ty(context);
  const llvm::FunctionCallee tell = f.getParent()->getOrInsertFunction(
      "akgen_undefined",
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {llvm::Type::getInt32Ty(context), word, word}, false));
  for (Instruction* i : found) Guard(*i, tell);
  return true;
}

}  // namespace akgen::toolchain
