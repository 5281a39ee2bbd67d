// Numbers of the third source: MPFR with so many bits that sums, differences and products of floats
// are exact, and the number formats of the chip written down once more. Nothing here comes from
// src/sim/ops.
#pragma once
#include <mpfr.h>

#include <cstdint>
#include <utility>

#include "akgen/abi.h"

namespace akgen::sim::test {

class Num {
 public:
  static constexpr mpfr_prec_t kBits = 640;  // float: 2^-298 … 2^256 in a product
  Num() { mpfr_init2(v_, kBits), mpfr_set_zero(v_, 1); }
  Num(double x) : Num() { mpfr_set_d(v_, x, MPFR_RNDN); }  // NOLINT: numbers convert
  Num(const Num& o) : Num() { mpfr_set(v_, o.v_, MPFR_RNDN); }
  Num(Num&& o) noexcept : Num() { mpfr_swap(v_, o.v_); }
  Num& operator=(Num o) { return mpfr_swap(v_, o.v_), *this; }
  ~Num() { mpfr_clear(v_); }
  mpfr_ptr get() { return v_; }
  mpfr_srcptr get() const { return v_; }

  bool nan() const { return mpfr_nan_p(v_); }
  bool inf() const { return mpfr_inf_p(v_); }
  bool zero() const { return mpfr_zero_p(v_); }
  bool negative() const { return mpfr_signbit(v_); }
  bool ordinary() const { return mpfr_regular_p(v_); }

 private:
  mpfr_t v_;
};

#define AKGEN_NUM2(name, function)                  \
  inline Num name(const Num& a, const Num& b) {     \
    Num r;                                          \
    function(r.get(), a.get(), b.get(), MPFR_RNDN); \
    return r;                                       \
  }
AKGEN_NUM2(operator+, mpfr_add)
AKGEN_NUM2(operator-, mpfr_sub)
AKGEN_NUM2(operator*, mpfr_mul)
AKGEN_NUM2(operator/, mpfr_div)
AKGEN_NUM2(Pow, mpfr_pow)
AKGEN_NUM2(Fmod, mpfr_fmod)
AKGEN_NUM2(Hypot, mpfr_hypot)
#undef AKGEN_NUM2
inline Num operator-(const Num& a) {
  Num r;
  mpfr_neg(r.get(), a.get(), MPFR_RNDN);
  return r;
}
inline bool operator<(const Num& a, const Num& b) { return mpfr_less_p(a.get(), b.get()); }
using Function1 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
inline Num Apply(Function1 f, const Num& a) {
  Num r;
  f(r.get(), a.get(), MPFR_RNDN);
  return r;
}
inline Num Scaled(const Num& a, long by) {  // a · 2^by
  Num r;
  mpfr_mul_2si(r.get(), a.get(), by, MPFR_RNDN);
  return r;
}

enum RoundModes { kNone, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

// To a whole number. kNone is kRint.
inline Num Whole(const Num& a, int mode) {
  Num r;
  switch (mode) {
    case kFloor: mpfr_floor(r.get(), a.get()); break;
    case kCeil: mpfr_ceil(r.get(), a.get()); break;
    case kRound: mpfr_round(r.get(), a.get()); break;
    case kTrunc:
    case kOdd: mpfr_trunc(r.get(), a.get()); break;
    default: mpfr_rint(r.get(), a.get(), MPFR_RNDN);
  }
  if (mode == kOdd && !mpfr_equal_p(r.get(), a.get())) {
    Num half = Scaled(r, -1);
    if (mpfr_integer_p(half.get())) mpfr_add_si(r.get(), r.get(), a.negative() ? -1 : 1, MPFR_RNDN);
  }
  return r;
}

struct Format {
  int mant, emin, emax, bits;
};
inline const Format* FormatOf(uint8_t type) {
  static const Format kHalf{10, -14, 15, 16}, kBrain{7, -126, 127, 16}, kSingle{23, -126, 127, 32};
  return type == AKGEN_F16    ? &kHalf
         : type == AKGEN_BF16 ? &kBrain
         : type == AKGEN_F32  ? &kSingle
                              : nullptr;
}

// The bits of `a` in a format, rounded once; beyond the largest finite value (with an unbounded
// exponent) infinity.
inline uint64_t Encoded(const Format& f, const Num& a, int mode) {
  const uint64_t sign = uint64_t(a.negative()) << (f.bits - 1);
  const uint64_t infinity = uint64_t((1 << (f.bits - 1 - f.mant)) - 1) << f.mant;
  if (a.nan()) return infinity | (uint64_t(1) << (f.mant - 1));
  if (a.inf()) return sign | infinity;
  if (a.zero()) return sign;
  long e = mpfr_get_exp(a.get()) - 1;
  long scale = (e < f.emin ? f.emin : e) - f.mant;
  uint64_t n = mpfr_get_ui(Apply(mpfr_abs, Whole(Scaled(a, -scale), mode)).get(), MPFR_RNDN);
  if (n >> (f.mant + 1)) n >>= 1, ++scale;  // rounded up to the next power of two
  if (scale + f.mant > f.emax) return sign | infinity;
  if (!(n >> f.mant)) return sign | n;  // subnormal
  return sign | (uint64_t(scale + f.mant - f.emin + 1) << f.mant) |
         (n & ((uint64_t(1) << f.mant) - 1));
}
inline Num Decoded(const Format& f, uint64_t bits) {
  const uint64_t fraction = bits & ((uint64_t(1) << f.mant) - 1);
  const int field = int(bits >> f.mant) & ((1 << (f.bits - 1 - f.mant)) - 1);
  const bool negative = bits >> (f.bits - 1) & 1, top = field == (1 << (f.bits - 1 - f.mant)) - 1;
  Num r;
  if (top && fraction) return mpfr_set_nan(r.get()), r;
  if (top) return mpfr_set_inf(r.get(), negative ? -1 : 1), r;
  mpfr_set_ui(r.get(), fraction | (field ? uint64_t(1) << f.mant : 0), MPFR_RNDN);
  r = Scaled(r, (field ? field - 1 + f.emin : f.emin) - f.mant);
  return negative ? -r : r;
}

struct Integer {
  int bits;
  bool is_signed;
  __int128 low() const { return is_signed ? -(__int128(1) << (bits - 1)) : 0; }
  __int128 high() const { return (__int128(1) << (bits - is_signed)) - 1; }
  __int128 Clamp(__int128 v) const { return v < low() ? low() : v > high() ? high() : v; }
  // The low bits, as the type reads them.
  __int128 Wrap(__int128 v) const {
    v &= (__int128(1) << bits) - 1;
    return v > high() ? v - (__int128(1) << bits) : v;
  }
};
inline const Integer* IntegerOf(uint8_t type) {
  static const Integer k4{4, true}, k8{8, true}, ku8{8, false}, k16{16, true}, ku16{16, false},
      k32{32, true}, ku32{32, false}, k64{64, true}, ku64{64, false};
  switch (type) {
    case AKGEN_I4: return &k4;
    case AKGEN_I8: return &k8;
    case AKGEN_U8: return &ku8;
    case AKGEN_I16: return &k16;
    case AKGEN_U16: return &ku16;
    case AKGEN_I32: return &k32;
    case AKGEN_U32: return &ku32;
    case AKGEN_I64: return &k64;
    case AKGEN_U64: return &ku64;
  }
  return nullptr;
}
// Whole, saturated; NaN is 0.
inline __int128 Saturated(const Integer& type, const Num& a, int mode) {
  if (a.nan()) return 0;
  if (a.inf()) return a.negative() ? type.low() : type.high();
  Num w = Whole(a, mode);
  if (!(mpfr_cmp_d(w.get(), 9.3e18) < 0)) return type.high();
  if (!(mpfr_cmp_d(w.get(), -9.3e18) > 0)) return type.low();
  // Beyond 63 bits only by a little: in two parts.
  Num high = Whole(Scaled(w, -32), kFloor);
  return type.Clamp((__int128(mpfr_get_si(high.get(), MPFR_RNDN)) << 32) +
                    mpfr_get_si((w - Scaled(high, 32)).get(), MPFR_RNDN));
}
inline Num Number(__int128 v) {
  Num high, low;
  mpfr_set_si(high.get(), int64_t(v >> 32), MPFR_RNDN);
  mpfr_set_si(low.get(), int64_t(v & 0xffffffff), MPFR_RNDN);
  return Scaled(high, 32) + low;
}

}  // namespace akgen::sim::test
