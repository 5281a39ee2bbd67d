#include <gtest/gtest.h>

#include "values.h"

namespace akgen::sim::test {
namespace {

double ToHalf(double v) { return HalfValue(base::DoubleToHalf(v)); }
double ToFloat(double v) { return float(v); }

// The documented tree, written as recursion over pairs; absent lanes take no part.
struct Lane {
  double v;
  bool on;
};
Lane Tree(const std::vector<Lane>& lanes, size_t first, size_t n, double (*round)(double)) {
  if (n == 1) return lanes[first];
  Lane a = Tree(lanes, first, n / 2, round), b = Tree(lanes, first + n / 2, n / 2, round);
  if (!a.on) return b;
  if (!b.on) return a;
  return {round(a.v + b.v), true};
}
std::vector<Lane> HalfLanes(const uint16_t* s, size_t n, uint64_t low, uint64_t high) {
  std::vector<Lane> v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = {HalfValue(s[i]), bool(((i < 64 ? low : high) >> (i % 64)) & 1)};
  return v;
}

void FillHalf(uint16_t* s, size_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  for (size_t i = 0; i < n; ++i) s[i] = base::DoubleToHalf((int(rng() % 20001) - 10000) / 77.0);
}

TEST(Reduce, WholeSumHalfIsATreeRoundedAtEachStep) {
  Core core;
  FillHalf(core.At<uint16_t>(0), 128 * 5, 31);
  for (uint32_t mask : {128u, 100u, 33u, 1u}) {
    AkgenVec v = Instr(AKGEN_OP_WholeReduceSum, AKGEN_F16, AKGEN_F16);
    v.form = AKGEN_FORM_MASK;
    v.src0 = core.At<void>(0);
    v.dst = core.At<void>(8192);
    v.src0_blk = 1, v.src0_rep = 8, v.dst_rep = 2;
    uint64_t low = Lanes(mask), high = mask > 64 ? Lanes(mask - 64) : 0;
    core.Masked(5, 2, low, high);
    RunOwn(core, v);
    for (int r = 0; r < 5; ++r) {
      auto lanes = HalfLanes(core.At<uint16_t>(0) + 128 * r, 128, low, high);
      EXPECT_EQ(core.At<uint16_t>(8192)[2 * r], base::DoubleToHalf(Tree(lanes, 0, 128, ToHalf).v))
          << mask << " " << r;
    }
  }
  EXPECT_EQ(core.outside, 0u);
}

TEST(Reduce, WholeSumOverflowsInsideTheTree) {
  Core core;
  uint16_t* s = core.At<uint16_t>(0);
  for (int i = 0; i < 128; ++i) s[i] = 0;
  s[0] = s[1] = base::DoubleToHalf(60000);
  s[2] = base::DoubleToHalf(-60000);
  AkgenVec v = Instr(AKGEN_OP_WholeReduceSum, AKGEN_F16, AKGEN_F16);
  v.form = AKGEN_FORM_MASK;
  v.src0 = s;
  v.dst = core.At<void>(1024);
  v.src0_blk = 1, v.src0_rep = 8, v.dst_rep = 1;
  core.Masked(1, 2, ~0ull, ~0ull);
  RunOwn(core, v);
  EXPECT_EQ(*core.At<uint16_t>(1024), 0x7c00);
}

TEST(Reduce, WholeMaxLayouts) {
  Core core;
  uint16_t* s = core.At<uint16_t>(0);
  for (int i = 0; i < 256; ++i) s[i] = 0x3c00;
  s[52] = s[60] = base::DoubleToHalf(11);
  s[128 + 80] = base::DoubleToHalf(12);
  uint16_t* d = core.At<uint16_t>(4096);
  auto run = [&](uint8_t order) {
    std::memset(d, 0, 64);
    AkgenVec v = Instr(AKGEN_OP_WholeReduceMax, AKGEN_F16, AKGEN_F16);
    v.form = AKGEN_FORM_MASK;
    v.mode = order;
    v.src0 = s;
    v.dst = d;
    v.src0_blk = 1, v.src0_rep = 8, v.dst_rep = 1;
    core.Masked(2, 2, ~0ull, ~0ull);
    RunOwn(core, v);
    return std::vector<uint16_t>(d, d + 4);
  };
  const uint16_t a = base::DoubleToHalf(11), b = base::DoubleToHalf(12);
  EXPECT_EQ(run(0), (std::vector<uint16_t>{a, 52, b, 80}));
  EXPECT_EQ(run(1), (std::vector<uint16_t>{52, a, 80, b}));
  EXPECT_EQ(run(2), (std::vector<uint16_t>{a, b, 0, 0}));
  EXPECT_EQ(run(3), (std::vector<uint16_t>{52, 0, 80, 0}));
  EXPECT_EQ(core.reduce_value, b);
  EXPECT_EQ(core.reduce_index, 208u);
}

TEST(Reduce, NanWinsAndBitMasksCount) {
  Core core;
  uint32_t* s = core.At<uint32_t>(0);
  for (int i = 0; i < 64; ++i) s[i] = std::bit_cast<uint32_t>(float(i));
  AkgenVec v = Instr(AKGEN_OP_WholeReduceMax, AKGEN_F32, AKGEN_F32);
  v.form = AKGEN_FORM_BITS;
  v.src0 = s;
  v.dst = core.At<void>(1024);
  v.src0_blk = 1, v.src0_rep = 8, v.dst_rep = 1;
  core.Masked(1, 4, 0x00ff00ff00ff00f1ull, 0);
  RunOwn(core, v);
  EXPECT_EQ(core.At<float>(1024)[0], 55.0f);
  EXPECT_EQ(core.At<uint32_t>(1024)[1], 55u);
  s[5] = 0x7fc00000;
  RunOwn(core, v);
  EXPECT_TRUE(IsNanFloat(core.At<uint32_t>(1024)[0]));
  EXPECT_EQ(core.At<uint32_t>(1024)[1], 5u);
  s[5] = std::bit_cast<uint32_t>(-7.0f);
  v.op = AKGEN_OP_WholeReduceMin;
  RunOwn(core, v);
  EXPECT_EQ(core.At<float>(1024)[0], -7.0f);
}

TEST(Reduce, SignedZeros) {
  Core core;
  float* s = core.At<float>(0);
  for (int i = 0; i < 64; ++i) s[i] = -0.0f;
  s[9] = 0.0f;
  for (bool max : {true, false}) {
    AkgenVec v =
        Instr(max ? AKGEN_OP_WholeReduceMax : AKGEN_OP_WholeReduceMin, AKGEN_F32, AKGEN_F32);
    v.form = AKGEN_FORM_MASK;
    v.src0 = s;
    v.dst = core.At<void>(1024);
    v.src0_blk = 1, v.src0_rep = 8, v.dst_rep = 1;
    core.Masked(1, 4, ~0ull, 0);
    RunOwn(core, v);
    EXPECT_EQ(std::signbit(core.At<float>(1024)[0]), !max);
  }
}

TEST(Reduce, BlocksAndPairsSkipWhatTheMaskLeavesOut) {
  Core core;
  float* s = core.At<float>(0);
  for (int i = 0; i < 64; ++i) s[i] = float(i);
  float* d = core.At<float>(1024);
  for (int i = 0; i < 64; ++i) d[i] = -1;
  AkgenVec v = Instr(AKGEN_OP_BlockReduceSum, AKGEN_F32, AKGEN_F32);
  v.form = AKGEN_FORM_BITS;
  v.src0 = s;
  v.dst = d;
  v.src0_blk = 1, v.src0_rep = 8, v.dst_rep = 1;
  core.Masked(1, 4, 0xff000000000000f3ull, 0);  // block 0 lanes 0 1 4-7, block 7 all
  RunOwn(core, v);
  EXPECT_EQ(std::vector<float>(d, d + 8),
            (std::vector<float>{0 + 1 + 4 + 5 + 6 + 7, -1, -1, -1, -1, -1, -1, 476}));
  v.op = AKGEN_OP_BlockReduceMax;
  RunOwn(core, v);
  EXPECT_EQ(d[0], 7);
  v.op = AKGEN_OP_BlockReduceMin;
  RunOwn(core, v);
  EXPECT_EQ(d[7], 56);
  for (int i = 0; i < 64; ++i) d[i] = -1;
  v.op = AKGEN_OP_PairReduceSum;
  core.Masked(1, 4, 0b1101'0011, 0);
  RunOwn(core, v);
  EXPECT_EQ(std::vector<float>(d, d + 5), (std::vector<float>{1, -1, 4, 13, -1}));
}

TEST(Reduce, BlockStrides) {
  Core core;
  float* s = core.At<float>(0);
  for (int i = 0; i < 1024; ++i) s[i] = float(i);
  AkgenVec v = Instr(AKGEN_OP_BlockReduceSum, AKGEN_F32, AKGEN_F32);
  v.form = AKGEN_FORM_MASK;
  v.src0 = s;
  v.dst = core.At<void>(8192);
  v.src0_blk = 2, v.src0_rep = 16, v.dst_rep = 2;
  core.Masked(3, 4, ~0ull, 0);
  RunOwn(core, v);
  for (int r = 0; r < 3; ++r)
    for (int b = 0; b < 8; ++b) {
      float want = 0;
      for (int e = 0; e < 8; ++e) want += s[r * 128 + b * 16 + e];
      EXPECT_EQ(core.At<float>(8192)[r * 16 + b], want);
    }
  EXPECT_EQ(core.reads, 24u);  // strided DataBlocks are announced one by one
}

TEST(Reduce, SumCountFormAddsRepeatsInOrder) {
  Core core;
  const uint32_t n = 128 * 9 + 37;
  FillHalf(core.At<uint16_t>(0), n, 32);
  AkgenVec v = Instr(AKGEN_OP_ReduceSum, AKGEN_F16, AKGEN_F16);
  v.src0 = core.At<void>(0);
  v.dst = core.At<void>(16384);
  v.tmp = core.At<void>(20480);
  core.Count(n, 2);
  RunOwn(core, v);
  double sum = 0;
  for (uint32_t r = 0; r < 10; ++r) {
    uint32_t on = r < 9 ? 128 : 37;
    auto lanes =
        HalfLanes(core.At<uint16_t>(0) + 128 * r, 128, Lanes(on), on > 64 ? Lanes(on - 64) : 0);
    double t = Tree(lanes, 0, 128, ToHalf).v;
    sum = r ? ToHalf(sum + t) : t;
  }
  EXPECT_EQ(*core.At<uint16_t>(16384), base::DoubleToHalf(sum));
  EXPECT_EQ(core.acc_val, float(sum));
  EXPECT_EQ(core.reads, 1u);
  EXPECT_EQ(core.clobbered, 0u);
}

TEST(Reduce, SumSlicedFormIsATreeAcrossRepeats) {
  Core core;
  float* s = core.At<float>(0);
  std::mt19937 rng(33);
  for (int i = 0; i < 64 * 70; ++i) s[i] = float(int(rng() % 2001) - 1000) / 7;
  AkgenVec v = Instr(AKGEN_OP_ReduceSum, AKGEN_F32, AKGEN_F32);
  v.form = AKGEN_FORM_MASK;
  v.src0 = s;
  v.src0_rep = 8;
  v.dst = core.At<void>(65536);
  v.tmp = core.At<void>(70000 / 32 * 32);
  core.Masked(70, 4, ~0ull, 0);
  RunOwn(core, v);
  std::vector<Lane> level(128, Lane{0, false});
  for (int r = 0; r < 70; ++r) {
    std::vector<Lane> lanes(64);
    for (int e = 0; e < 64; ++e) lanes[e] = {s[64 * r + e], true};
    level[r] = Tree(lanes, 0, 64, ToFloat);
  }
  std::vector<Lane> last = {Tree(level, 0, 64, ToFloat), Tree(level, 64, 64, ToFloat)};
  EXPECT_EQ(*core.At<float>(65536), float(Tree(last, 0, 2, ToFloat).v));
  EXPECT_EQ(core.clobbered, 70u * 4);
}

TEST(Reduce, MaxWithIndex) {
  Core core;
  const uint32_t n = 8320;
  FillHalf(core.At<uint16_t>(0), n, 34);
  core.At<uint16_t>(0)[5003] = base::DoubleToHalf(500);
  core.At<uint16_t>(0)[6001] = base::DoubleToHalf(500);
  core.At<uint16_t>(0)[77] = base::DoubleToHalf(-500);
  AkgenVec v = Instr(AKGEN_OP_ReduceMax, AKGEN_F16, AKGEN_F16);
  v.src0 = core.At<void>(0);
  v.dst = core.At<void>(32768);
  v.tmp = core.At<void>(40960);
  v.flag = 1;
  core.Count(n, 2);
  RunOwn(core, v);
  EXPECT_EQ(core.At<uint16_t>(32768)[0], base::DoubleToHalf(500));
  EXPECT_EQ(core.At<uint16_t>(32768)[1], 5003);
  EXPECT_EQ(core.clobbered,
            (130u + 4 + 2) * 2);  // the rounds of the documented example with 65 repeats
  v.op = AKGEN_OP_ReduceMin;
  v.flag = 0;
  core.At<uint16_t>(32768)[1] = 0x1234;
  RunOwn(core, v);
  EXPECT_EQ(core.At<uint16_t>(32768)[0], base::DoubleToHalf(-500));
  EXPECT_EQ(core.At<uint16_t>(32768)[1], 0x1234);
}

TEST(Reduce, IndexCountsTheGapsBetweenRepeats) {
  Core core;
  for (int i = 0; i < 512; ++i) core.At<float>(0)[i] = float(-i % 50);
  core.At<float>(0)[2 * 128 + 5] = 9;
  core.At<float>(0)[100] = 99;  // in a gap
  AkgenVec v = Instr(AKGEN_OP_ReduceMax, AKGEN_F32, AKGEN_F32);
  v.form = AKGEN_FORM_MASK;
  v.src0 = core.At<void>(0);
  v.src0_rep = 16;
  v.dst = core.At<void>(65536), v.tmp = core.At<void>(70016);
  v.flag = 1;
  core.Masked(4, 4, ~0ull, 0);
  RunOwn(core, v);
  EXPECT_EQ(core.At<float>(65536)[0], 9);
  EXPECT_EQ(core.At<uint32_t>(65536)[1], 261u);
}

TEST(Reduce, ASingleRepeatWithIndexLeavesTheWorkBufferAlone) {
  Core core;
  AkgenVec v = Instr(AKGEN_OP_ReduceMin, AKGEN_F32, AKGEN_F32);
  v.src0 = v.tmp = core.At<void>(0);
  v.dst = core.At<void>(1024);
  v.flag = 1;
  core.Count(50, 4);
  RunOwn(core, v);
  EXPECT_EQ(core.clobbered, 0u);
  v.flag = 0;
  RunOwn(core, v);
  EXPECT_EQ(core.clobbered, 8u);
}

TEST(Reduce, NothingActiveWritesNothing) {
  Core core;
  for (uint32_t op : {AKGEN_OP_WholeReduceSum, AKGEN_OP_WholeReduceMax, AKGEN_OP_BlockReduceSum,
                      AKGEN_OP_ReduceSum}) {
    AkgenVec v = Instr(op, AKGEN_F32, AKGEN_F32);
    v.form = AKGEN_FORM_MASK;
    v.src0 = core.At<void>(0);
    v.dst = core.At<void>(1024);
    core.Masked(0, 4, ~0ull, 0);
    RunOwn(core, v);
  }
  EXPECT_EQ(core.writes, 0u);
  EXPECT_EQ(FindOwn(Instr(AKGEN_OP_ReduceSum, AKGEN_I32, AKGEN_I32)), nullptr);
}

}  // namespace
}  // namespace akgen::sim::test
