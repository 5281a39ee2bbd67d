#include <gtest/gtest.h>

#include "values.h"

namespace akgen::sim::test {
namespace {

bool Holds(int mode, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return false;  // NE too
  switch (mode) {
    case 0: return a < b;
    case 1: return a > b;
    case 2: return a == b;
    case 3: return a <= b;
    case 4: return a >= b;
    default: return a != b;
  }
}
bool Bit(const uint8_t* bits, size_t i) { return (bits[i / 8] >> (i % 8)) & 1; }

TEST(Compare, CountFormHalf) {
  Core core;
  auto a = WithRandom(HalfEdges(), 1024, 41), b = WithRandom(HalfEdges(), 1024, 42);
  for (size_t i = 0; i < 25; ++i)
    for (size_t j = 0; j < 25; ++j)
      a[100 + 25 * i + j] = HalfEdges()[i], b[100 + 25 * i + j] = HalfEdges()[j];
  std::memcpy(core.At<void>(0), a.data(), 2048);
  std::memcpy(core.At<void>(4096), b.data(), 2048);
  for (uint8_t mode = 0; mode < 6; ++mode)
    for (bool scalar : {false, true}) {
      AkgenVec v =
          Instr(scalar ? AKGEN_OP_CompareScalar : AKGEN_OP_Compare, AKGEN_U8, AKGEN_F16, AKGEN_F16);
      v.mode = mode;
      v.src0 = core.At<void>(0);
      v.src1 = scalar ? nullptr : core.At<void>(4096);
      v.scalar = 0x3c00;
      v.dst = core.At<void>(8192);
      core.Count(1024, 2);
      RunOwn(core, v);
      for (size_t i = 0; i < 1024; ++i)
        ASSERT_EQ(Bit(core.At<uint8_t>(8192), i),
                  Holds(mode, HalfValue(a[i]), scalar ? 1.0 : HalfValue(b[i])))
            << int(mode) << " " << std::hex << a[i] << " " << b[i];
    }
  EXPECT_TRUE(core.broken.empty());
}

TEST(Compare, TailOfACountIsNotCompared) {
  Core core;
  AkgenVec v = Instr(AKGEN_OP_Compare, AKGEN_U8, AKGEN_F32, AKGEN_F32);
  v.mode = 2;
  v.src0 = core.At<void>(0);
  v.src1 = core.At<void>(4096);
  v.dst = core.At<void>(8192);
  core.Count(100, 4);
  RunOwn(core, v);
  EXPECT_EQ(core.broken, std::vector<std::string>{"compare_count"});
  EXPECT_EQ(core.At<uint8_t>(8192)[7], 0xff);
  EXPECT_EQ(core.At<uint8_t>(8192)[8], 0);
  EXPECT_EQ(core.write_bytes, 8u);
}

TEST(Compare, RegisterAndStrides) {
  Core core;
  float* s = core.At<float>(0);
  for (int i = 0; i < 256; ++i) s[i] = float(i);
  AkgenVec v = Instr(AKGEN_OP_CompareScalar, AKGEN_U8, AKGEN_F32, AKGEN_NO_DTYPE);
  v.form = AKGEN_FORM_MASK;
  v.mode = 1;
  v.src0 = s;
  v.scalar = std::bit_cast<uint32_t>(50.0f);
  v.src0_blk = 2, v.src0_rep = 16;
  v.dst = core.At<void>(8192);
  core.Masked(2, 4, ~0ull, 0);
  RunOwn(core, v);
  for (int r = 0; r < 2; ++r)
    for (int e = 0; e < 64; ++e)
      EXPECT_EQ(Bit(core.At<uint8_t>(8192), r * 64 + e), s[r * 128 + e / 8 * 16 + e % 8] > 50.0f);
  v.dst = nullptr;
  v.src0_blk = 1;
  core.Masked(1, 4, Lanes(60), 0);
  RunOwn(core, v);
  EXPECT_EQ(core.cmp_mask[0], Lanes(60) & ~Lanes(51));
}

TEST(Compare, Int32OnlyEqual) {
  AkgenVec v = Instr(AKGEN_OP_Compare, AKGEN_U8, AKGEN_I32, AKGEN_I32);
  v.dst = &v;
  v.mode = 2;
  EXPECT_NE(FindOwn(v), nullptr);
  v.mode = 1;
  EXPECT_EQ(FindOwn(v), nullptr);
}

struct SelectFixture : Core {
  SelectFixture() {
    for (int i = 0; i < 1024; ++i)
      At<float>(0)[i] = float(i), At<float>(8192)[i] = float(-i), At<float>(16384)[i] = 0.5f;
    std::mt19937 rng(43);
    for (int i = 0; i < 256; ++i) *At<uint8_t>(32768 + i) = uint8_t(rng());
    v = Instr(AKGEN_OP_Select, AKGEN_F32, AKGEN_F32, AKGEN_F32);
    v.src0 = At<void>(0), v.src1 = At<void>(8192), v.dst = At<void>(16384);
    v.aux[0] = reinterpret_cast<uint64_t>(At<void>(32768));
    v.dst_blk = v.src0_blk = v.src1_blk = 1;
    v.dst_rep = v.src0_rep = v.src1_rep = 8;
    v.scalar = std::bit_cast<uint32_t>(99.0f);
  }
  AkgenVec v;
};

TEST(Select, ConsumesMaskBitsRepeatByRepeat) {
  for (uint8_t mode : {1, 2}) {
    SelectFixture f;
    f.v.mode = mode;
    f.Count(150, 4);
    RunOwn(f, f.v);
    for (int i = 0; i < 150; ++i)
      ASSERT_EQ(f.At<float>(16384)[i], Bit(f.At<uint8_t>(32768), i) ? float(i)
                                       : mode == 1                  ? 99.0f
                                                                    : float(-i))
          << i;
    EXPECT_EQ(f.At<float>(16384)[150], 0.5f);
    EXPECT_EQ(f.write_bytes, 600u);
  }
}
TEST(Select, RegisterModeRepeatsTheSameBits) {
  SelectFixture f;
  f.v.form = AKGEN_FORM_BITS;
  f.Masked(3, 4, 0x0ff0ffffffffff01ull, 0);
  RunOwn(f, f.v);
  for (int r = 0; r < 3; ++r)
    for (int e = 0; e < 64; ++e) {
      int i = r * 64 + e;
      bool on = (0x0ff0ffffffffff01ull >> e) & 1;
      ASSERT_EQ(f.At<float>(16384)[i], !on                            ? 0.5f
                                       : Bit(f.At<uint8_t>(32768), e) ? float(i)
                                                                      : float(-i))
          << i;
    }
  f.v.aux[0] = 0;
  f.cmp_mask[0] = ~0ull;
  RunOwn(f, f.v);
  EXPECT_EQ(f.At<float>(16384)[0], 0.0f);
  EXPECT_EQ(f.At<float>(16384)[64 + 10], 74.0f);
}

}  // namespace
}  // namespace akgen::sim::test
