// From RISC-V to x86-64, one block at a time.
#pragma once
#include <vector>

#include "guest/emitter.h"
#include "guest/translation.h"

namespace akgen::guest {

// What all blocks of a program share: the entry, and the exits.
class EntryWriter : public Emitter {
 public:
  using Emitter::Emitter;
  const uint8_t* Enter();
  const uint8_t* Leave(Exit why);

 private:
  void Push(Reg r) { code_.Head(0x50u + (NumberOf(r) & 7), false, 0, 0, NumberOf(r)); }
  void Pop(Reg r) { code_.Head(0x58u + (NumberOf(r) & 7), false, 0, 0, NumberOf(r)); }
  void Return() { code_.Byte(0xc3); }
};

// The guest's general registers in a block: in registers of their own or in its state, and those
// whose value is known.
class RegisterFile {
 public:
  explicit RegisterFile(Emitter& e) : e_(e) {}
  // The value of a guest register: in its own register, or brought to `spare`.
  Reg In(uint8_t x, Reg spare);
  void CopyIn(uint8_t x, Reg to);
  // A register to compute a guest register's value in; Out puts it in its place.
  static Reg TargetOf(uint8_t x, Reg spare);
  void Out(uint8_t x, Reg from);
  void Set(uint8_t x, uint64_t value);

  bool IsKnown(uint8_t x) const { return known_ >> x & 1; }
  uint64_t Known(uint8_t x) const { return value_[x]; }
  void Forget(uint8_t x) { known_ &= ~(1u << x) | 1; }

 private:
  Emitter& e_;
  uint32_t known_ = 1;  // by bit
  uint64_t value_[32] = {};
};

class BlockTranslator {
 public:
  // Bytes that a block may need; its length in instructions is bounded.
  static constexpr size_t kMaxInstructions = 256, kMaxBytes = kMaxInstructions * 128 + 256;

  // `slot`: the index of the block's first instruction.
  BlockTranslator(Translation& translation, size_t slot);
  void Translate();

 private:
  // Each translates the instruction at slot_. `step`: what it is, or is where the usual way does
  // not do.
  bool Instruction();                      // false: the block ends
  bool Control(Word w, int32_t distance);  // the same, of what needs to know where it is
  void Branch(Word w, size_t target);
  void Call(const Insn& call);
  void Load(Word w, Step step);
  void Store(Word w, Step step);
  // False: nothing was written.
  bool Compute(Word w, Step step);
  bool Registers(Word w, Step step);
  void Immediate(Word w);
  void Division(Word w, Step step);
  bool Float(Word w, Step step);

  // Ways out of the block, `executed` of its instructions counted.
  void GoTo(size_t slot, uint32_t executed);  // looks at the fuel, as jumps do
  void GoToAddressInRdx(uint32_t executed);   // the same
  void Continue(size_t slot);
  void Enter(size_t slot);  // which rcx already names

  // Asks for a step, always or where the latest comparison says so, and goes on behind the
  // instruction.
  void Ask(Step step);
  void AskIf(Condition c, Step step);
  size_t AddSite(Step step);

  // Where a load or store goes. In the guest's own memory or its constants that may be known now;
  // else it is compared when it gets there. False: it is known to lie elsewhere, and the step is
  // asked for.
  bool Place(uint8_t base, int32_t offset, uint64_t bytes, bool write, Step step, Memory* out);

  Translation& t_;
  const std::vector<uint32_t>& words_;
  const uint64_t own_bytes_, constants_bytes_;
  Emitter e_;
  RegisterFile regs_{e_};
  size_t slot_;
  uint32_t before_ = 0;  // instructions of this block in front of the current one
};

}  // namespace akgen::guest
