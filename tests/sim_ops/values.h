// Operand values and an independent model of the number formats for the op tests: everything is
// computed in double and rounded once by base's converters, which share no code with src/sim/ops.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "sim/ops/ops.h"

namespace akgen::sim::test {

// Bit patterns worth meeting in pairs: zeros, subnormals, ones, largest, infinities, NaN,
// neighbours of ties.
inline std::vector<uint16_t> HalfEdges() {
  return {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3bff, 0x3c00,
          0xbc00, 0x3c01, 0x3e00, 0x4000, 0x4248, 0xc248, 0x7bff, 0xfbff, 0x7c00,
          0xfc00, 0x7e00, 0xfe00, 0x6bff, 0x6400, 0x5640, 0x1400};
}
inline std::vector<uint32_t> FloatEdges() {
  return {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800000,
          0x3f800001, 0x3fc00000, 0x40490fdb, 0xc2b17218, 0x7f7fffff, 0xff7fffff, 0x7f800000,
          0xff800000, 0x7fc00000, 0xffc00000, 0x4b000001, 0x4f000000, 0xcf000000, 0x46fffe00,
          0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x5f000000};
}

template <class U>
std::vector<U> WithRandom(std::vector<U> edges, size_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  while (edges.size() < n) edges.push_back(U(rng()));
  return edges;
}

inline double HalfValue(uint16_t bits) { return base::HalfToFloat(bits); }
inline double FloatValue(uint32_t bits) { return std::bit_cast<float>(bits); }

inline bool IsNanHalf(uint16_t b) { return (b & 0x7fff) > 0x7c00; }
inline bool IsNanFloat(uint32_t b) { return (b & 0x7fffffff) > 0x7f800000; }
// Equal bits; any NaN equals any NaN.
inline bool Same(uint16_t a, uint16_t b) { return a == b || (IsNanHalf(a) && IsNanHalf(b)); }
inline bool Same(uint32_t a, uint32_t b) { return a == b || (IsNanFloat(a) && IsNanFloat(b)); }

inline AkgenVec Instr(uint32_t op, uint8_t dst, uint8_t src, uint8_t src1 = AKGEN_NO_DTYPE,
                      uint8_t mode = 0) {
  AkgenVec v = {};
  v.op = uint16_t(op);
  v.dst_type = dst;
  v.src_type = src;
  v.src1_type = src1;
  v.round_mode = mode;
  return v;
}

// A core for `own` bodies: one memory, announced bytes noted, everything else fails the test.
class Core : public VecMachine {
 public:
  bool Read(const void* address, size_t bytes) override {
    ++reads;
    read_bytes += bytes;
    return Inside(address, bytes);
  }
  bool Write(void* address, size_t bytes) override {
    ++writes;
    write_bytes += bytes;
    return Inside(address, bytes);
  }
  void Clobber(void* address, size_t bytes) override {
    if (Inside(address, bytes)) std::memset(address, 0xc5, bytes);
    clobbered += bytes;
  }
  bool Defined(const void* address, size_t bytes) override {
    size_t at = size_t(static_cast<const uint8_t*>(address) - ub.data());
    return std::none_of(undefined.begin(), undefined.end(),
                        [&](size_t byte) { return at <= byte && byte < at + bytes; });
  }
  void SetDefined(void* address, size_t bytes, bool defined) override {
    size_t at = size_t(static_cast<uint8_t*>(address) - ub.data());
    for (size_t i = at; i < at + bytes; ++i)
      defined ? void(undefined.erase(i)) : void(undefined.insert(i));
  }
  void Broken(const char* code, const char* why, const char* fix) override {
    broken.push_back(code);
    reasons.push_back(std::string(why) + "; " + fix);
  }
  const Extent& extent() const override { return x; }
  RunArgs args() const override { return run_args; }

  bool Inside(const void* address, size_t bytes) {
    auto* p = static_cast<const uint8_t*>(address);
    bool ok = p >= ub.data() && p + bytes <= ub.data() + ub.size();
    outside += !ok;
    return ok;
  }
  template <class T>
  T* At(size_t byte) {
    return reinterpret_cast<T*>(ub.data() + byte);
  }

  // The extents the vector unit resolves for the forms.
  void Count(uint32_t n, uint32_t size) {
    x = {};
    x.per_repeat = 256 / size;
    x.total = n;
    x.repeats = (n + x.per_repeat - 1) / x.per_repeat;
  }
  void Masked(uint32_t repeats, uint32_t size, uint64_t low, uint64_t high) {
    x = {};
    x.per_repeat = 256 / size;
    x.repeats = repeats;
    x.bits[0] = low;
    x.bits[1] = high;
  }

  std::vector<uint8_t> ub = std::vector<uint8_t>(196608);
  Extent x;
  RunArgs run_args;
  std::vector<std::string> broken, reasons;  // codes; why, and what to do
  std::set<size_t> undefined;                // bytes
  size_t reads = 0, read_bytes = 0, writes = 0, write_bytes = 0, clobbered = 0, outside = 0;
};

// Runs an `own` row and notes the row and its dtypes for coverage_main.cc.
void RunOwn(Core& core, const AkgenVec& v);

inline uint64_t Lanes(uint32_t n) { return n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1; }

}  // namespace akgen::sim::test
