#include "sim/ops/saturation.h"

#include "sim/ops/round.h"

namespace akgen::sim {
namespace {

float Whole(float x, uint8_t mode) {
  switch (Round(mode)) {
    case Round::floor: return std::floor(x);
    case Round::ceil: return std::ceil(x);
    case Round::round: return std::round(x);
    case Round::trunc: return std::trunc(x);
    default: return std::rint(x);
  }
}

// The low 64 bits of a whole number of any size; of what is no number or infinite 0.
uint64_t LowBits(float whole) {
  constexpr double kAll = 0x1p64;
  if (!std::isfinite(whole)) return 0;
  const double rest = std::fmod(double(whole), kAll);  // exact
  return rest < 0 ? 0 - uint64_t(-rest) : uint64_t(rest);
}
template <class S>
uint64_t LowBits(S x, uint8_t mode) {
  if constexpr (std::is_integral_v<S>)
    return uint64_t(int64_t(x));
  else
    return LowBits(Whole(Up(x), mode));
}

template <class I, class S>
void RunTruncating(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  I* d = static_cast<I*>(dst);
  const S* s = static_cast<const S*>(src);
  for (uint32_t i = 0; i < n; ++i) d[i] = I(LowBits(s[i], args.round_mode));
}
// Two elements a byte, the first in the low half.
void RunTruncatingInt4(void* dst, const void* src, const void*, uint32_t n, const RunArgs& args) {
  uint8_t* d = static_cast<uint8_t*>(dst);
  const F16* s = static_cast<const F16*>(src);
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t at = 4 * (i & 1);
    d[i / 2] =
        uint8_t((d[i / 2] & ~(15u << at)) | uint32_t(LowBits(s[i], args.round_mode) & 15) << at);
  }
}
template <class S>
RunFn TruncatingFrom(uint8_t dst) {
  switch (dst) {
    case AKGEN_I8: return RunTruncating<int8_t, S>;
    case AKGEN_U8: return RunTruncating<uint8_t, S>;
    case AKGEN_I16: return RunTruncating<int16_t, S>;
    case AKGEN_I32: return RunTruncating<int32_t, S>;
    case AKGEN_I64: return RunTruncating<int64_t, S>;
    default: return nullptr;
  }
}

struct Sum {
  static int64_t Of(int64_t a, int64_t b) { return a + b; }
};
struct Difference {
  static int64_t Of(int64_t a, int64_t b) { return a - b; }
};
struct Product {
  static int64_t Of(int64_t a, int64_t b) { return a * b; }
};
template <class I>
I Held(int64_t v) {
  constexpr int64_t kLow = std::numeric_limits<I>::min(), kHigh = std::numeric_limits<I>::max();
  return I(v < kLow ? kLow : v > kHigh ? kHigh : v);
}
template <class Op, class I>
void RunHeld(void* dst, const void* a, const void* b, uint32_t n, const RunArgs&) {
  I* d = static_cast<I*>(dst);
  const I *x = static_cast<const I*>(a), *y = static_cast<const I*>(b);
  for (uint32_t i = 0; i < n; ++i) d[i] = Held<I>(Op::Of(x[i], y[i]));
}
template <class Op, class I>
void RunHeldScalar(void* dst, const void* a, const void*, uint32_t n, const RunArgs& args) {
  I* d = static_cast<I*>(dst);
  const I* x = static_cast<const I*>(a);
  const I k = ScalarOf<I>(args.scalar);
  for (uint32_t i = 0; i < n; ++i) d[i] = Held<I>(Op::Of(x[i], k));
}
template <class I>
RunFn HeldOf(uint32_t op) {
  switch (op) {
    case AKGEN_OP_Add: return RunHeld<Sum, I>;
    case AKGEN_OP_Sub: return RunHeld<Difference, I>;
    case AKGEN_OP_Mul: return RunHeld<Product, I>;
    case AKGEN_OP_Adds: return RunHeldScalar<Sum, I>;
    case AKGEN_OP_Muls: return RunHeldScalar<Product, I>;
    default: return nullptr;
  }
}

void Saturate16(uint16_t* v, uint32_t n, uint16_t infinity) {
  for (uint32_t i = 0; i < n; ++i) {
    const uint16_t size = v[i] & 0x7fff, sign = v[i] & 0x8000;
    if (size > infinity)
      v[i] = 0;
    else if (size == infinity)
      v[i] = uint16_t(sign | (infinity - 1));
  }
}
}  // namespace

RunFn FindTruncatingCast(const AkgenVec& instr) {
  if (instr.op != AKGEN_OP_Cast || !FindRun(instr)) return nullptr;
  switch (instr.src_type) {
    case AKGEN_F16:
      return instr.dst_type == AKGEN_I4 ? RunTruncatingInt4 : TruncatingFrom<F16>(instr.dst_type);
    case AKGEN_BF16: return TruncatingFrom<Bf16>(instr.dst_type);
    case AKGEN_F32: return TruncatingFrom<float>(instr.dst_type);
    case AKGEN_I32: return TruncatingFrom<int32_t>(instr.dst_type);
    case AKGEN_I64: return TruncatingFrom<int64_t>(instr.dst_type);
    default: return nullptr;
  }
}

RunFn FindSaturating(const AkgenVec& instr) {
  if (instr.dst_type == AKGEN_I16) return HeldOf<int16_t>(instr.op);
  return instr.dst_type == AKGEN_I32 ? HeldOf<int32_t>(instr.op) : nullptr;
}

void SaturateFloats(void* values, uint32_t n, uint8_t dtype) {
  if (dtype == AKGEN_F16)
    Saturate16(static_cast<uint16_t*>(values), n, 0x7c00);
  else if (dtype == AKGEN_BF16)
    Saturate16(static_cast<uint16_t*>(values), n, 0x7f80);
}

}  // namespace akgen::sim
