// Loads and stores. What lies in the guest's own memory is done at once; the way outside is a
// handler of its own, so that the usual one saves no registers for a call it seldom makes.
#pragma once
#include "guest/decode.h"

namespace akgen::guest {

inline uint64_t AddressOf(const Insn* i, const uint64_t* x) {
  return x[i->rs1] + uint64_t(int64_t(i->imm));
}

// What lies in a float register beside a narrower value: ones.
template <typename T>
constexpr uint64_t kBox = sizeof(T) == 8 ? 0 : ~uint64_t{0} << (8 * sizeof(T) % 64);

// `T`: as wide as the access; signed where the register's upper bits take the sign.
template <typename T, bool kIsFloat>
void Take(const Insn* i, uint64_t* x, const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  x[i->rd] = kIsFloat ? uint64_t(value) | kBox<T> : uint64_t(int64_t(value));
}
template <typename T>
void Put(const Insn* i, const uint64_t* x, uint8_t* to) {
  const T value = T(x[i->rs2]);
  std::memcpy(to, &value, sizeof(T));
}

template <typename T, bool kIsFloat>
bool LoadOutside(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  const uint8_t* from = s->Readable(AddressOf(at, x), sizeof(T));
  if (!from) from = s->Reach(at, fuel, AddressOf(at, x), sizeof(T), false);
  if (from) Take<T, kIsFloat>(at, x, from);
  return from;
}
template <typename T>
bool StoreOutside(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  uint8_t* to = s->Reach(at, fuel, AddressOf(at, x), sizeof(T), true);
  if (to) Put<T>(at, x, to);
  return to;
}

}  // namespace akgen::guest
