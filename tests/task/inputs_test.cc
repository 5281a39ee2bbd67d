// Inputs: the same bytes for the same seed on every machine, the promised distribution, and nothing
// outside its place.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "task/generate.h"
#include "task/inputs.h"
#include "task/round.h"

namespace akgen::task {
namespace {
using base::Dtype;

std::vector<float> Floats(const Dist& d, uint64_t key, int64_t n) {
  std::vector<float> out(static_cast<size_t>(n));
  Fill(d, Dtype::kFloat32, key, n, reinterpret_cast<uint8_t*>(out.data()));
  return out;
}

// Known values: a change here changes every golden and every stored result; it needs a new
// generator version.
TEST(Generator, KnownDraws) {
  EXPECT_EQ(Draw(0, 0), 0xe220a8397b1dcdafull);  // splitmix64's published first output for seed 0
  EXPECT_EQ(Draw(0, 1), 0x6e789e6aa1b965f4ull);
}

TEST(Generator, NormalHasItsMoments) {
  Dist d;
  auto v = Floats(d, 42, 200000);
  double sum = 0, square = 0, fourth = 0;
  int within = 0;
  for (float x : v) {
    sum += x, square += double(x) * x, fourth += double(x) * x * x * x;
    within += std::fabs(x) < 1;
  }
  double n = double(v.size());
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(square / n, 1, 0.01);
  EXPECT_NEAR(fourth / n, 3, 0.1);
  EXPECT_NEAR(within / n, 0.6827, 0.005);
}

TEST(Generator, UniformAndIntStayInRange) {
  Dist u;
  u.kind = DistKind::kUniform, u.a = -2.5, u.b = 2.5;
  float lo = 9, hi = -9;
  for (float x : Floats(u, 1, 100000)) lo = std::min(lo, x), hi = std::max(hi, x);
  EXPECT_GE(lo, -2.5f);
  EXPECT_LE(hi, 2.5f);
  EXPECT_LT(lo, -2.49f);
  EXPECT_GT(hi, 2.49f);
  Dist i;
  i.kind = DistKind::kInt, i.a = -3, i.b = 3;
  std::vector<int8_t> ints(7000);
  Fill(i, Dtype::kInt8, 1, 7000, reinterpret_cast<uint8_t*>(ints.data()));
  int seen[7] = {};
  for (int8_t x : ints) {
    ASSERT_TRUE(x >= -3 && x <= 3);
    ++seen[x + 3];
  }
  for (int n : seen) EXPECT_NEAR(n, 1000, 150);
}

TEST(Generator, RangesFit) {
  Dist d;
  d.kind = DistKind::kRanges, d.b = 17;
  std::vector<int64_t> v(2000);
  Fill(d, Dtype::kInt64, 5, 2000, reinterpret_cast<uint8_t*>(v.data()));
  for (size_t i = 0; i < v.size(); i += 2) {
    EXPECT_GE(v[i], 0);
    EXPECT_GE(v[i + 1], 1);
    EXPECT_LE(v[i] + v[i + 1], 17);
  }
}

// Against the one-value conversions, near every boundary of both formats and at random.
TEST(Generator, RoundsOnceLikeBase) {
  auto check = [](double x) {
    ASSERT_EQ(RoundToHalf(x), base::DoubleToHalf(x)) << x;
    ASSERT_EQ(RoundToBf16(x), base::DoubleToBf16(x)) << x;
  };
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    for (double x :
         {double(base::HalfToFloat(uint16_t(bits))), double(base::Bf16ToFloat(uint16_t(bits)))}) {
      if (std::isnan(x)) continue;
      for (double y : {x, x * (1 + 0x1p-11), x * (1 + 0x1p-8), x * (1 + 0x1p-12),
                       x * (1 + 0x1.8p-8), x + 0x1p-25, x + 0x1p-134})
        for (double z : {y, std::nextafter(y, INFINITY), std::nextafter(y, -INFINITY)}) check(z);
    }
  }
  for (uint64_t i = 0; i < 200000; ++i) {
    uint64_t u = Draw(9, i);
    double x;
    std::memcpy(&x, &u, 8);
    if (!std::isnan(x)) check(x);
  }
  EXPECT_EQ(RoundToHalf(NAN), 0x7e00);
  EXPECT_EQ(RoundToBf16(-NAN), 0xffc0);
}

TEST(Generator, ThreadsDoNotChangeTheBytes) {
  Dist d;
  constexpr int64_t n = (1 << 20) + 37;
  auto whole = Floats(d, 3, n);
  std::vector<double> part(1000);
  for (int64_t at : {int64_t{0}, n / 2 - 500, n - 1000}) {
    DrawValues(d, 3, at, at + 1000, part.data());
    for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(whole[size_t(at + i)], float(part[size_t(i)]));
  }
}

TaskSpec OneInput(const base::Json& dist, const std::string& dtype, int64_t n) {
  TaskSpec t;
  t.name = "Made";
  ParamSpec in;
  in.name = "x", in.dtype = dtype, in.shape = base::Json::array({n}), in.dist = dist;
  t.inputs = {in};
  t.outputs = {in};
  t.cases = {{"0", {{"id", 0}, {"flag", false}}}};
  return t;
}

TEST(Inputs, KnownBytes) {
  TaskSpec t = OneInput({{"kind", "normal"}}, "float32", 4);
  auto set = GenerateInputs(t, *ResolveCase(t, "0"), 1);
  ASSERT_TRUE(set);
  uint32_t bits[4];
  std::memcpy(bits, set->Bytes(0).data(), sizeof bits);
  EXPECT_EQ(bits[0], 1066508723u);
  EXPECT_EQ(bits[3], 3211464544u);
}

TEST(Inputs, SeedCaseAndNameChangeTheValues) {
  TaskSpec t = OneInput({{"kind", "normal"}}, "float32", 64);
  CaseDesc c = *ResolveCase(t, "0");
  auto bytes = [&](uint64_t seed) {
    auto set = GenerateInputs(t, c, seed);
    return std::string(reinterpret_cast<const char*>(set->Bytes(0).data()), set->Bytes(0).size());
  };
  std::string a = bytes(1);
  EXPECT_EQ(a, bytes(1));
  EXPECT_NE(a, bytes(2));
  c.id = "1";
  EXPECT_NE(a, bytes(1));
  c.id = "0";
  c.inputs[0].name = t.inputs[0].name = "z";
  EXPECT_NE(a, bytes(1));
}

TEST(Inputs, SpecialsAppearOnlyWhenAsked) {
  base::Json dist{
      {"kind", "uniform"}, {"low", 0}, {"high", 1}, {"specials", {"inf", "nan", "-inf"}}};
  auto count = [](TaskSpec t) {
    auto set = GenerateInputs(t, *ResolveCase(t, "0"), 1);
    EXPECT_TRUE(set);
    int bad = 0;
    for (size_t i = 0; i < 1000; ++i) {
      float f;
      std::memcpy(&f, set->Bytes(0).data() + 4 * i, 4);
      bad += !std::isfinite(f);
    }
    return bad;
  };
  EXPECT_EQ(count(OneInput(dist, "float32", 1000)), 3);
  dist["special_fraction"] = 0.05;
  EXPECT_NEAR(count(OneInput(dist, "float32", 1000)), 150, 50);
  dist["special_if"] = "$flag";
  EXPECT_EQ(count(OneInput(dist, "float32", 1000)), 0);
}

TEST(Inputs, CopyOfSharesThatManyElements) {
  TaskSpec t = OneInput({{"kind", "normal"}}, "float32", 10000);
  ParamSpec second = t.inputs[0];
  second.name = "y";
  second.dist = {{"kind", "normal"}, {"copy_of", "x"}, {"copy_fraction", 0.25}};
  t.inputs.push_back(second);
  auto set = GenerateInputs(t, *ResolveCase(t, "0"), 1);
  ASSERT_TRUE(set) << set.error().ToString();
  int same = 0;
  for (size_t i = 0; i < 10000; ++i)
    same += !std::memcmp(&set->Bytes(0)[4 * i], &set->Bytes(1)[4 * i], 4);
  EXPECT_NEAR(same, 2500, 200);
  t.inputs[1].dist["copy_of"] = "nobody";
  EXPECT_FALSE(GenerateInputs(t, *ResolveCase(t, "0"), 1));
}

TEST(Inputs, WrongMemoryIsRefused) {
  TaskSpec t = OneInput({{"kind", "normal"}}, "float32", 4);
  std::vector<uint8_t> memory(15);
  std::vector<std::span<uint8_t>> spans{memory};
  auto s = GenerateInputs(t, *ResolveCase(t, "0"), 1, spans);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().code, "AK0104");
}

}  // namespace
}  // namespace akgen::task
