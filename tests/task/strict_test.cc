#include "task/strict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace akgen::task {
namespace {
using base::Dtype;

std::vector<uint8_t> Bytes(Dtype d, const std::vector<double>& v) {
  std::vector<uint8_t> out;
  for (double x : v) {
    float f = float(x);
    uint16_t h = d == Dtype::kFloat16 ? base::DoubleToHalf(x) : base::DoubleToBf16(x);
    bool whole = d == Dtype::kInt32 || d == Dtype::kInt8;  // only then is x sure to be a number that fits
    int32_t i = whole ? int32_t(x) : 0;
    int8_t b = int8_t(i);
    auto put = [&](const void* p, size_t n) { out.insert(out.end(), (const uint8_t*)p, (const uint8_t*)p + n); };
    if (d == Dtype::kFloat32) put(&f, 4);
    else if (d == Dtype::kInt32) put(&i, 4);
    else if (d == Dtype::kInt8) put(&b, 1);
    else put(&h, 2);
  }
  return out;
}

StrictComparison Judged(Dtype d, const std::vector<double>& out, const std::vector<double>& ref,
                        const std::vector<double>& peer = {}, bool quantised = false) {
  TensorDesc desc{d, {int64_t(ref.size())}};
  auto o = Bytes(d, out), r = Bytes(d, ref), p = Bytes(d, peer);
  return CompareStrict(quantised, desc, o, desc, r, p);
}

// `n` ones with `v` at the first place.
std::vector<double> Ones(int n, double v = 1) {
  std::vector<double> out(size_t(n), 1.0);
  out[0] = v;
  return out;
}

TEST(Strict, LimitsArePowersOfTwoByDtype) {
  EXPECT_EQ(StrictLimitsFor(Dtype::kFloat16)->mere, 1.0 / 1024);
  EXPECT_EQ(StrictLimitsFor(Dtype::kBfloat16)->mere, 1.0 / 128);
  EXPECT_EQ(StrictLimitsFor(Dtype::kFloat32)->mere, 1.0 / 8192);
  EXPECT_EQ(StrictLimitsFor(Dtype::kFloat32)->small_abs, std::ldexp(1.0, -30));
  EXPECT_FALSE(StrictLimitsFor(Dtype::kInt32));
}

TEST(Strict, TheLargestErrorDecides) {
  // 10 * 2^-13 = 0.00122: just inside and just outside, in a tensor whose mean error is tiny.
  EXPECT_TRUE(Judged(Dtype::kFloat32, Ones(1000, 1.0012), Ones(1000)).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat32, Ones(1000, 1.0013), Ones(1000)).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat32, Ones(1000, 1.0013), Ones(1000), Ones(1000)).result.pass)
      << "the peer is right there";
}

TEST(Strict, TheMeanErrorDecides) {
  std::vector<double> ref(100, 1.0), near(100, 1.0001), far(100, 1.0002);  // limit 2^-13 = 0.000122
  EXPECT_TRUE(Judged(Dtype::kFloat32, near, ref).result.pass);
  auto s = Judged(Dtype::kFloat32, far, ref);
  EXPECT_FALSE(s.result.pass);
  EXPECT_TRUE(s.peer_may_excuse);
  EXPECT_FALSE(Judged(Dtype::kFloat32, far, ref, near).result.pass ==
               Judged(Dtype::kFloat32, far, ref, ref).result.pass)
      << "a peer half as far excuses, an exact one does not";
}

TEST(Strict, ThePeerExcusesWhereItIsWrongItself) {
  EXPECT_TRUE(Judged(Dtype::kFloat32, Ones(1000, 1.5), Ones(1000), Ones(1000, 1.4)).result.pass);
  std::vector<double> elsewhere = Ones(1000);
  elsewhere[5] = 1.4;
  EXPECT_FALSE(Judged(Dtype::kFloat32, Ones(1000, 1.5), Ones(1000), elsewhere).result.pass);
}

// 500 values in [1, 2) and below zero, and what they become when cut off, and when rounded.
struct Sixteen {
  std::vector<double> exact, cut, floor, nearest;
  explicit Sixteen(int mantissa, int values = 500) {
    for (int i = 0; i < values; ++i) {
      const double x = (i % 2 ? -1 : 1) * (1 + double(i) * 0.618034 - std::floor(double(i) * 0.618034));
      const double scaled = std::ldexp(x, mantissa);
      exact.push_back(x);
      cut.push_back(std::ldexp(std::trunc(scaled), -mantissa));
      floor.push_back(std::ldexp(std::floor(scaled), -mantissa));
      nearest.push_back(std::ldexp(std::nearbyint(scaled), -mantissa));
    }
  }
};

TEST(Strict, ResultsThatAreCutOffAreTold) {
  for (auto [dtype, mantissa] : {std::pair{Dtype::kBfloat16, 7}, {Dtype::kFloat16, 10}}) {
    const Sixteen x(mantissa);
    EXPECT_TRUE(Judged(dtype, x.nearest, x.exact).result.pass);
    for (const auto* directed : {&x.cut, &x.floor}) {
      auto s = Judged(dtype, *directed, x.exact);
      EXPECT_FALSE(s.result.pass);
      EXPECT_TRUE(s.peer_may_excuse);
      EXPECT_NE(s.result.reason.find("rounded one way"), std::string::npos) << s.result.reason;
      EXPECT_FALSE(Judged(dtype, *directed, x.exact, x.nearest).result.pass);
      EXPECT_TRUE(Judged(dtype, *directed, x.exact, *directed).result.pass) << "the peer leans that way too";
    }
  }
}

TEST(Strict, AStepHereAndThereIsRounding) {
  const Sixteen x(7);
  std::vector<double> twice = x.nearest;  // off by a step in both directions: computed in more than one step
  for (size_t i = 0; i < twice.size(); ++i)
    if (i % 4 < 2) twice[i] += (i / 4 % 2 ? 1 : -1) * std::ldexp(1.0, -7);
  EXPECT_TRUE(Judged(Dtype::kBfloat16, twice, x.exact).result.pass);
  const Sixteen few(7, 50);
  EXPECT_TRUE(Judged(Dtype::kBfloat16, few.cut, few.exact).result.pass) << "too few values to say";
  std::vector<double> same(500, 1.3), low(500, 1.296875 - std::ldexp(1.0, -7));
  EXPECT_TRUE(Judged(Dtype::kBfloat16, low, same).result.pass) << "one value, 500 times";
}

TEST(Strict, SmallValues) {
  // Below 2^-14 an error counts from 2^-30 on; two in a thousand are free.
  auto with = [](int wrong, double by) {
    std::vector<double> v = Ones(1000);
    for (int i = 0; i < wrong; ++i) v[size_t(i)] = 1e-5 + by;
    return v;
  };
  std::vector<double> peer = with(8, 0);
  EXPECT_TRUE(Judged(Dtype::kFloat32, with(8, 5e-10), with(8, 0), peer).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat32, with(8, 5e-7), with(8, 0), peer).result.pass);
  EXPECT_TRUE(Judged(Dtype::kFloat32, with(8, 5e-7), with(8, 0), with(8, 4e-7)).result.pass)
      << "the peer makes as many";
}

TEST(Strict, Cancellation) {
  auto with = [](int wrong, double v) {
    std::vector<double> out = Ones(10000);
    for (int i = 0; i < 6; ++i) out[size_t(i)] = i < wrong ? v : 0.002;
    return out;
  };
  EXPECT_TRUE(Judged(Dtype::kFloat32, with(2, 0.0021), with(0, 0), with(0, 0)).result.pass) << "two are free";
  EXPECT_FALSE(Judged(Dtype::kFloat32, with(3, 0.0021), with(0, 0), with(0, 0)).result.pass);
  EXPECT_TRUE(Judged(Dtype::kFloat32, with(6, 0.0021), with(0, 0), with(3, 0.0021)).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat32, with(6, 0.5), with(0, 0), with(3, 0.0021)).result.pass)
      << "half is no cancellation";
}

TEST(Strict, NothingIsFreeInSmallTensors) {
  EXPECT_FALSE(Judged(Dtype::kFloat16, {0.0}, {0.001}, {0.001}).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat32, {0, 0}, {1e-5, 2e-5}, {1e-5, 2e-5}).result.pass);
}

TEST(Strict, NanAndInfinityByPlaceAndSign) {
  EXPECT_TRUE(Judged(Dtype::kFloat16, {std::nan(""), HUGE_VAL, -HUGE_VAL, 1}, {std::nan(""), HUGE_VAL, -HUGE_VAL, 1})
                  .result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat16, {HUGE_VAL, 1}, {-HUGE_VAL, 1}).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat16, {1, std::nan("")}, {std::nan(""), 1}).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat16, {65504, 1}, {HUGE_VAL, 1}, {65504, 1}).result.pass) << "no peer excuses it";
  EXPECT_FALSE(Judged(Dtype::kFloat32, {std::nan("")}, {2}).result.pass);
}

TEST(Strict, IntegersAreExact) {
  EXPECT_TRUE(Judged(Dtype::kInt32, {1, -2}, {1, -2}).result.pass);
  auto s = Judged(Dtype::kInt32, {1, -3}, {1, -2});
  EXPECT_FALSE(s.result.pass);
  EXPECT_FALSE(s.peer_may_excuse);
}

TEST(Strict, QuantisedNeighboursNeedThePeersCompany) {
  std::vector<double> ref(2000, 5), one = ref, peer = ref, two = ref;
  for (size_t i = 0; i < 10; ++i) one[i] = 6;
  for (size_t i = 20; i < 26; ++i) peer[i] = 4;
  two[0] = 7;
  EXPECT_FALSE(Judged(Dtype::kInt8, one, ref, ref, true).result.pass);
  EXPECT_TRUE(Judged(Dtype::kInt8, one, ref, peer, true).result.pass);
  EXPECT_FALSE(Judged(Dtype::kInt8, two, ref, peer, true).result.pass) << "two steps away is wrong";
  EXPECT_FALSE(Judged(Dtype::kInt8, one, ref, peer, false).result.pass);
}

TEST(Strict, DtypeAndShapeAreExact) {
  auto b = Bytes(Dtype::kFloat16, {1, 2});
  EXPECT_FALSE(CompareStrict(false, {Dtype::kFloat16, {2, 1}}, b, {Dtype::kFloat16, {2}}, b).result.pass);
  EXPECT_FALSE(CompareStrict(false, {Dtype::kBfloat16, {2}}, b, {Dtype::kFloat16, {2}}, b).result.pass);
}

// A float32 answer that went through a 16-bit format is far outside.
TEST(Strict, ADowncastAnswerFails) {
  std::vector<double> ref, half, bf16;
  for (int i = 0; i < 4096; ++i) {
    double v = std::sin(i) * 3;
    ref.push_back(v);
    half.push_back(base::HalfToFloat(base::DoubleToHalf(v)));
    bf16.push_back(base::Bf16ToFloat(base::DoubleToBf16(v)));
  }
  EXPECT_FALSE(Judged(Dtype::kFloat32, half, ref, ref).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat32, bf16, ref, ref).result.pass);
  EXPECT_TRUE(Judged(Dtype::kFloat32, ref, ref, ref).result.pass);
}

}  // namespace
}  // namespace akgen::task
