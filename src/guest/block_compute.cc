// Computing in translated code.
#include "guest/block_translator.h"
#include "guest/guest_registers.h"
#include "guest/opcodes.h"

namespace akgen::guest {

bool BlockTranslator::Compute(Word w, Step step) {
  switch (w.opcode()) {
    case kLui: return regs_.Set(w.rd(), uint64_t(int64_t(w.imm_u()))), true;
    case kOpImm:
    case kOpImm32: return Immediate(w), true;
    case kOp:
    case kOp32: return Registers(w, step);
    default: return false;
  }
}

void BlockTranslator::Immediate(Word w) {
  const bool wide = w.opcode() == kOpImm;
  const int32_t value = w.imm_i();
  if (w.rd() == 0) return;
  const Reg to = regs_.TargetOf(w.rd(), Reg::rax);
  switch (w.funct3()) {
    case 0:
      if (regs_.IsKnown(w.rs1())) {
        const uint64_t sum = regs_.Known(w.rs1()) + uint64_t(int64_t(value));
        return regs_.Set(w.rd(), wide ? sum : uint64_t(int64_t(int32_t(sum))));
      }
      e_.Do(X86::kLea, wide, to, Memory{regs_.In(w.rs1(), Reg::rax), value});
      break;
    case 1:
    case 5: {
      regs_.CopyIn(w.rs1(), to);
      const Shift kind = w.funct3() == 1    ? Shift::kShl
                         : w.bits >> 30 & 1 ? Shift::kSar
                                            : Shift::kShr;
      e_.ShiftBy(kind, wide, to, w.bits >> 20 & (wide ? 63 : 31));
      break;
    }
    case 2:
    case 3:
      e_.With(Ext::kCmp, true, regs_.In(w.rs1(), Reg::rax), value);
      e_.SetRax(w.funct3() == 2 ? Condition::kLess : Condition::kBelow);
      return regs_.Out(w.rd(), Reg::rax);
    default:
      regs_.CopyIn(w.rs1(), to);
      e_.With(w.funct3() == 4   ? Ext::kXor
              : w.funct3() == 6 ? Ext::kOr
                                : Ext::kAnd,
              true, to, value);
  }
  if (!wide) e_.Do(X86::kMovsxd, true, to, to);
  regs_.Out(w.rd(), to);
}

bool BlockTranslator::Registers(Word w, Step step) {
  const bool wide = w.opcode() == kOp;
  const uint32_t kind = w.funct7() << 4 | w.funct3();
  if (w.funct7() == 1 && w.funct3() >= 4) return Division(w, step), true;
  if (kind == 0x11 || kind == 0x12 || kind == 0x13) return false;  // upper halves of products
  if (kind == 2 || kind == 3) {
    e_.Do(X86::kCmpTo, true, regs_.In(w.rs2(), Reg::rcx), regs_.In(w.rs1(), Reg::rax));
    e_.SetRax(kind == 2 ? Condition::kLess : Condition::kBelow);
    return regs_.Out(w.rd(), Reg::rax), true;
  }
  // The second operand is still needed when the first one has been brought to where the result is
  // made.
  const Reg to = w.rd() == w.rs2() ? Reg::rax : regs_.TargetOf(w.rd(), Reg::rax);
  const bool shift = w.funct3() == 1 || w.funct3() == 5;
  if (shift) regs_.CopyIn(w.rs2(), Reg::rcx);
  const Reg b = shift ? Reg::rcx : regs_.In(w.rs2(), Reg::rcx);
  regs_.CopyIn(w.rs1(), to);
  switch (kind) {
    case 0x000: e_.Do(X86::kAddTo, wide, b, to); break;
    case 0x200: e_.Do(X86::kSubTo, wide, b, to); break;
    case 0x010: e_.Do(X86::kImul, wide, to, b); break;
    case 0x001: e_.ShiftByCl(Shift::kShl, wide, to); break;
    case 0x005: e_.ShiftByCl(Shift::kShr, wide, to); break;
    case 0x205: e_.ShiftByCl(Shift::kSar, wide, to); break;
    case 0x004: e_.Do(X86::kXorTo, wide, b, to); break;
    case 0x006: e_.Do(X86::kOrTo, wide, b, to); break;
    default: e_.Do(X86::kAndTo, wide, b, to);
  }
  if (!wide) e_.Do(X86::kMovsxd, true, to, to);
  return regs_.Out(w.rd(), to), true;
}

// By zero is a fault, and the one overflow is not one here but is to this processor: both are left
// to the step.
void BlockTranslator::Division(Word w, Step step) {
  const bool wide = w.opcode() == kOp, is_signed = (w.funct3() & 1) == 0;
  regs_.CopyIn(w.rs2(), Reg::rcx);
  e_.Do(X86::kTestTo, wide, Reg::rcx, Reg::rcx);
  AskIf(Condition::kEqual, step);
  if (is_signed) {
    e_.With(Ext::kCmp, wide, Reg::rcx, -1);
    AskIf(Condition::kEqual, step);
  }
  regs_.CopyIn(w.rs1(), Reg::rax);
  if (is_signed)
    e_.SignIntoRdx(wide);
  else
    e_.Zero(Reg::rdx);
  e_.Divide(is_signed, wide, Reg::rcx);
  const Reg result = w.funct3() < 6 ? Reg::rax : Reg::rdx;
  if (!wide) e_.Do(X86::kMovsxd, true, result, result);
  regs_.Out(w.rd(), result);
}

bool BlockTranslator::Float(Word, Step) { return false; }

}  // namespace akgen::guest
