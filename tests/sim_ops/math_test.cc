#include <gtest/gtest.h>

#include <functional>

#include "values.h"

namespace akgen::sim::test {
namespace {

using LD = long double;
struct Case {
  uint32_t op;
  std::function<LD(LD)> f;
};
// Wider than the bodies: long double.
const Case kCases[] = {
    {AKGEN_OP_Sin, [](LD x) { return std::sin(x); }},
    {AKGEN_OP_Cos, [](LD x) { return std::cos(x); }},
    {AKGEN_OP_Tan, [](LD x) { return std::tan(x); }},
    {AKGEN_OP_Asin, [](LD x) { return std::asin(x); }},
    {AKGEN_OP_Acos, [](LD x) { return std::acos(x); }},
    {AKGEN_OP_Atan, [](LD x) { return std::atan(x); }},
    {AKGEN_OP_Sinh, [](LD x) { return std::sinh(x); }},
    {AKGEN_OP_Cosh, [](LD x) { return std::cosh(x); }},
    {AKGEN_OP_Tanh, [](LD x) { return std::tanh(x); }},
    {AKGEN_OP_Asinh, [](LD x) { return std::asinh(x); }},
    {AKGEN_OP_Acosh, [](LD x) { return std::acosh(x); }},
    {AKGEN_OP_Atanh, [](LD x) { return std::atanh(x); }},
    {AKGEN_OP_Erf, [](LD x) { return std::erf(x); }},
    {AKGEN_OP_Erfc, [](LD x) { return std::erfc(x); }},
    {AKGEN_OP_Log, [](LD x) { return std::log(x); }},
    {AKGEN_OP_Log2, [](LD x) { return std::log2(x); }},
    {AKGEN_OP_Log10, [](LD x) { return std::log10(x); }},
    {AKGEN_OP_ExpHp, [](LD x) { return std::exp(x); }},
    {AKGEN_OP_Ceil, [](LD x) { return std::ceil(x); }},
    {AKGEN_OP_Floor, [](LD x) { return std::floor(x); }},
    {AKGEN_OP_Round, [](LD x) { return std::round(x); }},
    {AKGEN_OP_Rint, [](LD x) { return std::rint(x); }},
    {AKGEN_OP_Trunc, [](LD x) { return std::trunc(x); }},
    {AKGEN_OP_Sigmoid, [](LD x) { return 1 / (1 + std::exp(-x)); }},
    {AKGEN_OP_Silu, [](LD x) { return x / (1 + std::exp(-x)); }},
    {AKGEN_OP_Gelu,
     [](LD x) { return x / (1 + std::exp(-1.5957691216057308L * (x + 0.044715L * x * x * x))); }},
    {AKGEN_OP_FasterGelu, [](LD x) { return x / (1 + std::exp(-1.702L * x)); }},
    {AKGEN_OP_Lgamma, [](LD x) { return std::lgamma(x); }},
};

// Distance in units of the last place of float or half around the exact value.
double UlpError(double got, LD want, int mant, int min_exp) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (std::isnan(got) != std::isnan(want)) return 1e9;
  if (std::isinf(got) || std::isinf(want))
    return LD(got) == want || std::fabs(want) > (mant == 10 ? 65500.0L : 3e38L) ? 0 : 1e9;
  int e = want == 0 ? min_exp : std::max(std::ilogb(want), min_exp);
  return double(std::fabs(got - want) / std::scalbn(LD(1), e - mant));
}

TEST(Math, EveryHalf) {
  std::vector<uint16_t> s(65536), d(65536);
  for (uint32_t i = 0; i < 65536; ++i) s[i] = uint16_t(i);
  for (const Case& c : kCases) {
    FindRun(Instr(c.op, AKGEN_F16, AKGEN_F16))(d.data(), s.data(), nullptr, 65536, RunArgs{});
    for (uint32_t i = 0; i < 65536; ++i)
      ASSERT_LE(UlpError(HalfValue(d[i]), c.f(HalfValue(s[i])), 10, -14), 0.502)
          << VecOpName(c.op) << " " << HalfValue(s[i]) << " gives " << HalfValue(d[i]);
  }
}
TEST(Math, Floats) {
  auto s = WithRandom(FloatEdges(), 20000, 61);
  std::mt19937 rng(62);
  for (int i = 0; i < 20000; ++i)
    s.push_back(std::bit_cast<uint32_t>((float(rng() % 200001) - 100000) / 5000));
  std::vector<uint32_t> d(s.size());
  for (const Case& c : kCases) {
    FindRun(Instr(c.op, AKGEN_F32, AKGEN_F32))(d.data(), s.data(), nullptr, uint32_t(s.size()),
                                               RunArgs{});
    for (size_t i = 0; i < s.size(); ++i)
      ASSERT_LE(UlpError(FloatValue(d[i]), c.f(FloatValue(s[i])), 23, -126), 0.501)
          << VecOpName(c.op) << " " << FloatValue(s[i]) << " gives " << FloatValue(d[i]);
  }
}

float One(uint32_t op, float x, float k = 0) {
  RunArgs args;
  args.scalar = std::bit_cast<uint32_t>(k);
  float d = 0;
  FindRun(Instr(op, AKGEN_F32, AKGEN_F32, AKGEN_F32))(&d, &x, &k, 1, args);
  return d;
}
TEST(Math, DocumentedExamples) {
  EXPECT_FLOAT_EQ(One(AKGEN_OP_Frac, 5592.625f), 0.625f);
  EXPECT_NEAR(One(AKGEN_OP_Frac, -258.41888f), -0.41888428f, 1e-6);
  EXPECT_FLOAT_EQ(One(AKGEN_OP_Fmod, 2.0f, 1.5f), 0.5f);
  EXPECT_FLOAT_EQ(One(AKGEN_OP_Fmod, -3.0f, 1.1f), -0.8f);
  EXPECT_EQ(One(AKGEN_OP_Hypot, 3, 4), 5);
  EXPECT_EQ(One(AKGEN_OP_Rint, 3.5f), 4);
  EXPECT_EQ(One(AKGEN_OP_Round, -3.5f), -4);
  EXPECT_EQ(One(AKGEN_OP_Sign, -2), -1);
  EXPECT_EQ(One(AKGEN_OP_Sign, 0), 0);
  EXPECT_EQ(One(AKGEN_OP_Power, 2, 10), 1024);
  EXPECT_EQ(One(AKGEN_OP_PowerScalar, 3, 2), 9);
  EXPECT_EQ(One(AKGEN_OP_ScalarPower, 3, 2), 8);
  EXPECT_EQ(One(AKGEN_OP_ClampMax, 3, 2), 2);
  EXPECT_EQ(One(AKGEN_OP_ClampMin, 3, 5), 5);
  EXPECT_FLOAT_EQ(One(AKGEN_OP_Swish, 2, 1.702f), float(2 / (1 + std::exp(-3.404))));
  EXPECT_FLOAT_EQ(One(AKGEN_OP_Digamma, 1), -0.57721566f);
  EXPECT_FLOAT_EQ(One(AKGEN_OP_Digamma, 0.5f), -1.9635100f);
  EXPECT_FLOAT_EQ(One(AKGEN_OP_Digamma, -1.5f), 0.70315664f);
  EXPECT_TRUE(std::isnan(One(AKGEN_OP_Digamma, -2)));
  EXPECT_FLOAT_EQ(One(AKGEN_OP_FasterGeluV2, 5), 5);
  EXPECT_FLOAT_EQ(One(AKGEN_OP_FasterGeluV2, -5), 0);
  int32_t b[] = {3, -2, 5, 1, -1}, e[] = {4, 3, -1, -7, -3}, d[5];
  FindRun(Instr(AKGEN_OP_Power, AKGEN_I32, AKGEN_I32, AKGEN_I32))(d, b, e, 5, RunArgs{});
  EXPECT_EQ(std::vector<int>(d, d + 5), (std::vector<int>{81, -8, 0, 1, -1}));
  EXPECT_EQ(FindRun(Instr(AKGEN_OP_Sin, AKGEN_BF16, AKGEN_BF16)), nullptr);
}

}  // namespace
}  // namespace akgen::sim::test
