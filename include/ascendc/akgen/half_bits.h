// Numbers of 16 bits as bits: for kernels and host code.
#ifndef AKGEN_HALF_BITS_H
#define AKGEN_HALF_BITS_H
#include <stdint.h>

// These must not convert to or from a 16-bit type themselves: only bits are moved.
namespace akgen_half {
// Rounds the double whose bits are given to `mantissa`+`exponent` bits, nearest even; NaN keeps a
// quiet payload.
constexpr uint16_t Narrow(uint64_t bits, int mantissa, int exponent) {
  const uint16_t sign = static_cast<uint16_t>((bits >> 63) << 15);
  const int dexp = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t frac = bits & 0xfffffffffffffULL;
  const int bias = (1 << (exponent - 1)) - 1;
  const uint16_t inf = static_cast<uint16_t>(((1 << exponent) - 1) << mantissa);
  if (dexp == 0x7ff) {
    const uint16_t payload = static_cast<uint16_t>(frac >> (52 - mantissa));
    return sign | inf | (frac ? (payload | (1 << (mantissa - 1))) : 0);
  }
  if (dexp == 0) return sign;  // a double subnormal is far below the smallest 16-bit value
  int e = dexp - 1023 + bias;
  uint64_t m = frac | (1ULL << 52);
  int shift = 52 - mantissa;
  if (e <= 0) {
    shift += 1 - e;
    e = 0;
    if (shift > 63) return sign;
  }
  const uint64_t kept = m >> shift;
  const uint64_t rest = m & ((1ULL << shift) - 1);
  const uint64_t tie = 1ULL << (shift - 1);
  uint64_t out = kept + ((rest > tie || (rest == tie && (kept & 1))) ? 1 : 0);
  // The hidden bit of a normal number adds one to the exponent field; a carry out of the mantissa
  // does so by itself.
  const uint64_t value = (e == 0 ? out : ((static_cast<uint64_t>(e - 1) << mantissa) + out));
  return sign | static_cast<uint16_t>(value >= inf ? inf : value);
}
constexpr uint32_t WidenHalf(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t e = (bits >> 10) & 0x1f, m = bits & 0x3ff;
  if (e == 0x1f) return sign | 0x7f800000u | (m << 13) | (m ? 0x400000u : 0);
  if (e == 0) {
    if (m == 0) return sign;
    e = 113;
    while (!(m & 0x400)) {
      m <<= 1;
      --e;
    }
    return sign | (e << 23) | ((m & 0x3ff) << 13);
  }
  return sign | ((e + 112) << 23) | (m << 13);
}
}  // namespace akgen_half
#endif  // AKGEN_HALF_BITS_H
