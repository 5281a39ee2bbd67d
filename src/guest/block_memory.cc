// Loads and stores of translated code. What lies in the guest's own memory is done at once, the
// address compared with its bounds as the interpreter does.
#include "guest/block_translator.h"
#include "guest/guest_registers.h"
#include "guest/opcodes.h"

namespace akgen::guest {
namespace {
constexpr uint64_t kOwnBase = kVariablesBase - kStackBytes;
static_assert(kOwnBase < 0x7fff0000);  // 32-bit distances reach it

uint64_t BytesOf(Word w) { return uint64_t{1} << (w.funct3() & 3); }
}  // namespace

bool BlockTranslator::Place(uint8_t base, int32_t offset, uint64_t bytes, bool write, Step step,
                            Memory* out) {
  if (!regs_.IsKnown(base)) {
    e_.Do(X86::kLea, true, Reg::rax,
          Memory{regs_.In(base, Reg::rax), int32_t(offset - int64_t(kOwnBase))});
    e_.With(Ext::kCmp, true, Reg::rax, int32_t(own_bytes_ - bytes));
    AskIf(Condition::kAbove, step);
    *out = {kOwn, 0, Reg::rax};
    return true;
  }
  const uint64_t address = regs_.Known(base) + uint64_t(int64_t(offset)),
                 constant = address - kConstantsBase;
  if (address - kOwnBase <= own_bytes_ - bytes) {
    *out = {kOwn, int32_t(address - kOwnBase)};
    return true;
  }
  if (write || constant >= constants_bytes_ || constants_bytes_ - constant < bytes)
    return Ask(step), false;
  e_.Do(X86::kLoad, true, Reg::rax, InState(offsetof(State, constants)));
  *out = {Reg::rax, int32_t(constant)};
  return true;
}

void BlockTranslator::Load(Word w, Step step) {
  constexpr X86 kLoads[8] = {X86::kMovsx8, X86::kMovsx16, X86::kMovsxd, X86::kLoad,
                             X86::kMovzx8, X86::kMovzx16, X86::kLoad,   {}};
  Memory from;
  if (!Place(w.rs1(), w.imm_i(), BytesOf(w), false, step, &from)) return;
  if (w.opcode() == kLoad) {
    if (w.rd() == 0) return;
    const Reg to = regs_.TargetOf(w.rd(), Reg::rcx);
    e_.Do(kLoads[w.funct3()], w.funct3() < 4, to, from);
    return regs_.Out(w.rd(), to);
  }
  // A narrower float is boxed in ones.
  const uint64_t bytes = BytesOf(w);
  e_.Do(bytes == 2 ? X86::kMovzx16 : X86::kLoad, bytes == 8, Reg::rcx, from);
  if (bytes < 8) {
    e_.Constant(Reg::rdx, ~uint64_t{0} << 8 * bytes);
    e_.Do(X86::kOrTo, true, Reg::rdx, Reg::rcx);
  }
  e_.Do(X86::kStore, true, Reg::rcx, Slot(guest::Float(w.rd())));
}

void BlockTranslator::Store(Word w, Step step) {
  Reg value = Reg::rcx;
  if (w.opcode() == kStore)
    value = regs_.In(w.rs2(), Reg::rcx);
  else
    e_.Do(X86::kLoad, true, Reg::rcx, Slot(guest::Float(w.rs2())));
  Memory to;
  const uint64_t bytes = BytesOf(w);
  if (!Place(w.rs1(), w.imm_s(), bytes, true, step, &to)) return;
  e_.Do(bytes == 1   ? X86::kStore8
        : bytes == 2 ? X86::kStore16
                     : X86::kStore,
        bytes == 8, value, to);
}

}  // namespace akgen::guest
