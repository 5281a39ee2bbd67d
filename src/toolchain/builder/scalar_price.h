// The price of one instruction of LLVM's intermediate form for the scalar unit (docs/timing.md).
// Part of count_work.cc.
#pragma once
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace akgen::toolchain {

// What a stretch of code asks of the scalar unit, by what data/timing prices: see
// akgen_scalar_work.
struct Work {
  uint64_t plain = 0, slow = 0, words = 0, library = 0;
  Work& operator+=(const Work& o) {
    plain += o.plain, slow += o.slow, words += o.words, library += o.library;
    return *this;
  }
  Work Most(const Work& o) const {
    return {std::max(plain, o.plain), std::max(slow, o.slow), std::max(words, o.words),
            std::max(library, o.library)};
  }
  bool nothing() const { return !(plain | slow | words | library); }
};

constexpr uint64_t kCallWords =
    4;  // of a function that could not be put where it is called: what it saves
constexpr uint64_t kObjectBytes =
    128;  // a copy up to this size between known places is one of registers
constexpr uint64_t kRegisterWords = 32,
                   kRegisterBytes = 8 * kRegisterWords;  // that the scalar unit has: assumed
// What a loop may carry: objects of include/ascendc are four times as large as what the chip keeps
// of one.
constexpr uint64_t kCarriedWords = 4 * kRegisterWords;
constexpr uint64_t kLocalBytes = 4096;  // a larger local object is memory throughout

inline bool IsOwn(const llvm::Function& f) {
  return !f.isDeclaration() && !f.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

// What -ftrivial-auto-var-init stores where the source stores nothing; it says so of itself.
inline bool IsPattern(const llvm::Instruction& i) {
  const llvm::MDNode* notes = i.getMetadata(llvm::LLVMContext::MD_annotation);
  return notes && llvm::any_of(notes->operands(), [](const llvm::MDOperand& note) {
           auto* text = llvm::dyn_cast<llvm::MDString>(note.get());
           return text && text->getString() == "auto-init";
         });
}

// Of the C library: copies, fills and compares of so many bytes (the operand's number), else -1.
inline int BytesAt(llvm::StringRef name) {
  for (const char* of : {"memcpy", "memmove", "memset", "memcmp", "memchr"})
    if (name == of) return 2;
  return -1;
}

inline uint64_t WordsOf(uint64_t bytes) { return (bytes + 7) / 8; }

inline uint64_t LanesOf(llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  const uint64_t bits = type->getScalarSizeInBits();
  // A bit beyond a word is that of MakeDefined.
  return (vector ? vector->getNumElements() : 1) * std::max<uint64_t>(1, (bits + 62) / 64);
}

// Prices the instructions of one function in canonical form; without loops and their evolutions as
// they stand.
class Pricer {
 public:
  explicit Pricer(const llvm::DataLayout& layout, llvm::LoopInfo* loops = nullptr,
                  llvm::ScalarEvolution* se = nullptr)
      : layout_(layout), loops_(loops), se_(se) {}

  Work Of(llvm::Instruction& i) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return Call(*call);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      const uint64_t bytes = BytesOf(load->getType());
      return InRegisters(load->getPointerOperand(), bytes) ? Work() : Work{.words = WordsOf(bytes)};
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      const uint64_t bytes = BytesOf(store->getValueOperand()->getType());
      return InRegisters(store->getPointerOperand(), bytes) ? Work()
                                                            : Work{.words = WordsOf(bytes)};
    }
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) return {.plain = 1, .words = 2};
    if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&i))
      return {.plain = branch->isConditional() && !Turns(*branch)};
    if (auto* many = llvm::dyn_cast<llvm::SwitchInst>(&i)) return Choice(many->getNumCases());
    if (llvm::isa<llvm::IndirectBrInst>(i)) return {.plain = 1};
    if (i.isTerminator() || llvm::isa<llvm::PHINode, llvm::AllocaInst, llvm::FreezeInst>(i) ||
        Advances(i))
      return {};
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&i))
      return {.plain = !gep->hasAllConstantIndices()};
    if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i))
      return {.plain = TurnsOnly(*compare) ? 0 : LanesOf(compare->getOperand(0)->getType())};
    return Arithmetic(i);
  }

  // What a block takes over beyond that is stored and loaded.
  Work Spilled(llvm::BasicBlock& block) const {
    uint64_t words = 0;
    for (llvm::PHINode& phi : block.phis())
      if (!Advances(phi)) words += WordsOf(BytesOf(phi.getType()));
    return {.words = words > kCarriedWords ? 2 * (words - kCarriedWords) : 0};
  }

 private:
  static Work Arithmetic(llvm::Instruction& i) {
    const uint64_t lanes = LanesOf(i.getType());
    switch (i.getOpcode()) {
      using llvm::Instruction;
      case Instruction::Trunc:
      case Instruction::ZExt:
      case Instruction::SExt:
      case Instruction::BitCast:
      case Instruction::PtrToInt:
      case Instruction::IntToPtr:
      case Instruction::AddrSpaceCast:
      case Instruction::ExtractValue:
      case Instruction::InsertValue: return {};
      case Instruction::UDiv:
      case Instruction::SDiv:
      case Instruction::URem:
      case Instruction::SRem:
      case Instruction::FAdd:
      case Instruction::FSub:
      case Instruction::FMul:
      case Instruction::FDiv:
      case Instruction::FRem:
      case Instruction::FPTrunc:
      case Instruction::FPExt:
      case Instruction::FPToUI:
      case Instruction::FPToSI:
      case Instruction::UIToFP:
      case Instruction::SIToFP: return {.slow = lanes};
      default: return {.plain = lanes};
    }
  }

  Work Call(llvm::CallBase& call) const {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee) return {.plain = 1, .words = kCallWords};
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) return Intrinsic(*intrinsic);
    const llvm::StringRef name = callee->getName();
    // Calls of the chip's interface have their own price; bytes are counted where they are known
    // (AddBytes).
    if (callee->hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) ||
        name.starts_with("akgen_") || BytesAt(name) >= 0)
      return {};
    if (IsOwn(*callee)) return {.plain = 1, .words = kCallWords};
    return {.library = 1};
  }

  Work Intrinsic(llvm::IntrinsicInst& i) const {
    if (i.isAssumeLikeIntrinsic()) return {};
    if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) return Copy(*memory);
    uint64_t lanes = LanesOf(i.getType());
    for (const llvm::Value* operand : i.args())
      lanes = std::max(lanes, LanesOf(operand->getType()));  // of a reduction
    switch (i.getIntrinsicID()) {
      using namespace llvm;
      case Intrinsic::stacksave:
      case Intrinsic::stackrestore:
      case Intrinsic::vastart:
      case Intrinsic::vaend:
      case Intrinsic::vacopy:
      case Intrinsic::eh_typeid_for:
      case Intrinsic::readcyclecounter: return {};
      default: break;
    }
    if (i.getType()->isIntOrIntVectorTy() || i.getType()->isStructTy())
      return i.getNumOperands() && i.getArgOperand(0)->getType()->isFPOrFPVectorTy()
                 ? Work{.slow = lanes}
                 : Work{.plain = lanes};
    switch (i.getIntrinsicID()) {
      using namespace llvm;
      case Intrinsic::fabs:
      case Intrinsic::copysign: return {.plain = lanes};
      case Intrinsic::fma:
      case Intrinsic::fmuladd: return {.slow = 2 * lanes};
      case Intrinsic::minnum:
      case Intrinsic::maxnum:
      case Intrinsic::minimum:
      case Intrinsic::maximum:
      case Intrinsic::canonicalize:
      case Intrinsic::is_fpclass: return {.slow = lanes};
      default: return {.library = lanes};
    }
  }

  // One of so many ways: by comparing, halving what is left, or through a table of jumps, whichever
  // takes less.
  static Work Choice(uint64_t cases) {
    constexpr uint64_t kCompares = 6;  // as much as a word of the table
    const auto compares = uint64_t(std::bit_width(cases));
    return compares <= kCompares ? Work{.plain = 2 * compares} : Work{.plain = 2, .words = 1};
  }

  uint64_t BytesOf(llvm::Type* type) const {
    return layout_.getTypeStoreSize(type).getKnownMinValue();
  }

  uint64_t SizeOf(llvm::Type* type) const {
    return layout_.getTypeAllocSize(type).getKnownMinValue();
  }

  // From an object to its part that lies `offset` bytes behind its start, and the offset in that.
  // False: it has no parts.
  bool Descend(llvm::Type*& type, uint64_t& offset) const {
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      type = array->getElementType();
      if (const uint64_t each = SizeOf(type)) offset %= each;
      return true;
    }
    auto* structure = llvm::dyn_cast<llvm::StructType>(type);
    if (!structure || structure->getNumElements() == 0) return false;
    const llvm::StructLayout* fields = layout_.getStructLayout(structure);
    const unsigned field = fields->getElementContainingOffset(offset);
    type = structure->getElementType(field);
    offset -= fields->getElementOffset(field);
    return true;
  }

  // What is too large for registers lies in memory, wherever in the object the array is.
  bool IsLarge(llvm::Type* type, uint64_t offset) const {
    if (offset >= SizeOf(type)) return true;
    do
      if (!type->isStructTy() && SizeOf(type) > kRegisterBytes) return true;
    while (Descend(type, offset) && offset < SizeOf(type));  // or in padding
    return false;
  }

  // A local tensor object of include/ascendc as a whole but for padding, by itself or in another
  // object.
  bool IsTensor(const llvm::Value* address, uint64_t bytes) const {
    int64_t offset = 0;
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(
        llvm::GetPointerBaseWithConstantOffset(address, offset, layout_));
    if (!local || offset < 0) return false;
    llvm::Type* type = local->getAllocatedType();
    auto at = uint64_t(offset);
    do {
      const uint64_t size = SizeOf(type);
      if (at + bytes > size) return false;
      auto* structure = llvm::dyn_cast<llvm::StructType>(type);
      const llvm::StringRef name = structure && structure->hasName() ? structure->getName() : "";
      if (at == 0 && size - bytes < 8 &&
          (name.starts_with("class.AscendC::LocalTensor") ||
           name.starts_with("class.AscendC::GlobalTensor")))
        return true;
    } while (Descend(type, at));
    return false;
  }

  // A known place inside a local object is as good as a register. What lies in the chip's memories
  // is priced there on top.
  bool InRegisters(llvm::Value* address, uint64_t bytes) const {
    if (bytes > kRegisterBytes) return false;
    int64_t offset = 0;
    const llvm::Value* base = llvm::GetPointerBaseWithConstantOffset(address, offset, layout_);
    llvm::Type* type = nullptr;
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(base); local && local->isStaticAlloca())
      type = local->getAllocatedType();
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(base)) type = argument->getParamByValType();
    if (!type || offset < 0 || SizeOf(type) > kLocalBytes) return false;
    return !IsLarge(type, uint64_t(offset));
  }

  // A copy or a fill of known length; others are counted where their length is known (AddBytes).
  Work Copy(const llvm::MemIntrinsic& memory) const {
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(memory.getLength());
    if (!known || known->isZero()) return {};
    const uint64_t bytes = known->getZExtValue();
    auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&memory);
    if (bytes > kObjectBytes) return {.words = 2 * WordsOf(bytes)};
    // A tensor object of include/ascendc is larger than what the chip keeps of one, in registers
    // once Process() is inlined: passed on it is nothing, as other values are; assigned to a
    // member, it moves; taken from a place that nobody knows, it is loaded.
    constexpr uint64_t kTensorWords = 3;
    if (transfer &&
        (IsTensor(transfer->getRawSource(), bytes) || IsTensor(memory.getRawDest(), bytes))) {
      if (!InRegisters(transfer->getRawSource(), bytes)) return {.words = kTensorWords};
      return {.plain = InRegisters(memory.getRawDest(), bytes) ? 0 : kTensorWords};
    }
    Work work = InRegisters(memory.getRawDest(), bytes) ? Work{.plain = WordsOf(bytes) / 4}
                                                        : Work{.words = WordsOf(bytes)};
    if (transfer && !InRegisters(transfer->getRawSource(), bytes) &&
        !IsConstant(transfer->getRawSource()))
      work.words += WordsOf(bytes);
    return work;
  }

  // A known place in a constant of the kernel: as good as an immediate.
  bool IsConstant(llvm::Value* address) const {
    int64_t offset = 0;
    auto* object = llvm::dyn_cast<llvm::GlobalVariable>(
        llvm::GetPointerBaseWithConstantOffset(address, offset, layout_));
    return object && object->isConstant();
  }

  const llvm::Loop* LoopOf(const llvm::Instruction& i) const {
    return loops_ ? loops_->getLoopFor(i.getParent()) : nullptr;
  }

  // Its value goes up or down by a fixed step per round of its loop: counters and addresses.
  bool Advances(llvm::Instruction& i) const {
    const llvm::Loop* loop = LoopOf(i);
    if (!loop || !se_->isSCEVable(i.getType())) return false;
    return Steady(se_->getSCEV(&i), loop);
  }
  bool Steady(const llvm::SCEV* s, const llvm::Loop* loop) const {
    if (se_->isLoopInvariant(s, loop)) return true;
    if (auto* turn = llvm::dyn_cast<llvm::SCEVAddRecExpr>(s)) return turn->isAffine();
    if (auto* cast = llvm::dyn_cast<llvm::SCEVCastExpr>(s)) return Steady(cast->getOperand(), loop);
    if (!llvm::isa<llvm::SCEVAddExpr, llvm::SCEVMulExpr>(s)) return false;
    return llvm::all_of(llvm::cast<llvm::SCEVNAryExpr>(s)->operands(),
                        [&](const llvm::SCEV* part) { return Steady(part, loop); });
  }

  // Whether a branch only asks if its loop goes on, by a counter.
  bool Turns(const llvm::BranchInst& branch) const {
    const llvm::Loop* loop = LoopOf(branch);
    if (!loop || !loop->isLoopExiting(branch.getParent())) return false;
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
    return compare && llvm::all_of(compare->operands(), [&](llvm::Value* v) {
             return se_->isSCEVable(v->getType()) && Steady(se_->getSCEV(v), loop);
           });
  }
  bool TurnsOnly(const llvm::CmpInst& compare) const {
    auto* branch =
        compare.hasOneUse() ? llvm::dyn_cast<llvm::BranchInst>(*compare.user_begin()) : nullptr;
    return branch && Turns(*branch);
  }

  const llvm::DataLayout& layout_;
  llvm::LoopInfo* loops_;
  llvm::ScalarEvolution* se_;
};

}  // namespace akgen::toolchain
