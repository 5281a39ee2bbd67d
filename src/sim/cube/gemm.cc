#include "sim/cube/gemm.h"

#include <algorithm>
#include <atomic>
#include <cstring>

// Three builds of one body. This file is compiled for the least processor: the others are functions
// with a target.
namespace akgen::sim::cube {
namespace {
using Line = float __attribute__((vector_size(kLines * sizeof(float)), aligned(4)));
using Bits = int32_t __attribute__((vector_size(kLines * sizeof(float)), aligned(4)));
#define AKGEN_INLINE __attribute__((always_inline)) static inline

// One block: kRows rows of C by kGroups times 16 columns.
template <uint32_t kRows, uint32_t kGroups, bool kFused>
AKGEN_INLINE void Block(const Gemm& g, const float* a, const float* b, float* c) {
  for (uint32_t from = 0; from < g.k; from += g.chunk) {
    const uint32_t to = std::min(g.k, from + g.chunk);
    Line dot[kRows][kGroups] = {};
    for (uint32_t e = from; e < to; ++e)
      for (uint32_t j = 0; j < kGroups; ++j) {
        Line right;
        std::memcpy(&right, b + j * g.pitch + size_t(e) * kLines, sizeof right);
#pragma unroll
        for (uint32_t r = 0; r < kRows; ++r) {
          const float left = a[size_t(e) * kLines + r];
          if constexpr (kFused)
            dot[r][j] = __builtin_elementwise_fma(right, left - Line{}, dot[r][j]);
          else
            dot[r][j] += right * left;
        }
      }
#pragma unroll
    for (uint32_t r = 0; r < kRows; ++r)
      for (uint32_t j = 0; j < kGroups; ++j) {
        Line sum;
        float* at = c + j * g.c_pitch + size_t(r) * kLines;
        std::memcpy(&sum, at, sizeof sum);
        sum += dot[r][j];
        std::memcpy(at, &sum, sizeof sum);
      }
  }
  // Which operand's payload a NaN gets depends on the order of operands in an instruction.
  constexpr int32_t kNan = 0x7fc00000;
  for (uint32_t r = 0; r < kRows; ++r)
    for (uint32_t j = 0; j < kGroups; ++j) {
      Line sum;
      float* at = c + j * g.c_pitch + size_t(r) * kLines;
      std::memcpy(&sum, at, sizeof sum);
      const Bits is_nan = sum != sum;  // NOLINT(misc-redundant-expression): lanes have no isnan
      const Bits settled = (Bits(sum) & ~is_nan) | (is_nan & kNan);
      std::memcpy(at, &settled, sizeof settled);
    }
}

template <uint32_t kRows, uint32_t kGroups, bool kFused>
AKGEN_INLINE void Columns(const Gemm& g, const float* b, float* c) {
  for (uint32_t panel = 0; panel < g.m; panel += kLines) {
    const float* a = g.a + panel / kLines * g.pitch;
    const uint32_t rows = std::min(kLines, g.m - panel);
    float* to = c + size_t(panel) * kLines;
    uint32_t r = 0;
    for (; r + kRows <= rows; r += kRows)
      Block<kRows, kGroups, kFused>(g, a + r, b, to + size_t(r) * kLines);
    for (; r < rows; ++r) Block<1, kGroups, kFused>(g, a + r, b, to + size_t(r) * kLines);
  }
}

template <uint32_t kRows, uint32_t kGroups, bool kFused>
AKGEN_INLINE void All(const Gemm& g) {
  const uint32_t groups = g.columns / kLines;
  uint32_t j = 0;
  for (; j + kGroups <= groups; j += kGroups)
    Columns<kRows, kGroups, kFused>(g, g.b + j * g.pitch, g.c + j * g.c_pitch);
  for (; j < groups; ++j) Columns<kRows, 1, kFused>(g, g.b + j * g.pitch, g.c + j * g.c_pitch);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx2"))) void WithAvx512(const Gemm& g) { All<8, 2, false>(g); }
__attribute__((target("avx2"))) void WithAvx2(const Gemm& g) { All<4, 1, false>(g); }
__attribute__((target("avx512f,avx2,fma"))) void FusedAvx512(const Gemm& g) { All<8, 2, true>(g); }
__attribute__((target("avx2,fma"))) void FusedAvx2(const Gemm& g) { All<4, 1, true>(g); }
#endif
void WithBaseline(const Gemm& g) { All<2, 1, false>(g); }
}  // namespace

namespace {
std::atomic<Isa>& Chosen() {
#if defined(__x86_64__)
  static std::atomic<Isa> isa = !__builtin_cpu_supports("fma")      ? Isa::kBaseline
                                : __builtin_cpu_supports("avx512f") ? Isa::kAvx512
                                : __builtin_cpu_supports("avx2")    ? Isa::kAvx2
                                                                    : Isa::kBaseline;
#else
  static std::atomic<Isa> isa = Isa::kBaseline;
#endif
  return isa;
}
}  // namespace
Isa BestIsa() { return Chosen(); }
void UseIsa(Isa isa) { Chosen() = isa; }

void Multiply(const Gemm& g, Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx512) return g.exact ? FusedAvx512(g) : WithAvx512(g);
  if (isa == Isa::kAvx2) return g.exact ? FusedAvx2(g) : WithAvx2(g);
#endif
  WithBaseline(g);
}

}  // namespace akgen::sim::cube
