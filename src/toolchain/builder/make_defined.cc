#include "toolchain/builder/make_defined.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <set>
#include <string>
#include <vector>

#include "toolchain/builder/scalar_price.h"

namespace akgen::toolchain {
namespace {
// A value of this type that nobody knows, another one at each call. Names of the chip's interface
// are free.
llvm::CallInst* UnknownValue(llvm::IRBuilder<>& at, llvm::Module& module, llvm::Type* type) {
  std::string text;
  llvm::raw_string_ostream(text) << *type;
  llvm::FunctionCallee any =
      module.getOrInsertFunction("akgen_unknown " + text, llvm::FunctionType::get(type, {}, false));
  auto* f = llvm::cast<llvm::Function>(any.getCallee());
  f->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  f->setWillReturn(), f->setDoesNotThrow();
  return at.CreateCall(any);
}

// The value itself, but for the optimiser: the same for the same.
llvm::Value* Hidden(llvm::IRBuilder<>& at, llvm::Module& module, llvm::Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return value;
  llvm::Type* type = value->getType();
  std::string text;
  llvm::raw_string_ostream(text) << *type;
  llvm::FunctionCallee same = module.getOrInsertFunction(
      "akgen_hidden " + text, llvm::FunctionType::get(type, {type}, false));
  auto* f = llvm::cast<llvm::Function>(same.getCallee());
  f->setMemoryEffects(llvm::MemoryEffects::none());
  f->setWillReturn(), f->setDoesNotThrow();
  f->addFnAttr(llvm::Attribute::Speculatable);
  return at.CreateCall(same, {value});
}

// Is it written as a whole before anything else is done with it?
bool IsWrittenFirst(const llvm::AllocaInst& local, const llvm::DominatorTree& tree) {
  for (const llvm::User* user : local.users()) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!store || store->getPointerOperand() != &local) continue;
    if (store->getValueOperand()->getType() != local.getAllocatedType()) continue;
    if (llvm::all_of(local.users(), [&](const llvm::User* other) {
          return other == store || tree.dominates(store, llvm::cast<llvm::Instruction>(other));
        }))
      return true;
  }
  return false;
}

// A structure of up to two words is passed in registers: in a local that it is copied to, all but
// less than a word.
bool IsPassed(const llvm::AllocaInst& local, const llvm::DominatorTree& tree,
              const llvm::DataLayout& layout) {
  const uint64_t size = layout.getTypeAllocSize(local.getAllocatedType()).getFixedValue();
  if (size > 16) return false;
  for (const llvm::User* user : local.users()) {
    auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user);
    if (!copy || copy->getRawDest() != &local) continue;
    auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    if (bytes && bytes->getZExtValue() + 8 > size &&
        llvm::all_of(local.users(), [&](const llvm::User* other) {
          return other == copy || tree.dominates(copy, llvm::cast<llvm::Instruction>(other));
        }))
      return true;
  }
  return false;
}

// Arrays too large for registers are memory, whether their indexes are constants or not.
bool HoldsLargeArray(llvm::Type* type, const llvm::DataLayout& layout) {
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return layout.getTypeAllocSize(type) > kRegisterBytes ||
           HoldsLargeArray(array->getElementType(), layout);
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type))
    return llvm::any_of(structure->elements(),
                        [&](llvm::Type* part) { return HoldsLargeArray(part, layout); });
  return false;
}

void StartLocals(llvm::Function& f, llvm::Function* unmarked) {
  llvm::Module& module = *f.getParent();
  const llvm::DataLayout& layout = module.getDataLayout();
  const llvm::DominatorTree tree(f);
  std::vector<llvm::AllocaInst*> unknown, large;
  std::set<llvm::AllocaInst*> passed;
  for (llvm::Instruction& i : f.getEntryBlock()) {
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(&i);
    if (!local || !local->isStaticAlloca() || !local->getAllocatedType()->isSized()) continue;
    if (!IsWrittenFirst(*local, tree)) unknown.push_back(local);
    if (IsPassed(*local, tree, layout)) passed.insert(local);
    if (HoldsLargeArray(local->getAllocatedType(), layout)) large.push_back(local);
  }
  if (unknown.empty() && large.empty()) return;
  llvm::IRBuilder<> start(&*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  start.CreateCall(unmarked);
  for (llvm::AllocaInst* local : unknown) {
    // The rest of a register beside a passed structure is nothing that takes work.
    llvm::Value* byte = passed.contains(local) ? static_cast<llvm::Value*>(start.getInt8(0))
                                               : UnknownValue(start, module, start.getInt8Ty());
    start.CreateMemSet(local, byte,
                       layout.getTypeAllocSize(local->getAllocatedType()).getFixedValue(),
                       local->getAlign());
  }
  if (large.empty()) return;
  llvm::FunctionCallee in_memory = module.getOrInsertFunction(
      "akgen_in_memory", llvm::FunctionType::get(start.getVoidTy(), {start.getPtrTy()}, false));
  auto* callee = llvm::cast<llvm::Function>(in_memory.getCallee());
  callee->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
  callee->setWillReturn(), callee->setDoesNotThrow();
#if LLVM_VERSION_MAJOR < 21
  callee->addParamAttr(0, llvm::Attribute::NoCapture);
#endif
  for (llvm::AllocaInst* local : large) start.CreateCall(in_memory, {local});
}

// Executed, a place that is said to be out of reach leads to what the code has behind it.
void PassOn(llvm::Instruction& unreachable) {
  llvm::IRBuilder<> at(&unreachable);
  llvm::BasicBlock* next = unreachable.getParent()->getNextNode();
  llvm::Type* type = unreachable.getFunction()->getReturnType();
  if (next && next->phis().empty())
    at.CreateBr(next);
  else if (type->isVoidTy())
    at.CreateRetVoid();
  else
    at.CreateRet(llvm::Constant::getNullValue(type));
  unreachable.eraseFromParent();
}

// What the source promises and nobody checks.
void DropPromises(llvm::Function& f) {
  f.removeFnAttr(llvm::Attribute::Memory);
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f))) {
    if (llvm::isa<llvm::AssumeInst>(i)) {
      i.eraseFromParent();
    } else if (llvm::isa<llvm::UnreachableInst>(i)) {
      PassOn(i);
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
               call && !llvm::isa<llvm::IntrinsicInst>(i)) {
      const llvm::Function* callee = call->getCalledFunction();
      if (!callee || IsOwn(*callee)) call->removeFnAttr(llvm::Attribute::Memory);
    } else if (llvm::isa<llvm::FPMathOperator, llvm::PossiblyExactOperator>(i) ||
               i.getOpcode() == llvm::Instruction::Shl) {
      i.dropPoisonGeneratingFlags();
    }
  }
}

// Conversions, divisions, shifts and counts of bits for which the language defines no result have
// the machine's.
void DefineResult(llvm::Instruction& i) {
  llvm::Module& module = *i.getModule();
  llvm::IRBuilder<> at(&i);
  switch (i.getOpcode()) {
    using llvm::Instruction;
    case Instruction::FPToSI:
    case Instruction::FPToUI: {
      const auto saturating = i.getOpcode() == Instruction::FPToSI ? llvm::Intrinsic::fptosi_sat
                                                                   : llvm::Intrinsic::fptoui_sat;
      llvm::Value* from = i.getOperand(0);
      i.replaceAllUsesWith(at.CreateIntrinsic(saturating, {i.getType(), from->getType()}, {from}));
      i.eraseFromParent();
      return;
    }
    case Instruction::SDiv:
    case Instruction::SRem: {
      // With one bit more there is a quotient of the least number by -1.
      llvm::Type* wide = i.getType()->getWithNewBitWidth(i.getType()->getScalarSizeInBits() + 1);
      llvm::Value* result = at.CreateBinOp(llvm::Instruction::BinaryOps(i.getOpcode()),
                                           at.CreateSExt(i.getOperand(0), wide),
                                           at.CreateSExt(i.getOperand(1), wide));
      i.replaceAllUsesWith(at.CreateTrunc(result, i.getType()));
      i.eraseFromParent();
      return;
    }
    case Instruction::ExtractElement: return i.setOperand(1, Hidden(at, module, i.getOperand(1)));
    case Instruction::InsertElement: return i.setOperand(2, Hidden(at, module, i.getOperand(2)));
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      if (i.getType()->isVectorTy()) i.setOperand(1, Hidden(at, module, i.getOperand(1)));
      return;
    case Instruction::Freeze:
      if (llvm::isa<llvm::UndefValue>(i.getOperand(0)))
        i.setOperand(0, UnknownValue(at, module, i.getType()));
      return;
    case Instruction::Call: break;
    default: return;
  }
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (!call) return;
  if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(call)) {
    // Counted as it is executed, if it is no constant there (AddBytes).
    memory->setLength(Hidden(at, module, memory->getLength()));
    return;
  }
  const auto id = call->getIntrinsicID();
  if (id == llvm::Intrinsic::ctlz || id == llvm::Intrinsic::cttz || id == llvm::Intrinsic::abs)
    call->setArgOperand(1, at.getFalse());
}
}  // namespace

void MakeDefined(llvm::Function& f, llvm::Function* unmarked) {
  DropPromises(f);
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f))) DefineResult(i);
  StartLocals(f, unmarked);
}

llvm::PreservedAnalyses ReadsOutsidePass::run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
  llvm::Module& module = *f.getParent();
  const llvm::DataLayout& layout = module.getDataLayout();
  auto size_of = [&](const llvm::Value* object) -> std::optional<uint64_t> {
    if (auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object))
      return layout.getTypeAllocSize(global->getValueType()).getFixedValue();
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(object);
    if (!local || !local->isStaticAlloca()) return std::nullopt;
    return layout.getTypeAllocSize(local->getAllocatedType()).getFixedValue();
  };
  bool changed = false;
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f))) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    if (!load) continue;
    int64_t offset = 0;
    const auto size =
        size_of(llvm::GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout));
    const uint64_t bytes = layout.getTypeStoreSize(load->getType()).getFixedValue();
    if (!size || (offset >= 0 && uint64_t(offset) + bytes <= *size)) continue;
    llvm::IRBuilder<> at(load);
    load->replaceAllUsesWith(UnknownValue(at, module, load->getType()));
    load->eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace akgen::toolchain
