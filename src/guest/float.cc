// Computing on float registers: single and double precision, and conversions to and from half.
// Round to nearest even, the only mode; results that are NaN are the one canonical NaN, so that no
// bit depends on the machine that simulates.
#include <cmath>
#include <limits>

#include "guest/decode.h"

namespace akgen::guest {
namespace {
// What a float register holds: a narrower value is boxed in ones, and what is not is a NaN.
template <typename T>
T Get(uint64_t r);
template <>
double Get<double>(uint64_t r) {
  double v;
  std::memcpy(&v, &r, 8);
  return v;
}
template <>
float Get<float>(uint64_t r) {
  const uint32_t bits = r >> 32 == 0xffffffff ? uint32_t(r) : 0x7fc00000u;
  float v;
  std::memcpy(&v, &bits, 4);
  return v;
}
template <>
_Float16 Get<_Float16>(uint64_t r) {
  const uint16_t bits = r >> 16 == 0xffffffffffff ? uint16_t(r) : uint16_t{0x7e00};
  _Float16 v;
  std::memcpy(&v, &bits, 2);
  return v;
}
uint64_t Raw(double v) {
  uint64_t bits;
  std::memcpy(&bits, &v, 8);
  return bits;
}
uint64_t Raw(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  return bits | ~uint64_t{0xffffffff};
}
uint64_t Raw(_Float16 v) {
  uint16_t bits;
  std::memcpy(&bits, &v, 2);
  return bits | ~uint64_t{0xffff};
}
constexpr uint64_t kNan64 = 0x7ff8000000000000, kNan32 = 0xffffffff7fc00000,
                   kNan16 = 0xffffffffffff7e00;
uint64_t Result(double v) { return v != v ? kNan64 : Raw(v); }
uint64_t Result(float v) { return v != v ? kNan32 : Raw(v); }
uint64_t Result(_Float16 v) { return float(v) != float(v) ? kNan16 : Raw(v); }

#define AKGEN_GUEST_FLOAT(name, body)                       \
  template <typename T>                                     \
  bool name(const Insn* at, State*, uint64_t* x, int64_t) { \
    const T a = Get<T>(x[at->rs1]), b = Get<T>(x[at->rs2]); \
    x[at->rd] = body;                                       \
    return true;                                            \
  }

template <typename T>
bool Negative(T v) {
  return std::signbit(v);
}
// Of equals (zeros of both signs) the negative one is less; a NaN gives way to a number.
template <typename T>
uint64_t Least(T a, T b) {
  if (std::isnan(a)) return Result(b);
  if (std::isnan(b)) return Raw(a);
  return Raw(a < b || (a == b && Negative(a)) ? a : b);
}
template <typename T>
uint64_t Most(T a, T b) {
  if (std::isnan(a)) return Result(b);
  if (std::isnan(b)) return Raw(a);
  return Raw(a > b || (a == b && Negative(b)) ? a : b);
}
template <typename T>
uint64_t SignFrom(T a, bool negative) {
  return Raw(std::copysign(a, negative ? T(-1) : T(1)));
}
AKGEN_GUEST_FLOAT(Fadd, Result(T(a + b)))
AKGEN_GUEST_FLOAT(Fsub, Result(T(a - b)))
AKGEN_GUEST_FLOAT(Fmul, Result(T(a* b)))
AKGEN_GUEST_FLOAT(Fdiv, Result(T(a / b)))
AKGEN_GUEST_FLOAT(Fmin, Least(a, b))
AKGEN_GUEST_FLOAT(Fmax, Most(a, b))
AKGEN_GUEST_FLOAT(Fsgnj, SignFrom(a, Negative(b)))
AKGEN_GUEST_FLOAT(Fsgnjn, SignFrom(a, !Negative(b)))
AKGEN_GUEST_FLOAT(Fsgnjx, SignFrom(a, Negative(a) != Negative(b)))
AKGEN_GUEST_FLOAT(Feq, uint64_t(a == b))
AKGEN_GUEST_FLOAT(Flt, uint64_t(a < b))
AKGEN_GUEST_FLOAT(Fle, uint64_t(a <= b))
#undef AKGEN_GUEST_FLOAT

template <typename T>
bool Fsqrt(const Insn* at, State*, uint64_t* x, int64_t) {
  x[at->rd] = Result(std::sqrt(Get<T>(x[at->rs1])));
  return true;
}
// a * b + c with one rounding, and both signs.
template <typename T, bool kNegateProduct, bool kNegateAddend>
bool Fused(const Insn* at, State*, uint64_t* x, int64_t) {
  const T a = Get<T>(x[at->rs1]), b = Get<T>(x[at->rs2]), c = Get<T>(x[at->rs3]);
  x[at->rd] = Result(T(std::fma(kNegateProduct ? -a : a, b, kNegateAddend ? -c : c)));
  return true;
}
template <typename To, typename From>
bool Convert(const Insn* at, State*, uint64_t* x, int64_t) {
  x[at->rd] = Result(To(Get<From>(x[at->rs1])));
  return true;
}
template <typename T, typename Int>
bool FromInt(const Insn* at, State*, uint64_t* x, int64_t) {
  x[at->rd] = Result(T(Int(x[at->rs1])));
  return true;
}

double Rounded(double v, int mode) {
  switch (mode) {
    case 1: return std::trunc(v);
    case 2: return std::floor(v);
    case 3: return std::ceil(v);
    case 4: return std::round(v);
    default: return std::nearbyint(v);
  }
}
// Beyond the integer's range: its nearest end; a NaN gives the greatest. 32-bit results are
// sign-extended.
template <typename Int, typename T>
bool ToInt(const Insn* at, State*, uint64_t* x, int64_t) {
  using Limits = std::numeric_limits<Int>;
  const double v = Rounded(double(Get<T>(x[at->rs1])), at->imm);
  constexpr double kBeyond =
      2.0 * double(uint64_t{1} << (Limits::digits - 1));  // 2 to the digits, exactly
  Int out = v >= kBeyond || v != v      ? Limits::max()
            : v < double(Limits::min()) ? Limits::min()
                                        : Int(v);
  x[at->rd] = uint64_t(int64_t(std::make_signed_t<Int>(out)));
  return true;
}

template <typename T>
bool MoveOut(const Insn* at, State*, uint64_t* x, int64_t) {
  x[at->rd] = uint64_t(int64_t(T(x[at->rs1])));
  return true;
}
template <uint64_t kBox>
bool MoveIn(const Insn* at, State*, uint64_t* x, int64_t) {
  x[at->rd] = x[at->rs1] | kBox;
  if constexpr (kBox == ~uint64_t{0xffff}) x[at->rd] = uint16_t(x[at->rs1]) | kBox;
  if constexpr (kBox == ~uint64_t{0xffffffff}) x[at->rd] = uint32_t(x[at->rs1]) | kBox;
  return true;
}
template <typename T>
bool Classify(const Insn* at, State*, uint64_t* x, int64_t) {
  const T v = Get<T>(x[at->rs1]);
  const bool quiet = sizeof(T) == 8 ? Raw(v) >> 51 & 1 : Raw(v) >> 22 & 1;
  int bit = 0;
  switch (std::fpclassify(v)) {
    case FP_NAN: bit = quiet ? 9 : 8; break;
    case FP_INFINITE: bit = Negative(v) ? 0 : 7; break;
    case FP_NORMAL: bit = Negative(v) ? 1 : 6; break;
    case FP_SUBNORMAL: bit = Negative(v) ? 2 : 5; break;
    default: bit = Negative(v) ? 3 : 4;
  }
  x[at->rd] = uint64_t{1} << bit;
  return true;
}

// The instructions that exist for a format T, by funct5 and, where the manual has it so, funct3 or
// rs2.
template <typename T>
Operation Arithmetic(Word w) {
  constexpr Operation kInts[] = {kAlone<ToInt<int32_t, T>>, kAlone<ToInt<uint32_t, T>>,
                                 kAlone<ToInt<int64_t, T>>, kAlone<ToInt<uint64_t, T>>};
  constexpr Operation kFrom[] = {kAlone<FromInt<T, int32_t>>, kAlone<FromInt<T, uint32_t>>,
                                 kAlone<FromInt<T, int64_t>>, kAlone<FromInt<T, uint64_t>>};
  const uint32_t f3 = w.funct3();
  switch (w.funct7() >> 2) {
    case 0x00: return kAlone<Fadd<T>>;
    case 0x01: return kAlone<Fsub<T>>;
    case 0x02: return kAlone<Fmul<T>>;
    case 0x03: return kAlone<Fdiv<T>>;
    case 0x04:
      return f3 == 0   ? kAlone<Fsgnj<T>>
             : f3 == 1 ? kAlone<Fsgnjn<T>>
             : f3 == 2 ? kAlone<Fsgnjx<T>>
                       : kNone;
    case 0x05: return f3 == 0 ? kAlone<Fmin<T>> : f3 == 1 ? kAlone<Fmax<T>> : kNone;
    case 0x0b: return w.rs2() == 0 ? kAlone<Fsqrt<T>> : kNone;
    case 0x14:
      return f3 == 0 ? kAlone<Fle<T>> : f3 == 1 ? kAlone<Flt<T>> : f3 == 2 ? kAlone<Feq<T>> : kNone;
    case 0x18: return w.rs2() < 4 ? kInts[w.rs2()] : kNone;
    case 0x1a: return w.rs2() < 4 ? kFrom[w.rs2()] : kNone;
    default: return kNone;
  }
}

constexpr uint32_t kSingle = 0, kDouble = 1, kHalf = 2;

Operation Conversion(uint32_t to, uint32_t from) {
  if (to == kSingle)
    return from == kDouble ? kAlone<Convert<float, double>>
           : from == kHalf ? kAlone<Convert<float, _Float16>>
                           : kNone;
  if (to == kDouble)
    return from == kSingle ? kAlone<Convert<double, float>>
           : from == kHalf ? kAlone<Convert<double, _Float16>>
                           : kNone;
  return from == kSingle   ? kAlone<Convert<_Float16, float>>
         : from == kDouble ? kAlone<Convert<_Float16, double>>
                           : kNone;
}

Operation Move(Word w, uint32_t format) {
  constexpr Operation kOut[] = {kAlone<MoveOut<int32_t>>, kAlone<MoveOut<int64_t>>,
                                kAlone<MoveOut<int16_t>>};
  constexpr Operation kIn[] = {kAlone<MoveIn<~uint64_t{0xffffffff}>>, kAlone<MoveIn<0>>,
                               kAlone<MoveIn<~uint64_t{0xffff}>>};
  if (w.rs2() != 0) return kNone;
  if (w.funct7() >> 2 == 0x1e) return w.funct3() == 0 ? kIn[format] : kNone;
  if (w.funct3() == 0) return kOut[format];
  return w.funct3() != 1 || format == kHalf ? kNone
         : format == kSingle                ? kAlone<Classify<float>>
                                            : kAlone<Classify<double>>;
}

template <typename T>
Operation Multiply(uint32_t opcode) {
  constexpr Operation kRow[] = {kAlone<Fused<T, false, false>>, kAlone<Fused<T, false, true>>,
                                kAlone<Fused<T, true, false>>, kAlone<Fused<T, true, true>>};
  return kRow[opcode >> 2 & 3];
}
}  // namespace

void DecodeFloat(Word w, Decoded* out) {
  const uint32_t format = w.funct7() & 3, kind = w.funct7() >> 2;
  const bool fused = w.opcode() != 0x53;
  const bool to_int = !fused && (kind == 0x14 || kind == 0x18 || kind == 0x1c);
  const bool from_int = !fused && (kind == 0x1a || kind == 0x1e);
  // Rounding: nearest even, and for integers any but "dynamic", which is nearest even here as well.
  constexpr uint32_t kDynamic = 7;
  out->imm = int32_t(w.funct3());
  out->rd = to_int ? Target(w.rd()) : Float(w.rd());
  out->rs1 = from_int ? w.rs1() : Float(w.rs1());
  out->rs2 = Float(w.rs2());
  out->rs3 = Float(w.rs3());
  const bool rounds = fused || kind <= 3 || kind == 0x0b;
  if (rounds && w.funct3() != 0 && w.funct3() != kDynamic) return;
  if (format == 3) return;
  if (fused) {
    if (format != kHalf)
      out->Is(format == kSingle ? Multiply<float>(w.opcode()) : Multiply<double>(w.opcode()));
  } else if (kind == 0x08) {
    out->Is(Conversion(format, w.rs2()));
  } else if (kind == 0x1c || kind == 0x1e) {
    out->Is(Move(w, format));
  } else if (format != kHalf) {
    out->Is(format == kSingle ? Arithmetic<float>(w) : Arithmetic<double>(w));
  }
}

}  // namespace akgen::guest
