// Where control goes: branches, jumps, calls; and what means nothing or the end.
#include "guest/decode.h"
#include "guest/opcodes.h"

namespace akgen::guest {
namespace {
template <bool (*kHolds)(uint64_t, uint64_t)>
Stop Branch(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  if (!kHolds(x[at->rs1], x[at->rs2])) AKGEN_GUEST_NEXT(1);
  const Insn* to = at + at->imm;
  --fuel;
  if (fuel <= 0) return s->StopHere(to, fuel, Stop::kFuel);
  [[clang::musttail]] return to->run(to, s, x, fuel);
}
bool Eq(uint64_t a, uint64_t b) { return a == b; }
bool Ne(uint64_t a, uint64_t b) { return a != b; }
bool Lt(uint64_t a, uint64_t b) { return int64_t(a) < int64_t(b); }
bool Ge(uint64_t a, uint64_t b) { return int64_t(a) >= int64_t(b); }
bool Ltu(uint64_t a, uint64_t b) { return a < b; }
bool Geu(uint64_t a, uint64_t b) { return a >= b; }

Stop Jal(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  x[at->rd] = s->Address(at) + 4;
  const Insn* to = at + at->imm;
  --fuel;
  if (fuel <= 0) return s->StopHere(to, fuel, Stop::kFuel);
  [[clang::musttail]] return to->run(to, s, x, fuel);
}
Stop Jalr(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  const uint64_t target = (x[at->rs1] + uint64_t(int64_t(at->imm))) & ~uint64_t{1};
  x[at->rd] = s->Address(at) + 4;
  --fuel;
  AKGEN_GUEST_JUMP(target);
}
Stop Auipc(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  x[at->rd] = s->Address(at) + uint64_t(int64_t(at->imm));
  AKGEN_GUEST_NEXT(1);
}
// AUIPC rs1; JALR rd, rs1.
Stop FarCall(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  const uint64_t here = s->Address(at), target = (here + uint64_t(int64_t(at->imm))) & ~uint64_t{1};
  x[at->rs1] = here + uint64_t(int64_t((at->imm + 0x800) & ~0xfff));
  x[at->rd] = here + 8;
  fuel -= 2;
  AKGEN_GUEST_JUMP(target);
}
// LUI rs1; ADDI or ADDIW rd, rs1.
Stop FarConstant(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  x[at->rd] = uint64_t(int64_t(at->imm));
  AKGEN_GUEST_NEXT(2);
}
bool Nothing(const Insn*, State*, uint64_t*, int64_t) { return true; }
bool Break(const Insn* at, State* s, uint64_t*, int64_t fuel) {
  return s->Fails(at, fuel, Fault::Kind::kBreak, s->Address(at)), false;
}

constexpr Handler kBranches[8] = {Branch<Eq>, Branch<Ne>, nullptr,     nullptr,
                                  Branch<Lt>, Branch<Ge>, Branch<Ltu>, Branch<Geu>};
}  // namespace

void DecodeControl(Word w, int64_t index, int64_t size, Decoded* out) {
  out->rd = Target(w.rd());
  out->rs1 = w.rs1();
  out->rs2 = w.rs2();
  // To a distance in instructions. Out of the code means to the one behind its end, which says so.
  auto go = [&](int64_t bytes) {
    int64_t to = bytes % 4 ? size : index + bytes / 4;
    if (to < 0 || to > size) to = size;
    out->imm = int32_t(to - index);
  };
  switch (w.opcode()) {
    case 0x63:
      go(w.imm_b());
      out->run = kBranches[w.funct3()];
      break;
    case 0x6f:
      go(w.imm_j());
      out->run = Jal;
      break;
    case kJalr:
      out->imm = w.imm_i();
      if (w.funct3() == 0) out->run = Jalr;
      break;
    case kAuipc:
      out->imm = w.imm_u();
      out->run = Auipc;
      break;
    case 0x0f:
      if (w.funct3() == 0)
        out->Is(kAlone<Nothing>);  // FENCE: one guest sees its own accesses in order
      break;
    case 0x73:
      if (w.bits == 0x00100073) out->Is(kAlone<Break>);
      break;
    default: break;
  }
}

bool DecodePair(Word first, Word second, Insn* out) {
  if (first.rd() == 0 || second.rs1() != first.rd() || second.funct3() != 0) return false;
  const int64_t sum = int64_t(first.imm_u()) + second.imm_i();
  if (sum != int32_t(sum)) return false;
  if (first.opcode() == kAuipc && second.opcode() == kJalr) {
    *out = {FarCall, int32_t(sum), Target(second.rd()), first.rd(), 0, 0};
    return true;
  }
  const bool add = second.opcode() == kOpImm || second.opcode() == kOpImm32;
  if (first.opcode() != kLui || !add || second.rd() != first.rd()) return false;
  *out = {FarConstant, int32_t(sum), first.rd(), 0, 0, 0};
  return true;
}

}  // namespace akgen::guest
