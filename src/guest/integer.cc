// Computing on integer registers.
#include "guest/decode.h"
#include "guest/opcodes.h"

namespace akgen::guest {
namespace {
using U = uint64_t;
using I = int64_t;

U Word32(U v) { return U(I(int32_t(uint32_t(v)))); }

template <U (*kCompute)(U, U)>
bool OfRegisters(const Insn* at, State*, uint64_t* x, int64_t) {
  x[at->rd] = kCompute(x[at->rs1], x[at->rs2]);
  return true;
}
// `T`: what the divisor is, 64 or 32 bits of the register.
template <typename T, U (*kCompute)(U, U)>
bool Dividing(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  if (T(x[at->rs2]) == 0) return s->Fails(at, fuel, Fault::Kind::kDivision, s->Address(at)), false;
  x[at->rd] = kCompute(x[at->rs1], x[at->rs2]);
  return true;
}
template <U (*kCompute)(U, U)>
bool OfImmediate(const Insn* at, State*, uint64_t* x, int64_t) {
  x[at->rd] = kCompute(x[at->rs1], U(I(at->imm)));
  return true;
}
bool SetConstant(const Insn* at, State*, uint64_t* x, int64_t) {
  x[at->rd] = U(I(at->imm));
  return true;
}
template <U (*kCompute)(U, U)>
constexpr Operation kRegReg = kAlone<OfRegisters<kCompute>>;
template <typename T, U (*kCompute)(U, U)>
constexpr Operation kDivision = kAlone<Dividing<T, kCompute>>;
template <U (*kCompute)(U, U)>
constexpr Operation kRegImm = kAlone<OfImmediate<kCompute>>;
U Add(U a, U b) { return a + b; }
U Sub(U a, U b) { return a - b; }
U Sll(U a, U b) { return a << (b & 63); }
U Slt(U a, U b) { return I(a) < I(b); }
U Sltu(U a, U b) { return a < b; }
U Xor(U a, U b) { return a ^ b; }
U Srl(U a, U b) { return a >> (b & 63); }
U Sra(U a, U b) { return U(I(a) >> (b & 63)); }
U Or(U a, U b) { return a | b; }
U And(U a, U b) { return a & b; }
U Addw(U a, U b) { return Word32(a + b); }
U Subw(U a, U b) { return Word32(a - b); }
U Sllw(U a, U b) { return Word32(a << (b & 31)); }
U Srlw(U a, U b) { return Word32(uint32_t(a) >> (b & 31)); }
U Sraw(U a, U b) { return Word32(U(I(int32_t(uint32_t(a))) >> (b & 31))); }

U Mul(U a, U b) { return a * b; }
U Mulh(U a, U b) { return U(__int128(I(a)) * I(b) >> 64); }
U Mulhsu(U a, U b) { return U(__int128(I(a)) * __int128(b) >> 64); }
U Mulhu(U a, U b) { return U((unsigned __int128)(a)*b >> 64); }
U Mulw(U a, U b) { return Word32(a * b); }

// The one overflow wraps. By zero the ISA has a result too; C++ has none, and no code it was
// compiled from may meet it.
template <typename S>
S Divide(S a, S b) {
  if constexpr (S(-1) < 0)
    if (b == -1) return S(0 - std::make_unsigned_t<S>(a));
  return S(a / b);
}
template <typename S>
S Remainder(S a, S b) {
  if constexpr (S(-1) < 0)
    if (b == -1) return 0;
  return S(a % b);
}
U Div(U a, U b) { return U(Divide(I(a), I(b))); }
U Divu(U a, U b) { return Divide(a, b); }
U Rem(U a, U b) { return U(Remainder(I(a), I(b))); }
U Remu(U a, U b) { return Remainder(a, b); }
U Divw(U a, U b) { return U(I(Divide(int32_t(a), int32_t(b)))); }
U Divuw(U a, U b) { return Word32(Divide(uint32_t(a), uint32_t(b))); }
U Remw(U a, U b) { return U(I(Remainder(int32_t(a), int32_t(b)))); }
U Remuw(U a, U b) { return Word32(Remainder(uint32_t(a), uint32_t(b))); }

// By funct3; the second row is funct7 = 0x20, the third the multiplications and divisions (funct7 =
// 1).
constexpr Operation kRegister[3][8] = {
    {kRegReg<Add>, kRegReg<Sll>, kRegReg<Slt>, kRegReg<Sltu>, kRegReg<Xor>, kRegReg<Srl>,
     kRegReg<Or>, kRegReg<And>},
    {kRegReg<Sub>, kNone, kNone, kNone, kNone, kRegReg<Sra>, kNone, kNone},
    {kRegReg<Mul>, kRegReg<Mulh>, kRegReg<Mulhsu>, kRegReg<Mulhu>, kDivision<U, Div>,
     kDivision<U, Divu>, kDivision<U, Rem>, kDivision<U, Remu>}};
constexpr Operation kRegister32[3][8] = {
    {kRegReg<Addw>, kRegReg<Sllw>, kNone, kNone, kNone, kRegReg<Srlw>, kNone, kNone},
    {kRegReg<Subw>, kNone, kNone, kNone, kNone, kRegReg<Sraw>, kNone, kNone},
    {kRegReg<Mulw>, kNone, kNone, kNone, kDivision<uint32_t, Divw>, kDivision<uint32_t, Divuw>,
     kDivision<uint32_t, Remw>, kDivision<uint32_t, Remuw>}};
constexpr Operation kImmediate[8] = {kRegImm<Add>, kNone, kRegImm<Slt>, kRegImm<Sltu>,
                                     kRegImm<Xor>, kNone, kRegImm<Or>,  kRegImm<And>};

Operation ShiftOf(Word w, bool word) {
  const uint32_t kind =
      word ? w.funct7() : w.bits >> 26 << 1;  // 64-bit amounts take one bit of funct7
  if (w.funct3() == 1 && kind == 0) return word ? kRegImm<Sllw> : kRegImm<Sll>;
  if (w.funct3() != 5) return kNone;
  if (kind == 0) return word ? kRegImm<Srlw> : kRegImm<Srl>;
  return kind != 0x20 ? kNone : word ? kRegImm<Sraw> : kRegImm<Sra>;
}
}  // namespace

void DecodeInteger(Word w, Decoded* out) {
  out->rd = Target(w.rd());
  out->rs1 = w.rs1();
  out->rs2 = w.rs2();
  const bool shift = w.funct3() == 1 || w.funct3() == 5;
  const int row = w.funct7() == 0 ? 0 : w.funct7() == 0x20 ? 1 : w.funct7() == 1 ? 2 : -1;
  switch (w.opcode()) {
    case kLui:
      out->imm = w.imm_u();
      out->Is(kAlone<SetConstant>);
      break;
    case kOp:
      if (row >= 0) out->Is(kRegister[row][w.funct3()]);
      break;
    case kOp32:
      if (row >= 0) out->Is(kRegister32[row][w.funct3()]);
      break;
    case kOpImm:
      out->imm = shift ? int32_t(w.bits >> 20 & 63) : w.imm_i();
      out->Is(shift ? ShiftOf(w, false) : kImmediate[w.funct3()]);
      break;
    case kOpImm32:
      out->imm = shift ? int32_t(w.rs2()) : w.imm_i();
      out->Is(shift ? ShiftOf(w, true) : w.funct3() == 0 ? kRegImm<Addw> : kNone);
      break;
    default: break;
  }
}

}  // namespace akgen::guest
