#include "task/generate.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <thread>

#include "task/inputs.h"
#include "task/round.h"

// The loops that make most inputs, also for processors with wide vectors: integers and unfused
// float64, the same results.
#if defined(__x86_64__) && !defined(AKGEN_SANITIZED)
#define AKGEN_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define AKGEN_WIDE
#endif

namespace akgen::task {
namespace {
using base::Dtype;

constexpr int64_t kChunk = 2048;            // float64 values that stay in the first-level cache
constexpr int64_t kThreadedFrom = 1 << 20;  // elements
constexpr double kTwo53 = 1.0 / 9007199254740992.0;

// splitmix64: a bijective mix of a counter; every element has its own counter.
inline uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
inline uint64_t DrawAt(uint64_t key, uint64_t index) {
  return Mix(key + (index + 1) * 0x9e3779b97f4a7c15ull);
}
inline double Unit(uint64_t bits) { return double(int64_t(bits >> 11)) * kTwo53; }  // [0, 1)

// Bits set in a word, without branches so that loops vectorise.
inline int64_t Ones(uint64_t v) {
  v = v - ((v >> 1) & 0x5555555555555555ull);
  v = (v & 0x3333333333333333ull) + ((v >> 2) & 0x3333333333333333ull);
  v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return int64_t((v * 0x0101010101010101ull) >> 56);
}

// A bell of variance 1 from integer arithmetic alone: 64 coin tosses (variance 16) smoothed by the
// sum of two uniforms (variance 1/6). Within 0.4 % of the normal distribution, reaches +-8, and the
// same on every machine.
inline double Bell(uint64_t key, uint64_t i) {
  uint64_t tosses = DrawAt(key, 2 * i), smooth = DrawAt(key, 2 * i + 1);
  double t = double(Ones(tosses)) - 32.0;
  double u = double(int64_t((smooth >> 32) + (smooth & 0xffffffffull)));
  constexpr double kScale = 0.24870449609707815;  // 1 / sqrt(16 + 1/6)
  return (t + (u * (1.0 / 4294967296.0) - 1.0)) * kScale;
}

inline int64_t Below(uint64_t bits, uint64_t range) {
  return int64_t((unsigned __int128)bits * range >> 64);
}

// A keyed rearrangement of 0 … n-1, one element at a time: a Feistel network on the next even
// number of bits, walked until it lands inside.
int64_t Permuted(uint64_t key, int64_t i, int64_t n) {
  int half = 1;
  while ((int64_t{1} << (2 * half)) < n) ++half;
  uint64_t mask = (uint64_t{1} << half) - 1, x = uint64_t(i);
  do {
    uint64_t left = x >> half, right = x & mask;
    for (uint64_t round = 1; round <= 4; ++round) {
      uint64_t mixed = left ^ (DrawAt(key ^ (round << 56), right) & mask);
      left = right;
      right = mixed;
    }
    x = left << half | right;
  } while (x >= uint64_t(n));
  return int64_t(x);
}

double ShuffledAt(const Dist& d, uint64_t key, int64_t i) {
  int64_t block = d.length * d.inner;
  uint64_t line = uint64_t(i / block * d.inner + i % d.inner);
  int64_t place = Permuted(DrawAt(key, line), i % block / d.inner, d.length);
  return d.a + (d.b - d.a) * double(place) / double(d.length);
}

// Real (even i) or imaginary part of a number of magnitude [a, b) on any side. A rational point of
// the first quadrant's arc, so that no library's sine enters; its density is within a factor of two
// of even.
double RingAt(const Dist& d, uint64_t key, uint64_t i) {
  uint64_t bits = DrawAt(key, i | 1);
  double t = Unit(bits), size = Unit(DrawAt(key, i & ~uint64_t{1})) * (d.b - d.a) + d.a;
  double part = ((i ^ bits) & 1 ? 2 * t : 1 - t * t) / (1 + t * t) * size;
  return bits >> (1 + (i & 1)) & 1 ? -part : part;
}

// A number of any magnitude between 2^low and 2^high, of either sign.
double WideAt(const Dist& d, uint64_t key, uint64_t i) {
  const uint64_t bits = DrawAt(key, 2 * i);
  const int64_t exponent =
      int64_t(d.a) + Below(DrawAt(key, 2 * i + 1), uint64_t(std::max(1.0, d.b - d.a)));
  const double size = std::ldexp(1 + Unit(bits), int(exponent));
  return bits & 1 ? -size : size;
}

// Element i lies in line `number`, at `place`.
struct LinePlace {
  uint64_t number = 0;
  int64_t place = 0;
};
LinePlace LineOf(const Dist& d, int64_t i) {
  const int64_t block = d.length * d.inner;
  return {uint64_t(i / block * d.inner + i % d.inner), i % block / d.inner};
}

double RampAt(const Dist& d, int64_t i) {
  const double last = double(std::max<int64_t>(1, d.length - 1));
  return d.a + (d.b - d.a) * double(LineOf(d, i).place) / last;
}

double LinesAt(const Dist& d, uint64_t key, int64_t i) {
  const auto [number, place] = LineOf(d, i);
  const Dist& part = d.parts[size_t(number + uint64_t(d.first)) % d.parts.size()];
  if (part.spike && place == Below(DrawAt(~key, number), uint64_t(d.length))) return *part.spike;
  double value = 0;
  DrawValues(part, key, i, i + 1, &value);
  return value;
}

// What int64 does not hold becomes its least or largest value.
inline int64_t Truncated(double v) {
  constexpr double kLow = -9223372036854775808.0, kHigh = 9223372036854774784.0;
  v = kLow < v ? v : kLow;  // NaN too
  return int64_t(v < kHigh ? v : kHigh);
}

template <typename T>
void EncodeInteger(const double* v, int64_t n, uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    T x = T(Truncated(v[i]));
    std::memcpy(out + size_t(i) * sizeof(T), &x, sizeof x);
  }
}

AKGEN_WIDE void EncodeHalf(const double* v, int64_t n, uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    const uint16_t x = RoundToHalf(v[i]);
    std::memcpy(out + size_t(i) * 2, &x, 2);
  }
}

AKGEN_WIDE void EncodeBf16(const double* v, int64_t n, uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    const uint16_t x = RoundToBf16(v[i]);
    std::memcpy(out + size_t(i) * 2, &x, 2);
  }
}

AKGEN_WIDE void EncodeFloat(const double* v, int64_t n, uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    const float f = float(v[i]);
    std::memcpy(out + size_t(i) * 4, &f, 4);
  }
}

AKGEN_WIDE void DrawNormal(uint64_t key, uint64_t begin, int64_t n, double mean, double std,
                           double* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = Bell(key, begin + uint64_t(i)) * std + mean;
}

AKGEN_WIDE void DrawUniform(uint64_t key, uint64_t begin, int64_t n, double low, double high,
                            double* out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = Unit(DrawAt(key, begin + uint64_t(i))) * (high - low) + low;
}

void FillRange(const Dist& dist, Dtype dtype, uint64_t key, int64_t begin, int64_t end,
               uint8_t* out) {
  // A complex element is two consecutive draws.
  int64_t size = dtype == Dtype::kComplex64 ? 4 : base::SizeOf(dtype);
  double values[kChunk];
  for (int64_t at = begin; at < end; at += kChunk) {
    int64_t n = std::min(kChunk, end - at);
    DrawValues(dist, key, at, at + n, values);
    Encode(dtype, values, n, out + at * size);
  }
}

// After the values, so that every special survives unless another special takes its place.
void PutSpecials(const Dist& dist, Dtype dtype, uint64_t key, int64_t draws, uint8_t* out) {
  int64_t size = dtype == Dtype::kComplex64 ? 4 : base::SizeOf(dtype);
  uint64_t where = Mix(key ^ 0x5350454349414c53ull);
  auto put = [&](int64_t place, size_t which) {
    Encode(dtype, &dist.specials[which], 1, out + place * size);
  };
  if (dist.special_fraction > 0) {
    double f = dist.special_fraction;
    for (int64_t i = 0; i < draws; ++i) {
      size_t which = size_t(Unit(DrawAt(where, uint64_t(i))) / f);
      if (which < dist.specials.size()) put(i, which);
    }
  }
  for (size_t k = 0; k < dist.specials.size(); ++k)
    if (draws > 0) put(Below(DrawAt(where, ~uint64_t(k)), uint64_t(draws)), k);
}
}  // namespace

uint64_t Draw(uint64_t key, uint64_t index) { return DrawAt(key, index); }

void DrawValues(const Dist& d, uint64_t key, int64_t begin, int64_t end, double* out) {
  int64_t n = end - begin;
  auto at = [&](int64_t i) { return DrawAt(key, uint64_t(begin + i)); };
  switch (d.kind) {
    case DistKind::kNormal: DrawNormal(key, uint64_t(begin), n, d.a, d.b, out); break;
    case DistKind::kHeavy:  // a bell over an even number: about every twelfth beyond 10, some
                            // beyond 1,000
      for (int64_t i = 0; i < n; ++i)
        out[i] = Bell(key, uint64_t(begin + i)) /
                     (Unit(DrawAt(~key, uint64_t(begin + i))) + 1.0 / 1024) * d.b +
                 d.a;
      break;
    case DistKind::kUniform: DrawUniform(key, uint64_t(begin), n, d.a, d.b, out); break;
    case DistKind::kInt:
      for (int64_t i = 0; i < n; ++i) out[i] = d.a + double(Below(at(i), uint64_t(d.b - d.a) + 1));
      break;
    case DistKind::kIndex:
      for (int64_t i = 0; i < n; ++i) out[i] = double(Below(at(i), uint64_t(d.b)));
      break;
    case DistKind::kBool:
      for (int64_t i = 0; i < n; ++i)
        out[i] = d.count < 0 ? Unit(at(i)) < d.a : Permuted(key, begin + i, d.length) < d.count;
      break;
    case DistKind::kConstant:
      for (int64_t i = 0; i < n; ++i) out[i] = d.a;
      break;
    case DistKind::kValues:
      for (int64_t i = 0; i < n; ++i)
        out[i] = d.values[size_t((begin + i) / d.stride) % d.values.size()];
      break;
    case DistKind::kWide:
      for (int64_t i = 0; i < n; ++i) out[i] = WideAt(d, key, uint64_t(begin + i));
      break;
    case DistKind::kRamp:
      for (int64_t i = 0; i < n; ++i) out[i] = RampAt(d, begin + i);
      break;
    case DistKind::kLevel:
      for (int64_t i = 0; i < n; ++i) out[i] = Bell(key, LineOf(d, begin + i).number) * d.b + d.a;
      break;
    case DistKind::kLines:
      for (int64_t i = 0; i < n; ++i) out[i] = LinesAt(d, key, begin + i);
      break;
    case DistKind::kAscending:
      // One draw from each of `length` equal parts of [0, high).
      for (int64_t i = 0; i < n; ++i) {
        unsigned __int128 high = uint64_t(d.b), parts = uint64_t(d.length);
        uint64_t first = uint64_t(high * uint64_t(begin + i) / parts);
        uint64_t next = uint64_t(high * uint64_t(begin + i + 1) / parts);
        out[i] = double(int64_t(first) + Below(at(i), next - first));
      }
      break;
    case DistKind::kOnto:
      for (int64_t i = 0; i < n; ++i) {
        int64_t place = Permuted(key, begin + i, d.length);
        out[i] = double(place < int64_t(d.b) ? place
                                             : Below(DrawAt(~key, uint64_t(place)), uint64_t(d.b)));
      }
      break;
    case DistKind::kShuffled:
      for (int64_t i = 0; i < n; ++i) out[i] = ShuffledAt(d, key, begin + i);
      break;
    case DistKind::kRing:
      for (int64_t i = 0; i < n; ++i) out[i] = RingAt(d, key, uint64_t(begin + i));
      break;
    case DistKind::kRanges:
      // Pairs: length in [1, high], then a start that leaves room for it.
      for (int64_t i = 0; i < n; ++i) {
        uint64_t pair = uint64_t(begin + i) / 2, high = uint64_t(d.b);
        int64_t length = 1 + Below(DrawAt(key, 2 * pair), high);
        int64_t start = Below(DrawAt(key, 2 * pair + 1), high - uint64_t(length) + 1);
        out[i] = double((begin + i) % 2 == 0 ? start : length);
      }
      break;
  }
  if (d.abs)
    for (int64_t i = 0; i < n; ++i) out[i] = std::fabs(out[i]);
  if (std::isfinite(d.least) || std::isfinite(d.most))  // NaN stays
    for (int64_t i = 0; i < n; ++i)
      out[i] = out[i] < d.least ? d.least : out[i] > d.most ? d.most : out[i];
}

void Encode(Dtype dtype, const double* v, int64_t n, uint8_t* out) {
  switch (dtype) {
    case Dtype::kFloat32:
    case Dtype::kComplex64: EncodeFloat(v, n, out); break;
    case Dtype::kFloat64: std::memcpy(out, v, size_t(n) * 8); break;
    case Dtype::kFloat16: EncodeHalf(v, n, out); break;
    case Dtype::kBfloat16: EncodeBf16(v, n, out); break;
    case Dtype::kBool:
      for (int64_t i = 0; i < n; ++i) out[i] = v[i] != 0;
      break;
    case Dtype::kInt8: EncodeInteger<int8_t>(v, n, out); break;
    case Dtype::kUint8: EncodeInteger<uint8_t>(v, n, out); break;
    case Dtype::kInt16: EncodeInteger<int16_t>(v, n, out); break;
    case Dtype::kUint16: EncodeInteger<uint16_t>(v, n, out); break;
    case Dtype::kInt32: EncodeInteger<int32_t>(v, n, out); break;
    case Dtype::kUint32: EncodeInteger<uint32_t>(v, n, out); break;
    case Dtype::kInt64: EncodeInteger<int64_t>(v, n, out); break;
    case Dtype::kUint64: EncodeInteger<uint64_t>(v, n, out); break;
  }
}

void Fill(const Dist& dist, Dtype dtype, uint64_t key, int64_t numel, uint8_t* out) {
  int64_t draws = dtype == Dtype::kComplex64 ? 2 * numel : numel;
  unsigned threads = draws < kThreadedFrom ? 1 : std::max(1u, std::thread::hardware_concurrency());
  int64_t share = (draws / threads + kChunk) / kChunk * kChunk;
  std::vector<std::thread> pool;
  for (unsigned t = 1; t < threads; ++t) {
    int64_t begin = std::min(draws, share * t), end = std::min(draws, share * (t + 1));
    if (begin < end)
      pool.emplace_back([=, &dist] { FillRange(dist, dtype, key, begin, end, out); });
  }
  FillRange(dist, dtype, key, 0, std::min(draws, share), out);
  for (std::thread& t : pool) t.join();
  if (!dist.specials.empty()) PutSpecials(dist, dtype, key, draws, out);
}

}  // namespace akgen::task
