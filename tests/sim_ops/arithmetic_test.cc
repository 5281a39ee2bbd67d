#include <gtest/gtest.h>

#include <functional>

#include "values.h"

namespace akgen::sim::test {
namespace {

using Fn2 = std::function<double(double, double)>;
struct Case2 {
  uint32_t op;
  Fn2 f;
};
double Maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? -0.0 : 0.0;
  return a > b ? a : b;
}
double Minimum(double a, double b) { return -Maximum(-a, -b); }

// In double the sum, difference and product of halves or floats are exact or round innocuously.
const Case2 kCases2[] = {{AKGEN_OP_Add, [](double a, double b) { return a + b; }},
                         {AKGEN_OP_Sub, [](double a, double b) { return a - b; }},
                         {AKGEN_OP_Mul, [](double a, double b) { return a * b; }},
                         {AKGEN_OP_Div, [](double a, double b) { return a / b; }},
                         {AKGEN_OP_Max, Maximum},
                         {AKGEN_OP_Min, Minimum}};

template <class U, class ToDouble, class FromDouble>
void CheckPairs(uint8_t type, const std::vector<U>& values, ToDouble up, FromDouble down) {
  for (const Case2& c : kCases2) {
    RunFn run = FindRun(Instr(c.op, type, type, type));
    ASSERT_NE(run, nullptr) << VecOpName(c.op);
    for (U a : values) {
      std::vector<U> x(values.size(), a), d(values.size());
      run(d.data(), x.data(), values.data(), uint32_t(values.size()), RunArgs{});
      for (size_t i = 0; i < values.size(); ++i) {
        U want = down(c.f(up(a), up(values[i])));
        ASSERT_TRUE(Same(d[i], want)) << VecOpName(c.op) << " " << std::hex << a << " " << values[i]
                                      << " gives " << d[i] << " not " << want;
      }
    }
  }
}

TEST(Arithmetic, HalfPairs) {
  CheckPairs<uint16_t>(AKGEN_F16, WithRandom(HalfEdges(), 600, 1), HalfValue, base::DoubleToHalf);
}
TEST(Arithmetic, FloatPairs) {
  CheckPairs<uint32_t>(AKGEN_F32, WithRandom(FloatEdges(), 600, 2), FloatValue,
                       [](double v) { return std::bit_cast<uint32_t>(float(v)); });
}

TEST(Arithmetic, InPlace) {
  RunFn run = FindRun(Instr(AKGEN_OP_Add, AKGEN_F16, AKGEN_F16, AKGEN_F16));
  auto a = WithRandom(HalfEdges(), 333, 3), b = WithRandom(HalfEdges(), 333, 4), plain = a,
       in_place = a;
  run(plain.data(), a.data(), b.data(), 333, RunArgs{});
  run(in_place.data(), in_place.data(), b.data(), 333, RunArgs{});
  EXPECT_EQ(plain, in_place);
  in_place = b;
  run(in_place.data(), a.data(), in_place.data(), 333, RunArgs{});
  EXPECT_EQ(plain, in_place);
}

template <class I>
void CheckIntegers(uint8_t type) {
  std::vector<I> v = {0, 1, I(-1),  std::numeric_limits<I>::min(), std::numeric_limits<I>::max(),
                      2, 7, I(-300)};
  v = WithRandom(v, 200, 5);
  struct Row {
    uint32_t op;
    std::function<__int128(__int128, __int128)> f;
  };
  const Row rows[] = {{AKGEN_OP_Add, [](auto a, auto b) { return a + b; }},
                      {AKGEN_OP_Sub, [](auto a, auto b) { return a - b; }},
                      {AKGEN_OP_Mul, [](auto a, auto b) { return a * b; }},
                      {AKGEN_OP_Max, [](auto a, auto b) { return a > b ? a : b; }},
                      {AKGEN_OP_Min, [](auto a, auto b) { return a < b ? a : b; }}};
  for (const Row& row : rows) {
    RunFn run = FindRun(Instr(row.op, type, type, type));
    ASSERT_NE(run, nullptr);
    for (I a : v) {
      std::vector<I> x(v.size(), a), d(v.size());
      run(d.data(), x.data(), v.data(), uint32_t(v.size()), RunArgs{});
      for (size_t i = 0; i < v.size(); ++i) ASSERT_EQ(d[i], I(row.f(a, v[i]))) << VecOpName(row.op);
    }
  }
}
// The documented default is wrapping: int16 -32768 + -32768 = 0.
TEST(Arithmetic, IntegersWrap) {
  CheckIntegers<int16_t>(AKGEN_I16);
  CheckIntegers<int32_t>(AKGEN_I32);
}

struct Case1 {
  uint32_t op;
  std::function<double(double)> f;
  int ulp;
};
const Case1 kCases1[] = {
    {AKGEN_OP_Exp, [](double a) { return std::exp(a); }, 1},
    {AKGEN_OP_Ln, [](double a) { return std::log(a); }, 1},
    {AKGEN_OP_Abs, [](double a) { return std::fabs(a); }, 0},
    {AKGEN_OP_Reciprocal, [](double a) { return 1 / a; }, 0},
    {AKGEN_OP_Rsqrt, [](double a) { return 1 / std::sqrt(a); }, 0},
    {AKGEN_OP_Sqrt, [](double a) { return std::sqrt(a); }, 0},
    {AKGEN_OP_Relu, [](double a) { return std::isnan(a) ? a
                                          : a > 0       ? a
                                                        : 0.0; }, 0},
    {AKGEN_OP_Neg, [](double a) { return -a; }, 0},
};

template <class U>
int Ulps(U a, U b) {
  if (Same(a, b)) return 0;
  if ((a ^ b) >> (8 * sizeof(U) - 1)) return 1 << 30;
  return std::abs(int(a) - int(b));
}

TEST(Arithmetic, EveryHalfUnary) {
  std::vector<uint16_t> s(65536), d(65536);
  for (uint32_t i = 0; i < 65536; ++i) s[i] = uint16_t(i);
  for (const Case1& c : kCases1) {
    FindRun(Instr(c.op, AKGEN_F16, AKGEN_F16))(d.data(), s.data(), nullptr, 65536,
                                               RunArgs{.exact = true});
    for (uint32_t i = 0; i < 65536; ++i) {
      uint16_t want = base::DoubleToHalf(c.f(HalfValue(uint16_t(i))));
      ASSERT_LE(Ulps(d[i], want), c.ulp)
          << VecOpName(c.op) << " " << std::hex << i << " gives " << d[i];
    }
  }
}
TEST(Arithmetic, FloatUnary) {
  auto s = WithRandom(FloatEdges(), 200000, 6);
  std::vector<uint32_t> d(s.size());
  for (const Case1& c : kCases1) {
    FindRun(Instr(c.op, AKGEN_F32, AKGEN_F32))(d.data(), s.data(), nullptr, uint32_t(s.size()),
                                               RunArgs{.exact = true});
    for (size_t i = 0; i < s.size(); ++i) {
      uint32_t want = std::bit_cast<uint32_t>(float(c.f(FloatValue(s[i]))));
      ASSERT_LE(Ulps(d[i], want), c.ulp)
          << VecOpName(c.op) << " " << std::hex << s[i] << " gives " << d[i];
    }
  }
}

TEST(Arithmetic, EdgeValuesOfTheTables) {
  auto half = [](uint32_t op, uint16_t a, uint16_t scalar) {
    RunArgs args;
    args.scalar = scalar;
    uint16_t d = 0;
    FindRun(Instr(op, AKGEN_F16, AKGEN_F16))(&d, &a, nullptr, 1, args);
    return d;
  };
  EXPECT_EQ(half(AKGEN_OP_Rsqrt, 0x8000, 0), 0xfc00);      // rsqrt(-0) = -inf
  EXPECT_EQ(half(AKGEN_OP_LeakyRelu, 0x8000, 0xfbff), 0);  // -0 * -65504 = +0
  EXPECT_EQ(half(AKGEN_OP_LeakyRelu, 0x8000, 0x7bff), 0x8000);
  EXPECT_TRUE(IsNanHalf(half(AKGEN_OP_LeakyRelu, 0x8000, 0x7c00)));
  EXPECT_EQ(half(AKGEN_OP_LeakyRelu, 0x0000, 0x7e00), 0);  // +0 whatever the scalar
  EXPECT_EQ(half(AKGEN_OP_LeakyRelu, 0xbc00, 0x4000), 0xc000);
  EXPECT_EQ(half(AKGEN_OP_Adds, 0x7bff, 0x7bff), 0x7c00);
  EXPECT_EQ(half(AKGEN_OP_Muls, 0x4248, 0x0000), 0x0000);
  EXPECT_EQ(half(AKGEN_OP_Maxs, 0x8000, 0x0000), 0x0000);
  EXPECT_EQ(half(AKGEN_OP_Mins, 0x0000, 0x8000), 0x8000);
}

TEST(Arithmetic, IllegalTypesHaveNoBody) {
  EXPECT_EQ(FindRun(Instr(AKGEN_OP_Add, AKGEN_BF16, AKGEN_BF16, AKGEN_BF16)), nullptr);
  EXPECT_EQ(FindRun(Instr(AKGEN_OP_Add, AKGEN_I8, AKGEN_I8, AKGEN_I8)), nullptr);
  EXPECT_EQ(FindRun(Instr(AKGEN_OP_Add, AKGEN_F32, AKGEN_F32, AKGEN_F16)), nullptr);
  EXPECT_EQ(FindRun(Instr(AKGEN_OP_Div, AKGEN_I32, AKGEN_I32, AKGEN_I32)), nullptr);
  EXPECT_EQ(FindRun(Instr(AKGEN_OP_Exp, AKGEN_I32, AKGEN_I32)), nullptr);
  EXPECT_EQ(FindRun(Instr(AKGEN_OP_And, AKGEN_I32, AKGEN_I32, AKGEN_I32)), nullptr);
  EXPECT_EQ(FindRun(Instr(AKGEN_OP_Duplicate, AKGEN_I8, AKGEN_NO_DTYPE)), nullptr);
}

TEST(Arithmetic, Shifts) {
  auto shift = [](uint32_t op, uint8_t type, int64_t v, uint64_t by, bool round) {
    RunArgs args;
    args.scalar = by;
    args.flag = round;
    int64_t d = 0, s = v;
    FindRun(Instr(op, type, type))(&d, &s, nullptr, 1, args);
    return d;
  };
  EXPECT_EQ(int32_t(shift(AKGEN_OP_ShiftRight, AKGEN_I32, -5, 1, false)), -3);
  EXPECT_EQ(int32_t(shift(AKGEN_OP_ShiftRight, AKGEN_I32, -5, 1, true)), -2);
  EXPECT_EQ(int32_t(shift(AKGEN_OP_ShiftRight, AKGEN_I32, 5, 1, true)), 3);
  EXPECT_EQ(int32_t(shift(AKGEN_OP_ShiftRight, AKGEN_I32, -5, 32, false)), -1);
  EXPECT_EQ(uint16_t(shift(AKGEN_OP_ShiftRight, AKGEN_U16, 0xffff, 16, false)), 0);
  EXPECT_EQ(uint16_t(shift(AKGEN_OP_ShiftRight, AKGEN_U16, 0xffff, 4, true)), 0x0fff);
  EXPECT_EQ(uint16_t(shift(AKGEN_OP_ShiftLeft, AKGEN_U16, 0x8001, 1, false)), 2);
  EXPECT_EQ(uint32_t(shift(AKGEN_OP_ShiftLeft, AKGEN_U32, 1, 32, false)), 0u);
  // The page's own numbers: the sign stays, the bit below it is dropped.
  EXPECT_EQ(uint16_t(shift(AKGEN_OP_ShiftLeft, AKGEN_I16, 0xAAAA, 1, false)), 0xD554);
  EXPECT_EQ(uint16_t(shift(AKGEN_OP_ShiftLeft, AKGEN_I16, 0xAAAA, 3, false)), 0xD550);
  EXPECT_EQ(uint16_t(shift(AKGEN_OP_ShiftLeft, AKGEN_U16, 0xAAAA, 1, false)), 0x5554);
  EXPECT_EQ(uint16_t(shift(AKGEN_OP_ShiftLeft, AKGEN_I16, 0x4000, 1, false)), 0);
  EXPECT_EQ(uint32_t(shift(AKGEN_OP_ShiftLeft, AKGEN_I32, 0xC0000001, 1, false)), 0x80000002u);
}

TEST(Fused, ProductIsRoundedBeforeTheSum) {
  auto a = WithRandom(HalfEdges(), 500, 7), b = WithRandom(HalfEdges(), 500, 8),
       c = WithRandom(HalfEdges(), 500, 9);
  auto d = c;
  FindRun(Instr(AKGEN_OP_MulAddDst, AKGEN_F16, AKGEN_F16, AKGEN_F16))(d.data(), a.data(), b.data(),
                                                                      500, RunArgs{});
  for (size_t i = 0; i < 500; ++i) {
    double product = HalfValue(base::DoubleToHalf(HalfValue(a[i]) * HalfValue(b[i])));
    EXPECT_TRUE(Same(d[i], base::DoubleToHalf(product + HalfValue(c[i]))));
  }
  // MAX * MAX + (-inf) = nan in the edge-value table.
  uint16_t x = 0x7bff, y = 0x7bff, z = 0xfc00;
  FindRun(Instr(AKGEN_OP_FusedMulAdd, AKGEN_F16, AKGEN_F16, AKGEN_F16))(&x, &y, &z, 1, RunArgs{});
  EXPECT_TRUE(IsNanHalf(x));
}

TEST(Fused, MixedAxpyAndMulAddDst) {
  auto s = WithRandom(HalfEdges(), 300, 10);
  auto t = WithRandom(HalfEdges(), 300, 11);
  auto d = WithRandom(FloatEdges(), 300, 12), want = d;
  RunArgs args;
  args.scalar = 0x4248;  // 3.140625
  FindRun(Instr(AKGEN_OP_Axpy, AKGEN_F32, AKGEN_F16))(d.data(), s.data(), nullptr, 300, args);
  for (size_t i = 0; i < 300; ++i) {
    uint32_t w =
        std::bit_cast<uint32_t>(float(HalfValue(s[i]) * HalfValue(0x4248) + FloatValue(want[i])));
    EXPECT_TRUE(Same(d[i], w)) << i;
  }
  d = want;
  FindRun(Instr(AKGEN_OP_MulAddDst, AKGEN_F32, AKGEN_F16, AKGEN_F16))(d.data(), s.data(), t.data(),
                                                                      300, RunArgs{});
  for (size_t i = 0; i < 300; ++i) {
    float product = float(HalfValue(s[i]) * HalfValue(t[i]));  // exact
    EXPECT_TRUE(Same(d[i], std::bit_cast<uint32_t>(product + std::bit_cast<float>(want[i])))) << i;
  }
}

TEST(Fused, ReluForms) {
  int16_t a[] = {32767, -32768, 100, -5}, b[] = {32767, -32768, 27, 3}, d[4];
  FindRun(Instr(AKGEN_OP_AddRelu, AKGEN_I16, AKGEN_I16, AKGEN_I16))(d, a, b, 4, RunArgs{});
  EXPECT_EQ(std::vector<int16_t>(d, d + 4), (std::vector<int16_t>{32767, 0, 127, 0}));
  int8_t e[4];
  FindRun(Instr(AKGEN_OP_AddReluCast, AKGEN_I8, AKGEN_I16, AKGEN_I16))(e, a, b, 4, RunArgs{});
  EXPECT_EQ(std::vector<int8_t>(e, e + 4), (std::vector<int8_t>{127, 0, 127, 0}));
  float x[] = {NAN, 1, -3, INFINITY}, y[] = {1, 2, 1, 1};
  uint16_t h[4];
  FindRun(Instr(AKGEN_OP_AddReluCast, AKGEN_F16, AKGEN_F32, AKGEN_F32))(h, x, y, 4, RunArgs{});
  EXPECT_EQ(std::vector<uint16_t>(h, h + 4), (std::vector<uint16_t>{0, 0x4200, 0, 0x7c00}));
  float r[4];
  FindRun(Instr(AKGEN_OP_SubRelu, AKGEN_F32, AKGEN_F32, AKGEN_F32))(r, x, y, 4, RunArgs{});
  EXPECT_TRUE(std::isnan(r[0]));
  EXPECT_EQ(r[1], 0.0f);
  uint16_t m[] = {0x3e00, 0x7bff, 0x7e00, 0xc100},
           k[] = {0x3c00, 0x4000, 0x3c00, 0x3c00};  // 1.5, max*2, nan, -2.5
  int8_t mc[4];
  FindRun(Instr(AKGEN_OP_MulCast, AKGEN_I8, AKGEN_F16, AKGEN_F16))(mc, m, k, 4, RunArgs{});
  EXPECT_EQ(std::vector<int8_t>(mc, mc + 4), (std::vector<int8_t>{2, 127, 0, -2}));
}

TEST(Names, EveryRowHasAFamily) {
  EXPECT_STREQ(VecOpName(AKGEN_OP_Exp), "Exp");
  EXPECT_STREQ(VecOpName(AKGEN_OP_COUNT_), "?");
  EXPECT_EQ(VecOpFamily(AKGEN_OP_Duplicate), Family::fill);
  EXPECT_EQ(VecOpFamily(AKGEN_OP_Axpy), Family::accs);
  EXPECT_EQ(VecOpFamily(AKGEN_OP_Gelu), Family::math1);
}

}  // namespace
}  // namespace akgen::sim::test
