// One call of each library function of many operands (rows of akgen/vec_ops.inc with .library).
// sim_exec's tests leave its operands out one by one; where a case has a model, library_test.cc
// runs it against that, and with overlapping operands and too small a temporary buffer. A new
// function needs nothing but a case here.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "akgen/abi.h"
#include "akgen/data_format.h"
#include "akgen/reduction.h"
#include "base/dtype.h"

namespace akgen::sim::test {

struct LibraryOperand {
  const char* role;
  uint8_t type;
  uint32_t elements;
};
using OperandBytes = std::vector<uint8_t>;

struct LibraryCase {
  uint16_t op;
  uint8_t type;       // of the data
  uint32_t sizes[4];  // aux[1] and aux[2], low first
  std::vector<LibraryOperand> results, sources;
  std::function<void(AkgenVec&)> more = nullptr;  // what else the instruction says
  // The first result of these sources, to the bit; null: a test of its own looks at the numbers.
  std::function<OperandBytes(const std::vector<OperandBytes>&)> model = nullptr;
  bool needs_tmp = false;  // with a model: a temporary buffer can be too small
  bool in_place = false;   // a source may lie where the first result does
};

inline constexpr uint8_t kF = AKGEN_F32;
inline constexpr LibraryOperand kX{"x", kF, 128}, kY{"y", kF, 128}, kGamma{"gamma", kF, 32},
    kBeta{"beta", kF, 32}, kOfRows{"", kF, 4}, kBlocks{"sums", kF, 32};
inline float LibraryValue(const OperandBytes& from, size_t i, uint8_t type) {
  if (type == AKGEN_U8) return from[i];
  float wide;
  uint16_t narrow;
  if (type == kF) return std::memcpy(&wide, &from[4 * i], 4), wide;
  return std::memcpy(&narrow, &from[2 * i], 2), base::HalfToFloat(narrow);
}
inline void PutLibraryValue(OperandBytes& to, float x, uint8_t type) {
  const uint16_t narrow = base::DoubleToHalf(x);
  const auto* from =
      type == kF ? reinterpret_cast<const uint8_t*>(&x) : reinterpret_cast<const uint8_t*>(&narrow);
  if (type == AKGEN_U8)
    to.push_back(uint8_t(x));
  else
    to.insert(to.end(), from, from + (type == kF ? 4 : 2));
}
// A part of rows after others: its numbers to the base of the largest so far.
inline LibraryCase FlashCase(uint8_t type) {
  const uint32_t blocks = type == kF ? 32 : 64;
  const LibraryOperand y{"y", type, 128}, x{"x", type, 128}, of_rows{"", type, blocks};
  return {AKGEN_OP_SoftmaxFlash,
          type,
          {4, 32, 32, 0},
          {y, of_rows, of_rows, of_rows},
          {x, {"sums", type, blocks}, {"maxima", type, blocks}},
          [](AkgenVec& v) { v.mode = 1; },
          [type, blocks](const std::vector<OperandBytes>& in) {
            OperandBytes out;
            for (size_t r = 0; r < 4; ++r) {
              float top = LibraryValue(in[2], r * blocks / 4, type);
              for (size_t i = 0; i < 32; ++i)
                top = std::max(top, LibraryValue(in[0], r * 32 + i, type));
              for (size_t i = 0; i < 32; ++i)
                PutLibraryValue(out, std::exp(LibraryValue(in[0], r * 32 + i, type) - top), type);
            }
            return out;
          },
          true,
          true};
}
inline LibraryCase FlashMeanCase() {
  const LibraryOperand of_rows{"", kF, 64};
  return {AKGEN_OP_SoftmaxFlashMean,
          AKGEN_F16,
          {8, 512, 2, 8},
          {{"y", AKGEN_F16, 4096}, of_rows, of_rows, of_rows, {"", AKGEN_F16, 128}},
          {{"x", AKGEN_F16, 4096}, {"means", kF, 64}, {"sums", kF, 64}, {"maxima", kF, 64}},
          [](AkgenVec& v) {
            v.mode = 1, v.src1_type = kF, v.scalar = std::bit_cast<uint32_t>(0.9375f);
          }};
}
// Batches, channels, depth and H * W of NCDHW, whose rows are filled up to 16; the blocks of it, by
// division.
inline LibraryCase TransDataCase(TransDataKind kind, uint8_t type, uint32_t n, uint32_t c,
                                 uint32_t d, uint32_t hw) {
  const bool to_blocks = kind == kNcdhwToFractal || kind == kNcdhwToBlocks;
  const uint32_t row = (hw + 15) / 16 * 16, c1 = (c + 15) / 16, plain = n * c * d * row;
  const uint32_t n0 = kind == kNcdhwToFractal || kind == kFractalToNcdhw ? (n + 15) / 16 * 16 : 0;
  const uint32_t blocked = (n0 ? n0 : n) * c1 * 16 * d * hw;
  return {AKGEN_OP_TransData,
          type,
          {n, c, d, d * hw},
          {{"y", type, to_blocks ? blocked : plain}},
          {{"x", type, to_blocks ? plain : blocked}},
          [kind](AkgenVec& v) { v.mode = kind; },
          [=](const std::vector<OperandBytes>& in) {
            OperandBytes out(2 * (to_blocks ? blocked : plain));
            for (uint32_t i = 0; i < blocked; ++i) {
              uint32_t rest = i / 16, ic = i % 16, in_n, id, at;
              if (n0)
                in_n = rest % n0, rest /= n0, at = rest % hw, rest /= hw, ic += rest % c1 * 16,
                id = rest / c1;
              else
                at = rest % hw, rest /= hw, ic += rest % c1 * 16, rest /= c1, id = rest % d,
                in_n = rest / d;
              if (in_n >= n || ic >= c) continue;
              const uint32_t other = ((in_n * c + ic) * d + id) * row + at;
              std::memcpy(&out[2 * (to_blocks ? i : other)], &in[0][2 * (to_blocks ? other : i)],
                          2);
            }
            return out;
          },
          true};
}
// Whether all of a row are other than zero, or the largest of a row.
inline LibraryCase PatternCase(uint8_t type) {
  return {AKGEN_OP_PatternReduce,
          type,
          {4, 32, 0, 0},
          {{"y", type, 4}},
          {{"x", type, 128}},
          [type](AkgenVec& v) { v.mode = type == AKGEN_U8 ? kPatternAll : kPatternMax; },
          [type](const std::vector<OperandBytes>& in) {
            OperandBytes out;
            for (size_t r = 0; r < 4; ++r) {
              float largest = LibraryValue(in[0], r * 32, type);
              bool all = true;
              for (size_t i = 0; i < 32; ++i) {
                const float x = LibraryValue(in[0], r * 32 + i, type);
                largest = std::max(largest, x), all = all && x != 0;
              }
              PutLibraryValue(out, type == AKGEN_U8 ? all : largest, type);
            }
            return out;
          },
          true};
}
// Matrices of heads, walked in the order in which they lie: the numbers of their elements, by b, n,
// s and d.
struct Heads {
  uint32_t b, n, s, d;
  uint32_t all() const { return b * n * s * d; }
};
enum class HeadsLayout { kNzOfHeads, kNzMerged, kNzOfRows, kHeadsRows, kRowsHeads };
inline std::vector<uint32_t> HeadsWalked(const Heads& of, HeadsLayout layout) {
  std::vector<uint32_t> out;
  auto put = [&](uint32_t b, uint32_t n, uint32_t s, uint32_t d) {
    out.push_back(((b * of.n + n) * of.s + s) * of.d + d);
  };
  for (uint32_t b = 0; b < of.b; ++b) switch (layout) {
      case HeadsLayout::kNzOfHeads:
        for (uint32_t n = 0; n < of.n; ++n)
          for (uint32_t d1 = 0; d1 < of.d; d1 += 16)
            for (uint32_t s = 0; s < of.s; ++s)
              for (uint32_t d0 = 0; d0 < 16; ++d0) put(b, n, s, d1 + d0);
        break;
      case HeadsLayout::kNzMerged:
        for (uint32_t h1 = 0; h1 < of.n * of.d; h1 += 16)
          for (uint32_t s = 0; s < of.s; ++s)
            for (uint32_t h = h1; h < h1 + 16; ++h) put(b, h / of.d, s, h % of.d);
        break;
      case HeadsLayout::kNzOfRows:
        for (uint32_t s = 0; s < of.s; ++s)
          for (uint32_t d1 = 0; d1 < of.d; d1 += 16)
            for (uint32_t n = 0; n < of.n; ++n)
              for (uint32_t d0 = 0; d0 < 16; ++d0) put(b, n, s, d1 + d0);
        break;
      case HeadsLayout::kHeadsRows:
        for (uint32_t i = 0; i < of.all() / of.b; ++i) out.push_back(b * of.all() / of.b + i);
        break;
      case HeadsLayout::kRowsHeads:
        for (uint32_t s = 0; s < of.s; ++s)
          for (uint32_t n = 0; n < of.n; ++n)
            for (uint32_t d = 0; d < of.d; ++d) put(b, n, s, d);
        break;
    }
  return out;
}
inline LibraryCase TransposeCase(uint32_t type, const Heads& of, HeadsLayout from, HeadsLayout to) {
  return {AKGEN_OP_ConfusionTranspose,
          AKGEN_F16,
          {of.b, of.n, of.s, of.d},
          {{"y", AKGEN_F16, of.all()}},
          {{"x", AKGEN_F16, of.all()}},
          [type](AkgenVec& v) { v.aux[3] = type; },
          [of, from, to](const std::vector<OperandBytes>& in) {
            const std::vector<uint32_t> source = HeadsWalked(of, from),
                                        result = HeadsWalked(of, to);
            std::vector<uint32_t> at(of.all());
            for (uint32_t i = 0; i < of.all(); ++i) at[source[i]] = i;
            OperandBytes out;
            for (uint32_t element : result)
              for (uint32_t byte : {0, 1}) out.push_back(in[0][2 * at[element] + byte]);
            return out;
          },
          true};
}
constexpr Heads kTwoHeads{2, 2, 16, 32}, kSixteenHeads{1, 16, 16, 16};
inline const std::vector<LibraryCase> kLibraryCases = {
    TransposeCase(1, kTwoHeads, HeadsLayout::kNzOfHeads, HeadsLayout::kRowsHeads),
    TransposeCase(2, kSixteenHeads, HeadsLayout::kNzOfHeads, HeadsLayout::kNzOfRows),
    TransposeCase(3, kTwoHeads, HeadsLayout::kNzMerged, HeadsLayout::kNzOfHeads),
    TransposeCase(4, kTwoHeads, HeadsLayout::kNzMerged, HeadsLayout::kHeadsRows),
    TransposeCase(5, kTwoHeads, HeadsLayout::kNzOfHeads, HeadsLayout::kRowsHeads),
    TransposeCase(6, kTwoHeads, HeadsLayout::kNzOfHeads, HeadsLayout::kNzMerged),
    {AKGEN_OP_LayerNorm, kF, {4, 32, 32, 32}, {kY, kOfRows, kOfRows}, {kX, kGamma, kBeta}},
    {AKGEN_OP_Normalize,
     kF,
     {4, 32, 32, 32},
     {kY, kOfRows},
     {{"mean", kF, 4}, {"variance", kF, 4}, kX, kGamma, kBeta}},
    {AKGEN_OP_DeepNorm,
     kF,
     {4, 32, 32, 32},
     {kY, kOfRows, kOfRows},
     {kX, {"gx", kF, 128}, kGamma, kBeta},
     [](AkgenVec& v) { v.aux[3] = std::bit_cast<uint32_t>(0.5f); }},
    {AKGEN_OP_RmsNorm, kF, {4, 32, 32, 32}, {kY}, {kX, kGamma}},
    {AKGEN_OP_GroupNorm,
     kF,
     {2, 4, 16, 16},
     {kY, kOfRows, kOfRows},
     {kX, {"gamma", kF, 4}, {"beta", kF, 4}},
     [](AkgenVec& v) { v.aux[3] = 2; }},
    {AKGEN_OP_BatchNorm,
     kF,
     {4, 32, 0, 0},
     {kY, {"", kF, 32}, {"", kF, 32}},
     {kX, {"gamma", kF, 4}, {"beta", kF, 4}}},
    {AKGEN_OP_LayerNormGrad,
     kF,
     {4, 32, 32, 32},
     {kY, {"", kF, 128}},
     {{"dy", kF, 128}, kX, {"variance", kF, 4}, {"mean", kF, 4}, kGamma}},
    {AKGEN_OP_LayerNormGradBeta,
     kF,
     {4, 32, 0, 0},
     {{"", kF, 32}, {"", kF, 32}},
     {{"res", kF, 128}, {"dy", kF, 128}}},
    {AKGEN_OP_WelfordUpdate,
     kF,
     {1, 128, 128, 0},
     {kY, kY},
     {{"mean", kF, 128}, {"m", kF, 128}, kX}},
    {AKGEN_OP_WelfordFinalize,
     kF,
     {64, 4, 4, 64},
     {{"", kF, 1}, {"", kF, 1}},
     {{"mean", kF, 64}, {"m", kF, 64}},
     [](AkgenVec& v) {
       v.scalar = uint64_t(std::bit_cast<uint32_t>(1 / 64.f)) |
                  uint64_t(std::bit_cast<uint32_t>(1 / 256.f)) << 32;
     }},
    {AKGEN_OP_LogSoftMax, kF, {4, 32, 32, 0}, {kY, kBlocks, kBlocks}, {kX}},
    {AKGEN_OP_SimpleSoftMax, kF, {4, 32, 32, 0}, {kY}, {kBlocks, {"maxima", kF, 32}, kX}},
    {AKGEN_OP_TopK,
     kF,
     {2, 64, 64, 8},
     {{"", kF, 16}, {"", AKGEN_I32, 16}},
     {kX, {"indices", AKGEN_I32, 64}},
     [](AkgenVec& v) { v.mode = 1 | 8; }},
    {AKGEN_OP_Pad, kF, {4, 32, 30, 0}, {kY}, {kX}, [](AkgenVec& v) { v.aux[3] = 2; }},
    {AKGEN_OP_UnPad,
     kF,
     {4, 32, 4, 0},
     {{"", kF, 112}},
     {kX},
     nullptr,
     [](const std::vector<OperandBytes>& in) {
       OperandBytes kept;
       for (int r = 0; r < 4; ++r) kept.insert(kept.end(), &in[0][r * 128], &in[0][r * 128 + 112]);
       return kept;
     }},
    {AKGEN_OP_DropOut,
     kF,
     {4, 32, 32, 0},
     {kY},
     {kX, {"mask", AKGEN_U8, 128}},
     [](AkgenVec& v) { v.mode = 1, v.scalar = std::bit_cast<uint32_t>(2.0f); }},
    {AKGEN_OP_AntiQuant,
     AKGEN_F16,
     {4, 32, 1, 32},
     {{"", AKGEN_F16, 128}},
     {{"x", AKGEN_I8, 128}, {"offsets", AKGEN_F16, 32}, {"scales", AKGEN_F16, 32}},
     [](AkgenVec& v) { v.src_type = AKGEN_I8; }},
    {AKGEN_OP_ReduceXorSum,
     AKGEN_I16,
     {300, 1, 0, 0},
     {{"", AKGEN_I16, 1}},
     {{"x0", AKGEN_I16, 300}, {"x1", AKGEN_I16, 300}},
     nullptr,
     [](const std::vector<OperandBytes>& in) {
       int sum = 0;
       for (size_t i = 0; i < in[0].size(); i += 2) {
         int16_t a, b;
         std::memcpy(&a, &in[0][i], 2), std::memcpy(&b, &in[1][i], 2);
         sum += int16_t(a ^ b);
       }
       sum = std::clamp(sum, -32768, 32767);
       return OperandBytes{uint8_t(sum), uint8_t(sum >> 8)};
     },
     true},
    FlashCase(kF),
    FlashCase(AKGEN_F16),
    FlashMeanCase(),
    TransDataCase(kNcdhwToFractal, AKGEN_F16, 3, 20, 2, 5),
    TransDataCase(kNcdhwToBlocks, AKGEN_BF16, 3, 20, 2, 5),
    TransDataCase(kFractalToNcdhw, AKGEN_I16, 3, 13, 1, 16),
    TransDataCase(kBlocksToNcdhw, AKGEN_U16, 3, 20, 2, 16),
    PatternCase(kF),
    PatternCase(AKGEN_F16),
    PatternCase(AKGEN_U8),
};

}  // namespace akgen::sim::test
