#include "sim/cube/fixpipe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "akgen/abi.h"
#include "sim/ops/lanes.h"

namespace akgen::sim::cube {
namespace {
float ScaleOf(uint64_t word) { return std::bit_cast<float>(uint32_t(word) & ~0x1fffu); }
int32_t OffsetOf(uint64_t word) { return int32_t(uint32_t(word >> 37 & 0x1ff) << 23) >> 23; }
bool IsSigned(uint64_t word) { return word >> 46 & 1; }

float Relu(float x, bool on) { return on && !(x > 0) && x == x ? 0.0f : x; }

uint16_t Settled(uint16_t half, bool keep_infinity) {
  constexpr uint16_t kInfinity = 0x7c00, kLargest = 0x7bff;
  const auto size = uint16_t(half & 0x7fff), sign = uint16_t(half & 0x8000);
  if (keep_infinity) return half;
  return size > kInfinity ? uint16_t(0) : size == kInfinity ? uint16_t(sign | kLargest) : half;
}
uint16_t ToHalf(float x, bool keep_infinity) {
  return Settled(std::bit_cast<uint16_t>(F16(x)), keep_infinity);
}
uint16_t ToBf16(float x, bool keep_infinity) {
  if (!keep_infinity && x != x) return 0;
  const uint16_t b = Down<Bf16>(x).bits;
  if (!keep_infinity && (b & 0x7fff) == 0x7f80) return uint16_t((b & 0x8000) | 0x7f7f);
  return b;
}

// Scaled, rounded to nearest even within nine bits, moved and held within the type.
uint8_t ToByte(float x, uint64_t word, bool relu) {
  x = Relu(x * ScaleOf(word), relu);
  x = x == x ? std::clamp(x, -256.0f, 255.0f) : 0;
  const int32_t moved = int32_t(std::nearbyint(x)) + OffsetOf(word);
  return IsSigned(word) ? uint8_t(int8_t(std::clamp(moved, -128, 127)))
                        : uint8_t(std::clamp(moved, 0, 255));
}

// The shift of a requantisation: int32 to int16, held at its ends.
float Shifted(int32_t x, uint64_t word) {
  if (!(word >> 36 & 1)) return float(x);
  return float(std::clamp(x >> ((word >> 32 & 15) + 1), -32768, 32767));
}

template <class T>
T Load(const uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
}  // namespace

bool HasScale(uint64_t word) {
  const int kind = std::fpclassify(ScaleOf(word));
  return kind == FP_NORMAL || kind == FP_ZERO;
}
const char* NameOfScale(uint64_t word) {
  const int kind = std::fpclassify(ScaleOf(word));
  return kind == FP_INFINITE ? "infinite" : kind == FP_NAN ? "no number" : "subnormal";
}

bool Converts(uint8_t mode, uint8_t from, uint8_t to) {
  switch (mode) {
    case kNoQuant: return from == to;
    case kF322F16: return from == AKGEN_F32 && to == AKGEN_F16;
    case kF322BF16: return from == AKGEN_F32 && to == AKGEN_BF16;
    case kDeqF16:
    case kVDeqF16: return from == AKGEN_I32 && to == AKGEN_F16;
    case kQF322B8:
    case kVQF322B8: return from == AKGEN_F32 && (to == AKGEN_I8 || to == AKGEN_U8);
    case kReq8:
    case kVReq8: return from == AKGEN_I32 && (to == AKGEN_I8 || to == AKGEN_U8);
    default: return false;
  }
}

uint32_t BytesAfter(const Conversion& how) {
  return how.mode == kNoQuant ? 4 : how.mode <= kVDeqF16 ? 2 : 1;
}

// The usual way of float out, many at a time.
static void ToHalves(const Conversion& how, const uint8_t* from, uint32_t n, uint8_t* to) {
  constexpr uint32_t kMany = 16;
  for (uint32_t at = 0; at < n; at += kMany) {
    const uint32_t count = std::min(kMany, n - at);
    float x[kMany] = {};
    uint16_t half[kMany];
    std::memcpy(x, from + size_t(at) * 4, count * 4);
    for (float& e : x) e = Relu(e, how.relu);
    for (uint32_t i = 0; i < kMany; ++i) half[i] = std::bit_cast<uint16_t>(F16(x[i]));
    for (uint16_t& h : half) h = Settled(h, how.keep_infinity);
    std::memcpy(to + size_t(at) * 2, half, count * 2);
  }
}

void Convert(const Conversion& how, const uint8_t* from, uint32_t n, const uint64_t* words,
             uint32_t step, uint8_t* to) {
  if (how.mode == kF322F16) return ToHalves(how, from, n, to);
  if (how.mode == kNoQuant && !how.relu) return void(std::memcpy(to, from, size_t(n) * 4));
  for (uint32_t i = 0; i < n; ++i, from += 4) {
    const uint64_t word = words ? words[i * step] : 0;
    uint16_t half = 0;
    switch (how.mode) {
      case kNoQuant: {
        auto bits = Load<uint32_t>(from);
        const bool negative = how.from == AKGEN_I32 ? bits >> 31 : std::bit_cast<float>(bits) <= 0;
        if (how.relu && negative) bits = 0;
        std::memcpy(to + size_t(i) * 4, &bits, 4);
        continue;
      }
      case kF322BF16: half = ToBf16(Relu(Load<float>(from), how.relu), how.keep_infinity); break;
      case kDeqF16:
      case kVDeqF16: {
        const auto x = float(Load<int32_t>(from));
        half = ToHalf(x < 0 && how.relu ? 0.0f : x * ScaleOf(word), false);
        break;
      }
      case kQF322B8:
      case kVQF322B8: to[i] = ToByte(Load<float>(from), word, how.relu); continue;
      default: to[i] = ToByte(Shifted(Load<int32_t>(from), word), word, how.relu); continue;
    }
    std::memcpy(to + size_t(i) * 2, &half, 2);
  }
}

}  // namespace akgen::sim::cube
