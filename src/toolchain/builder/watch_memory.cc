#include "toolchain/builder/watch_memory.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include <set>
#include <vector>

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
  Watcher(llvm::Module& module, bool device)
      : device_(device),
        layout_(module.getDataLayout()),
        word_(llvm::Type::getInt64Ty(module.getContext())) {
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()),
                                {llvm::PointerType::getUnqual(module.getContext()), word_}, false);
    read_ = module.getOrInsertFunction("akgen_raw_read", type);
    write_ = module.getOrInsertFunction("akgen_raw_write", type);
  }

  // `early`: the function runs while the object is loaded, when there is no chip yet to ask.
  void Watch(llvm::Function& function, bool early) {
    found_.clear();
    for (llvm::Instruction& i : llvm::instructions(function)) {
      if (device_ && Refused(i)) continue;
      Look(i);
      if (early && llvm::isa<llvm::CallBase>(i) && llvm::cast<llvm::CallBase>(i).isIndirectCall())
        Refuse(i, kEarly);
    }
    for (size_t k = 0; early && k < found_.size(); ++k) Refuse(*found_[k].at, kEarly);
    for (const Access& a : found_) {
      llvm::IRBuilder<> before(a.at);
      llvm::Value* bytes = before.CreateZExtOrTrunc(a.bytes, word_);
      before.CreateCall(a.write ? write_ : read_, {a.address, bytes});
    }
  }

 private:
  void Look(llvm::Instruction& i) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
      return Fixed(i, load->getPointerOperand(), load->getType(), false);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      return Fixed(i, store->getPointerOperand(), store->getValueOperand()->getType(), true);
    if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
      return Fixed(i, rmw->getPointerOperand(), rmw->getType(), true);
    if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
      return Fixed(i, swap->getPointerOperand(), swap->getNewValOperand()->getType(), true);
    if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
      if (auto* move = llvm::dyn_cast<llvm::MemTransferInst>(&i))
        Add(i, move->getRawSource(), move->getLength(), false);
      return Add(i, memory->getRawDest(), memory->getLength(), true);
    }
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) Library(*call);
  }

  static constexpr const char* kEarly =
      "code that runs before the kernel does: on the chip there is none";

  void Refuse(llvm::Instruction& i, const llvm::Twine& what) {
    i.getContext().diagnose(
        llvm::DiagnosticInfoUnsupported(*i.getFunction(), what, i.getDebugLoc()));
  }

  // What a kernel cannot hold, whatever its text says.
  bool Refused(llvm::Instruction& i) {
    if (llvm::isa<llvm::IndirectBrInst>(i) || llvm::isa<llvm::CallBrInst>(i))
      return Refuse(i, "a jump to a computed address"), true;
    auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee) return false;
    if (callee->isIntrinsic()) {
      if (OfTheLanguage(*callee)) return false;
      return Refuse(i, "'" + callee->getName() + "': an instruction of the machine that simulates"),
             true;
    }
    if (callee->isDeclaration() && !AsDeclared(*call, callee->getName()))
      return Refuse(i, "'" + callee->getName() + "' is not used as the C library declares it"),
             true;
    return false;
  }

  // Intrinsics that C++ needs by itself, and all that only compute.
  static bool OfTheLanguage(const llvm::Function& f) {
    using namespace llvm;
    switch (f.getIntrinsicID()) {
      case Intrinsic::readcyclecounter:
      case Intrinsic::returnaddress:
      case Intrinsic::addressofreturnaddress:
      case Intrinsic::frameaddress:
      case Intrinsic::sponentry:
      case Intrinsic::read_register:
      case Intrinsic::read_volatile_register:
      case Intrinsic::write_register:
      case Intrinsic::eh_sjlj_longjmp:
      case Intrinsic::eh_sjlj_setjmp:
      case Intrinsic::eh_sjlj_setup_dispatch:
      case Intrinsic::eh_return_i32:
      case Intrinsic::eh_return_i64:
      case Intrinsic::eh_unwind_init: return false;
      case Intrinsic::vastart:
      case Intrinsic::vaend:
      case Intrinsic::vacopy:
      case Intrinsic::memcpy:
      case Intrinsic::memcpy_inline:
      case Intrinsic::memmove:
      case Intrinsic::memset:
      case Intrinsic::memset_inline:
      case Intrinsic::lifetime_start:
      case Intrinsic::lifetime_end:
      case Intrinsic::stacksave:
      case Intrinsic::stackrestore:
      case Intrinsic::objectsize:
      case Intrinsic::launder_invariant_group:
      case Intrinsic::strip_invariant_group:
      case Intrinsic::invariant_start:
      case Intrinsic::invariant_end:
      case Intrinsic::prefetch:
      case Intrinsic::ptr_annotation:
      case Intrinsic::var_annotation:
      case Intrinsic::eh_typeid_for:
      case Intrinsic::ptrmask: return true;
      default: break;
    }
    if (f.getName().starts_with("llvm.x86.")) return false;
    for (const Argument& a : f.args())
      if (a.getType()->isPtrOrPtrVectorTy()) return false;
    return !f.getName().starts_with("llvm.readsteady");
  }

  // Whether a function of the C library that reads or writes memory is called with its own types: a
  // pointer that is passed as a number would not be announced.
  static bool AsDeclared(const llvm::CallBase& call, llvm::StringRef name) {
    auto is = [&](unsigned i, bool pointer) {
      return i < call.arg_size() && call.getArgOperand(i)->getType()->isPointerTy() == pointer;
    };
    if (name == "memcpy" || name == "memmove" || name == "memcmp")
      return call.arg_size() == 3 && is(0, true) && is(1, true) && is(2, false);
    if (name == "memset" || name == "memchr")
      return call.arg_size() == 3 && is(0, true) && is(1, false) && is(2, false);
    if (name == "strlen" || name == "puts") return call.arg_size() == 1 && is(0, true);
    if (name == "strchr") return call.arg_size() == 2 && is(0, true);
    if (name == "strcmp" || name == "strncmp")
      return call.arg_size() >= 2 && is(0, true) && is(1, true);
    if (name == "printf") return is(0, true) && WritesNothing(call.getArgOperand(0));
    if (unsigned at = ResultAt(name)) {
      for (unsigned i = 0; i < at; ++i)
        if (!is(i, false)) return false;
      for (unsigned i = at; i < call.arg_size(); ++i)
        if (!is(i, true)) return false;
      return call.arg_size() > at;
    }
    return true;
  }

  // Mathematics that writes a second result: the place of the pointer, 0 for all others.
  static unsigned ResultAt(llvm::StringRef name) {
    for (const char* one :
         {"modf", "modff", "modfl", "frexp", "frexpf", "frexpl", "sincos", "sincosf", "sincosl"})
      if (name == one) return 1;
    return name == "remquo" || name == "remquof" || name == "remquol" ? 2 : 0;
  }

  // A format that is known and has no %n.
  static bool WritesNothing(const llvm::Value* format) {
    llvm::StringRef text;
    if (!llvm::getConstantStringInfo(format, text)) return false;
    for (size_t at = text.find('%'); at != llvm::StringRef::npos; at = text.find('%', at + 1)) {
      at = text.find_first_not_of("0123456789.*+-# 'hlqjzLt", at + 1);
      if (at == llvm::StringRef::npos) break;
      if (text[at] == 'n') return false;
    }
    return true;
  }

  // The C library's functions: they are compiled elsewhere, so their callers announce for them.
  void Library(llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isDeclaration()) return;
    llvm::StringRef name = callee->getName();
    if (callee->getIntrinsicID() == llvm::Intrinsic::vastart ||
        callee->getIntrinsicID() == llvm::Intrinsic::vacopy)
      return Add(call, call.getArgOperand(0), llvm::ConstantInt::get(word_, 24), true);
    if (unsigned at = ResultAt(name))
      for (; at < call.arg_size(); ++at)
        if (call.getArgOperand(at)->getType()->isPointerTy())
          Add(call, call.getArgOperand(at),
              llvm::ConstantInt::get(
                  word_, name.ends_with("l")                                          ? 16
                         : name.ends_with("f") || name == "frexp" || name == "remquo" ? 4
                                                                                      : 8),
              true);
    for (const char* text : {"strlen", "puts", "strchr", "strcmp", "strncmp"})
      for (unsigned i = 0; name == text && i < call.arg_size() && i < 2; ++i)
        if (call.getArgOperand(i)->getType()->isPointerTy())
          Add(call, call.getArgOperand(i), llvm::ConstantInt::get(word_, 1), false);
    if (call.arg_size() != 3) return;
    llvm::Value *first = call.getArgOperand(0), *second = call.getArgOperand(1),
                *bytes = call.getArgOperand(2);
    if (!first->getType()->isPointerTy() || !bytes->getType()->isIntegerTy()) return;
    if (name == "memcpy" || name == "memmove")
      Add(call, second, bytes, false), Add(call, first, bytes, true);
    else if (name == "memcmp")
      Add(call, first, bytes, false), Add(call, second, bytes, false);
    else if (name == "memset")
      Add(call, first, bytes, true);
    else if (name == "memchr")
      Add(call, first, bytes, false);
  }

  void Fixed(llvm::Instruction& i, llvm::Value* address, llvm::Type* type, bool write) {
    llvm::TypeSize size = layout_.getTypeStoreSize(type);
    if (!size.isScalable())
      Add(i, address, llvm::ConstantInt::get(word_, size.getFixedValue()), write);
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
      if (auto all = local->getAllocationSize(layout_); all && !all->isScalable())
        size = all->getFixedValue();
    } else if (auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
      size = layout_.getTypeAllocSize(global->getValueType());
    } else if (auto* argument = llvm::dyn_cast<llvm::Argument>(base);
               argument && argument->hasByValAttr()) {
      size = layout_.getTypeAllocSize(argument->getParamByValType());
    }
    return size && length && offset >= 0 && uint64_t(offset) <= size &&
           length->getZExtValue() <= size - uint64_t(offset);
  }

  const bool device_;
  const llvm::DataLayout& layout_;
  llvm::Type* word_;
  llvm::FunctionCallee read_, write_;
  std::vector<Access> found_;
};

// What the module's initialisers call, directly or through others.
std::set<const llvm::Function*> EarlyFunctions(const llvm::Module& module) {
  std::set<const llvm::Function*> out;
  std::vector<const llvm::Function*> open;
  for (const char* list : {"llvm.global_ctors", "llvm.global_dtors"}) {
    const llvm::GlobalVariable* starts = module.getNamedGlobal(list);
    if (!starts || !starts->hasInitializer()) continue;
    for (const llvm::Use& entry : starts->getInitializer()->operands())
      if (auto* row = llvm::dyn_cast<llvm::ConstantStruct>(entry); row && row->getNumOperands() > 1)
        if (auto* f = llvm::dyn_cast<llvm::Function>(row->getOperand(1)->stripPointerCasts()))
          open.push_back(f);
  }
  while (!open.empty()) {
    const llvm::Function* f = open.back();
    open.pop_back();
    if (!out.insert(f).second) continue;
    for (const llvm::Instruction& i : llvm::instructions(*f))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
        if (const llvm::Function* callee = call->getCalledFunction();
            callee && !callee->isDeclaration())
          open.push_back(callee);
  }
  return out;
}

struct WatchMemoryPass : llvm::PassInfoMixin<WatchMemoryPass> {
  explicit WatchMemoryPass(bool device) : device(device) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    const auto early = device ? EarlyFunctions(module) : std::set<const llvm::Function*>();
    Watcher watcher(module, device);
    for (llvm::Function& f : module)
      if (!f.isDeclaration() && !f.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation))
        watcher.Watch(f, early.contains(&f));
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
  bool device;
};
}  // namespace

void WatchMemory(clang::CodeGenOptions& options, bool device) {
#if LLVM_VERSION_MAJOR >= 17
  options.PassBuilderCallbacks.push_back([device](llvm::PassBuilder& passes) {
    passes.registerPipelineStartEPCallback([device](llvm::ModulePassManager& manager, auto) {
      manager.addPass(WatchMemoryPass(device));
    });
  });
#else
  (void)options;
  (void)device;
#endif
}

}  // namespace akgen::toolchain
