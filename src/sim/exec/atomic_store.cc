#include "sim/exec/atomic_store.h"

#include <cstring>
#include <type_traits>

#include "akgen/abi.h"
#include "base/dtype.h"

namespace akgen::sim {
namespace {
float ToFloat(uint8_t dtype, const uint8_t* p) {
  uint16_t h;
  float f;
  switch (dtype) {
    case AKGEN_F16: std::memcpy(&h, p, 2); return base::HalfToFloat(h);
    case AKGEN_BF16: std::memcpy(&h, p, 2); return base::Bf16ToFloat(h);
    default: std::memcpy(&f, p, 4); return f;
  }
}

template <typename T>
T Combine(uint8_t op, T a, T b) {
  if (op == 1) {
    if constexpr (std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
      return a + b;
  }
  return op == 2 ? (a > b ? a : b) : (a < b ? a : b);
}

template <typename T>
void AtomicInt(uint8_t op, uint8_t* dst, const uint8_t* src, size_t n) {
  for (size_t i = 0; i < n; ++i, dst += sizeof(T), src += sizeof(T)) {
    T a, b;
    std::memcpy(&a, dst, sizeof a);
    std::memcpy(&b, src, sizeof b);
    a = Combine(op, a, b);
    std::memcpy(dst, &a, sizeof a);
  }
}

void AtomicFloat16(uint8_t op, uint8_t dtype, uint8_t* dst, const uint8_t* src, size_t n) {
  for (size_t i = 0; i < n; ++i, dst += 2, src += 2) {
    float v = Combine(op, ToFloat(dtype, dst), ToFloat(dtype, src));
    uint16_t bits = dtype == AKGEN_F16 ? base::FloatToHalf(v) : base::FloatToBf16(v);
    std::memcpy(dst, &bits, 2);
  }
}

}  // namespace

void AtomicStore(uint8_t op, uint8_t dtype, uint8_t* dst, const uint8_t* src, size_t bytes) {
  switch (dtype) {
    case AKGEN_F32: return AtomicInt<float>(op, dst, src, bytes / 4);
    case AKGEN_I32: return AtomicInt<int32_t>(op, dst, src, bytes / 4);
    case AKGEN_I16: return AtomicInt<int16_t>(op, dst, src, bytes / 2);
    case AKGEN_I8: return AtomicInt<int8_t>(op, dst, src, bytes);
    case AKGEN_F16:
    case AKGEN_BF16: return AtomicFloat16(op, dtype, dst, src, bytes / 2);
    default: std::memcpy(dst, src, bytes);
  }
}

}  // namespace akgen::sim
