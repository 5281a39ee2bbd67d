#include "oracle.h"

#include <bit>

namespace akgen::sim::test {
namespace {

const Num kOne(1);

Num Exp(const Num& a) { return Apply(mpfr_exp, a); }
Num Constant(const char* text) {
  Num r;
  mpfr_set_str(r.get(), text, 10, MPFR_RNDN);
  return r;
}
Num Nan() {
  Num r;
  mpfr_set_nan(r.get());
  return r;
}
Num Largest(const Num& a, const Num& b) {
  if (a.nan() || b.nan()) return Nan();
  if (a.zero() && b.zero()) return a.negative() ? b : a;
  return a < b ? b : a;
}
Num Smallest(const Num& a, const Num& b) { return -Largest(-a, -b); }
Num Relu(const Num& a) { return a.nan() || (Num() < a) ? a : Num(); }
Num Gate(const Num& x, const Num& z) { return x / (kOne + Exp(-z)); }  // x / (1 + e^-z)

// The same where the exponential leaves the working precision: float for half, double for float.
Num GateIn(const Format& t, const Num& x, const Num& z) {
  const Num e = Exp(-z),
            limit = Constant(t.bits == 16 ? "3.4028235677973366e38" : "1.7976931348623159e308");
  return limit < e ? x / (kOne / Num()) : x / (kOne + e);
}

Num FasterGelu2(const Num& x) {
  Num u = Apply(mpfr_abs, x) * Constant("0.7071"), top = Constant("1.769");
  if (u.nan()) return u;
  Num c = (u < top ? u : top) - top, half = Constant("-0.1444") * c * c + Num(0.5);
  return x * ((x < Num() ? -half : half) + Num(0.5));
}
Num Lgamma(const Num& x) {
  if (x.inf()) return Apply(mpfr_abs, x);
  Num r;
  int sign;
  mpfr_lgamma(r.get(), &sign, x.get(), MPFR_RNDN);
  return r;
}

// NaN at the poles, zero included, where MPFR gives an infinity.
Num Digamma(const Num& x) {
  const bool pole = x.zero() || (x.negative() && (x.inf() || mpfr_integer_p(x.get())));
  return pole ? Nan() : Apply(mpfr_digamma, x);
}

struct Value {
  Num exact;
  int steps = 0;
  Num slack = {};
};
using Unary = Value (*)(const Num& x);
struct Row {
  uint32_t op;
  Unary f;
};
#define AKGEN_MPFR(name, function) \
  {AKGEN_OP_##name, [](const Num& x) { return Value{Apply(function, x), 1}; }}
// The unary rows of floats.
const Row kRows[] = {
    AKGEN_MPFR(Exp, mpfr_exp),
    AKGEN_MPFR(Ln, mpfr_log),
    AKGEN_MPFR(Sin, mpfr_sin),
    AKGEN_MPFR(Cos, mpfr_cos),
    AKGEN_MPFR(Tan, mpfr_tan),
    AKGEN_MPFR(Asin, mpfr_asin),
    AKGEN_MPFR(Acos, mpfr_acos),
    AKGEN_MPFR(Atan, mpfr_atan),
    AKGEN_MPFR(Sinh, mpfr_sinh),
    AKGEN_MPFR(Cosh, mpfr_cosh),
    AKGEN_MPFR(Tanh, mpfr_tanh),
    AKGEN_MPFR(Asinh, mpfr_asinh),
    AKGEN_MPFR(Acosh, mpfr_acosh),
    AKGEN_MPFR(Atanh, mpfr_atanh),
    AKGEN_MPFR(Erf, mpfr_erf),
    AKGEN_MPFR(Erfc, mpfr_erfc),
    AKGEN_MPFR(Log, mpfr_log),
    AKGEN_MPFR(Log2, mpfr_log2),
    AKGEN_MPFR(Log10, mpfr_log10),
    AKGEN_MPFR(ExpHp, mpfr_exp),
    {AKGEN_OP_Digamma, [](const Num& x) { return Value{Digamma(x), 1}; }},
    {AKGEN_OP_Abs, [](const Num& x) { return Value{Apply(mpfr_abs, x)}; }},
    {AKGEN_OP_Neg, [](const Num& x) { return Value{-x}; }},
    {AKGEN_OP_Relu, [](const Num& x) { return Value{Relu(x)}; }},
    {AKGEN_OP_Reciprocal, [](const Num& x) { return Value{kOne / x}; }},
    {AKGEN_OP_Sqrt, [](const Num& x) { return Value{Apply(mpfr_sqrt, x)}; }},
    {AKGEN_OP_Rsqrt, [](const Num& x) { return Value{kOne / Apply(mpfr_sqrt, x), 1}; }},
    {AKGEN_OP_Ceil, [](const Num& x) { return Value{Whole(x, kCeil)}; }},
    {AKGEN_OP_Floor, [](const Num& x) { return Value{Whole(x, kFloor)}; }},
    {AKGEN_OP_Round, [](const Num& x) { return Value{Whole(x, kRound)}; }},
    {AKGEN_OP_Rint, [](const Num& x) { return Value{Whole(x, kRint)}; }},
    {AKGEN_OP_Trunc, [](const Num& x) { return Value{Whole(x, kTrunc)}; }},
    {AKGEN_OP_Frac, [](const Num& x) { return Value{x - Whole(x, kTrunc)}; }},
    {AKGEN_OP_Sign,
     [](const Num& x) {
       return Value{Num(x.nan() || x.zero() ? 0 : x.negative() ? -1 : 1)};
     }},
    {AKGEN_OP_Sigmoid, [](const Num& x) { return Value{kOne / (kOne + Exp(-x)), 1}; }},
    {AKGEN_OP_Silu, [](const Num& x) { return Value{Gate(x, x), 1}; }},
    {AKGEN_OP_Gelu,
     [](const Num& x) {
       return Value{
           Gate(x, Constant("1.5957691216057308") * (x + Constant("0.044715") * x * x * x)), 1};
     }},
    {AKGEN_OP_FasterGelu, [](const Num& x) { return Value{Gate(x, Constant("1.702") * x), 1}; }},
    {AKGEN_OP_FasterGeluV2, [](const Num& x) { return Value{FasterGelu2(x), 1}; }},
    {AKGEN_OP_Lgamma, [](const Num& x) { return Value{Lgamma(x), 1}; }},
};
#undef AKGEN_MPFR

// Rows of two floats, or of a float and a scalar; a value rounded on the way is rounded to `t`.
std::optional<Value> Binary(const Element& e, const Num& a, const Num& b, const Format& t) {
  auto rounded = [&](const Num& x) { return Decoded(t, Encoded(t, x, kRint)); };
  switch (e.op) {
    case AKGEN_OP_Add:
    case AKGEN_OP_Adds: return Value{a + b};
    case AKGEN_OP_Sub:
    case AKGEN_OP_Subs: return Value{a - b};
    case AKGEN_OP_Mul:
    case AKGEN_OP_Muls: return Value{a * b};
    case AKGEN_OP_Div:
    case AKGEN_OP_Divs: return Value{a / b};
    case AKGEN_OP_Max:
    case AKGEN_OP_Maxs:
    case AKGEN_OP_ClampMin: return Value{Largest(a, b)};
    case AKGEN_OP_Min:
    case AKGEN_OP_Mins:
    case AKGEN_OP_ClampMax: return Value{Smallest(a, b)};
    case AKGEN_OP_AddRelu: return Value{Relu(rounded(a + b))};
    case AKGEN_OP_SubRelu: return Value{Relu(rounded(a - b))};
    case AKGEN_OP_AbsSub: return Value{Apply(mpfr_abs, a - b)};
    case AKGEN_OP_ExpSub: return Value{Exp(rounded(a - b)), 1};
    case AKGEN_OP_Prelu:
    case AKGEN_OP_LeakyRelu: return Value{a.negative() ? a * b : a};
    case AKGEN_OP_Power:
    case AKGEN_OP_PowerScalar: return Value{Pow(a, b), 1};
    case AKGEN_OP_ScalarPower: return Value{Pow(b, a), 1};
    case AKGEN_OP_Fmod: return Value{Fmod(a, b)};
    case AKGEN_OP_Hypot: return Value{Hypot(a, b), 1};
    case AKGEN_OP_SwiGLU:
      return Value{a * GateIn(t, b, Num(std::bit_cast<float>(uint32_t(e.k))) * b), 1};
    case AKGEN_OP_GeGLU:
      return Value{
          a * GateIn(t, b, Constant("1.5957691216057308") * (b + Constant("0.044715") * b * b * b)),
          1};
    case AKGEN_OP_ReGlu: return Value{a * Relu(b)};
    case AKGEN_OP_Swish: return Value{Gate(a, b * a), 1};
  }
  return std::nullopt;
}

std::optional<Value> Accumulated(const Element& e, const Num& a, const Num& b, const Num& d,
                                 const Num& k, const Format& t) {
  auto rounded = [&](const Num& x) { return Decoded(t, Encoded(t, x, kRint)); };
  switch (e.op) {
    case AKGEN_OP_MulAddDst: return Value{rounded(a * b) + d};
    case AKGEN_OP_FusedMulAdd: return Value{rounded(a * d) + b};
    case AKGEN_OP_FusedMulAddRelu: return Value{Relu(rounded(a * d) + b)};
    case AKGEN_OP_Axpy: return Value{rounded(a * k) + d};
  }
  return std::nullopt;
}

// A signed number keeps its sign; of the bits below it the highest are dropped. By its whole width
// nothing is left.
__int128 ShiftedLeft(const Integer& t, __int128 a, int by) {
  if (by >= t.bits) return 0;
  const __int128 below = t.high() & (a << by);
  return a < 0 ? t.low() + below : below;
}

std::optional<__int128> Whole2(const Element& e, const Integer& t, __int128 a, __int128 b) {
  switch (e.op) {
    case AKGEN_OP_Add:
    case AKGEN_OP_Adds: return t.Wrap(a + b);
    case AKGEN_OP_Sub:
    case AKGEN_OP_Subs: return t.Wrap(a - b);
    case AKGEN_OP_Mul:
    case AKGEN_OP_Muls: return t.Wrap(a * b);
    case AKGEN_OP_Max:
    case AKGEN_OP_Maxs: return a > b ? a : b;
    case AKGEN_OP_Min:
    case AKGEN_OP_Mins: return a < b ? a : b;
    case AKGEN_OP_And:
    case AKGEN_OP_BitwiseAnd:
    case AKGEN_OP_Ands: return a & b;
    case AKGEN_OP_Or:
    case AKGEN_OP_Ors: return a | b;
    case AKGEN_OP_BitwiseXor:
    case AKGEN_OP_Xor: return a ^ b;
    case AKGEN_OP_Not: return t.Wrap(~a);
    case AKGEN_OP_Neg: return t.Wrap(-a);
    case AKGEN_OP_Relu: return a < 0 ? 0 : a;
    case AKGEN_OP_AddRelu: return t.Clamp(a + b < 0 ? 0 : a + b);
    case AKGEN_OP_SubRelu: return t.Clamp(a - b < 0 ? 0 : a - b);
    case AKGEN_OP_ShiftLeft: return ShiftedLeft(t, a, int(b));
    case AKGEN_OP_ShiftRight:
      return t.Wrap((a + (t.is_signed && e.flag && b ? __int128(1) << int(b - 1) : 0)) >> int(b));
  }
  return std::nullopt;
}

__int128 PowerOf(const Integer& t, __int128 base, __int128 exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  // By squaring modulo 2^32: a plain product of four milliard factors takes too long.
  __int128 result = 1;
  for (__int128 b = base; exponent; exponent >>= 1, b = t.Wrap(b * b))
    if (exponent & 1) result = t.Wrap(result * b);
  return result;
}

uint64_t Bits(const Integer& t, __int128 v) {
  return uint64_t(v) & (t.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << t.bits) - 1);
}
Expected Exactly(uint64_t bits) {
  Expected r;
  r.bits = bits;
  return r;
}
Expected InFormat(const Format& f, Value v, int mode = kRint) {
  Expected r;
  r.bits = Encoded(f, v.exact, mode);
  r.steps = v.steps;
  r.exact = std::move(v.exact);
  r.slack = std::move(v.slack);
  return r;
}

std::optional<Expected> Cast(const Element& e) {
  const Format *from = FormatOf(e.src_type), *to = FormatOf(e.dst_type);
  const Integer *from_int = IntegerOf(e.src_type), *to_int = IntegerOf(e.dst_type);
  if (from && to && from == to) {  // to a whole number of the same format, without a negative zero
    Num w = Whole(Decoded(*from, e.a), e.mode);
    return Exactly(Encoded(*to, w.zero() ? Num() : w, kRint));
  }
  if (from && to) return Exactly(Encoded(*to, Decoded(*from, e.a), e.mode));
  if (from && to_int)
    return Exactly(Bits(*to_int, Saturated(*to_int, Decoded(*from, e.a), e.mode)));
  const __int128 v = from_int->Wrap(e.a);
  if (from_int && to_int) return Exactly(Bits(*to_int, to_int->Clamp(v)));
  if (e.src_type == AKGEN_I32 && e.dst_type == AKGEN_F16)
    return Exactly(Encoded(*to, Number(v) * Num(e.deq_scale), kRint));
  return Exactly(Encoded(*to, Number(v), e.mode));
}

// Two operands in one format, the result in another.
std::optional<Expected> Narrowing(const Element& e) {
  const Format *from = FormatOf(e.src_type), *to = FormatOf(e.dst_type);
  const Integer *from_int = IntegerOf(e.src_type), *to_int = IntegerOf(e.dst_type);
  const bool sub = e.op == AKGEN_OP_SubReluCast;
  if (e.op == AKGEN_OP_AddDeqRelu) {
    __int128 sum = from_int->Wrap(from_int->Wrap(e.a) + from_int->Wrap(e.b));
    return InFormat(*to, {Relu(Number(sum) * Num(e.deq_scale))});
  }
  if (from_int) {
    __int128 a = from_int->Wrap(e.a), b = from_int->Wrap(e.b), sum = sub ? a - b : a + b;
    return Exactly(Bits(*to_int, to_int->Clamp(sum < 0 ? 0 : sum)));
  }
  Num a = Decoded(*from, e.a), b = Decoded(*from, e.b);
  Num first = Decoded(*from, Encoded(*from,
                                     e.op == AKGEN_OP_MulCast ? a * b
                                     : sub                    ? a - b
                                                              : a + b,
                                     kRint));
  if (e.op != AKGEN_OP_MulCast) first = first.nan() ? Num() : Relu(first);
  if (to_int) return Exactly(Bits(*to_int, Saturated(*to_int, first, kRint)));
  return InFormat(*to, {first});
}

std::optional<Expected> OfIntegers(const Element& e, const Integer& t) {
  const __int128 a = t.Wrap(e.a), k = t.Wrap(e.k), b = e.scalar ? k : t.Wrap(e.b);
  switch (e.op) {
    case AKGEN_OP_Power: return Exactly(Bits(t, PowerOf(t, a, t.Wrap(e.b))));
    case AKGEN_OP_PowerScalar: return Exactly(Bits(t, PowerOf(t, a, k)));
    case AKGEN_OP_ScalarPower: return Exactly(Bits(t, PowerOf(t, k, a)));
  }
  auto r = Whole2(e, t, a, b);
  return r ? std::optional(Exactly(Bits(t, *r))) : std::nullopt;
}
}  // namespace

std::optional<Expected> Expect(const Element& e) {
  switch (e.op) {
    case AKGEN_OP_Copy: return Exactly(e.a);
    case AKGEN_OP_Duplicate: return Exactly(e.k);
    case AKGEN_OP_Cast: return Cast(e);
    case AKGEN_OP_MulCast:
    case AKGEN_OP_AddReluCast:
    case AKGEN_OP_SubReluCast:
    case AKGEN_OP_AddDeqRelu: return Narrowing(e);
  }
  if (const Integer* t = IntegerOf(e.src_type)) return OfIntegers(e, *t);
  const Format *from = FormatOf(e.src_type), *to = FormatOf(e.dst_type);
  if (!from || !to) return std::nullopt;
  const Num a = Decoded(*from, e.a), b = Decoded(*from, e.b), k = Decoded(*from, e.k),
            d = Decoded(*to, e.d);
  for (const Row& row : kRows)
    if (row.op == e.op) return InFormat(*to, row.f(a));
  if (auto v = Accumulated(e, a, b, d, k, *to)) return InFormat(*to, std::move(*v));
  if (auto v = Binary(e, a, e.scalar ? k : b, *to)) return InFormat(*to, std::move(*v));
  return std::nullopt;
}

}  // namespace akgen::sim::test
