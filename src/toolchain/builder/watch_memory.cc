#include "toolchain/builder/watch_memory.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

namespace akgen::toolchain {
namespace {

// What one instruction does to memory; a copy does two things.
struct Access {
  llvm::Instruction* at;
  llvm::Value* address;
  llvm::Value* bytes;  // i64
  bool write;
};

class Watcher {
 public:
  explicit Watcher(llvm::Module& module)
      : layout_(module.getDataLayout()), word_(llvm::Type::getInt64Ty(module.getContext())) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()),
                                         {llvm::PointerType::getUnqual(module.getContext()), word_}, false);
    read_ = module.getOrInsertFunction("akgen_raw_read", type);
    write_ = module.getOrInsertFunction("akgen_raw_write", type);
  }

  void Watch(llvm::Function& function) {
    found_.clear();
    for (llvm::Instruction& i : llvm::instructions(function)) Look(i);
    for (const Access& a : found_) {
      llvm::IRBuilder<> before(a.at);
      llvm::Value* bytes = before.CreateZExtOrTrunc(a.bytes, word_);
      before.CreateCall(a.write ? write_ : read_, {a.address, bytes});
    }
  }

 private:
  void Look(llvm::Instruction& i) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return Fixed(i, load->getPointerOperand(), load->getType(), false);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      return Fixed(i, store->getPointerOperand(), store->getValueOperand()->getType(), true);
    if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) return Fixed(i, rmw->getPointerOperand(), rmw->getType(), true);
    if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
      return Fixed(i, swap->getPointerOperand(), swap->getNewValOperand()->getType(), true);
    if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
      if (auto* move = llvm::dyn_cast<llvm::MemTransferInst>(&i)) Add(i, move->getRawSource(), move->getLength(), false);
      return Add(i, memory->getRawDest(), memory->getLength(), true);
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) Library(*call);
  }

  // The C library's memory functions: they are compiled elsewhere, so their callers announce for them.
  void Library(llvm::CallInst& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isDeclaration() || call.arg_size() != 3) return;
    llvm::StringRef name = callee->getName();
    llvm::Value *first = call.getArgOperand(0), *second = call.getArgOperand(1), *bytes = call.getArgOperand(2);
    if (!first->getType()->isPointerTy() || !bytes->getType()->isIntegerTy()) return;
    if (name == "memcpy" || name == "memmove") Add(call, second, bytes, false), Add(call, first, bytes, true);
    else if (name == "memcmp") Add(call, first, bytes, false), Add(call, second, bytes, false);
    else if (name == "memset") Add(call, first, bytes, true);
    else if (name == "memchr") Add(call, first, bytes, false);
  }

  void Fixed(llvm::Instruction& i, llvm::Value* address, llvm::Type* type, bool write) {
    llvm::TypeSize size = layout_.getTypeStoreSize(type);
    if (!size.isScalable()) Add(i, address, llvm::ConstantInt::get(word_, size.getFixedValue()), write);
  }

  void Add(llvm::Instruction& i, llvm::Value* address, llvm::Value* bytes, bool write) {
    if (address->getType()->getPointerAddressSpace() == 0 && !Harmless(address, bytes))
      found_.push_back({&i, address, bytes, write});
  }

  // A known place inside a local variable, a parameter passed by value or a variable of the object.
  bool Harmless(llvm::Value* address, llvm::Value* bytes) const {
    int64_t offset = 0;
    const llvm::Value* base = llvm::GetPointerBaseWithConstantOffset(address, offset, layout_);
    auto* length = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    uint64_t size = 0;
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(base)) {
      if (auto all = local->getAllocationSize(layout_); all && !all->isScalable()) size = all->getFixedValue();
    } else if (auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
      size = layout_.getTypeAllocSize(global->getValueType());
    } else if (auto* argument = llvm::dyn_cast<llvm::Argument>(base); argument && argument->hasByValAttr()) {
      size = layout_.getTypeAllocSize(argument->getParamByValType());
    }
    return size && length && offset >= 0 && uint64_t(offset) <= size && length->getZExtValue() <= size - uint64_t(offset);
  }

  const llvm::DataLayout& layout_;
  llvm::Type* word_;
  llvm::FunctionCallee read_, write_;
  std::vector<Access> found_;
};

struct WatchMemoryPass : llvm::PassInfoMixin<WatchMemoryPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    Watcher watcher(module);
    for (llvm::Function& f : module)
      if (!f.isDeclaration() && !f.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation)) watcher.Watch(f);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};
}  // namespace

void WatchMemory(clang::CodeGenOptions& options) {
#if LLVM_VERSION_MAJOR >= 17
  options.PassBuilderCallbacks.push_back([](llvm::PassBuilder& passes) {
    passes.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& manager, auto) { manager.addPass(WatchMemoryPass()); });
  });
#else
  (void)options;
#endif
}

}  // namespace akgen::toolchain
