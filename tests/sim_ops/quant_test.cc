#include <gtest/gtest.h>

#include "values.h"

namespace akgen::sim::test {
namespace {

double Half(double x) { return base::HalfToFloat(base::DoubleToHalf(x)); }
// The documented steps, every one rounded to half: scale, product, offset, sum; then to the nearest
// int8, ties to even.
int Quantised(double x, double scale, double offset) {
  const double sum = Half(Half(Half(x) * Half(scale)) + Half(offset));
  return std::isnan(sum) ? 0 : int(std::clamp(std::nearbyint(sum), -128.0, 127.0));
}

AkgenVec Quant(Core& core, uint8_t type, uint32_t n) {
  AkgenVec v = Instr(AKGEN_OP_Quant, AKGEN_I8, type);
  v.form = AKGEN_FORM_COUNT;
  v.count = n;
  v.src0 = core.At<void>(0), v.dst = core.At<void>(131072);
  core.Count(n, type == AKGEN_F16 ? 2 : 4);
  return v;
}

TEST(Quant, EveryHalfWithOneScale) {
  for (auto [scale, offset] :
       {std::pair{1.0f, 0.0f}, {0.1f, -3.25f}, {-17.3f, 100.0f}, {1e-9f, 0.5f}}) {
    Core core;
    for (uint32_t first = 0; first < 65536; first += 32768) {
      for (uint32_t i = 0; i < 32768; ++i) core.At<uint16_t>(0)[i] = uint16_t(first + i);
      AkgenVec v = Quant(core, AKGEN_F16, 32768);
      v.scalar = std::bit_cast<uint32_t>(scale), v.aux[1] = std::bit_cast<uint32_t>(offset);
      RunOwn(core, v);
      for (uint32_t i = 0; i < 32768; ++i)
        ASSERT_EQ(int(core.At<int8_t>(131072)[i]),
                  Quantised(HalfValue(uint16_t(first + i)), scale, offset))
            << first + i << " " << scale;
    }
  }
}
TEST(Quant, FloatsPerChannel) {
  Core core;
  const uint32_t rows = 5, channels = 32, n = rows * channels;
  std::mt19937 rng(7);
  auto real = [&](float span) { return span * (float(rng() % 20001) / 10000 - 1); };
  for (uint32_t i = 0; i < n; ++i) core.At<float>(0)[i] = real(50);
  for (uint32_t i = 0; i < channels; ++i)
    core.At<float>(65536)[i] = real(4), core.At<float>(98304)[i] = real(30);
  AkgenVec v = Quant(core, AKGEN_F32, n);
  v.src1 = core.At<void>(65536), v.src1_type = AKGEN_F32, v.aux[2] = channels;
  v.aux[1] = std::bit_cast<uint32_t>(2.5f);
  for (bool tensor : {false, true}) {
    if (tensor) v.aux[0] = reinterpret_cast<uint64_t>(core.At<void>(98304));
    RunOwn(core, v);
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t c = i % channels;
      ASSERT_EQ(int(core.At<int8_t>(131072)[i]),
                Quantised(core.At<float>(0)[i], core.At<float>(65536)[c],
                          tensor ? core.At<float>(98304)[c] : 2.5))
          << i;
    }
  }
  v.aux[2] = 31;  // 160 elements are no whole rows of 31
  FindOwn(v)(core, v);
  EXPECT_EQ(core.broken.size(), 1u);
}
TEST(Quant, WhatIsUndefinedStaysSoElementByElement) {
  Core core;
  for (int i = 0; i < 64; ++i) core.At<uint16_t>(0)[i] = 0x3c00;
  core.SetDefined(core.At<void>(2 * 7), 2, false);
  AkgenVec v = Quant(core, AKGEN_F16, 64);
  v.scalar = 0x3f800000, v.tmp = core.At<void>(65536), v.tmp_bytes = 4096;
  RunOwn(core, v);
  EXPECT_EQ(core.undefined, (std::set<size_t>{14, 15, 131072 + 7}));
  EXPECT_EQ(core.clobbered, 512u);  // two repeats at least
}

AkgenVec Dequant(Core& core, uint8_t type, uint32_t rows, uint32_t cols, uint32_t n) {
  AkgenVec v = Instr(AKGEN_OP_Dequant, type, AKGEN_I32);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = core.At<void>(0), v.dst = core.At<void>(131072);
  v.aux[0] = rows | uint64_t(cols) << 32, v.aux[1] = n;
  return v;
}

TEST(Dequant, RowsOfEveryType) {
  Core core;
  const uint32_t rows = 4, cols = 8, n = 6;
  std::mt19937 rng(8);
  for (uint32_t i = 0; i < rows * cols; ++i)
    core.At<int32_t>(0)[i] = i == 3 ? 16777219 : int32_t(rng() % 4001) - 2000;
  for (uint32_t i = 0; i < n; ++i)
    core.At<float>(65536)[i] = 0.01f * float(i + 1),
    core.At<uint64_t>(98304)[i] = 0xabcull << 32 | std::bit_cast<uint32_t>(0.01f * float(i + 1));
  // float(src) * scale, once more rounded for the narrow types; a row of the result is whole
  // DataBlocks.
  auto product = [&](uint32_t r, uint32_t i) {
    return float(core.At<int32_t>(0)[r * cols + i]) * (0.01f * float(i + 1));
  };
  AkgenVec v = Dequant(core, AKGEN_F32, rows, cols, n);
  v.src1 = core.At<void>(65536), v.src1_type = AKGEN_F32;
  RunOwn(core, v);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t i = 0; i < n; ++i) EXPECT_EQ(core.At<float>(131072)[r * 8 + i], product(r, i));
  EXPECT_TRUE(core.undefined.count(131072 + 6 * 4) && !core.undefined.count(131072 + 5 * 4));
  v.dst_type = AKGEN_BF16;
  RunOwn(core, v);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t i = 0; i < n; ++i) {
      const float p = product(r, i),
                  got = std::bit_cast<float>(uint32_t(core.At<uint16_t>(131072)[r * 16 + i]) << 16);
      EXPECT_LE(std::fabs(got - p), std::fabs(p) / 256) << r << " " << i;
    }
  v.dst_type = AKGEN_F16, v.src1 = core.At<void>(98304), v.src1_type = AKGEN_U64;
  RunOwn(core, v);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t i = 0; i < n; ++i)
      EXPECT_EQ(core.At<uint16_t>(131072)[r * 16 + i], base::DoubleToHalf(product(r, i)));
  v = Dequant(core, AKGEN_F32, rows, cols, 9);
  FindOwn(v)(core, v);
  EXPECT_EQ(core.broken.size(), 1u);  // more than a row holds
}

}  // namespace
}  // namespace akgen::sim::test
