#include <gtest/gtest.h>

#include <algorithm>

#include "values.h"

namespace akgen::sim::test {
namespace {

TEST(Gather, ByteOffsetsFromABase) {
  Core core;
  for (int i = 0; i < 1000; ++i) core.At<uint16_t>(0)[i] = uint16_t(7 * i);
  for (int i = 0; i < 200; ++i) core.At<uint32_t>(4096)[i] = uint32_t(2 * ((i * 37) % 500));
  AkgenVec v = Instr(AKGEN_OP_Gather, AKGEN_F16, AKGEN_F16, AKGEN_U32);
  v.src0 = core.At<void>(0), v.src1 = core.At<void>(4096), v.dst = core.At<void>(8192);
  v.aux[0] = 20;
  core.Count(200, 2);
  RunOwn(core, v);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(core.At<uint16_t>(8192)[i], 7 * ((i * 37) % 500 + 10));
  EXPECT_EQ(core.write_bytes, 400u);
  core.At<uint32_t>(4096)[3] = 5;  // not a multiple of the element size
  RunOwn(core, v);
  EXPECT_EQ(core.broken, std::vector<std::string>{"gather_offset"});
}

TEST(Gather, MaskedAndStrided) {
  Core core;
  for (int i = 0; i < 512; ++i) core.At<float>(0)[i] = float(i), core.At<float>(8192)[i] = -1;
  for (int i = 0; i < 128; ++i) core.At<uint32_t>(4096)[i] = uint32_t(4 * (511 - i));
  AkgenVec v = Instr(AKGEN_OP_Gather, AKGEN_F32, AKGEN_F32, AKGEN_U32);
  v.form = AKGEN_FORM_MASK;
  v.src0 = core.At<void>(0), v.src1 = core.At<void>(4096), v.dst = core.At<void>(8192);
  v.dst_rep = 16;
  core.Masked(2, 4, Lanes(10), 0);
  RunOwn(core, v);
  for (int r = 0; r < 2; ++r)
    for (int e = 0; e < 12; ++e)
      EXPECT_EQ(core.At<float>(8192)[r * 128 + e], e < 10 ? float(511 - 64 * r - e) : -1);
}

TEST(Gather, Blocks) {
  Core core;
  for (int i = 0; i < 4096; ++i) core.At<uint16_t>(0)[i] = uint16_t(i);
  for (int i = 0; i < 16; ++i) core.At<uint32_t>(16384)[i] = uint32_t(32 * (40 - i));
  AkgenVec v = Instr(AKGEN_OP_Gatherb, AKGEN_U16, AKGEN_U16, AKGEN_U32);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = core.At<void>(0), v.src1 = core.At<void>(16384), v.dst = core.At<void>(32768);
  v.repeat = 2, v.dst_rep = 8;
  RunOwn(core, v);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(core.At<uint16_t>(32768)[i], 16 * (40 - i / 16) + i % 16);
}

TEST(Scatter, GoesToByteOffsets) {
  Core core;
  for (int i = 0; i < 64; ++i)
    core.At<uint32_t>(0)[i] = uint32_t(100 + i),
    core.At<uint32_t>(4096)[i] = uint32_t(4 * (63 - i));
  AkgenVec v = Instr(AKGEN_OP_Scatter, AKGEN_U32, AKGEN_U32, AKGEN_U32);
  v.src0 = core.At<void>(0), v.src1 = core.At<void>(4096), v.dst = core.At<void>(8192);
  v.aux[0] = 64;
  core.Count(64, 4);
  RunOwn(core, v);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(core.At<uint32_t>(8192 + 64)[63 - i], uint32_t(100 + i));
}

struct MaskFixture : Core {
  MaskFixture() {
    for (int i = 0; i < 2048; ++i) At<uint16_t>(0)[i] = uint16_t(i);
    v = Instr(AKGEN_OP_GatherMask, AKGEN_U16, AKGEN_U16);
    v.form = AKGEN_FORM_WHOLE;
    v.src0 = At<void>(0), v.dst = At<void>(16384);
    v.src0_blk = 1, v.src0_rep = 8;
  }
  AkgenVec v;
};
TEST(GatherMask, BuiltInPatterns) {
  const int first[] = {0, 0, 1, 0, 1, 2, 3, 0}, step[] = {0, 2, 2, 4, 4, 4, 4, 1};
  for (uint8_t pattern = 1; pattern <= 7; ++pattern) {
    MaskFixture f;
    f.v.mode = pattern;
    f.v.repeat = 3;
    RunOwn(f, f.v);
    ASSERT_EQ(f.gather_count, size_t(384 / step[pattern]));
    for (size_t i = 0; i < f.gather_count; ++i)
      ASSERT_EQ(f.At<uint16_t>(16384)[i], first[pattern] + step[pattern] * int(i)) << int(pattern);
    EXPECT_EQ(f.write_bytes, f.gather_count * 2);
  }
  MaskFixture f;
  f.v.mode = 9, f.v.repeat = 1;
  RunOwn(f, f.v);
  EXPECT_EQ(f.broken.size(), 1u);
}
// The documented example: mask 70, two repeats, stride 8, pattern every odd element -> 35 from each
// repeat.
TEST(GatherMask, CounterModeRestartsThePatternEachRepeat) {
  MaskFixture f;
  f.v.mode = 2, f.v.repeat = 2, f.v.flag = 1, f.v.mask[0] = 70;
  RunOwn(f, f.v);
  EXPECT_EQ(f.gather_count, 70u);
  EXPECT_EQ(f.At<uint16_t>(16384)[34], 69);
  EXPECT_EQ(f.At<uint16_t>(16384)[35], 129);
}
TEST(GatherMask, PatternTensor) {
  MaskFixture f;
  for (int i = 0; i < 64; ++i) f.At<uint32_t>(8192)[i] = 0x99999999u;
  f.v.src1 = f.At<void>(8192);
  f.v.repeat = 2;
  f.v.src1_rep = 1;
  f.At<uint32_t>(8192)[8] = 1;  // the second repeat's pattern starts one DataBlock on
  for (int i = 9; i < 12; ++i) f.At<uint32_t>(8192)[i] = 0;
  RunOwn(f, f.v);
  ASSERT_EQ(f.gather_count, 65u);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(f.At<uint16_t>(16384)[i], i / 2 * 4 + (i % 2 ? 3 : 0));
  EXPECT_EQ(f.At<uint16_t>(16384)[64], 128);
}
TEST(GatherMask, StridedBlocks) {
  MaskFixture f;
  f.v.mode = 7, f.v.repeat = 2, f.v.src0_blk = 2, f.v.src0_rep = 3;
  RunOwn(f, f.v);
  EXPECT_EQ(f.gather_count, 256u);
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(f.At<uint16_t>(16384)[i], i / 128 * 48 + i % 128 / 16 * 32 + i % 16);
}

TEST(Shuffle, CreateVecIndex) {
  Core core;
  AkgenVec v = Instr(AKGEN_OP_CreateVecIndex, AKGEN_I32, AKGEN_I32);
  v.dst = core.At<void>(0);
  v.scalar = uint32_t(-5);
  core.Count(300, 4);
  RunOwn(core, v);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(core.At<int32_t>(0)[i], i - 5);
  EXPECT_EQ(core.write_bytes, 1200u);
  v = Instr(AKGEN_OP_CreateVecIndex, AKGEN_F16, AKGEN_F16);
  v.dst = core.At<void>(4096);
  v.scalar = base::DoubleToHalf(2040);
  core.Count(20, 2);
  RunOwn(core, v);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(core.At<uint16_t>(4096)[i], base::DoubleToHalf(2040 + i));
  EXPECT_EQ(FindOwn(Instr(AKGEN_OP_CreateVecIndex, AKGEN_U32, AKGEN_U32)), nullptr);
}

TEST(Shuffle, Brcb) {
  Core core;
  for (int i = 0; i < 16; ++i) core.At<float>(0)[i] = float(i);
  AkgenVec v = Instr(AKGEN_OP_Brcb, AKGEN_F32, AKGEN_F32);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = core.At<void>(0), v.dst = core.At<void>(4096);
  v.repeat = 2, v.dst_blk = 2, v.dst_rep = 16;
  RunOwn(core, v);
  for (int i = 0; i < 16; ++i)
    for (int e = 0; e < 16; ++e)
      EXPECT_EQ(core.At<float>(4096)[i * 16 + e], e < 8 ? float(i) : 0.0f);
}

TEST(Shuffle, Transpose16) {
  Core core;
  for (int i = 0; i < 256; ++i) core.At<uint16_t>(0)[i] = uint16_t(i);
  AkgenVec v = Instr(AKGEN_OP_Transpose, AKGEN_F16, AKGEN_F16);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = v.dst = core.At<void>(0);  // in place
  v.repeat = 1;
  RunOwn(core, v);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(core.At<uint16_t>(0)[i], i % 16 * 16 + i / 16);
}

template <class T>
void Trans(Core& core, uint8_t type, uint32_t repeat, uint32_t dst_rep, uint32_t src_rep,
           size_t src_pitch, size_t dst_pitch, uint8_t mode) {
  uint64_t dst[16], src[16];
  for (int i = 0; i < 16; ++i) {
    src[i] = reinterpret_cast<uint64_t>(core.At<void>(i * src_pitch));
    dst[i] = reinterpret_cast<uint64_t>(core.At<void>(65536 + i * dst_pitch));
  }
  AkgenVec v = Instr(AKGEN_OP_TransDataTo5HD, type, type);
  v.form = AKGEN_FORM_WHOLE;
  v.aux[0] = reinterpret_cast<uint64_t>(dst), v.aux[1] = reinterpret_cast<uint64_t>(src);
  v.repeat = repeat, v.dst_rep = uint16_t(dst_rep), v.src0_rep = uint16_t(src_rep), v.mode = mode;
  RunOwn(core, v);
}
// NCHW (16 channels of 16x16) to NC1HWC0: element (c, p) goes to (p, c).
TEST(Shuffle, Trans5HdHalfWithRepeats) {
  Core core;
  for (int i = 0; i < 4096; ++i) core.At<uint16_t>(0)[i] = uint16_t(i);
  Trans<uint16_t>(core, AKGEN_F16, 16, 16, 1, 512, 32, 0);
  for (int p = 0; p < 256; ++p)
    for (int c = 0; c < 16; ++c) ASSERT_EQ(core.At<uint16_t>(65536)[p * 16 + c], c * 256 + p);
}
TEST(Shuffle, Trans5HdFloat) {
  Core core;
  for (int i = 0; i < 128; ++i) core.At<uint32_t>(0)[i] = uint32_t(i);
  Trans<uint32_t>(core, AKGEN_F32, 1, 0, 0, 32, 32, 0);
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(core.At<uint32_t>(65536)[k * 16 + i], uint32_t(i * 8 + k));
}
TEST(Shuffle, Trans5HdBytesUseHalves) {
  for (uint8_t mode = 0; mode < 4; ++mode) {
    Core core;
    for (int i = 0; i < 512; ++i)
      core.At<uint8_t>(0)[i] = uint8_t(i * 3 + i / 256), core.At<uint8_t>(65536)[i] = 0xee;
    Trans<uint8_t>(core, AKGEN_U8, 1, 0, 0, 32, 32, mode);
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(core.At<uint8_t>(65536)[k * 32 + (mode & 1) * 16 + i],
                  core.At<uint8_t>(0)[i * 32 + (mode >> 1) * 16 + k]);
        EXPECT_EQ(core.At<uint8_t>(65536)[k * 32 + (~mode & 1) * 16 + i], 0xee);
      }
  }
}
TEST(Shuffle, ASingleRepeatStartsOneStrideOn) {
  Core core;
  for (int i = 0; i < 512; ++i) core.At<uint16_t>(0)[i] = uint16_t(i);
  Trans<uint16_t>(core, AKGEN_F16, 1, 16, 1, 64, 32, 0);
  EXPECT_EQ(core.At<uint16_t>(65536 + 512)[1], 32 + 16);
}

TEST(Shuffle, CastDeqFillsHalfBlocks) {
  for (uint8_t half : {0, 1})
    for (uint8_t type : {AKGEN_I8, AKGEN_U8}) {
      Core core;
      for (int i = 0; i < 200; ++i) core.At<int16_t>(0)[i] = int16_t(i * 7 - 600);
      std::memset(core.At<void>(4096), 0x55, 512);
      AkgenVec v = Instr(AKGEN_OP_CastDeq, type, AKGEN_I16);
      v.src0 = core.At<void>(0), v.dst = core.At<void>(4096);
      v.mode = half;
      core.run_args.deq_scale = 0.25f;
      core.run_args.deq_offset = 3;
      core.Count(200, 2);
      RunOwn(core, v);
      for (int i = 0; i < 200; ++i) {
        double q = std::nearbyint((i * 7 - 600) * 0.25 + 3);
        double low = type == AKGEN_I8 ? -128 : 0, high = type == AKGEN_I8 ? 127 : 255;
        uint8_t got = *core.At<uint8_t>(4096 + i / 16 * 32 + half * 16 + i % 16);
        EXPECT_EQ(type == AKGEN_I8 ? int8_t(got) : int(got), int(std::min(high, std::max(low, q))))
            << i;
        EXPECT_EQ(*core.At<uint8_t>(4096 + i / 16 * 32 + (1 - half) * 16 + i % 16), 0x55);
      }
    }
}

TEST(Sort, Sort32) {
  Core core;
  std::mt19937 rng(51);
  for (int i = 0; i < 64; ++i) {
    core.At<float>(0)[i] = float(rng() % 10);
    core.At<uint32_t>(1024)[i] = uint32_t(1000 + i);
  }
  AkgenVec v = Instr(AKGEN_OP_Sort32, AKGEN_F32, AKGEN_F32, AKGEN_U32);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = core.At<void>(0), v.src1 = core.At<void>(1024), v.dst = core.At<void>(4096);
  v.repeat = 2;
  RunOwn(core, v);
  for (int r = 0; r < 2; ++r) {
    std::vector<int> order(32);
    for (int i = 0; i < 32; ++i) order[i] = r * 32 + i;
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      float x = core.At<float>(0)[a], y = core.At<float>(0)[b];
      return x != y ? x > y : a < b;
    });
    for (int i = 0; i < 32; ++i) {
      EXPECT_EQ(core.At<float>(4096)[2 * (r * 32 + i)], core.At<float>(0)[order[i]]);
      EXPECT_EQ(core.At<uint32_t>(4096)[2 * (r * 32 + i) + 1], uint32_t(1000 + order[i]));
    }
  }
}
TEST(Sort, Sort32HalfLayout) {
  Core core;
  for (int i = 0; i < 32; ++i)
    core.At<uint16_t>(0)[i] = base::DoubleToHalf(i), core.At<uint32_t>(1024)[i] = uint32_t(i);
  AkgenVec v = Instr(AKGEN_OP_Sort32, AKGEN_F16, AKGEN_F16, AKGEN_U32);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = core.At<void>(0), v.src1 = core.At<void>(1024), v.dst = core.At<void>(4096);
  v.repeat = 1;
  RunOwn(core, v);
  EXPECT_EQ(core.At<uint16_t>(4096)[0], base::DoubleToHalf(31));
  EXPECT_EQ(core.At<uint32_t>(4096)[1], 31u);
  EXPECT_EQ(core.At<uint16_t>(4096)[4 * 31], 0);
}

// Four lists of (score, index); list i starts at 4096 * i.
struct MergeFixture : Core {
  MergeFixture(std::vector<std::vector<float>> lists) {
    uint32_t index = 0;
    for (size_t l = 0; l < lists.size(); ++l) {
      src[l] = reinterpret_cast<uint64_t>(At<void>(4096 * l));
      for (size_t i = 0; i < lists[l].size(); ++i) {
        At<float>(4096 * l)[2 * i] = lists[l][i];
        At<uint32_t>(4096 * l)[2 * i + 1] = index++;
      }
      v.aux[1] |= uint64_t(lists[l].size()) << (16 * l);
    }
    v.op = AKGEN_OP_MrgSort;
    v.form = AKGEN_FORM_WHOLE;
    v.dst_type = v.src_type = AKGEN_F32;
    v.dst = At<void>(32768);
    v.aux[0] = reinterpret_cast<uint64_t>(src);
    v.mode = uint8_t((1 << lists.size()) - 1);
    v.repeat = 1;
  }
  std::vector<uint32_t> Indices(size_t n) {
    std::vector<uint32_t> out(n);
    for (size_t i = 0; i < n; ++i) out[i] = At<uint32_t>(32768)[2 * i + 1];
    return out;
  }
  AkgenVec v = {};
  uint64_t src[4] = {};
};
TEST(Sort, MergeKeepsTheOrderOfEqualScores) {
  MergeFixture f({{9, 5, 1}, {9, 5, 5}, {10, 0}});
  RunOwn(f, f.v);
  EXPECT_EQ(f.Indices(8), (std::vector<uint32_t>{6, 0, 3, 1, 4, 5, 2, 7}));
  EXPECT_EQ(f.mrg_result, 3ull | 3ull << 16 | 2ull << 32);
}
TEST(Sort, MergeSuspendsWhenAListRunsOut) {
  MergeFixture f({{9, 5, 1}, {8, 7}});
  f.v.flag = 1;
  RunOwn(f, f.v);
  EXPECT_EQ(f.Indices(3), (std::vector<uint32_t>{0, 3, 4}));
  EXPECT_EQ(f.mrg_result, 1ull | 2ull << 16);
  EXPECT_EQ(f.write_bytes, 24u);
}
TEST(Sort, MergeRepeats) {
  Core core;
  for (int i = 0; i < 16; ++i)
    core.At<float>(0)[2 * i] = float(i), core.At<uint32_t>(0)[2 * i + 1] = uint32_t(i);
  uint64_t src[4];
  for (int l = 0; l < 4; ++l) src[l] = reinterpret_cast<uint64_t>(core.At<void>(16 * l));
  for (int l = 0; l < 8; ++l) {  // each list of two must descend
    std::swap(core.At<uint64_t>(0)[2 * l], core.At<uint64_t>(0)[2 * l + 1]);
  }
  AkgenVec v = Instr(AKGEN_OP_MrgSort, AKGEN_F32, AKGEN_F32);
  v.form = AKGEN_FORM_WHOLE;
  v.dst = core.At<void>(4096);
  v.aux[0] = reinterpret_cast<uint64_t>(src), v.aux[1] = 0x0002000200020002ull;
  v.mode = 15, v.repeat = 2;
  RunOwn(core, v);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(core.At<float>(4096)[2 * i], float(i < 8 ? 7 - i : 23 - i));
}

TEST(Sort, ProposalsRoundTrip) {
  Core core;
  for (int i = 0; i < 32; ++i) core.At<uint16_t>(0)[i] = base::DoubleToHalf((i * 7) % 32);
  AkgenVec v = Instr(AKGEN_OP_ProposalConcat, AKGEN_F16, AKGEN_F16);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = core.At<void>(0), v.dst = core.At<void>(1024);
  v.repeat = 2, v.mode = 4;
  RunOwn(core, v);
  EXPECT_EQ(core.At<uint16_t>(1024)[8 * 3 + 4], core.At<uint16_t>(0)[3]);
  EXPECT_EQ(core.write_bytes, 64u);
  v = Instr(AKGEN_OP_RpSort16, AKGEN_F16, AKGEN_F16);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = core.At<void>(1024), v.dst = core.At<void>(4096);
  v.repeat = 2;
  RunOwn(core, v);
  v = Instr(AKGEN_OP_ProposalExtract, AKGEN_F16, AKGEN_F16);
  v.form = AKGEN_FORM_WHOLE;
  v.src0 = core.At<void>(4096), v.dst = core.At<void>(8192);
  v.repeat = 2, v.mode = 4;
  RunOwn(core, v);
  for (int r = 0; r < 2; ++r) {
    std::vector<double> want;
    for (int i = 0; i < 16; ++i) want.push_back(((r * 16 + i) * 7) % 32);
    std::sort(want.rbegin(), want.rend());
    for (int i = 0; i < 16; ++i) EXPECT_EQ(HalfValue(core.At<uint16_t>(8192)[r * 16 + i]), want[i]);
  }
}

}  // namespace
}  // namespace akgen::sim::test
