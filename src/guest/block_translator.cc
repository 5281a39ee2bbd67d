#include "guest/block_translator.h"

#include <cstring>
#include <iterator>

#include "guest/guest_registers.h"
#include "guest/machine.h"
#include "guest/opcodes.h"

namespace akgen::guest {
namespace {
constexpr Reg kSaved[] = {Reg::rbx, Reg::rbp, Reg::r12, Reg::r13, Reg::r14, Reg::r15};
}  // namespace

const uint8_t* EntryWriter::Enter() {
  const uint8_t* start = at();
  for (Reg r : kSaved) Push(r);
  Do(X86::kLea, true, kState, Memory{Reg::rdi, kBias});
  Move(Reg::rax, Reg::rsi);
  Do(X86::kLoad, true, kOwn, InState(offsetof(State, writable)));
  Do(X86::kLoad, true, kFuel, InState(offsetof(State, fuel)));
  for (uint8_t x = 0; x < 32; ++x)
    if (kPinned[x] != kNoRegister) Do(X86::kLoad, true, kPinned[x], Slot(x));
  JumpTo(Reg::rax);
  return start;
}

// rcx: left_at; rdx: left_for.
const uint8_t* EntryWriter::Leave(Exit why) {
  const uint8_t* start = at();
  Do(X86::kStore, true, Reg::rcx, InState(offsetof(State, left_at)));
  Do(X86::kStore, true, Reg::rdx, InState(offsetof(State, left_for)));
  Do(X86::kStore, true, kFuel, InState(offsetof(State, fuel)));
  for (uint8_t x = 0; x < 32; ++x)
    if (kPinned[x] != kNoRegister) Do(X86::kStore, true, kPinned[x], Slot(x));
  Constant(Reg::rax, uint64_t(why));
  for (size_t i = std::size(kSaved); i > 0; --i) Pop(kSaved[i - 1]);
  Return();
  return start;
}

BlockTranslator::BlockTranslator(Translation& translation, size_t slot)
    : t_(translation),
      words_(translation.program_.image().code),
      own_bytes_(kStackBytes + translation.program_.image().variables.size()),
      constants_bytes_(translation.program_.image().constants.size()),
      e_(translation.free_),
      slot_(slot) {
  const auto here = reinterpret_cast<uint64_t>(t_.memory_->Executed(e_.at()));
  std::memcpy(t_.Entry(slot), &here, sizeof here);
}

void BlockTranslator::Translate() {
  t_.late_.clear();
  for (;;) {
    const size_t sites = t_.sites_.size();
    const bool goes_on = Instruction();
    for (size_t i = sites; i < t_.sites_.size(); ++i)
      t_.sites_[i].resume = t_.memory_->Executed(e_.at());
    if (!goes_on) break;
    ++slot_;
    ++before_;
    if (t_.Has(slot_) || before_ == kMaxInstructions) {
      Continue(slot_);
      break;
    }
  }
  for (const Translation::Late& late : t_.late_) {
    CodeWriter::Patch(late.jump, e_.at());
    if (late.executed) {
      GoTo(late.number, late.executed);
    } else {
      e_.Constant(Reg::rcx, late.number);
      e_.Jump(t_.leave_[size_t(Exit::kStep)]);
    }
  }
  t_.free_ = e_.at();
}

bool BlockTranslator::Instruction() {
  const Decoded d = DecodeOne(words_, slot_);
  if (slot_ == words_.size() || d.step == NoInstruction) return Ask(d.step), false;
  const Word w{words_[slot_]};
  if (!d.step) return Control(w, d.imm);
  switch (w.opcode()) {
    case kLoad:
    case kLoadFp: Load(w, d.step); break;
    case kStore:
    case kStoreFp: Store(w, d.step); break;
    case kOpFp:
      if (!Float(w, d.step)) Ask(d.step);
      break;
    default:
      if (!Compute(w, d.step)) Ask(d.step);
  }
  return true;
}

bool BlockTranslator::Control(Word w, int32_t distance) {
  const uint64_t here = kCodeBase + slot_ * 4;
  switch (w.opcode()) {
    case kBranch: Branch(w, slot_ + size_t(int64_t(distance))); return true;
    case kJal:
      regs_.Set(w.rd(), here + 4);
      GoTo(slot_ + size_t(int64_t(distance)), before_ + 1);
      return false;
    case kJalr:
      e_.Do(X86::kLea, true, Reg::rdx, Memory{regs_.In(w.rs1(), Reg::rax), w.imm_i()});
      e_.With(Ext::kAnd, true, Reg::rdx, -2);
      regs_.Set(w.rd(), here + 4);
      GoToAddressInRdx(before_ + 1);
      return false;
    default: break;
  }
  Insn call{};
  if (slot_ + 1 < words_.size() && DecodePair(w, Word{words_[slot_ + 1]}, &call))
    return Call(call), false;
  regs_.Set(w.rd(), here + uint64_t(int64_t(w.imm_u())));
  return true;
}

void BlockTranslator::Branch(Word w, size_t target) {
  constexpr Condition kConditions[8] = {
      Condition::kEqual, Condition::kNotEqual,  {}, {}, Condition::kLess, Condition::kGreaterEqual,
      Condition::kBelow, Condition::kAboveEqual};
  const Reg a = regs_.In(w.rs1(), Reg::rax);
  if (w.rs2() == 0)
    e_.With(Ext::kCmp, true, a, 0);
  else
    e_.Do(X86::kCmpTo, true, regs_.In(w.rs2(), Reg::rcx), a);
  t_.late_.push_back({e_.JumpIf(kConditions[w.funct3()]), target, before_ + 1});
}

// AUIPC and JALR in one, as the interpreter has it.
void BlockTranslator::Call(const Insn& call) {
  const uint64_t here = kCodeBase + slot_ * 4,
                 target = (here + uint64_t(int64_t(call.imm))) & ~uint64_t{1};
  regs_.Set(call.rs1, here + uint64_t(int64_t((call.imm + 0x800) & ~0xfff)));
  regs_.Set(call.rd % kDiscard, here + 8);
  const uint64_t slot = (target - kCodeBase) / 4;
  if (target % 4 == 0 && slot < words_.size()) return GoTo(slot, before_ + 2);
  e_.Constant(Reg::rdx, target);
  e_.Constant(Reg::rcx, slot_);
  e_.With(Ext::kSub, true, kFuel, int32_t(before_ + 2));
  e_.Jump(t_.leave_[size_t(Exit::kJump)]);
}

void BlockTranslator::GoTo(size_t slot, uint32_t executed) {
  e_.Constant(Reg::rcx, slot);
  e_.With(Ext::kSub, true, kFuel, int32_t(executed));
  e_.JumpIf(Condition::kLessEqual, t_.leave_[size_t(Exit::kFuel)]);
  Enter(slot);
}

void BlockTranslator::Continue(size_t slot) {
  e_.Constant(Reg::rcx, slot);
  e_.With(Ext::kSub, true, kFuel, int32_t(before_));
  Enter(slot);
}

void BlockTranslator::Enter(size_t slot) {
  if (t_.Has(slot))
    e_.Jump(t_.Written(slot));
  else
    e_.JumpThrough(t_.Entry(slot));
}

void BlockTranslator::GoToAddressInRdx(uint32_t executed) {
  const uint8_t* leave = t_.leave_[size_t(Exit::kJump)];
  e_.Constant(Reg::rcx, slot_);
  e_.With(Ext::kSub, true, kFuel, int32_t(executed));
  e_.JumpIf(Condition::kLessEqual, leave);
  e_.Do(X86::kLea, true, Reg::rax, Memory{Reg::rdx, -int32_t(kCodeBase)});
  e_.ShiftBy(Shift::kRor, true, Reg::rax, 2);  // what is no multiple of 4 becomes too large
  e_.With(Ext::kCmp, true, Reg::rax, int32_t(words_.size()));
  e_.JumpIf(Condition::kAboveEqual, leave);
  e_.Move(Reg::rcx, Reg::rax);
  e_.AddressOf(Reg::rdx, t_.Entry(0));
  e_.JumpThroughTable(Reg::rdx, Reg::rcx);
}

size_t BlockTranslator::AddSite(Step step) {
  t_.sites_.push_back({step, t_.program_.code() + slot_, nullptr, before_});
  // What a step writes is not known; no step writes more than this.
  if (slot_ < words_.size()) regs_.Forget(Word{words_[slot_]}.rd());
  return t_.sites_.size() - 1;
}
void BlockTranslator::Ask(Step step) {
  e_.Constant(Reg::rcx, AddSite(step));
  e_.Jump(t_.leave_[size_t(Exit::kStep)]);
}
void BlockTranslator::AskIf(Condition c, Step step) {
  t_.late_.push_back({e_.JumpIf(c), AddSite(step), 0});
}

Reg RegisterFile::In(uint8_t x, Reg spare) {
  if (x && kPinned[x] != kNoRegister) return kPinned[x];
  CopyIn(x, spare);
  return spare;
}
void RegisterFile::CopyIn(uint8_t x, Reg to) {
  if (x == 0)
    e_.Zero(to);
  else if (kPinned[x] != kNoRegister)
    e_.Move(to, kPinned[x]);
  else
    e_.Do(X86::kLoad, true, to, Slot(x));
}
Reg RegisterFile::TargetOf(uint8_t x, Reg spare) {
  return kPinned[x] == kNoRegister ? spare : kPinned[x];
}
void RegisterFile::Out(uint8_t x, Reg from) {
  if (x == 0) return;
  known_ &= ~(1u << x);
  if (kPinned[x] != kNoRegister)
    e_.Move(kPinned[x], from);
  else
    e_.Do(X86::kStore, true, from, Slot(x));
}
void RegisterFile::Set(uint8_t x, uint64_t value) {
  if (x == 0) return;
  const Reg r = TargetOf(x, Reg::rax);
  e_.Constant(r, value);
  Out(x, r);
  known_ |= 1u << x;
  value_[x] = value;
}

}  // namespace akgen::guest
