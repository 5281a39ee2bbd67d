// The comparator's decision tables: each rule at, below and above its limit, and what no tolerance
// may forgive.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "task/compare.h"

namespace akgen::task {
namespace {
using base::Dtype;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Rule Named(const std::string& name, Dtype dtype, base::Json limit = {},
           base::Json extra = base::Json::object()) {
  TaskSpec t;
  t.precision.rule = name;
  t.precision.limit = std::move(limit);
  t.precision.integers = extra.value("integers", base::Json());
  t.precision.ulps = extra.value("ulps", base::Json());
  t.precision.k = extra.value("k", base::Json());
  auto r = RuleFor(t, CaseDesc{}, dtype);
  EXPECT_TRUE(r) << r.error().ToString();
  return r.value();
}

template <typename T>
Comparison Check(const Rule& rule, Dtype dtype, std::vector<T> out, std::vector<T> ref) {
  TensorDesc d{dtype, {int64_t(ref.size())}};
  auto bytes = [](const std::vector<T>& v) {
    return std::span(reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(T));
  };
  return Compare(rule, d, bytes(out), d, bytes(ref));
}
bool Floats(const Rule& rule, double out, double ref) {
  return Check<float>(rule, Dtype::kFloat32, {float(out)}, {float(ref)}).pass;
}

TEST(Compare, DefaultNeedsBothToFail) {
  Rule d = Named("D", Dtype::kFloat32);
  EXPECT_TRUE(Floats(d, 1.0005, 1));
  EXPECT_FALSE(Floats(d, 1.002, 1));
  EXPECT_TRUE(Floats(d, 1000.5, 1000));  // absolute large, relative small
  EXPECT_TRUE(Floats(d, 0.0009, 0));     // relative large, absolute small
  EXPECT_FALSE(Floats(d, 0.0011, 0));
  EXPECT_FALSE(Floats(d, 0, 1));
}

TEST(Compare, NonFinitePatternIsExact) {
  for (const Rule& r : {Named("D", Dtype::kFloat32), Named("R", Dtype::kFloat32),
                        Named("C", Dtype::kFloat32, 100.0), Named("Q", Dtype::kFloat32, 0.9),
                        Named("M", Dtype::kFloat32, {}, {{"k", 1}})}) {
    EXPECT_TRUE(Floats(r, kNan, kNan)) << r.name;
    EXPECT_TRUE(Floats(r, kInf, kInf)) << r.name;
    EXPECT_TRUE(Floats(r, -kInf, -kInf)) << r.name;
    EXPECT_FALSE(Floats(r, kInf, -kInf)) << r.name;
    EXPECT_FALSE(Floats(r, kNan, 1)) << r.name;
    EXPECT_FALSE(Floats(r, 1, kNan)) << r.name;
    EXPECT_FALSE(Floats(r, kInf, 1)) << r.name;
    EXPECT_FALSE(Floats(r, 1, kInf)) << r.name;
    EXPECT_FALSE(Floats(r, kNan, kInf)) << r.name;
  }
}

TEST(Compare, ScaledRule) {
  Rule r = Named("R", Dtype::kFloat32);
  EXPECT_TRUE(Floats(r, 0.0005, 0));
  EXPECT_FALSE(Floats(r, 0.0006, 0));
  EXPECT_TRUE(Floats(r, 100.05, 100));
  EXPECT_FALSE(Floats(r, 100.06, 100));
  EXPECT_DOUBLE_EQ(Named("R", Dtype::kFloat16).limit, 1.0 / 512);
  EXPECT_DOUBLE_EQ(Named("R", Dtype::kBfloat16).limit, 1.0 / 256 + 1.0 / 16384);
  EXPECT_DOUBLE_EQ(Named("M", Dtype::kFloat16, {}, {{"k", 2047}}).limit, 1.0 / 256);
  EXPECT_DOUBLE_EQ(Named("M", Dtype::kFloat16, {}, {{"k", 2048}}).limit, 1.0 / 128);
  EXPECT_DOUBLE_EQ(Named("M", Dtype::kBfloat16, {}, {{"k", 2048}}).limit, 1.0 / 64);
  EXPECT_DOUBLE_EQ(Named("M", Dtype::kFloat32, {}, {{"k", 4096}}).limit, 1.0 / 512);
}

TEST(Compare, IntegersAsTheRuleSays) {
  auto ints = [](const Rule& r, int32_t out, int32_t ref) {
    return Check<int32_t>(r, Dtype::kInt32, {out}, {ref}).pass;
  };
  EXPECT_FALSE(ints(Named("R", Dtype::kInt32), 6, 5));
  EXPECT_TRUE(ints(Named("R", Dtype::kInt32), 5, 5));
  EXPECT_TRUE(ints(Named("R+i", Dtype::kInt32), 6, 5));
  EXPECT_FALSE(ints(Named("R+i", Dtype::kInt32), 11, 5));
  EXPECT_TRUE(ints(Named("D", Dtype::kInt32), 2001, 2000));  // the rule is relative
  EXPECT_FALSE(ints(Named("D", Dtype::kInt32, {}, {{"integers", "exact"}}), 2001, 2000));
  EXPECT_FALSE(ints(Named("R+i", Dtype::kInt32, {}, {{"integers", "exact"}}), 6, 5));
  Rule wide = Named("R", Dtype::kInt64);
  EXPECT_FALSE(
      Check<int64_t>(wide, Dtype::kInt64, {INT64_MAX}, {INT64_MAX - 1}).pass);  // equal as float64
  EXPECT_TRUE(Check<int64_t>(wide, Dtype::kInt64, {INT64_MIN}, {INT64_MIN}).pass);
}

TEST(Compare, BoolsAreZeroOrOne) {
  Rule d = Named("D", Dtype::kBool);
  EXPECT_TRUE(Check<uint8_t>(d, Dtype::kBool, {0, 1}, {0, 1}).pass);
  EXPECT_FALSE(Check<uint8_t>(d, Dtype::kBool, {1, 1}, {0, 1}).pass);
  EXPECT_FALSE(Check<uint8_t>(d, Dtype::kBool, {0, 255}, {0, 1}).pass);
}

TEST(Compare, QuantileForgivesFew) {
  Rule q = Named("Q", Dtype::kFloat32, 0.01);
  std::vector<float> ref(1000, 1.0f), out = ref;
  for (int i = 0; i < 10; ++i) out[size_t(i)] = 2.0f;
  EXPECT_TRUE(Check(q, Dtype::kFloat32, out, ref).pass);
  out[10] = 2.0f;
  EXPECT_FALSE(Check(q, Dtype::kFloat32, out, ref).pass);
}

TEST(Compare, UlpsForgiveNeighbours) {
  Rule plain = Named("D", Dtype::kBfloat16);
  Rule one = Named("D", Dtype::kBfloat16, {}, {{"ulps", {{"bfloat16", 1}}}});
  auto bf = [](const Rule& r, uint16_t out, uint16_t ref) {
    return Check<uint16_t>(r, Dtype::kBfloat16, {out}, {ref}).pass;
  };
  EXPECT_FALSE(bf(plain, 0x3f81, 0x3f80));
  EXPECT_TRUE(bf(one, 0x3f81, 0x3f80));
  EXPECT_FALSE(bf(one, 0x3f82, 0x3f80));
  EXPECT_TRUE(bf(one, 0x8000, 0x0000));   // -0 and +0
  EXPECT_FALSE(bf(one, 0xbf80, 0x3f80));  // -1 and 1
  EXPECT_FALSE(bf(one, 0x7f80, 0x7f7f));  // infinity is no neighbour of the largest value
  Rule step = Named("D", Dtype::kInt8, {}, {{"ulps", {{"int8", 1}}}});
  auto whole = [&](int8_t out, int8_t ref) {
    return Check<int8_t>(step, Dtype::kInt8, {out}, {ref}).pass;
  };
  EXPECT_TRUE(whole(-1, 0));
  EXPECT_FALSE(whole(2, 0));
  EXPECT_FALSE(whole(-128, 127));
}

TEST(Compare, ComplexByMagnitudeOrByPart) {
  TensorDesc d{Dtype::kComplex64, {1}};
  auto check = [&](const Rule& r, float re, float im) {
    float ref[2] = {3, 4}, out[2] = {re, im};
    return Compare(r, d, std::span(reinterpret_cast<uint8_t*>(out), 8), d,
                   std::span(reinterpret_cast<uint8_t*>(ref), 8))
        .pass;
  };
  EXPECT_TRUE(check(Named("D", Dtype::kComplex64), 3.004f, 4));  // 0.004 of 5 is below 1e-3
  EXPECT_FALSE(check(Named("D", Dtype::kComplex64), 3.006f, 4));
  EXPECT_FALSE(check(Named("D", Dtype::kComplex64), 3, float(kNan)));
  EXPECT_TRUE(check(Named("R", Dtype::kComplex64), 3.0016f, 4));
  EXPECT_FALSE(check(Named("R", Dtype::kComplex64), 3.0017f, 4));
}

TEST(Compare, DtypeShapeAndSizeAreExact) {
  std::vector<uint8_t> four(4, 0), two(2, 0);
  Rule d = Named("C", Dtype::kFloat32, 1000.0);
  TensorDesc f32{Dtype::kFloat32, {1}}, i32{Dtype::kInt32, {1}}, scalar{Dtype::kFloat32, {}},
      row{Dtype::kFloat32, {1, 1}};
  EXPECT_TRUE(Compare(d, f32, four, f32, four).pass);
  EXPECT_FALSE(Compare(d, i32, four, f32, four).pass);
  EXPECT_FALSE(Compare(d, scalar, four, f32, four).pass);
  EXPECT_FALSE(Compare(d, row, four, f32, four).pass);
  EXPECT_FALSE(Compare(d, f32, two, f32, four).pass);
}

TEST(Compare, ReportsWhatIsWrong) {
  Rule d = Named("D", Dtype::kFloat32);
  std::vector<float> ref(100, 1.0f), out = ref;
  for (size_t i = 20; i < 40; ++i) out[i] = 3.0f;
  out[50] = float(kNan);
  Comparison c = Check(d, Dtype::kFloat32, out, ref);
  EXPECT_FALSE(c.pass);
  EXPECT_EQ(c.mismatches, 21);
  EXPECT_EQ(c.non_finite, 1);
  EXPECT_EQ(c.max_abs, 2.0);
  ASSERT_EQ(c.wrong.first().size(), 8u);
  EXPECT_EQ(c.wrong.first()[0].index, 20);
  EXPECT_EQ(c.wrong.first()[0].out, 3.0);
  EXPECT_NE(c.reason.find("21 of 100"), std::string::npos) << c.reason;
}

}  // namespace
}  // namespace akgen::task
