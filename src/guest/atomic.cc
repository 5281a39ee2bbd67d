// Read-modify-write. Blocks never run at the same time, so each of these is what it says without
// further ado; a store that depends on a reservation always finds it.
#include <algorithm>

#include "guest/decode.h"

namespace akgen::guest {
namespace {
// Where a word lies, to be read and written: one access, a write. nullptr after noting the fault.
uint8_t* Place(const Insn* at, State* s, uint64_t address, uint64_t bytes, int64_t fuel) {
  if (uint8_t* own = s->Writable(address, bytes)) return own;
  return s->Reach(at, fuel, address, bytes, true);
}

namespace atomics {
template <typename T>
using Signed = std::make_signed_t<T>;

template <typename T>
T Swap(T, T b) {
  return b;
}
template <typename T>
T Add(T a, T b) {
  return T(a + b);
}
template <typename T>
T Xor(T a, T b) {
  return T(a ^ b);
}
template <typename T>
T And(T a, T b) {
  return T(a & b);
}
template <typename T>
T Or(T a, T b) {
  return T(a | b);
}
template <typename T>
T Min(T a, T b) {
  return Signed<T>(a) < Signed<T>(b) ? a : b;
}
template <typename T>
T Max(T a, T b) {
  return Signed<T>(a) > Signed<T>(b) ? a : b;
}
template <typename T>
T Minu(T a, T b) {
  return std::min(a, b);
}
template <typename T>
T Maxu(T a, T b) {
  return std::max(a, b);
}

// The register gets what was there; 32-bit values are sign-extended.
template <typename T, T (*kCombine)(T, T)>
bool Amo(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  uint8_t* place = Place(at, s, x[at->rs1], sizeof(T), fuel);
  if (!place) return false;
  T old;
  std::memcpy(&old, place, sizeof(T));
  const T made = kCombine(old, T(x[at->rs2]));
  std::memcpy(place, &made, sizeof(T));
  x[at->rd] = uint64_t(int64_t(Signed<T>(old)));
  return true;
}
template <typename T>
bool LoadReserved(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  const uint64_t address = x[at->rs1];
  const uint8_t* from = s->Readable(address, sizeof(T));
  if (!from) from = s->Reach(at, fuel, address, sizeof(T), false);
  if (!from) return false;
  T value;
  std::memcpy(&value, from, sizeof(T));
  x[at->rd] = uint64_t(int64_t(Signed<T>(value)));
  return true;
}
template <typename T>
bool StoreConditional(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  const uint64_t address = x[at->rs1];
  uint8_t* to = s->Writable(address, sizeof(T));
  if (!to) to = s->Reach(at, fuel, address, sizeof(T), true);
  if (!to) return false;
  const T value = T(x[at->rs2]);
  std::memcpy(to, &value, sizeof(T));
  x[at->rd] = 0;
  return true;
}

template <typename T>
Operation Of(uint32_t kind) {
  switch (kind) {
    case 0x00: return kAlone<Amo<T, Add<T>>>;
    case 0x01: return kAlone<Amo<T, Swap<T>>>;
    case 0x02: return kAlone<LoadReserved<T>>;
    case 0x03: return kAlone<StoreConditional<T>>;
    case 0x04: return kAlone<Amo<T, Xor<T>>>;
    case 0x08: return kAlone<Amo<T, Or<T>>>;
    case 0x0c: return kAlone<Amo<T, And<T>>>;
    case 0x10: return kAlone<Amo<T, Min<T>>>;
    case 0x14: return kAlone<Amo<T, Max<T>>>;
    case 0x18: return kAlone<Amo<T, Minu<T>>>;
    case 0x1c: return kAlone<Amo<T, Maxu<T>>>;
    default: return {};
  }
}
}  // namespace atomics
}  // namespace

void DecodeAtomic(Word w, Decoded* out) {
  out->rd = Target(w.rd());
  out->rs1 = w.rs1();
  out->rs2 = w.rs2();
  const uint32_t kind =
      w.funct7() >> 2;  // the two bits below order it against others: there are none
  if (w.funct3() == 2) out->Is(atomics::Of<uint32_t>(kind));
  if (w.funct3() == 3) out->Is(atomics::Of<uint64_t>(kind));
}

}  // namespace akgen::guest
