// Cast: every (source, destination, mode) the 2201 vector unit converts (table of the Cast page).
#include "sim/ops/round.h"

namespace akgen::sim {
namespace {

template <class C, class D, class S>
void RunLanes(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  D* d = static_cast<D*>(dst);
  const S* s = static_cast<const S*>(src);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = C::Do(s[i]);
}
// From half to integers by way of a small float buffer: clang would compare and round in half, one
// lane at a time.
template <class C, class D>
void RunFromHalf(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  D* d = static_cast<D*>(dst);
  const F16* s = static_cast<const F16*>(src);
  float wide[256];
  for (uint32_t first = 0; first < n; first += 256) {
    const uint32_t m = n - first < 256 ? n - first : 256;
    for (uint32_t i = 0; i < m; ++i) wide[i] = float(s[first + i]);
    AKGEN_LANES
    for (uint32_t i = 0; i < m; ++i) d[first + i] = C::Do(wide[i]);
  }
}
// The same for conversions AVX2 has no lanes for.
template <class C, class D, class S>
void RunEach(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  D* d = static_cast<D*>(dst);
  const S* s = static_cast<const S*>(src);
  for (uint32_t i = 0; i < n; ++i) d[i] = C::Do(s[i]);
}

template <class I>
struct ToInt {
  template <Round kMode>
  struct Of {
    template <class S>
    static I Do(S x) {
      return Saturate<I>(ToIntegral<kMode>(Up(x)));
    }
  };
};
struct Widen {
  template <class S>
  static float Do(S x) {
    return float(Up(x));
  }
};
struct WidenToHalf {
  template <class S>
  static F16 Do(S x) {
    return F16(float(x));
  }
};
template <Round kMode>
struct ToHalf {
  template <class S>
  static F16 Do(S x) {
    if constexpr (kMode == Round::rint)
      return F16(float(x));  // F16C's own rounding
    else
      return std::bit_cast<F16>(ToHalfBits<kMode>(float(x)));
  }
};
template <Round kMode>
struct ToBfloat {
  static Bf16 Do(float x) { return ToBf16<kMode>(x); }
};
// Integral values in float; -0 and results of -0 become +0 (note under the Cast edge-value table).
template <Round kMode>
struct FloatToFloat {
  static float Do(float x) { return ToIntegral<kMode>(x) + 0.0f; }
};
template <Round kMode>
struct ToFloat {
  template <class S>
  static float Do(S x) {
    return IntToFloat<kMode>(x);
  }
};
struct Int32ToFloat {
  static float Do(int32_t x) { return float(x); }
};
struct Int32ToInt16 {
  static int16_t Do(int32_t x) { return int16_t(x > 32767 ? 32767 : x < -32768 ? -32768 : x); }
};
struct Int64ToInt32 {
  static int32_t Do(int64_t x) {
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : int32_t(x);
  }
};
struct Int32ToInt64 {
  static int64_t Do(int32_t x) { return x; }
};

// The product x * scale is exact in double and rounded once to nearest even.
void RunDequant(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  F16* d = static_cast<F16*>(dst);
  const int32_t* s = static_cast<const int32_t*>(src);
  const double k = args.deq_scale;
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = F16(ToOdd(double(s[i]) * k));
}

// Two elements a byte, the first in the low half. Runs start at an even element.
void RunInt4ToHalf(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  F16* d = static_cast<F16*>(dst);
  const uint8_t* s = static_cast<const uint8_t*>(src);
  for (uint32_t i = 0; i < n; ++i) {
    uint8_t nibble = (s[i / 2] >> (4 * (i & 1))) & 15;
    d[i] = F16(float(nibble < 8 ? nibble : nibble - 16));
  }
}
template <Round kMode>
void RunHalfToInt4(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  uint8_t* d = static_cast<uint8_t*>(dst);
  const F16* s = static_cast<const F16*>(src);
  for (uint32_t i = 0; i < n; ++i) {
    const int v = std::clamp(int(Saturate<int8_t>(ToIntegral<kMode>(float(s[i])))), -8, 7);
    uint32_t at = 4 * (i & 1);
    d[i / 2] = uint8_t((d[i / 2] & ~(15u << at)) | (uint32_t(v & 15) << at));
  }
}

// The runs of one conversion for rint, floor, ceil, round, trunc, and which of NONE and ODD it also
// has.
struct Modes {
  RunFn five[5];
  bool none = false;
  RunFn odd = nullptr;
};
RunFn PickMode(const Modes& modes, uint8_t mode) {
  if (mode == uint8_t(Round::none)) return modes.none ? modes.five[0] : nullptr;
  if (mode == uint8_t(Round::odd)) return modes.odd;
  return mode <= 5 ? modes.five[mode - 1] : nullptr;
}
template <class C, class D, class S>
constexpr RunFn LanesOf() {
  if constexpr (std::is_same_v<S, F16>)
    return RunFromHalf<C, D>;
  else
    return RunLanes<C, D, S>;
}
template <template <Round> class C, class D, class S>
constexpr Modes InLanes(bool none, RunFn odd = nullptr) {
  return {{LanesOf<C<Round::rint>, D, S>(), LanesOf<C<Round::floor>, D, S>(),
           LanesOf<C<Round::ceil>, D, S>(), LanesOf<C<Round::round>, D, S>(),
           LanesOf<C<Round::trunc>, D, S>()},
          none,
          odd};
}
template <template <Round> class C, class D, class S>
constexpr Modes OneByOne(bool none) {
  return {
      {RunEach<C<Round::rint>, D, S>, RunEach<C<Round::floor>, D, S>, RunEach<C<Round::ceil>, D, S>,
       RunEach<C<Round::round>, D, S>, RunEach<C<Round::trunc>, D, S>},
      none};
}

// Conversions that ignore rounding: mode NONE only.
RunFn FindExact(uint8_t s, uint8_t d) {
  if (d == AKGEN_F16) {
    if (s == AKGEN_I4) return RunInt4ToHalf;
    if (s == AKGEN_I8) return RunLanes<WidenToHalf, F16, int8_t>;
    if (s == AKGEN_U8) return RunLanes<WidenToHalf, F16, uint8_t>;
  } else if (d == AKGEN_F32) {
    if (s == AKGEN_I16) return RunLanes<Widen, float, int16_t>;
    if (s == AKGEN_F16) return RunLanes<Widen, float, F16>;
    if (s == AKGEN_BF16) return RunLanes<Widen, float, Bf16>;
  } else if (d == AKGEN_I16) {
    if (s == AKGEN_I32) return RunLanes<Int32ToInt16, int16_t, int32_t>;
  } else if (d == AKGEN_I64) {
    if (s == AKGEN_I32) return RunLanes<Int32ToInt64, int64_t, int32_t>;
  } else if (d == AKGEN_I32) {
    if (s == AKGEN_I64) return RunLanes<Int64ToInt32, int32_t, int64_t>;
  }
  return nullptr;
}

template <class S, bool kNone>
RunFn ToInteger(uint8_t d, uint8_t mode) {
  static constexpr Modes kI8 = InLanes<ToInt<int8_t>::Of, int8_t, S>(true);
  static constexpr Modes kU8 = InLanes<ToInt<uint8_t>::Of, uint8_t, S>(true);
  static constexpr Modes kI16 = InLanes<ToInt<int16_t>::Of, int16_t, S>(false);
  static constexpr Modes kI32 = InLanes<ToInt<int32_t>::Of, int32_t, S>(false);
  switch (d) {
    case AKGEN_I8: return kNone ? PickMode(kI8, mode) : nullptr;
    case AKGEN_U8: return kNone ? PickMode(kU8, mode) : nullptr;
    case AKGEN_I16: return PickMode(kI16, mode);
    case AKGEN_I32: return PickMode(kI32, mode);
    default: return nullptr;
  }
}

RunFn FromHalf(uint8_t d, uint8_t mode) {
  static constexpr Modes kI4 = {
      {RunHalfToInt4<Round::rint>, RunHalfToInt4<Round::floor>, RunHalfToInt4<Round::ceil>,
       RunHalfToInt4<Round::round>, RunHalfToInt4<Round::trunc>},
      true};
  return d == AKGEN_I4 ? PickMode(kI4, mode) : ToInteger<F16, true>(d, mode);
}

RunFn FromFloat(uint8_t d, uint8_t mode) {
  static constexpr Modes kI64 = OneByOne<ToInt<int64_t>::Of, int64_t, float>(false);
  static constexpr Modes kF16 =
      InLanes<ToHalf, F16, float>(true, RunLanes<ToHalf<Round::odd>, F16, float>);
  static constexpr Modes kBf16 = InLanes<ToBfloat, Bf16, float>(false);
  static constexpr Modes kF32 = InLanes<FloatToFloat, float, float>(false);
  switch (d) {
    case AKGEN_I64: return PickMode(kI64, mode);
    case AKGEN_F16: return PickMode(kF16, mode);
    case AKGEN_BF16: return PickMode(kBf16, mode);
    case AKGEN_F32: return PickMode(kF32, mode);
    default: return ToInteger<float, false>(d, mode);
  }
}

RunFn FromOther(uint8_t s, uint8_t d, uint8_t mode) {
  static constexpr Modes kI16ToF16 = InLanes<ToHalf, F16, int16_t>(true);
  static constexpr Modes kI32ToF32 = OneByOne<ToFloat, float, int32_t>(true);
  static constexpr Modes kI64ToF32 = OneByOne<ToFloat, float, int64_t>(false);
  if (s == AKGEN_I16 && d == AKGEN_F16) return PickMode(kI16ToF16, mode);
  if (s == AKGEN_BF16 && d == AKGEN_I32) return ToInteger<Bf16, false>(d, mode);
  if (s == AKGEN_I32 && d == AKGEN_F32)
    return mode <= uint8_t(Round::rint) ? RunLanes<Int32ToFloat, float, int32_t>
                                        : PickMode(kI32ToF32, mode);
  if (s == AKGEN_I64 && d == AKGEN_F32) return PickMode(kI64ToF32, mode);
  return nullptr;
}

}  // namespace

RunFn FindCast(const AkgenVec& instr) {
  const uint8_t s = instr.src_type, d = instr.dst_type, mode = instr.round_mode;
  if (instr.op != AKGEN_OP_Cast) return nullptr;
  if (s == AKGEN_I32 && d == AKGEN_F16) return RunDequant;  // any mode: it is not looked at
  if (RunFn run = FindExact(s, d)) return mode == uint8_t(Round::none) ? run : nullptr;
  if (s == AKGEN_F16) return FromHalf(d, mode);
  if (s == AKGEN_F32) return FromFloat(d, mode);
  return FromOther(s, d, mode);
}

namespace {
template <class D>
bool AnyOther(const void* dst, const float* src, uint32_t n) {
  const D* d = static_cast<const D*>(dst);
  for (uint32_t i = 0; i < n; ++i)
    if (Up(d[i]) != src[i] && src[i] == src[i]) return true;
  return false;
}
}  // namespace

bool LosesDigits(uint8_t dst_type, const void* dst, const float* src, uint32_t n) {
  return dst_type == AKGEN_F16 ? AnyOther<F16>(dst, src, n) : AnyOther<Bf16>(dst, src, n);
}

std::string OtherRoundings(AkgenVec v) {
  static constexpr const char* kNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                           "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
  std::string found;
  for (v.round_mode = 0; RowOf(v.op).converts && v.round_mode < std::size(kNames); ++v.round_mode)
    if (FindRun(v)) found += (found.empty() ? "" : ", ") + std::string(kNames[v.round_mode]);
  return found;
}

}  // namespace akgen::sim
