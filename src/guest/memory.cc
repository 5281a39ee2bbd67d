// Loads and stores. Any alignment will do.
#include "guest/accesses.h"

namespace akgen::guest {
namespace {
template <typename T, bool kIsFloat>
Stop Load(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  uint8_t* from;
  if (!s->Own<sizeof(T)>(AddressOf(at, x), &from)) [[clang::musttail]]
    return Then<LoadOutside<T, kIsFloat>>(at, s, x, fuel);
  Take<T, kIsFloat>(at, x, from);
  AKGEN_GUEST_NEXT(1);
}

template <typename T>
Stop Store(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  uint8_t* to;
  if (!s->Own<sizeof(T)>(AddressOf(at, x), &to)) [[clang::musttail]]
    return Then<StoreOutside<T>>(at, s, x, fuel);
  Put<T>(at, x, to);
  AKGEN_GUEST_NEXT(1);
}

// What is done in the guest's own memory, and what is done elsewhere.
template <typename T, bool kIsFloat>
constexpr Operation kLoadOf = {Load<T, kIsFloat>, LoadOutside<T, kIsFloat>};
template <typename T>
constexpr Operation kStoreOf = {Store<T>, StoreOutside<T>};

constexpr Operation kLoads[8] = {kLoadOf<int8_t, false>,   kLoadOf<int16_t, false>,
                                 kLoadOf<int32_t, false>,  kLoadOf<int64_t, false>,
                                 kLoadOf<uint8_t, false>,  kLoadOf<uint16_t, false>,
                                 kLoadOf<uint32_t, false>, {}};
constexpr Operation kFloatLoads[8] = {
    {}, kLoadOf<uint16_t, true>, kLoadOf<uint32_t, true>, kLoadOf<uint64_t, true>};
constexpr Operation kStores[8] = {kStoreOf<uint8_t>, kStoreOf<uint16_t>, kStoreOf<uint32_t>,
                                  kStoreOf<uint64_t>};
}  // namespace

void DecodeMemory(Word w, Decoded* out) {
  const bool store = w.opcode() & 0x20, is_float = w.opcode() & 4;
  out->rs1 = w.rs1();
  out->imm = store ? w.imm_s() : w.imm_i();
  if (store) {
    out->rs2 = is_float ? Float(w.rs2()) : w.rs2();
    if (!is_float || w.funct3() != 0) out->Is(kStores[w.funct3()]);
  } else {
    out->rd = is_float ? Float(w.rd()) : Target(w.rd());
    out->Is((is_float ? kFloatLoads : kLoads)[w.funct3()]);
  }
}

}  // namespace akgen::guest
