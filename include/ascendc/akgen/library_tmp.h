// Working space of the library functions on 2201, in bytes: one place for the host functions that
// give it and for the chip, which refuses a smaller buffer than `min` and leaves the first `max`
// bytes undefined. Source of the numbers: the host tiling functions of the public toolkit, release
// of 2026. Sizes in elements, element sizes 2 or 4.
#ifndef AKGEN_LIBRARY_TMP_H
#define AKGEN_LIBRARY_TMP_H
#include <stdint.h>

#include "akgen/data_format.h"
#include "akgen/reduction.h"

namespace akgen {

struct TmpSize {
  uint32_t max = 0, min = 0;
};

constexpr uint32_t UpTo(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }
constexpr uint32_t Larger(uint32_t a, uint32_t b) { return a > b ? a : b; }
constexpr uint32_t Floats(uint32_t n) {
  return UpTo(n * 4, 32);
}  // bytes of n floats, whole DataBlocks

// <Name>Tmp(count, size, reuse) of every row with a size: `count` elements of `size` bytes,
// `reuse`: isReuseSource.
#define AKGEN_TMP_FACTOR(name, half, single, single_reuse)                         \
  constexpr TmpSize name##Tmp(uint32_t count, uint32_t size, bool reuse) {         \
    const uint32_t times = size != 4 ? (half) : reuse ? (single_reuse) : (single); \
    return {times * Larger(count * size, 256), times * 256};                       \
  }
#define AKGEN_TMP_SIZE AKGEN_TMP_FACTOR
#define AKGEN_TMP_BYTES(name, takes, max, min)                                \
  constexpr TmpSize name##Tmp([[maybe_unused]] uint32_t count, uint32_t size, \
                              [[maybe_unused]] bool reuse) {                  \
    return (takes) ? TmpSize{uint32_t(max), uint32_t(min)} : TmpSize{};       \
  }
#include "akgen/vec_ops.inc"

// `rows` rows of `h` elements: two or three copies of the data in float, mean and variance.
// DeepNorm as well.
constexpr TmpSize LayerNormTmp(uint32_t rows, uint32_t h, uint32_t size, bool reuse) {
  const uint32_t copies = reuse && size == 4 ? 2 : 3, moments = 2 * Floats(rows);
  return {copies * Floats(rows * h) + moments, copies * Floats(h) + moments};
}
constexpr TmpSize NormalizeTmp(uint32_t rows, uint32_t r, uint32_t gamma_size) {
  return {2 * Floats(r) + 2 * Floats(UpTo(rows, 8) * r),
          Larger(Floats(rows), (gamma_size == 4 ? 2 : 4) * Floats(r))};
}
// The form that gives rstd: its own two copies or what Normalize takes, and the variance.
constexpr TmpSize LayerNormRstdTmp(uint32_t rows, uint32_t r, uint32_t size) {
  const TmpSize n = NormalizeTmp(rows, r, size);
  return {Larger(2 * Floats(rows * r), n.max) + Floats(rows),
          Larger(2 * Floats(r), n.min) + Floats(rows)};
}
constexpr TmpSize RmsNormTmp(uint32_t rows, uint32_t h, uint32_t size) {
  const uint32_t copies = size == 2 ? 2 : 1;
  return {(copies * rows * h + UpTo(rows, 32 / size)) * 4, (copies * h + 8) * 4};
}
// n x channels of `pitch` elements.
constexpr TmpSize GroupNormTmp(uint32_t n, uint32_t channels, uint32_t pitch, uint32_t groups,
                               uint32_t size, bool reuse) {
  const uint32_t copies = reuse && size == 4 ? 2 : 3, moments = 2 * Floats(n * groups);
  return {copies * n * channels * pitch * 4 + moments,
          copies * (channels / groups) * pitch * 4 + moments};
}
constexpr TmpSize BatchNormTmp(uint32_t batches, uint32_t n, uint32_t size, bool basic_block) {
  const uint32_t moments = 2 * Floats(n), least = batches * (basic_block ? 256
                                                             : size == 2 ? 64
                                                                         : 32);
  return {3 * Floats(batches * n) + moments, 3 * least + moments};
}
constexpr TmpSize LayerNormGradTmp(uint32_t rows, uint32_t h, uint32_t size, bool reuse) {
  const uint32_t copies = size == 2 ? 9 : reuse ? 4 : 6, data = rows * h, square = h * h;
  return {copies * Larger(data, square) * size, copies * (data < square ? data : square) * size};
}
constexpr TmpSize LayerNormGradBetaTmp(uint32_t rows, uint32_t h, uint32_t size) {
  const uint32_t copies = size == 2 ? 4 : 2;
  return {copies * rows * h * 4, copies * h * 4};
}
constexpr TmpSize WelfordUpdateTmp(uint32_t elements, uint32_t size, bool reuse) {
  const uint32_t unit = 256 * (size == 2 ? 3 : reuse ? 1 : 2);
  return {(elements + 63) / 64 * unit, unit};
}
constexpr TmpSize WelfordFinalizeTmp(uint32_t elements) {
  return {elements <= 64 ? 1024 : (128 + 2 * elements) * 4, 1024};
}

constexpr TmpSize LogSoftMaxTmp(uint32_t rows, uint32_t k, uint32_t size) {
  const uint32_t row = (32 / size + k + 64) * 4;
  return {rows * row, row};
}
// Sorted pairs twice in the normal mode, once in the small one; indices and negated data where they
// are made.
constexpr TmpSize TopKTmp(uint32_t inner, uint32_t outer, bool small, bool with_index,
                          bool largest) {
  const uint32_t all = inner * outer;
  const uint32_t bytes = small ? all * 8 + 64 + (with_index ? 0 : all * 4) + (largest ? 0 : all * 4)
                               : inner * (with_index ? 16 : 20);
  return {bytes, bytes};
}
constexpr TmpSize PadTmp(uint32_t height, uint32_t width) {
  return {UpTo(height * width, 16) * 64, 1024};
}
// Columns of 16 on their way through it, of rows of a head (1, 2) or of a head and of the merged or
// split axis (3 to 6).
constexpr TmpSize ConfusionTransposeTmp(uint32_t type, uint32_t rows, uint32_t size) {
  const uint32_t bytes = type >= 7 ? 0 : rows * 16 * size * (type <= 2 ? 1 : 2);
  return {bytes, bytes};
}
// Of 16-bit elements: batches, channels and rows of h * w filled up to 16, in the steps of each
// conversion.
constexpr TmpSize TransDataTmp(TransDataKind kind, uint32_t n, uint32_t c, uint32_t d,
                               uint32_t hw) {
  const uint32_t row = UpTo(hw, 16), channels = UpTo(c, 16), batches = UpTo(n, 16);
  const uint32_t blocks = d * channels * row, fractal = batches * blocks;
  uint32_t elements = 0;
  switch (kind) {
    case kNcdhwToFractal: elements = Larger(c * d * row, d * hw * batches) + fractal; break;
    case kFractalToNcdhw: elements = c == channels && n == batches ? fractal : 2 * fractal; break;
    case kNcdhwToBlocks: elements = d * row + blocks; break;
    case kBlocksToNcdhw: elements = 256 + blocks; break;
    case kNoTransData: break;
  }
  return {elements * 2, elements * 2};
}
constexpr TmpSize DropOutTmp(uint32_t elements) { return {Larger(512, elements * 8), 512}; }
// Per channel with `scales` scales, or (one scale) per tensor.
constexpr TmpSize AntiQuantTmp(uint32_t elements, uint32_t rows, uint32_t scales, bool transposed,
                               bool half_result) {
  if (half_result) return {};
  if (scales == 1) return {elements * 4, 1024};
  const uint32_t bytes = transposed ? 80 * scales * 4 : (2 * scales + 64 * rows) * 4;
  return {bytes, bytes};
}

// SoftmaxFlashV2 of rows of k elements of `size` bytes, sums and maxima of `wide` bytes.
constexpr TmpSize FlashV2Tmp(uint32_t rows, uint32_t k, uint32_t size, uint32_t wide) {
  const uint32_t row = (size == 2 ? 32 / wide * 2 + k + 64 : 32 / wide + 64) * 4;
  return {rows * row, row};
}
// SoftmaxFlashV3 of rows of k elements of half.
constexpr TmpSize FlashV3Tmp(uint32_t rows, uint32_t k) {
  const uint32_t row = (8 * 5 + 2 * k + 64) * 4;
  return {rows * row, row};
}
// Reductions of [first, last] over the rows (RA) or over the columns (AR).
// The power of two that halving ends at: the largest up to n, or half of n where n is one (`whole`:
// not of 1).
constexpr uint32_t PatternFold(uint32_t n, bool whole) {
  uint32_t k = 1;
  while (k <= n / 2) k *= 2;
  return k == n && whole ? k / 2 : k;
}
constexpr TmpSize PatternTmp(PatternReduction kind, bool over_rows, uint32_t first, uint32_t last,
                             uint32_t size, bool reuse) {
  const auto same = [](uint32_t bytes) { return TmpSize{bytes, bytes}; };
  const bool adds = kind == kPatternSum || kind == kPatternMean, bytes = size == 1;
  if (bytes && !over_rows) return same(UpTo(last, 32) * 2 + first * 32);
  if (reuse) return same(kind == kPatternProd && !over_rows ? 256 : 0);
  if (over_rows) return same(PatternFold(first, first > 1) * UpTo(last * size, 32));
  if (adds) return same(last <= 64 ? 0 : first * PatternFold(last, first > 1) * 4);
  if (kind == kPatternProd)
    return same((Larger(8, PatternFold(last, first > 1)) + first * 8) * 4 + 256);
  return same(last <= 32 / size ? 0 : first * (last < 256 / size ? 32 : 256));
}

}  // namespace akgen
#endif  // AKGEN_LIBRARY_TMP_H
