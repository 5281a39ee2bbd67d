// Working-space functions against numbers worked out by hand from their documented rules.
#include <gtest/gtest.h>

#include "tiling/tiling_api.h"

namespace {

ge::Shape ShapeOf(std::vector<int64_t> dims) { return ge::Shape(dims); }

TEST(LibTiling, ScalesWithElementSizeAndReuse) {
  uint32_t max = 0, min = 0;
  AscendC::GetCosMaxMinTmpSize(ShapeOf({4, 256}), 4, false, max, min);
  EXPECT_EQ(min, 3u * 256);
  EXPECT_EQ(max, 3u * 4096);
  AscendC::GetCosMaxMinTmpSize(ShapeOf({4, 256}), 4, true, max, min);
  EXPECT_EQ(max, 2u * 4096);
  AscendC::GetTanhMaxMinTmpSize(ShapeOf({16}), 2, false, max, min);
  EXPECT_EQ(max, 4u * 256);
  EXPECT_TRUE(AscendC::GetExpMaxMinTmpSize(ShapeOf({100}), 2, false, max, min));
  EXPECT_EQ(max, 4u * 400);
  AscendC::GetPowerMaxMinTmpSize(ShapeOf({512}), ShapeOf({1}), false, 2, false, max, min);
  EXPECT_EQ(min, 14u * 128 + 256);
  EXPECT_EQ(max, 14u * 1024 + 256);
  AscendC::GetCumSumMaxMinTmpSize(ShapeOf({20, 32}), 4, true, false, max, min);
  EXPECT_EQ(min, 16u * 256);
  EXPECT_EQ(max, 32u * 256);
  AscendC::GetMeanMaxMinTmpSize(1000, 2, 4, false, max, min);
  EXPECT_EQ(min, 32u + 1008 * 4);
}

TEST(LibTiling, GatesAndQuantisation) {
  uint32_t max = 0, min = 0;
  AscendC::GetSwiGLUMaxMinTmpSize(ShapeOf({1024}), 2, max, min, false);
  EXPECT_EQ(max, 6u * 2048);
  EXPECT_EQ(min, 6u * 256);
  AscendC::GetSwiGLUTmpBufferFactorSize(2, max, min);
  EXPECT_EQ(max, 6u);
  AscendC::GetAscendQuantMaxMinTmpSize(ShapeOf({4, 256}), 4, max, min);
  EXPECT_EQ(max, 2048u);
  EXPECT_EQ(min, 512u);
  AscendC::GetAscendQuantMaxMinTmpSize(ShapeOf({16}), 2, max, min);
  EXPECT_EQ(max, 512u);
  AscendC::GetAscendDequantMaxMinTmpSize(ShapeOf({4, 8}), 4, max, min);
  EXPECT_EQ(max, (64u + 16 + 32) * 4);
  EXPECT_EQ(min, (64u + 16 + 8) * 4);
  AscendC::GetAscendDequantTmpBufferFactorSize(ShapeOf({4, 8}), max, min);
  EXPECT_EQ(max, 1u);
  EXPECT_EQ(min, 80u);
  AscendC::GetAscendDequantMaxMinTmpSize(ShapeOf({16}), 4, max, min);
  EXPECT_EQ(max, (64u + 24 + 16) * 4);
}

TEST(LibTiling, CutsSoftMaxRows) {
  optiling::SoftMaxTiling t;
  ge::Shape shape = ShapeOf({2, 32, 128});
  EXPECT_EQ(AscendC::GetSoftMaxMinTmpSize(shape, 2, false), (16u + 128 + 64) * 4);
  AscendC::SoftMaxTilingFunc(shape, 2, 20 * (16 + 128 + 64) * 4, t);
  EXPECT_EQ(t.get_srcM(), 64u);
  EXPECT_EQ(t.get_splitM(), 16u);  // 20 rows fit; 16 is a multiple of 8 that divides 64
  EXPECT_EQ(t.get_rangeM(), 4u);
  EXPECT_EQ(t.get_tailM(), 0u);
  EXPECT_EQ(t.GetDataSize(), 64u);
}

TEST(TilingDef, KeepsValuesWhenCopiedAndRefusesSmallBuffers) {
  optiling::SoftMaxTiling a;
  a.set_srcM(5);
  a.set_tailReduceSize(9);
  optiling::SoftMaxTiling b = a;
  a.set_srcM(6);
  std::vector<uint32_t> bytes(17, 77);
  b.SaveToBuffer(bytes.data(), 63);
  EXPECT_EQ(bytes[0], 77u);
  b.SaveToBuffer(bytes.data(), 64);
  EXPECT_EQ(bytes[0], 5u);
  EXPECT_EQ(bytes[15], 9u);
  EXPECT_EQ(bytes[16], 77u);
  std::vector<uint32_t> attached(16, 0);
  b.SetDataPtr(attached.data());
  b.set_srcK(3);
  EXPECT_EQ(attached[1], 3u);
}

TEST(LibTiling, BroadcastAndSelect) {
  uint32_t max = 7, min = 7;
  platform_ascendc::PlatformAscendC platform(nullptr);
  auto broadcast = [&](std::vector<int64_t> from, std::vector<int64_t> to, uint32_t size) {
    AscendC::GetBroadCastMaxMinTmpSize(platform, ShapeOf(from), ShapeOf(to), size, false, max, min);
  };
  broadcast({1, 32}, {4, 32}, 4);  // a row: one DataBlock
  EXPECT_EQ(max, 32u);
  broadcast({10, 1}, {10, 16}, 4);  // a column: a DataBlock a row, rows rounded to 8
  EXPECT_EQ(max, 16u * 32);
  EXPECT_EQ(min, 8u * 32);
  broadcast({10, 1}, {10, 12}, 2);  // and a padded copy
  EXPECT_EQ(max, 16u * 32 + 10 * 32);
  EXPECT_EQ(min, 16u * (32 + 32));
  broadcast({1}, {100}, 4);
  EXPECT_EQ(max, 0u);
  broadcast({1}, {100}, 1);  // bytes pass through half
  EXPECT_EQ(max, 32u + 32 + 224);
  AscendC::GetSelectMaxMinTmpSize(ShapeOf({64, 128}), ShapeOf({1}), 2, ShapeOf({64, 160}), 1, false, max, min);
  EXPECT_EQ(max, 8192u * 2 + 512 + 8192);
  EXPECT_EQ(min, 4096u * 2 + 512 + 8192);
  AscendC::GetSelectWithBytesMaskMaxMinTmpSize(ShapeOf({1}), ShapeOf({4, 32}), 4, ShapeOf({4, 32}), 1, true, max, min);
  EXPECT_EQ(max, 1024u);
}

}  // namespace
