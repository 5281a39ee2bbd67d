// Working-space functions against numbers worked out by hand from their documented rules.
#include <gtest/gtest.h>

#include "akgen/library_tmp.h"
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

// What the chip clobbers (sim's tests) and what the host gives come of the same row; an empty
// shape, or a size that the function does not take, leaves the results alone.
TEST(LibTiling, HostGivesWhatTheRowSays) {
  int rows = 0;
  auto check = [&](const char* name, auto host, akgen::TmpSize (*row)(uint32_t, uint32_t, bool),
                   auto takes) {
    SCOPED_TRACE(name);
    ++rows;
    for (uint32_t count : {0u, 1u, 100u, 1000u})
      for (uint32_t size : {2u, 4u})
        for (bool reuse : {false, true}) {
          uint32_t max = 7, min = 7;
          host(ShapeOf({count}), size, reuse, max, min);
          const bool given = count != 0 && takes(size);
          const akgen::TmpSize want = given ? row(count, size, reuse) : akgen::TmpSize{7, 7};
          EXPECT_EQ(max, want.max) << count << " of " << size;
          EXPECT_EQ(min, want.min) << count << " of " << size;
        }
  };
#define AKGEN_TMP_BYTES(name, takes, ...)                           \
  check(#name, AscendC::Get##name##MaxMinTmpSize, akgen::name##Tmp, \
        []([[maybe_unused]] uint32_t size) { return takes; });
#define AKGEN_TMP_SIZE(name, ...) AKGEN_TMP_BYTES(name, true)
#include "akgen/vec_ops.inc"
  EXPECT_GE(rows, 29);
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
  AscendC::tiling::SoftMaxTiling plain;
  AscendC::SoftMaxTilingFunc(shape, 2, 20 * (16 + 128 + 64) * 4, plain);
  EXPECT_EQ(plain.splitM, t.get_splitM());
  EXPECT_EQ(plain.rangeM, t.get_rangeM());
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
  AscendC::GetSelectMaxMinTmpSize(ShapeOf({64, 128}), ShapeOf({1}), 2, ShapeOf({64, 160}), 1, false,
                                  max, min);
  EXPECT_EQ(max, 8192u * 2 + 512 + 8192);
  EXPECT_EQ(min, 4096u * 2 + 512 + 8192);
  AscendC::GetSelectWithBytesMaskMaxMinTmpSize(ShapeOf({1}), ShapeOf({4, 32}), 4, ShapeOf({4, 32}),
                                               1, true, max, min);
  EXPECT_EQ(max, 1024u);
}

// 2 x 16 rows of 64 halves: a row is 256 bytes in float, all are 8192; the moments 2 · 128 bytes.
TEST(LibTiling, Normalisations) {
  uint32_t max = 0, min = 0;
  AscendC::GetLayerNormMaxMinTmpSize(ShapeOf({2, 16, 64, 64}), 2, false, max, min);
  EXPECT_EQ(max, 3u * 8192 + 2 * 128);
  EXPECT_EQ(min, 3u * 256 + 2 * 128);
  optiling::LayerNormTiling t;
  AscendC::GetLayerNormNDTilingInfo(ShapeOf({2, 16, 64, 64}), 2048, 2, false, t);
  EXPECT_EQ(t.get_sLength(), 16u);
  EXPECT_EQ(t.get_oneTmpSize(), 2u * 64);  // 512 floats less 64 for the moments: 149 for each copy
  AscendC::tiling::LayerNormTiling plain;
  AscendC::GetLayerNormNDTilingInfo(ShapeOf({2, 16, 64, 60}), 2048, 2, false, plain);
  EXPECT_EQ(plain.bLength, 2u);
  EXPECT_EQ(plain.originalHLength, 60u);
  EXPECT_EQ(sizeof plain, t.GetDataSize());
  AscendC::GetLayerNormMaxMinTmpSize(ShapeOf({2, 60}), 2, false, true, false, max, min);
  EXPECT_EQ(max, 2u * 256 + 2 * 8 * 256 + 32);  // what Normalize takes is more
  EXPECT_EQ(min, 4u * 256 + 32);
  EXPECT_TRUE(AscendC::GetRmsNormMaxMinTmpSize(ShapeOf({1, 3, 32}), 4, max, min));
  EXPECT_EQ(max, (96u + 8) * 4);
  EXPECT_EQ(min, (32u + 8) * 4);
  EXPECT_FALSE(AscendC::GetRmsNormMaxMinTmpSize(ShapeOf({1, 3, 32}), 4, max, min, true));
  optiling::RmsNormTiling rms;
  EXPECT_FALSE(
      AscendC::GetRmsNormTilingInfo(ShapeOf({1, 3, 32}), ShapeOf({1, 3, 30}), min - 1, 4, rms));
  EXPECT_TRUE(AscendC::GetRmsNormTilingInfo(ShapeOf({1, 3, 32}), ShapeOf({1, 3, 30}), min, 4, rms));
  EXPECT_EQ(rms.get_originalHLength(), 30u);
  AscendC::GetLayerNormGradMaxMinTmpSize(ShapeOf({2, 8, 32, 32}), 4, false, max, min);
  EXPECT_EQ(max, 6u * 32 * 32 * 4);
  EXPECT_EQ(min, 6u * 16 * 32 * 4);
  AscendC::GetGroupNormMaxMinTmpSize(ShapeOf({2, 16, 3, 5}), 4, false, 4, max, min);
  EXPECT_EQ(max, 3u * 32 * 16 * 4 + 2 * 32);
  EXPECT_EQ(min, 3u * 4 * 16 * 4 + 2 * 32);
  AscendC::GetWelfordUpdateMaxMinTmpSize(ShapeOf({1, 128}), 2, 4, false, false, max, min);
  EXPECT_EQ(max, 2u * 768);
  EXPECT_TRUE(AscendC::GetBatchNormMaxMinTmpSize(ShapeOf({16, 2, 8}), ShapeOf({16, 2, 8}), 2, false,
                                                 max, min));
  EXPECT_EQ(min, 3u * 16 * 64 + 2 * 64);
}

TEST(LibTiling, TopKPaddingAndDequantising) {
  uint32_t max = 0, min = 0;
  platform_ascendc::PlatformAscendC platform(nullptr);
  auto topk = [&](int inner, int outer, bool with_index, bool small, bool largest) {
    const auto mode = small ? AscendC::TopKMode::TOPK_NSMALL : AscendC::TopKMode::TOPK_NORMAL;
    return AscendC::GetTopKMaxMinTmpSize(platform, inner, outer, false, with_index, mode, largest,
                                         4, max, min);
  };
  EXPECT_TRUE(topk(96, 3, true, false, true));
  EXPECT_EQ(min, 96u * 16);  // two lists of pairs
  EXPECT_TRUE(topk(96, 3, false, false, true));
  EXPECT_EQ(min, 96u * 20);
  EXPECT_TRUE(topk(32, 4, false, true, false));
  EXPECT_EQ(min, 128u * 8 + 64 + 128 * 4 + 128 * 4);
  EXPECT_FALSE(topk(48, 1, true, false, true));
  EXPECT_FALSE(topk(64, 1, true, true, true));
  optiling::TopkTiling t;
  EXPECT_TRUE(AscendC::TopKTilingFunc(platform, 96, 3, 13, 4, true, AscendC::TopKMode::TOPK_NORMAL,
                                      true, t));
  EXPECT_EQ(t.get_tmpLocalSize(), 96 * 4);
  EXPECT_EQ(t.get_kAlignFourBytes(), 16);
  AscendC::tiling::TopkTiling plain;
  EXPECT_EQ(sizeof plain, t.GetDataSize());
  EXPECT_FALSE(AscendC::TopKTilingFunc(platform, 96, 3, 97, 4, true, AscendC::TopKMode::TOPK_NORMAL,
                                       true, plain));
  EXPECT_EQ(AscendC::GetLogSoftMaxMinTmpSize(ShapeOf({4, 64}), 2, false), (16u + 64 + 64) * 4);
  EXPECT_EQ(AscendC::GetLogSoftMaxMaxTmpSize(ShapeOf({4, 64}), 2, false), 4u * (16 + 64 + 64) * 4);
  AscendC::GetPadMaxMinTmpSize(ShapeOf({5, 13}), 4, max, min);
  EXPECT_EQ(max, 80u * 64);
  EXPECT_EQ(min, 1024u);
  AscendC::GetTransposeMaxMinTmpSize(ShapeOf({1, 2, 64, 32}), 2, 1, max, min);
  EXPECT_EQ(min, 64u * 16 * 2);
  AscendC::tiling::ConfusionTransposeTiling heads;
  AscendC::GetTransposeTilingInfo(ShapeOf({1, 2, 64, 32}), min, 2, 1, heads);
  EXPECT_EQ(heads.param1, 2u);
  EXPECT_EQ(heads.param3, 32u);
  EXPECT_EQ(sizeof heads, 18u * 4);
  AscendC::GetConfusionTransposeMaxMinTmpSize(ShapeOf({48, 32}), 2, 7, max, min);
  EXPECT_EQ(max, 0u);
  AscendC::GetDropOutMaxMinTmpSize(ShapeOf({2, 100}), 2, false, max, min);
  EXPECT_EQ(max, 1600u);
  EXPECT_EQ(min, 512u);
  AscendC::GetAscendAntiQuantMaxMinTmpSize(ShapeOf({8, 64}), ShapeOf({1, 64}), false, ge::DT_INT8,
                                           ge::DT_BF16, max, min);
  EXPECT_EQ(max, (2u * 64 + 64 * 8) * 4);
  AscendC::GetAscendAntiQuantMaxMinTmpSize(ShapeOf({8, 64}), ShapeOf({1, 64}), false, ge::DT_INT8,
                                           ge::DT_FLOAT16, max, min);
  EXPECT_EQ(max, 0u);
  AscendC::GetAscendAntiQuantMaxMinTmpSize(ShapeOf({8, 64}), ShapeOf({1}), false, ge::DT_INT8,
                                           ge::DT_BF16, max, min);
  EXPECT_EQ(max, 2048u);
  EXPECT_EQ(min, 1024u);
  EXPECT_EQ(AscendC::GetSortTmpSize(platform, 128, 2), 1024u);
}

// 2 x 20 x 1 x 3 x 5: rows of 15 are filled up to 16, channels to 32, batches, in fractals, to 16.
TEST(LibTiling, TransDataSays) {
  using AscendC::DataFormat;
  platform_ascendc::PlatformAscendC platform(nullptr);
  const ge::Shape plain = ShapeOf({2, 20, 1, 3, 5}), blocks = ShapeOf({2, 1, 2, 3, 5, 16}),
                  fractal = ShapeOf({1, 2, 3, 5, 1, 16, 16});
  uint32_t max = 0, min = 0;
  const auto says = [&](const ge::Shape& from, const ge::Shape& to, DataFormat from_format,
                        DataFormat to_format, ge::DataType type = ge::DT_FLOAT16) {
    const AscendC::TransDataConfig config{from_format, to_format};
    return AscendC::GetTransDataMaxMinTmpSize(platform, from, to, type, config, max, min);
  };
  EXPECT_TRUE(says(plain, fractal, DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D));
  EXPECT_EQ(min, (20u * 16 + 16 * 32 * 16) * 2);
  EXPECT_EQ(max, min);
  EXPECT_TRUE(says(fractal, plain, DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW));
  EXPECT_EQ(min, 2u * 16 * 32 * 16 * 2);  // something is left out: twice
  EXPECT_TRUE(says(plain, blocks, DataFormat::NCDHW, DataFormat::NDC1HWC0, ge::DT_INT16));
  EXPECT_EQ(min, (16u + 32 * 16) * 2);
  EXPECT_TRUE(says(blocks, plain, DataFormat::NDC1HWC0, DataFormat::NCDHW));
  EXPECT_EQ(min, 512u + 32 * 16 * 2);
  // 5 x 7 of each depth: 35 are filled up to 48, for each of both.
  const ge::Shape deep = ShapeOf({2, 20, 2, 5, 7}), deep_blocks = ShapeOf({2, 2, 2, 5, 7, 16});
  EXPECT_TRUE(says(deep, deep_blocks, DataFormat::NCDHW, DataFormat::NDC1HWC0));
  EXPECT_EQ(min, 2 * (48u + 32 * 48) * 2);
  EXPECT_TRUE(says(deep_blocks, deep, DataFormat::NDC1HWC0, DataFormat::NCDHW));
  EXPECT_EQ(min, 512u + 2 * 32 * 48 * 2);
  EXPECT_FALSE(says(deep, ShapeOf({2, 2, 2, 7, 5, 16}), DataFormat::NCDHW, DataFormat::NDC1HWC0));
  EXPECT_FALSE(says(deep, ShapeOf({2, 1, 2, 5, 7, 16}), DataFormat::NCDHW, DataFormat::NDC1HWC0));
  EXPECT_FALSE(says(deep, ShapeOf({1, 2, 2, 5, 7, 16}), DataFormat::NCDHW, DataFormat::NDC1HWC0));
  EXPECT_FALSE(says(deep, ShapeOf({2, 2, 2, 5, 7, 8}), DataFormat::NCDHW, DataFormat::NDC1HWC0));
  EXPECT_FALSE(says(deep, ShapeOf({2, 2, 2, 5, 7}), DataFormat::NCDHW, DataFormat::NDC1HWC0));
  EXPECT_FALSE(says(plain, fractal, DataFormat::NCDHW, DataFormat::NDC1HWC0));
  EXPECT_FALSE(says(plain, ShapeOf({2, 1, 1, 3, 5, 16}), DataFormat::NCDHW, DataFormat::NDC1HWC0));
  EXPECT_FALSE(says(plain, blocks, DataFormat::NCDHW, DataFormat::NDC1HWC0, ge::DT_FLOAT));
  EXPECT_FALSE(says(plain, plain, DataFormat::NCDHW, DataFormat::NCDHW));
}

}  // namespace
