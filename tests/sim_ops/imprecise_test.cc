// Reciprocal and Rsqrt: off as their pages say, and no further than the numbers they print; modes
// of saturation.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "base/dtype.h"
#include "sim/ops/round.h"
#include "sim/ops/saturation.h"
#include "values.h"

namespace akgen::sim::test {
namespace {

double Exact(uint32_t op, double x) { return op == AKGEN_OP_Reciprocal ? 1 / x : 1 / std::sqrt(x); }

uint16_t InHalf(uint32_t op, uint16_t x, bool exact = false) {
  uint16_t d = 0;
  FindRun(Instr(op, AKGEN_F16, AKGEN_F16))(&d, &x, nullptr, 1, RunArgs{.exact = exact});
  return d;
}
float InFloat(uint32_t op, float x) {
  float d = 0;
  FindRun(Instr(op, AKGEN_F32, AKGEN_F32))(&d, &x, nullptr, 1, RunArgs{});
  return d;
}

// "The results miss 1e-3 in half": more than one in a thousand is off by more than that.
TEST(Imprecise, HalfMissesOneInAThousand) {
  for (uint32_t op : {AKGEN_OP_Reciprocal, AKGEN_OP_Rsqrt}) {
    int normal = 0, off = 0;
    for (uint32_t bits = 0x0400; bits < 0x7c00; ++bits) {
      const double x = base::HalfToFloat(uint16_t(bits)), want = Exact(op, x);
      if (want < 0x1p-14 || want > 65504) continue;
      const double error = std::fabs(base::HalfToFloat(InHalf(op, uint16_t(bits))) / want - 1);
      ++normal;
      off += error > 1e-3;
      ASSERT_LE(error, 0x1p-8) << std::hex << bits;
    }
    EXPECT_GT(off, normal / 4) << VecOpName(op);
  }
}

// The results that the pages print are among those that the model allows: nine significant bits,
// one of the neighbours.
TEST(Imprecise, WhatThePagesPrintIsANeighbourOfNineBits) {
  struct Printed {
    uint32_t op;
    double x, result;
  };
  for (const Printed& p : {Printed{AKGEN_OP_Reciprocal, -7.152, -0.1396},
                           {AKGEN_OP_Reciprocal, -7.24, -0.1382},
                           {AKGEN_OP_Reciprocal, 1.771, 0.5645},
                           {AKGEN_OP_Reciprocal, -1.339, -0.748},
                           {AKGEN_OP_Reciprocal, 4.473, 0.2231},
                           {AKGEN_OP_Rsqrt, 0.8335, 1.094},
                           {AKGEN_OP_Rsqrt, 2.2, 0.676},
                           {AKGEN_OP_Rsqrt, 2.672, 0.6113},
                           {AKGEN_OP_Rsqrt, 2.312, 0.6562},
                           {AKGEN_OP_Rsqrt, 5.36, 0.4316}}) {
    const uint16_t x = base::DoubleToHalf(p.x);
    const double want = Exact(p.op, base::HalfToFloat(x)),
                 shown = base::HalfToFloat(base::DoubleToHalf(p.result)),
                 ours = base::HalfToFloat(InHalf(p.op, x));
    int exponent = 0;
    std::frexp(want, &exponent);
    const double step = std::ldexp(1.0, exponent - 9);
    EXPECT_EQ(std::fmod(shown, step), 0) << p.x;
    EXPECT_LT(std::fabs(shown - want), step) << p.x;
    EXPECT_EQ(std::fmod(ours, step), 0) << p.x;
    EXPECT_LT(std::fabs(ours - want), step) << p.x;
  }
}

TEST(Imprecise, FloatIsOffByOneToTwoInTenThousand) {
  int above = 0, all = 0;
  for (float x = 0.001f; x < 1e6f; x *= 1.0137f)
    for (uint32_t op : {AKGEN_OP_Reciprocal, AKGEN_OP_Rsqrt}) {
      int exponent = 0;
      const double significand = std::frexp(Exact(op, x), &exponent);
      if (significand < 0.5003 || significand > 0.9997)
        continue;  // beside a power of two, which is exact
      const double error = double(InFloat(op, x)) / Exact(op, x) - 1;
      EXPECT_GT(std::fabs(error), 0.999e-4) << x;
      EXPECT_LT(std::fabs(error), 2.001e-4) << x;
      above += error > 0, ++all;
      EXPECT_EQ(InFloat(op, x), InFloat(op, x));
    }
  EXPECT_NEAR(double(above) / all, 0.5, 0.05);
}

TEST(Imprecise, EdgeValuesAreExact) {
  EXPECT_EQ(InFloat(AKGEN_OP_Reciprocal, 3.4028235e38f), 1 / 3.4028235e38f);
  EXPECT_EQ(InFloat(AKGEN_OP_Rsqrt, 3.4028235e38f), 5.421011e-20f);
  EXPECT_EQ(InFloat(AKGEN_OP_Reciprocal, 4), 0.25f);
  EXPECT_EQ(InFloat(AKGEN_OP_Rsqrt, 0), INFINITY);
  EXPECT_TRUE(std::isnan(InFloat(AKGEN_OP_Rsqrt, -1)));
  EXPECT_EQ(InHalf(AKGEN_OP_Rsqrt, 0x7bff), 0x1c00);  // 65504: 0.003906
  EXPECT_EQ(InHalf(AKGEN_OP_Reciprocal, 0x7bff), InHalf(AKGEN_OP_Reciprocal, 0x7bff, true));
}

TEST(Saturation, FloatsThatDoNotFit) {
  uint16_t half[] = {0x7c00, 0xfc00, 0x7e01, 0xfe00, 0x7bff, 0x3c00},
           bf16[] = {0x7f80, 0xff80, 0xffc0, 0x7f7f};
  SaturateFloats(half, 6, AKGEN_F16);
  SaturateFloats(bf16, 4, AKGEN_BF16);
  EXPECT_EQ(std::vector<uint16_t>(half, half + 6),
            (std::vector<uint16_t>{0x7bff, 0xfbff, 0, 0, 0x7bff, 0x3c00}));
  EXPECT_EQ(std::vector<uint16_t>(bf16, bf16 + 4),
            (std::vector<uint16_t>{0x7f7f, 0xff7f, 0, 0x7f7f}));
}

TEST(Saturation, IntegersStayAtTheirEnds) {
  auto one = [](uint32_t op, int16_t a, int16_t b) {
    int16_t d = 0;
    FindSaturating(Instr(op, AKGEN_I16, AKGEN_I16))(&d, &a, &b, 1, RunArgs{.scalar = uint16_t(b)});
    return d;
  };
  EXPECT_EQ(one(AKGEN_OP_Add, -32768, -32768), -32768);
  EXPECT_EQ(one(AKGEN_OP_Adds, 32767, 32767), 32767);
  EXPECT_EQ(one(AKGEN_OP_Sub, -32768, 1), -32768);
  EXPECT_EQ(one(AKGEN_OP_Mul, 300, -300), -32768);
  EXPECT_EQ(one(AKGEN_OP_Muls, 3, 5), 15);
  EXPECT_FALSE(FindSaturating(Instr(AKGEN_OP_Add, AKGEN_F16, AKGEN_F16)));
  EXPECT_FALSE(FindSaturating(Instr(AKGEN_OP_Max, AKGEN_I16, AKGEN_I16)));
}

TEST(Saturation, CastsKeepLowBitsWhenItIsOff) {
  auto cast = [](float x, uint8_t to, Round mode) {
    int64_t d = 0;
    AkgenVec v = Instr(AKGEN_OP_Cast, to, AKGEN_F32, AKGEN_NO_DTYPE, uint8_t(mode));
    FindTruncatingCast(v)(&d, &x, nullptr, 1, RunArgs{.round_mode = uint8_t(mode)});
    return to == AKGEN_I16 ? int64_t(int16_t(d)) : to == AKGEN_I32 ? int64_t(int32_t(d)) : d;
  };
  EXPECT_EQ(cast(65537.5f, AKGEN_I16, Round::floor), 1);
  EXPECT_EQ(cast(-32769.5f, AKGEN_I16, Round::ceil), 32767);
  EXPECT_EQ(cast(8589934592.0f + 4096, AKGEN_I32, Round::rint), 4096);
  EXPECT_EQ(cast(-12.5f, AKGEN_I64, Round::trunc), -12);
  EXPECT_EQ(cast(INFINITY, AKGEN_I16, Round::rint), 0);
  int32_t wide = 0x12345678;
  int16_t low = 0;
  FindTruncatingCast(Instr(AKGEN_OP_Cast, AKGEN_I16, AKGEN_I32))(&low, &wide, nullptr, 1,
                                                                 RunArgs{});
  EXPECT_EQ(low, 0x5678);
  EXPECT_FALSE(FindTruncatingCast(Instr(AKGEN_OP_Cast, AKGEN_F16, AKGEN_F32, AKGEN_NO_DTYPE, 1)));
}

}  // namespace
}  // namespace akgen::sim::test
