// Advanced element-wise functions. For float the work is done in double, for half in float, and
// rounded once, so a result is the nearest value or (rarely) its neighbour.
#include "sim/ops/lanes.h"

namespace akgen::sim {
namespace {

template <class T>
using Work = std::conditional_t<std::is_same_v<T, float>, double, float>;

// ψ by recurrence up to 10, then the asymptotic series; reflection for negative arguments, NaN at
// the poles.
double Digamma(double x) {
  if (x == 0 || (x < 0 && x == std::floor(x))) return NAN;
  double shift = 0;
  if (x < 0) {
    shift =
        -M_PI /
        std::tan(M_PI * (x - std::rint(x)));  // to the nearest pole: exact, and near 0 it matters
    x = 1 - x;
  }
  for (; x < 10; x += 1) shift -= 1 / x;
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132)))));
  return shift + std::log(x) - 0.5 / x - series;
}

// x / (1 + e^-z): large negative x overflow the exponential and end in -0.
template <class W>
W Gate(W x, W z) {
  return x / (W(1) + std::exp(-z));
}

struct SinOp {
  template <class W>
  static W Do(W x) {
    return std::sin(x);
  }
};
struct CosOp {
  template <class W>
  static W Do(W x) {
    return std::cos(x);
  }
};
struct TanOp {
  template <class W>
  static W Do(W x) {
    return std::tan(x);
  }
};
struct AsinOp {
  template <class W>
  static W Do(W x) {
    return std::asin(x);
  }
};
struct AcosOp {
  template <class W>
  static W Do(W x) {
    return std::acos(x);
  }
};
struct AtanOp {
  template <class W>
  static W Do(W x) {
    return std::atan(x);
  }
};
struct SinhOp {
  template <class W>
  static W Do(W x) {
    return std::sinh(x);
  }
};
struct CoshOp {
  template <class W>
  static W Do(W x) {
    return std::cosh(x);
  }
};
struct TanhOp {
  template <class W>
  static W Do(W x) {
    return std::tanh(x);
  }
};
struct AsinhOp {
  template <class W>
  static W Do(W x) {
    return std::asinh(x);
  }
};
struct AcoshOp {
  template <class W>
  static W Do(W x) {
    return std::acosh(x);
  }
};
struct AtanhOp {
  template <class W>
  static W Do(W x) {
    return std::atanh(x);
  }
};
struct ErfOp {
  template <class W>
  static W Do(W x) {
    return std::erf(x);
  }
};
struct ErfcOp {
  template <class W>
  static W Do(W x) {
    return std::erfc(x);
  }
};
struct LogOp {
  template <class W>
  static W Do(W x) {
    return std::log(x);
  }
};
struct Log2Op {
  template <class W>
  static W Do(W x) {
    return std::log2(x);
  }
};
struct Log10Op {
  template <class W>
  static W Do(W x) {
    return std::log10(x);
  }
};
struct ExpOp {
  template <class W>
  static W Do(W x) {
    return std::exp(x);
  }
};
struct CeilOp {
  template <class W>
  static W Do(W x) {
    return std::ceil(x);
  }
};
struct FloorOp {
  template <class W>
  static W Do(W x) {
    return std::floor(x);
  }
};
struct RoundOp {
  template <class W>
  static W Do(W x) {
    return std::round(x);
  }
};
struct RintOp {
  template <class W>
  static W Do(W x) {
    return std::rint(x);
  }
};
struct TruncOp {
  template <class W>
  static W Do(W x) {
    return std::trunc(x);
  }
};
struct FracOp {
  template <class W>
  static W Do(W x) {
    return x - std::trunc(x);
  }
};
struct SignOp {
  template <class W>
  static W Do(W x) {
    return W(x > 0) - W(x < 0);
  }
};  // NaN gives 0
struct SigmoidOp {
  template <class W>
  static W Do(W x) {
    return W(1) / (W(1) + std::exp(-x));
  }
};
struct SiluOp {
  template <class W>
  static W Do(W x) {
    return Gate(x, x);
  }
};
// The tanh form: x / (1 + exp(-2·sqrt(2/π)·(x + 0.044715 x³))).
struct GeluOp {
  template <class W>
  static W Do(W x) {
    return Gate(x, W(1.5957691216057308) * (x + W(0.044715) * x * x * x));
  }
};
struct FasterGeluOp {
  template <class W>
  static W Do(W x) {
    return Gate(x, W(1.702) * x);
  }
};
// x · (sgn(x) · (a·(min(0.7071·|x|, 1.769) - 1.769)² + 0.5) + 0.5), a = -0.1444
struct FasterGeluV2Op {
  template <class W>
  static W Do(W x) {
    W u = std::fabs(x) * W(0.7071);
    W c = (u < W(1.769) ? u : W(1.769)) - W(1.769);
    W half = W(-0.1444) * c * c + W(0.5);
    return x * ((x < 0 ? -half : half) + W(0.5));
  }
};
struct LgammaOp {
  template <class W>
  static W Do(W x) {
    int sign;  // the reentrant form: std::lgamma writes a global
    return W(lgamma_r(double(x), &sign));
  }
};
struct DigammaOp {
  template <class W>
  static W Do(W x) {
    return W(Digamma(double(x)));
  }
};
struct PowerOp {
  template <class W>
  static W Do(W x, W y) {
    return std::pow(x, y);
  }
};
struct PowerOfOp {
  template <class W>
  static W Do(W y, W x) {
    return std::pow(x, y);
  }
};
struct FmodOp {
  template <class W>
  static W Do(W x, W y) {
    return std::fmod(x, y);
  }
};
struct HypotOp {
  template <class W>
  static W Do(W x, W y) {
    return std::hypot(x, y);
  }
};
struct GeGluOp {
  template <class W>
  static W Do(W x, W y) {
    return x * GeluOp::Do(y);
  }
};
struct ReGluOp {
  template <class W>
  static W Do(W x, W y) {
    return x * (!(y <= 0) ? y : W(0));  // NaN stays
  }
};
struct SwishOp {
  template <class W>
  static W Do(W x, W beta) {
    return Gate(x, beta * x);
  }
};

template <class T>
T Out(double v) {
  return DownOnce<T>(v);
}
template <class T>
T Out(float v) {
  return Down<T>(v);
}

template <class Op, class T>
void RunMath1(void* dst, const void* src, const void*, uint32_t n, const RunArgs&) {
  T* d = static_cast<T*>(dst);
  const T* s = static_cast<const T*>(src);
  for (uint32_t i = 0; i < n; ++i) d[i] = Out<T>(Op::Do(Work<T>(Up(s[i]))));
}
template <class Op, class T>
void RunMath2(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  T* d = static_cast<T*>(dst);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  for (uint32_t i = 0; i < n; ++i) d[i] = Out<T>(Op::Do(Work<T>(Up(x[i])), Work<T>(Up(y[i]))));
}
template <class Op, class T>
void RunMathS(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  T* d = static_cast<T*>(dst);
  const T* s = static_cast<const T*>(src);
  const Work<T> k = Up(ScalarOf<T>(args.scalar));
  for (uint32_t i = 0; i < n; ++i) d[i] = Out<T>(Op::Do(Work<T>(Up(s[i])), k));
}

template <class T>
void RunSwiGlu(void* dst, const void* a, const void* b, uint32_t n, const RunArgs& args) {
  T* d = static_cast<T*>(dst);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  const Work<T> beta = ScalarOf<float>(args.scalar);
  for (uint32_t i = 0; i < n; ++i)
    d[i] = Out<T>(Work<T>(Up(x[i])) * SwishOp::Do(Work<T>(Up(y[i])), beta));
}

// Integer powers wrap; a negative exponent truncates towards zero, so only ±1 survive it.
int32_t IntPower(int32_t base, int32_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  uint32_t result = 1, b = uint32_t(base);
  for (uint32_t e = uint32_t(exponent); e; e >>= 1, b *= b)
    if (e & 1) result *= b;
  return int32_t(result);
}
void RunIntPower(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  for (uint32_t i = 0; i < n; ++i)
    static_cast<int32_t*>(dst)[i] =
        IntPower(static_cast<const int32_t*>(a)[i], static_cast<const int32_t*>(b)[i]);
}
void RunIntPowerScalar(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  const int32_t k = ScalarOf<int32_t>(args.scalar);
  for (uint32_t i = 0; i < n; ++i)
    static_cast<int32_t*>(dst)[i] = IntPower(static_cast<const int32_t*>(src)[i], k);
}
void RunIntScalarPower(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  const int32_t k = ScalarOf<int32_t>(args.scalar);
  for (uint32_t i = 0; i < n; ++i)
    static_cast<int32_t*>(dst)[i] = IntPower(k, static_cast<const int32_t*>(src)[i]);
}

struct MathRow {
  uint16_t op;
  RunFn half, single, int32 = nullptr, brain = nullptr;
};
#define AKGEN_MATH1(Name, Op) {AKGEN_OP_##Name, RunMath1<Op, F16>, RunMath1<Op, float>}
const MathRow kRows[] = {
    AKGEN_MATH1(Sin, SinOp),
    AKGEN_MATH1(Cos, CosOp),
    AKGEN_MATH1(Tan, TanOp),
    AKGEN_MATH1(Asin, AsinOp),
    AKGEN_MATH1(Acos, AcosOp),
    AKGEN_MATH1(Atan, AtanOp),
    AKGEN_MATH1(Sinh, SinhOp),
    AKGEN_MATH1(Cosh, CoshOp),
    AKGEN_MATH1(Tanh, TanhOp),
    AKGEN_MATH1(Asinh, AsinhOp),
    AKGEN_MATH1(Acosh, AcoshOp),
    AKGEN_MATH1(Atanh, AtanhOp),
    AKGEN_MATH1(Erf, ErfOp),
    AKGEN_MATH1(Erfc, ErfcOp),
    AKGEN_MATH1(Log, LogOp),
    AKGEN_MATH1(Log2, Log2Op),
    AKGEN_MATH1(Log10, Log10Op),
    AKGEN_MATH1(ExpHp, ExpOp),
    AKGEN_MATH1(Ceil, CeilOp),
    AKGEN_MATH1(Floor, FloorOp),
    AKGEN_MATH1(Round, RoundOp),
    AKGEN_MATH1(Rint, RintOp),
    AKGEN_MATH1(Trunc, TruncOp),
    AKGEN_MATH1(Frac, FracOp),
    AKGEN_MATH1(Sign, SignOp),
    AKGEN_MATH1(Sigmoid, SigmoidOp),
    AKGEN_MATH1(Silu, SiluOp),
    AKGEN_MATH1(Gelu, GeluOp),
    AKGEN_MATH1(FasterGelu, FasterGeluOp),
    AKGEN_MATH1(FasterGeluV2, FasterGeluV2Op),
    AKGEN_MATH1(Lgamma, LgammaOp),
    AKGEN_MATH1(Digamma, DigammaOp),
    {AKGEN_OP_Swish, RunMathS<SwishOp, F16>, RunMathS<SwishOp, float>},
    {AKGEN_OP_Power, RunMath2<PowerOp, F16>, RunMath2<PowerOp, float>, RunIntPower},
    {AKGEN_OP_PowerScalar, RunMathS<PowerOp, F16>, RunMathS<PowerOp, float>, RunIntPowerScalar},
    {AKGEN_OP_ScalarPower, RunMathS<PowerOfOp, F16>, RunMathS<PowerOfOp, float>, RunIntScalarPower},
    {AKGEN_OP_Fmod, RunMath2<FmodOp, F16>, RunMath2<FmodOp, float>},
    {AKGEN_OP_SwiGLU, RunSwiGlu<F16>, RunSwiGlu<float>},
    {AKGEN_OP_GeGLU, RunMath2<GeGluOp, F16>, RunMath2<GeGluOp, float>},
    {AKGEN_OP_ReGlu, RunMath2<ReGluOp, F16>, RunMath2<ReGluOp, float>, nullptr,
     RunMath2<ReGluOp, Bf16>},
    {AKGEN_OP_Hypot, RunMath2<HypotOp, F16>, RunMath2<HypotOp, float>},
};
#undef AKGEN_MATH1

}  // namespace

RunFn FindMath(const AkgenVec& instr) {
  for (const MathRow& row : kRows) {
    if (row.op != instr.op) continue;
    if (instr.dst_type == AKGEN_F16) return row.half;
    if (instr.dst_type == AKGEN_F32) return row.single;
    if (instr.dst_type == AKGEN_BF16) return row.brain;
    return instr.dst_type == AKGEN_I32 ? row.int32 : nullptr;
  }
  return nullptr;
}

}  // namespace akgen::sim
