// Instructions that join two steps. The product is rounded to the destination's type before the
// sum: the edge-value tables give MAX * MAX + (-inf) = nan, which a fused multiply-add would not.
#include "sim/ops/round.h"

namespace akgen::sim {
namespace {

// On the bits: clang would narrow a comparison back to half and leave the vector unit. NaN stays,
// -0 becomes +0.
float Relu(float x) {
  const int32_t b = std::bit_cast<int32_t>(x);
  const float positive = b < 0 ? 0.0f : x;
  return (b & 0x7fffffff) > 0x7f800000 ? x : positive;
}

// D = S: product rounded to D; D = float, S = half: the product is exact in float.
template <class D, class S>
void RunMulAddDst(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  D* d = static_cast<D*>(dst);
  const S* x = static_cast<const S*>(a);
  const S* y = static_cast<const S*>(b);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = Down<D>(Up(Down<D>(Up(x[i]) * Up(y[i]))) + Up(d[i]));
}

template <class T, bool kRelu>
void RunFusedMulAdd(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  T* d = static_cast<T*>(dst);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) {
    float sum = Up(Down<T>(Up(x[i]) * Up(d[i]))) + Up(y[i]);
    d[i] = Down<T>(kRelu ? Relu(sum) : sum);
  }
}

template <class D, class S>
void RunAxpy(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  D* d = static_cast<D*>(dst);
  const S* s = static_cast<const S*>(src);
  const float k = Up(ScalarOf<S>(args.scalar));
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) d[i] = Down<D>(Up(Down<D>(Up(s[i]) * k)) + Up(d[i]));
}

template <bool kSub>
float Sum(float a, float b) {
  return kSub ? a - b : a + b;
}
template <bool kSub>
int32_t Sum(int16_t a, int16_t b) {
  return kSub ? int32_t(a) - b : int32_t(a) + b;
}

// int16: the documented intermediate stage of the casting forms saturates (MAX + MAX stays MAX), so
// the sum does not wrap before the relu.
template <class T, bool kSub>
void RunSumRelu(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  T* d = static_cast<T*>(dst);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, int16_t>) {
      int32_t v = Sum<kSub>(x[i], y[i]);
      d[i] = T(v > 32767 ? 32767 : v < 0 ? 0 : v);
    } else {
      d[i] = Down<T>(Relu(Up(Down<T>(Sum<kSub>(Up(x[i]), Up(y[i]))))));
    }
  }
}

// The sum is rounded to the source type, then converted with CAST_NONE. NaN becomes 0 even in half
// (edge-value table).
template <class D, class S, bool kSub>
void RunSumReluCast(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  D* d = static_cast<D*>(dst);
  const S* x = static_cast<const S*>(a);
  const S* y = static_cast<const S*>(b);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<S, int16_t>) {
      int32_t v = Sum<kSub>(x[i], y[i]);
      d[i] = D(v > 127 ? 127 : v < 0 ? 0 : v);
    } else {
      float v = Up(Down<S>(Sum<kSub>(Up(x[i]), Up(y[i]))));
      v = std::bit_cast<uint32_t>(v) - 1 < 0x7f800000u
              ? v
              : 0.0f;  // positive and not NaN, on the bits (see Max)
      if constexpr (std::is_same_v<D, F16>)
        d[i] = F16(v);
      else
        d[i] = Saturate<D>(std::rint(v));
    }
  }
}

template <class D>
void RunMulCast(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  D* d = static_cast<D*>(dst);
  const F16* x = static_cast<const F16*>(a);
  const F16* y = static_cast<const F16*>(b);
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i)
    d[i] = Saturate<D>(std::rint(float(F16(float(x[i]) * float(y[i])))));
}

// int32 + int32 wraps as Add does, then the scale of SetDeqScale, then relu.
void RunAddDeqRelu(void* dst, const void* a, const void* b, uint32_t n, const RunArgs& args) {
  F16* d = static_cast<F16*>(dst);
  const int32_t* x = static_cast<const int32_t*>(a);
  const int32_t* y = static_cast<const int32_t*>(b);
  const double k = args.deq_scale;
  AKGEN_LANES
  for (uint32_t i = 0; i < n; ++i) {
    int32_t sum = int32_t(uint32_t(x[i]) + uint32_t(y[i]));
    d[i] = F16(Relu(ToOdd(double(sum) * k)));
  }
}

template <bool kSub>
RunFn SumRelu(uint8_t t) {
  static const TypedRun kRuns[] = {{AKGEN_F16, RunSumRelu<F16, kSub>},
                                   {AKGEN_F32, RunSumRelu<float, kSub>},
                                   {AKGEN_I16, RunSumRelu<int16_t, kSub>}};
  return Pick(kRuns, t);
}
template <bool kSub>
RunFn SumReluCast(uint8_t s, uint8_t d) {
  if (s == AKGEN_F16 && d == AKGEN_I8) return RunSumReluCast<int8_t, F16, kSub>;
  if (s == AKGEN_I16 && d == AKGEN_I8) return RunSumReluCast<int8_t, int16_t, kSub>;
  if (s == AKGEN_F32 && d == AKGEN_F16) return RunSumReluCast<F16, float, kSub>;
  return nullptr;
}
RunFn Mixed(uint8_t s, uint8_t d, RunFn half, RunFn single, RunFn mixed) {
  if (s == AKGEN_F16 && d == AKGEN_F16) return half;
  if (s == AKGEN_F32 && d == AKGEN_F32) return single;
  return s == AKGEN_F16 && d == AKGEN_F32 ? mixed : nullptr;
}

}  // namespace

RunFn FindFused(const AkgenVec& instr) {
  const uint8_t s = instr.src_type, d = instr.dst_type;
  if (instr.op == AKGEN_OP_Axpy)
    return Mixed(s, d, RunAxpy<F16, F16>, RunAxpy<float, float>, RunAxpy<float, F16>);
  switch (instr.op) {
    case AKGEN_OP_MulAddDst:
      return Mixed(s, d, RunMulAddDst<F16, F16>, RunMulAddDst<float, float>,
                   RunMulAddDst<float, F16>);
    case AKGEN_OP_FusedMulAdd:
      return Mixed(s, d, RunFusedMulAdd<F16, false>, RunFusedMulAdd<float, false>, nullptr);
    case AKGEN_OP_FusedMulAddRelu:
      return Mixed(s, d, RunFusedMulAdd<F16, true>, RunFusedMulAdd<float, true>, nullptr);
    case AKGEN_OP_AddRelu: return SumRelu<false>(d);
    case AKGEN_OP_SubRelu: return SumRelu<true>(d);
    case AKGEN_OP_AddReluCast: return SumReluCast<false>(s, d);
    case AKGEN_OP_SubReluCast: return SumReluCast<true>(s, d);
    case AKGEN_OP_AddDeqRelu: return RunAddDeqRelu;
    case AKGEN_OP_MulCast: return d == AKGEN_I8 ? RunMulCast<int8_t> : RunMulCast<uint8_t>;
    default: return nullptr;
  }
}

}  // namespace akgen::sim
