// Loads and stores. Any alignment will do.
#include "guest/decode.h"

namespace akgen::guest {
namespace {
// What lies in a float register beside a narrower value: ones.
template <typename T>
constexpr uint64_t kBox = sizeof(T) == 8 ? 0 : ~uint64_t{0} << (8 * sizeof(T) % 64);

template <typename T, bool kIsFloat>
Stop Load(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  const uint64_t address = x[at->rs1] + uint64_t(int64_t(at->imm));
  const uint8_t* from = s->Readable(address, sizeof(T));
  if (!from) {
    from = s->Reach(at, fuel, address, sizeof(T), false);
    if (!from) return Stop::kFault;
  }
  T value;
  std::memcpy(&value, from, sizeof(T));
  x[at->rd] = kIsFloat ? uint64_t(value) | kBox<T> : uint64_t(int64_t(value));
  AKGEN_GUEST_NEXT(1);
}

template <typename T>
Stop Store(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  const uint64_t address = x[at->rs1] + uint64_t(int64_t(at->imm));
  uint8_t* to = s->Writable(address, sizeof(T));
  if (!to) {
    to = s->Reach(at, fuel, address, sizeof(T), true);
    if (!to) return Stop::kFault;
  }
  const T value = T(x[at->rs2]);
  std::memcpy(to, &value, sizeof(T));
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
