// Two instructions in one step. Unoptimised code moves nearly everything between registers and the
// stack, so most of it is made of six kinds of instructions; what the second one needs stands in
// its own place behind the first.
#include <array>
#include <utility>

#include "guest/accesses.h"
#include "guest/opcodes.h"

namespace akgen::guest {
namespace pairs {
enum class Kind : uint8_t { kLoad64, kLoad32, kStore64, kStore32, kAddImmediate, kAdd, kOther };
constexpr size_t kKinds = size_t(Kind::kOther);

Kind KindOf(Word w) {
  const uint32_t f3 = w.funct3();
  switch (w.opcode()) {
    case kLoad: return f3 == 3 ? Kind::kLoad64 : f3 == 2 ? Kind::kLoad32 : Kind::kOther;
    case kStore: return f3 == 3 ? Kind::kStore64 : f3 == 2 ? Kind::kStore32 : Kind::kOther;
    case kOpImm: return f3 == 0 ? Kind::kAddImmediate : Kind::kOther;
    case kOp: return f3 == 0 && w.funct7() == 0 ? Kind::kAdd : Kind::kOther;
    default: return Kind::kOther;
  }
}

// False: it reaches outside, and nothing has happened.
template <Kind kKind>
[[clang::always_inline]] inline bool Do(const Insn* i, State* s, uint64_t* x) {
  if constexpr (kKind == Kind::kAddImmediate) x[i->rd] = AddressOf(i, x);
  if constexpr (kKind == Kind::kAdd) x[i->rd] = x[i->rs1] + x[i->rs2];
  if constexpr (kKind >= Kind::kAddImmediate) return true;
  constexpr uint64_t kBytes = kKind == Kind::kLoad64 || kKind == Kind::kStore64 ? 8 : 4;
  uint8_t* place;
  if (!s->Own<kBytes>(AddressOf(i, x), &place)) return false;
  if constexpr (kKind == Kind::kLoad64) Take<int64_t, false>(i, x, place);
  if constexpr (kKind == Kind::kLoad32) Take<int32_t, false>(i, x, place);
  if constexpr (kKind == Kind::kStore64) Put<uint64_t>(i, x, place);
  if constexpr (kKind == Kind::kStore32) Put<uint32_t>(i, x, place);
  return true;
}
// The same alone, outside.
template <Kind kKind>
constexpr Handler kAlone = kKind == Kind::kLoad64    ? Then<LoadOutside<int64_t, false>>
                           : kKind == Kind::kLoad32  ? Then<LoadOutside<int32_t, false>>
                           : kKind == Kind::kStore64 ? Then<StoreOutside<uint64_t>>
                                                     : Then<StoreOutside<uint32_t>>;

template <Kind kFirst, Kind kSecond>
Stop Both(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  if (!Do<kFirst>(at, s, x)) [[clang::musttail]]
    return kAlone<kFirst>(at, s, x, fuel);
  if (!Do<kSecond>(at + 1, s, x)) [[clang::musttail]]
    return kAlone<kSecond>(at + 1, s, x, fuel - 1);
  AKGEN_GUEST_NEXT(2);
}

template <size_t... kIndex>
constexpr auto MakeTable(std::index_sequence<kIndex...>) {
  return std::array<Handler, sizeof...(kIndex)>{
      Both<Kind(kIndex / kKinds), Kind(kIndex % kKinds)>...};
}
constexpr auto kTable = MakeTable(std::make_index_sequence<kKinds * kKinds>());
}  // namespace pairs

void JoinSimple(Word first, Word second, Insn* out) {
  const auto a = pairs::KindOf(first), b = pairs::KindOf(second);
  if (a != pairs::Kind::kOther && b != pairs::Kind::kOther)
    out->run = pairs::kTable[size_t(a) * pairs::kKinds + size_t(b)];
}

}  // namespace akgen::guest
