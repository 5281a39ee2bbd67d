// Loads and stores. Any alignment will do.
#include "guest/accesses.h"

namespace akgen::guest {
namespace {
template <typename T, bool kIsFloat>
Stop Load(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  uint8_t* from;
  if (!s->Own<sizeof(T)>(AddressOf(at, x), &from)) [[clang::musttail]]
    return LoadOutside<T, kIsFloat>(at, s, x, fuel);
  Take<T, kIsFloat>(at, x, from);
  AKGEN_GUEST_NEXT(1);
}

template <typename T>
Stop Store(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  uint8_t* to;
  if (!s->Own<sizeof(T)>(AddressOf(at, x), &to)) [[clang::musttail]]
    return StoreOutside<T>(at, s, x, fuel);
  Put<T>(at, x, to);
  AKGEN_GUEST_NEXT(1);
}

constexpr Handler kLoads[8] = {Load<int8_t, false>,  Load<int16_t, false>,  Load<int32_t, false>,  Load<int64_t, false>,
                               Load<uint8_t, false>, Load<uint16_t, false>, Load<uint32_t, false>, nullptr};
constexpr Handler kFloatLoads[8] = {
    nullptr, Load<uint16_t, true>, Load<uint32_t, true>, Load<uint64_t, true>, nullptr, nullptr, nullptr, nullptr};
constexpr Handler kStores[8] = {Store<uint8_t>, Store<uint16_t>, Store<uint32_t>, Store<uint64_t>,
                                nullptr,        nullptr,         nullptr,         nullptr};
}  // namespace

void DecodeMemory(Word w, Insn* out) {
  const bool store = w.opcode() & 0x20, is_float = w.opcode() & 4;
  out->rs1 = w.rs1();
  out->imm = store ? w.imm_s() : w.imm_i();
  if (store) {
    out->rs2 = is_float ? Float(w.rs2()) : w.rs2();
    if (!is_float || w.funct3() != 0) out->run = kStores[w.funct3()];
  } else {
    out->rd = is_float ? Float(w.rd()) : Target(w.rd());
    out->run = (is_float ? kFloatLoads : kLoads)[w.funct3()];
  }
}

}  // namespace akgen::guest
