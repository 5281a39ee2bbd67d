// Add … Rsqrt. Special values follow IEEE 754 as the API's edge-value tables say for the default
// (inf/nan) mode: integers wrap, NaN propagates through Max and Min, Max(+0, -0) = +0.
#include "sim/ops/imprecise.h"
#include "sim/ops/lanes.h"

namespace akgen::sim {
namespace {

struct AddOp {
  static float Do(float a, float b) { return a + b; }
  template <class V>
  static V Do(V a, V b) {
    return V(uint32_t(a) + uint32_t(b));
  }
};
struct SubOp {
  static float Do(float a, float b) { return a - b; }
  template <class V>
  static V Do(V a, V b) {
    return V(uint32_t(a) - uint32_t(b));
  }
};
struct MulOp {
  static float Do(float a, float b) { return a * b; }
  template <class V>
  static V Do(V a, V b) {
    return V(uint32_t(a) * uint32_t(b));
  }
};
struct DivOp {
  static float Do(float a, float b) { return a / b; }
};
struct MaxOp {
  template <class V>
  static V Do(V a, V b) {
    return a > b ? a : b;
  }
};
struct MinOp {
  template <class V>
  static V Do(V a, V b) {
    return a < b ? a : b;
  }
};
struct ReluOp {
  template <class V>
  static V Do(V a) {
    return a <= V(0) ? V(0) : a;
  }
};
struct AbsOp {
  static float Do(float a) { return std::fabs(a); }
};
struct NegOp {
  static float Do(float a) { return -a; }
  template <class V>
  static V Do(V a) {
    return V(0u - uint32_t(a));
  }
};
struct SqrtOp {
  static float Do(float a) { return std::sqrt(a); }
};
// libm's expf and logf are within 0.51 ulp.
float Exp(float a) { return std::exp(a); }
float Ln(float a) { return std::log(a); }
struct AbsSubOp {
  static float Do(float a, float b) { return std::fabs(a - b); }
};
struct PreluOp {
  static float Do(float a, float b) { return std::signbit(a) ? a * b : a; }
};
// The sign bit decides: LeakyRelu(-0, s) = -0 * s, LeakyRelu(+0, anything) = +0.
struct LeakyReluOp {
  static float Do(float a, float k) { return std::bit_cast<int32_t>(a) < 0 ? a * k : a; }
};

template <class T, float (*kFunction)(float)>
void RunLibm(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  T* d = static_cast<T*>(dst);
  const T* s = static_cast<const T*>(src);
  for (uint32_t i = 0; i < n; ++i) d[i] = Down<T>(kFunction(Up(s[i])));
}
template <class T>
void RunExpSub(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  T* d = static_cast<T*>(dst);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  for (uint32_t i = 0; i < n; ++i) d[i] = Down<T>(std::exp(Up(Down<T>(Up(x[i]) - Up(y[i])))));
}

// IEEE 754-2019 maximum and minimum on the bits: flipping the low bits of negatives orders floats
// as integers, with -0 below +0; NaN wins. (Compared as half, clang would leave the vector unit.)
template <class T>
using SameBits = std::conditional_t<sizeof(T) == 2, int16_t, int32_t>;
template <class T>
inline constexpr SameBits<T> kInf = sizeof(T) == 2 ? 0x7c00 : 0x7f800000;

template <bool kMax, class B>
B ExtremeBits(B a, B b, B inf) {
  constexpr B kLow = std::numeric_limits<B>::max();
  const B x = B(a ^ ((a >> (8 * sizeof(B) - 1)) & kLow)),
          y = B(b ^ ((b >> (8 * sizeof(B) - 1)) & kLow));
  B r = (kMax ? x > y : x < y) ? a : b;
  r = B(b & kLow) > inf ? b : r;
  return B(a & kLow) > inf ? a : r;
}
template <class T, bool kMax>
void RunExtreme(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  SameBits<T>* d = static_cast<SameBits<T>*>(dst);
  const SameBits<T>* x = static_cast<const SameBits<T>*>(a);
  const SameBits<T>* y = static_cast<const SameBits<T>*>(b);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = ExtremeBits<kMax>(x[i], y[i], kInf<T>);
}
template <class T, bool kMax>
void RunExtremeS(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  SameBits<T>* d = static_cast<SameBits<T>*>(dst);
  const SameBits<T>* s = static_cast<const SameBits<T>*>(src);
  const SameBits<T> k = ScalarOf<SameBits<T>>(args.scalar);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = ExtremeBits<kMax>(s[i], k, kInf<T>);
}
// Relu keeps NaN; -0 becomes +0.
template <class T>
void RunRelu(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  SameBits<T>* d = static_cast<SameBits<T>*>(dst);
  const SameBits<T>* s = static_cast<const SameBits<T>*>(src);
  constexpr SameBits<T> kLow = std::numeric_limits<SameBits<T>>::max();
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) {
    SameBits<T> b = s[i], r = b < 0 ? SameBits<T>(0) : b;
    d[i] = SameBits<T>(b & kLow) > kInf<T> ? b : r;
  }
}

struct ReciprocalOf {
  static double Do(double a) { return 1.0 / a; }
};
struct RsqrtOf {  // of -0: -inf
  static double Do(double a) { return 1.0 / std::sqrt(a); }
};
// In double, which keeps the exact result within half an ulp of float.
template <class T, class Op>
void RunImprecise(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  T* d = static_cast<T*>(dst);
  const T* s = static_cast<const T*>(src);
  if (args.exact) {
    AKGEN_LANES
    for (uint32_t i = 0; i < n; ++i) d[i] = DownOnce<T>(Op::Do(double(Up(s[i]))));
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    const double x = double(Up(s[i]));
    d[i] = DownOnce<T>(Imprecise<T>(x, Op::Do(x)));
  }
}

template <class T>
void RunFill(void* dst, const void*, const void*, uint32_t n, const RunArgs& args) {
  T* d = static_cast<T*>(dst);
  const T k = ScalarOf<T>(args.scalar);
  for (uint32_t i = 0; i < n; ++i) d[i] = k;
}

template <size_t kSize>
void RunCopy(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  std::memmove(dst, src, n * kSize);
}

template <class Op>
RunFn Float1(uint8_t t) {
  static const TypedRun kRuns[] = {{AKGEN_F16, RunMap1<Op, F16>}, {AKGEN_F32, RunMap1<Op, float>}};
  return Pick(kRuns, t);
}
template <class Op>
RunFn Float2(uint8_t t) {
  static const TypedRun kRuns[] = {{AKGEN_F16, RunMap2<Op, F16>}, {AKGEN_F32, RunMap2<Op, float>}};
  return Pick(kRuns, t);
}
template <class Op>
RunFn Common2(uint8_t t) {
  static const TypedRun kRuns[] = {{AKGEN_F16, RunMap2<Op, F16>},
                                   {AKGEN_F32, RunMap2<Op, float>},
                                   {AKGEN_I16, RunMap2<Op, int16_t>},
                                   {AKGEN_I32, RunMap2<Op, int32_t>}};
  return Pick(kRuns, t);
}
template <bool kMax>
RunFn Extreme2(uint8_t t) {
  if (t == AKGEN_F16) return RunExtreme<F16, kMax>;
  if (t == AKGEN_F32) return RunExtreme<float, kMax>;
  return Common2<std::conditional_t<kMax, MaxOp, MinOp>>(t);
}
template <class Op>
RunFn FloatS(uint8_t t) {
  static const TypedRun kRuns[] = {{AKGEN_F16, RunMaps<Op, F16>}, {AKGEN_F32, RunMaps<Op, float>}};
  return Pick(kRuns, t);
}
template <class Op>
RunFn CommonS(uint8_t t) {
  static const TypedRun kRuns[] = {{AKGEN_F16, RunMaps<Op, F16>},
                                   {AKGEN_F32, RunMaps<Op, float>},
                                   {AKGEN_I16, RunMaps<Op, int16_t>},
                                   {AKGEN_I32, RunMaps<Op, int32_t>}};
  return Pick(kRuns, t);
}
template <bool kMax>
RunFn ExtremeS(uint8_t t) {
  if (t == AKGEN_F16) return RunExtremeS<F16, kMax>;
  if (t == AKGEN_F32) return RunExtremeS<float, kMax>;
  return CommonS<std::conditional_t<kMax, MaxOp, MinOp>>(t);
}

RunFn Filled(uint8_t t) {
  switch (t) {
    case AKGEN_F16:
    case AKGEN_BF16:
    case AKGEN_I16:
    case AKGEN_U16: return RunFill<uint16_t>;
    case AKGEN_F32:
    case AKGEN_I32:
    case AKGEN_U32: return RunFill<uint32_t>;
    default: return nullptr;
  }
}
RunFn Copied(uint8_t t) {
  switch (t) {
    case AKGEN_F16:
    case AKGEN_BF16:
    case AKGEN_I16:
    case AKGEN_U16: return RunCopy<2>;
    case AKGEN_F32:
    case AKGEN_I32:
    case AKGEN_U32: return RunCopy<4>;
    default: return nullptr;
  }
}

RunFn FindUnary(uint32_t op, uint8_t t) {
  static const TypedRun kExp[] = {{AKGEN_F16, RunLibm<F16, Exp>}, {AKGEN_F32, RunLibm<float, Exp>}};
  static const TypedRun kLn[] = {{AKGEN_F16, RunLibm<F16, Ln>}, {AKGEN_F32, RunLibm<float, Ln>}};
  static const TypedRun kRelu[] = {{AKGEN_F16, RunRelu<F16>},
                                   {AKGEN_F32, RunRelu<float>},
                                   {AKGEN_I32, RunMap1<ReluOp, int32_t>}};
  static const TypedRun kReciprocal[] = {{AKGEN_F16, RunImprecise<F16, ReciprocalOf>},
                                         {AKGEN_F32, RunImprecise<float, ReciprocalOf>}};
  static const TypedRun kRsqrt[] = {{AKGEN_F16, RunImprecise<F16, RsqrtOf>},
                                    {AKGEN_F32, RunImprecise<float, RsqrtOf>}};
  switch (op) {
    case AKGEN_OP_Exp: return Pick(kExp, t);
    case AKGEN_OP_Ln: return Pick(kLn, t);
    case AKGEN_OP_Abs: return Float1<AbsOp>(t);
    case AKGEN_OP_Reciprocal: return Pick(kReciprocal, t);
    case AKGEN_OP_Rsqrt: return Pick(kRsqrt, t);
    case AKGEN_OP_Sqrt: return Float1<SqrtOp>(t);
    case AKGEN_OP_Relu: return Pick(kRelu, t);
    case AKGEN_OP_Neg: return t == AKGEN_I32 ? RunMap1<NegOp, int32_t> : Float1<NegOp>(t);
    case AKGEN_OP_Copy: return Copied(t);
    default: return nullptr;
  }
}

}  // namespace

RunFn FindArithmetic(const AkgenVec& instr) {
  static const TypedRun kExpSub[] = {{AKGEN_F16, RunExpSub<F16>}, {AKGEN_F32, RunExpSub<float>}};
  const uint8_t t = instr.dst_type;
  if (instr.op == AKGEN_OP_Duplicate) return Filled(t);
  if (RunFn run = FindUnary(instr.op, t)) return run;
  switch (instr.op) {
    case AKGEN_OP_Adds: return CommonS<AddOp>(t);
    case AKGEN_OP_Subs: return CommonS<SubOp>(t);
    case AKGEN_OP_Muls: return CommonS<MulOp>(t);
    case AKGEN_OP_Divs: return FloatS<DivOp>(t);
    case AKGEN_OP_Maxs:
    case AKGEN_OP_ClampMin: return ExtremeS<true>(t);
    case AKGEN_OP_Mins:
    case AKGEN_OP_ClampMax: return ExtremeS<false>(t);
    case AKGEN_OP_LeakyRelu: return FloatS<LeakyReluOp>(t);
    default: break;
  }
  switch (instr.op) {
    case AKGEN_OP_Add: return Common2<AddOp>(t);
    case AKGEN_OP_Sub: return Common2<SubOp>(t);
    case AKGEN_OP_Mul: return Common2<MulOp>(t);
    case AKGEN_OP_Div: return Float2<DivOp>(t);
    case AKGEN_OP_Max: return Extreme2<true>(t);
    case AKGEN_OP_Min: return Extreme2<false>(t);
    case AKGEN_OP_AbsSub: return Float2<AbsSubOp>(t);
    case AKGEN_OP_ExpSub: return Pick(kExpSub, t);
    case AKGEN_OP_Prelu: return Float2<PreluOp>(t);
    default: return nullptr;
  }
}

}  // namespace akgen::sim
