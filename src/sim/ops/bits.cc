// Logic and shifts on integers.
#include "sim/ops/lanes.h"

namespace akgen::sim {
namespace {

struct AndOp {
  template <class V>
  static V Do(V a, V b) {
    return a & b;
  }
};
struct OrOp {
  template <class V>
  static V Do(V a, V b) {
    return a | b;
  }
};
struct XorOp {
  template <class V>
  static V Do(V a, V b) {
    return a ^ b;
  }
};
struct NotOp {
  template <class V>
  static V Do(V a) {
    return V(~a);
  }
};

// The distance is 0 … bits of T; a distance of the full width clears (or, for a signed right shift,
// fills with the sign). It travels in the scalar as an integer of T's width.
template <class T>
uint32_t Distance(const RunArgs& args) {
  uint64_t d = ScalarOf<std::make_unsigned_t<T>>(args.scalar);
  return d > 8 * sizeof(T) ? uint32_t(8 * sizeof(T)) : uint32_t(d);
}

// Signed elements keep their sign bit: the bit below it is what is shifted out (page of ShiftLeft:
// 0xAAAA by 1 is 0xD554).
template <class T>
void RunShiftLeft(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  T* d = static_cast<T*>(dst);
  const T* s = static_cast<const T*>(src);
  const uint32_t k = Distance<T>(args);
  if (k >= 8 * sizeof(T)) {
    for (uint32_t i = 0; i < n; ++i) d[i] = 0;
    return;
  }
  constexpr uint32_t kSign = std::is_signed_v<T> ? uint32_t(1) << (8 * sizeof(T) - 1) : 0;
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i)
    d[i] = T(((uint32_t(s[i]) << k) & ~kSign) | (uint32_t(s[i]) & kSign));
}

// roundEn adds the last bit shifted out (round half up); it exists for signed elements only.
template <class T>
void RunShiftRight(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  T* d = static_cast<T*>(dst);
  const T* s = static_cast<const T*>(src);
  const uint32_t k = Distance<T>(args);
  const Wide half = std::is_signed_v<T> && args.flag && k ? Wide(1) << (k - 1) : Wide(0);
  for (uint32_t i = 0; i < n; ++i) d[i] = T((Wide(s[i]) + half) >> k);
}

template <class Op>
RunFn Words2(uint8_t t) {
  static const TypedRun kRuns[] = {{AKGEN_I16, RunMap2<Op, uint16_t>},
                                   {AKGEN_U16, RunMap2<Op, uint16_t>}};
  return Pick(kRuns, t);
}
template <class Op>
RunFn WordsS(uint8_t t) {
  static const TypedRun kRuns[] = {{AKGEN_I16, RunMaps<Op, uint16_t>},
                                   {AKGEN_U16, RunMaps<Op, uint16_t>}};
  return Pick(kRuns, t);
}
// Integers of any width.
template <class Op>
RunFn Integers2(uint8_t t) {
  switch (BitsOf(t)) {
    case 8: return t == AKGEN_BOOL ? nullptr : RunMap2<Op, uint8_t>;
    case 16: return t == AKGEN_I16 || t == AKGEN_U16 ? RunMap2<Op, uint16_t> : nullptr;
    case 32: return t == AKGEN_I32 || t == AKGEN_U32 ? RunMap2<Op, uint32_t> : nullptr;
    case 64: return t == AKGEN_I64 || t == AKGEN_U64 ? RunMap2<Op, uint64_t> : nullptr;
    default: return nullptr;
  }
}

}  // namespace

RunFn FindBits(const AkgenVec& instr) {
  static const TypedRun kNot[] = {{AKGEN_I16, RunMap1<NotOp, uint16_t>},
                                  {AKGEN_U16, RunMap1<NotOp, uint16_t>}};
  static const TypedRun kLeft[] = {{AKGEN_I16, RunShiftLeft<int16_t>},
                                   {AKGEN_U16, RunShiftLeft<uint16_t>},
                                   {AKGEN_I32, RunShiftLeft<int32_t>},
                                   {AKGEN_U32, RunShiftLeft<uint32_t>}};
  static const TypedRun kRight[] = {{AKGEN_I16, RunShiftRight<int16_t>},
                                    {AKGEN_U16, RunShiftRight<uint16_t>},
                                    {AKGEN_I32, RunShiftRight<int32_t>},
                                    {AKGEN_U32, RunShiftRight<uint32_t>}};
  const uint8_t t = instr.dst_type;
  switch (instr.op) {
    case AKGEN_OP_Not: return Pick(kNot, t);
    case AKGEN_OP_And: return Words2<AndOp>(t);
    case AKGEN_OP_Or: return Words2<OrOp>(t);
    case AKGEN_OP_Xor: return Words2<XorOp>(t);
    case AKGEN_OP_BitwiseAnd: return Integers2<AndOp>(t);
    case AKGEN_OP_BitwiseXor: return Integers2<XorOp>(t);
    case AKGEN_OP_Ands: return WordsS<AndOp>(t);
    case AKGEN_OP_Ors: return WordsS<OrOp>(t);
    case AKGEN_OP_ShiftLeft: return Pick(kLeft, t);
    case AKGEN_OP_ShiftRight: return Pick(kRight, t);
    default: return nullptr;
  }
}

}  // namespace akgen::sim
