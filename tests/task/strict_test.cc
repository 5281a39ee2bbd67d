#include "task/strict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace akgen::task {
namespace {
using base::Dtype;

std::vector<uint8_t> Bytes(Dtype d, const std::vector<double>& v) {
  std::vector<uint8_t> out;
  for (double x : v) {
    float f = float(x);
    uint16_t h = d == Dtype::kFloat16 ? base::DoubleToHalf(x) : base::DoubleToBf16(x);
    bool whole =
        d == Dtype::kInt32 || d == Dtype::kInt8;  // only then is x sure to be a number that fits
    int32_t i = whole ? int32_t(x) : 0;
    int8_t b = int8_t(i);
    auto put = [&](const void* p, size_t n) {
      out.insert(out.end(), (const uint8_t*)p, (const uint8_t*)p + n);
    };
    if (d == Dtype::kFloat32)
      put(&f, 4);
    else if (d == Dtype::kInt32)
      put(&i, 4);
    else if (d == Dtype::kInt8)
      put(&b, 1);
    else
      put(&h, 2);
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
      const double x =
          (i % 2 ? -1 : 1) * (1 + double(i) * 0.618034 - std::floor(double(i) * 0.618034));
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
      EXPECT_TRUE(Judged(dtype, *directed, x.exact, *directed).result.pass)
          << "the peer leans that way too";
    }
  }
}

TEST(Strict, AStepHereAndThereIsRounding) {
  const Sixteen x(7);
  std::vector<double> twice =
      x.nearest;  // off by a step in both directions: computed in more than one step
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
  EXPECT_TRUE(Judged(Dtype::kFloat32, with(2, 0.0021), with(0, 0), with(0, 0)).result.pass)
      << "two are free";
  EXPECT_FALSE(Judged(Dtype::kFloat32, with(3, 0.0021), with(0, 0), with(0, 0)).result.pass);
  EXPECT_TRUE(Judged(Dtype::kFloat32, with(6, 0.0021), with(0, 0), with(3, 0.0021)).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat32, with(6, 0.5), with(0, 0), with(3, 0.0021)).result.pass)
      << "half is no cancellation";
}

// Of float32: what inputs changed by 2^-20 move, no order of additions gets right.
TEST(Strict, WhatFloat32CannotTellIsExcused) {
  const TensorDesc desc{Dtype::kFloat32, {200}};
  int asked = 0;
  auto pass = [&](int wrong, double out, double moved, double less) {
    auto with = [&](double v) {
      std::vector<double> values = Ones(200);
      for (int i = 0; i < wrong; ++i) values[size_t(i)] = v;
      return Bytes(Dtype::kFloat32, values);
    };
    const auto o = with(out), r = with(0.01), m = with(0.01 + moved), l = with(0.01 + less);
    StrictPeers peers;
    peers.own = r;
    peers.nudges = [&] {
      ++asked;
      return StrictNudges{{r, m}, l};
    };
    return CompareStrict(false, desc, o, desc, r, peers).result.pass;
  };
  EXPECT_TRUE(pass(1, 0.01 + 3.9e-5, 1e-5, 1e-6));
  EXPECT_FALSE(pass(1, 0.01 + 4.2e-5, 1e-5, 1e-6)) << "further than four such steps";
  EXPECT_FALSE(pass(1, 0.01 + 3.9e-5, 1e-5, 1e-5)) << "the reference jumps";
  EXPECT_FALSE(pass(1, 0.01 + 3.9e-5, 1e-6, 1e-7));
  EXPECT_EQ(asked, 4);
  EXPECT_FALSE(pass(100, 0.01 + 3.9e-5, 1e-5, 1e-6)) << "many are no chance";
  EXPECT_EQ(asked, 4);
}

TEST(Strict, NothingIsFreeInSmallTensors) {
  EXPECT_FALSE(Judged(Dtype::kFloat16, {0.0}, {0.001}, {0.001}).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat32, {0, 0}, {1e-5, 2e-5}, {1e-5, 2e-5}).result.pass);
}

TEST(Strict, NanAndInfinityByPlaceAndSign) {
  EXPECT_TRUE(Judged(Dtype::kFloat16, {std::nan(""), HUGE_VAL, -HUGE_VAL, 1},
                     {std::nan(""), HUGE_VAL, -HUGE_VAL, 1})
                  .result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat16, {HUGE_VAL, 1}, {-HUGE_VAL, 1}).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat16, {1, std::nan("")}, {std::nan(""), 1}).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat16, {65504, 1}, {HUGE_VAL, 1}, {65504, 1}).result.pass)
      << "no peer excuses it";
  EXPECT_FALSE(Judged(Dtype::kFloat32, {std::nan("")}, {2}).result.pass);
}

TEST(Strict, IntegersAreExact) {
  EXPECT_TRUE(Judged(Dtype::kInt32, {1, -2}, {1, -2}).result.pass);
  auto s = Judged(Dtype::kInt32, {1, -3}, {1, -2});
  EXPECT_FALSE(s.result.pass);
  EXPECT_FALSE(s.peer_may_excuse);
}

// Rounded integers, each element with its values before rounding in float64 and float32.
struct Rounded {
  std::vector<double> out, ref, before, before_single, single, own;

  void Add(double o, double v, std::optional<double> v32 = {}) {
    out.push_back(o), ref.push_back(std::nearbyint(v)), before.push_back(v),
        before_single.push_back(v32.value_or(v));
  }
  bool Pass(Dtype d = Dtype::kInt8, bool rounded = true) const {
    const TensorDesc desc{d, {int64_t(ref.size())}};
    const auto o = Bytes(d, out), r = Bytes(d, ref), s = Bytes(d, single), p = Bytes(d, own);
    StrictPeers peers;
    peers.before_rounding = before, peers.before_rounding_single = before_single;
    peers.single = s, peers.own = p;
    EXPECT_EQ(CompareStrict(rounded, desc, o, desc, r).peer_may_excuse,
              rounded && out != ref && Neighbours());
    return CompareStrict(rounded, desc, o, desc, r, peers).result.pass;
  }
  bool Neighbours() const {
    for (size_t i = 0; i < ref.size(); ++i)
      if (std::fabs(out[i] - ref[i]) > 1) return false;
    return true;
  }
};

TEST(Strict, ARoundedFloatMayBeItsNeighbourWhereFloat32Decides) {
  const TensorDesc desc{Dtype::kFloat16, {200}};
  std::vector<double> out(200, 63), before(200, 63.2), single = before, ref = out;
  auto pass = [&] {
    const auto o = Bytes(Dtype::kFloat16, out), r = Bytes(Dtype::kFloat16, ref);
    StrictPeers peers;
    peers.before_rounding = before, peers.before_rounding_single = single, peers.own = r;
    return CompareStrict(false, desc, o, desc, r, peers).result.pass;
  };
  EXPECT_TRUE(pass());
  out[7] = 64;
  EXPECT_FALSE(pass()) << "float32 lands on 63";
  before[7] = 63.5, ref[7] = 64, out[7] = 63, single[7] = 63.4999999;
  EXPECT_TRUE(pass());
  single[7] = 63.5;
  EXPECT_FALSE(pass()) << "a tie for float32 as well: to even";
  before[7] = ref[7] = 64, single[7] = 64;
  EXPECT_FALSE(pass()) << "nothing was rounded";
}

TEST(Strict, AScaledBackFloatMayBeTheOtherSideOfATieOnTheWay) {
  for (const Dtype d : {Dtype::kFloat16, Dtype::kFloat32}) {
    const TensorDesc desc{d, {200}};
    const std::vector<double> ref(200, 0.5);
    std::vector<double> out = ref, beside = ref;
    auto pass = [&] {
      const auto o = Bytes(d, out), r = Bytes(d, ref), b = Bytes(d, beside);
      StrictPeers peers;
      peers.own = r, peers.beside_ties = {r, b};
      return CompareStrict(false, desc, o, desc, r, peers).result.pass;
    };
    out[7] = 0.5625;
    EXPECT_FALSE(pass()) << "nothing was rounded the other way";
    beside[7] = 0.5625;
    EXPECT_TRUE(pass());
    out[8] = 0.5625;
    EXPECT_FALSE(pass()) << "another element";
    out[8] = 0.5, out[7] = 0.53;
    EXPECT_FALSE(pass()) << "between both";
  }
}

TEST(Strict, ARoundedNeighbourIsRightWhereFloat32LandsOnIt) {
  Rounded r;
  for (int i = 0; i < 2000; ++i) r.Add(5, 5.2);
  r.single = r.ref;
  r.out[7] = 6;
  EXPECT_FALSE(r.Pass()) << "one of 2,000 elements, where float32 lands on the reference";
  r.single[8] = 6;
  EXPECT_FALSE(r.Pass()) << "float32 lands on a neighbour elsewhere";
  r.single[7] = 4;
  EXPECT_FALSE(r.Pass()) << "float32 lands on the other neighbour";
  r.single[7] = 6;
  EXPECT_TRUE(r.Pass());
  EXPECT_FALSE(r.Pass(Dtype::kInt8, false)) << "these integers are not rounded";
  r.out[7] = r.single[7] = 7;
  EXPECT_FALSE(r.Pass()) << "two steps away is wrong";
  r.out[7] = 6, r.single[7] = 5;
  r.own = r.ref;
  r.own[7] = 6;
  EXPECT_TRUE(r.Pass()) << "the case's own precision lands there";
}

TEST(Strict, NearATieFloat32Decides) {
  const double share = std::ldexp(1, -22) * 4.5, tie = 4.5;
  for (const double sign : {-1.0, 1.0}) {
    auto at = [&](double distance) {
      Rounded r;
      const double v = tie + sign * distance;
      r.Add(sign < 0 ? 5 : 4, v);
      return r.Pass(Dtype::kInt32);
    };
    EXPECT_TRUE(at(share * 0.999));
    EXPECT_FALSE(at(share * 1.001));
  }
  Rounded exact;
  exact.Add(5, 4.5);
  EXPECT_FALSE(exact.Pass()) << "a tie in float32 too: to even, as the reference says";
  exact.before_single[0] = 4.5000005;
  EXPECT_TRUE(exact.Pass());
}

TEST(Strict, ConditioningWidensTheTieAndIsBounded) {
  auto at = [](double distance, double error) {
    Rounded r;
    r.Add(5, 4.5 - distance);
    r.Add(100, 100.2,
          100.2 + 100.2 * error);  // another element of the tensor, computed badly in float32
    return r.Pass(Dtype::kInt32);
  };
  EXPECT_TRUE(at(1.999e-5 * 4.5, 1e-5));
  EXPECT_FALSE(at(2.001e-5 * 4.5, 1e-5));
  EXPECT_TRUE(at(std::ldexp(0.999, -8), 0.4));
  EXPECT_FALSE(at(std::ldexp(1.001, -8), 0.4))
      << "an ill-conditioned tensor excuses no more than that";
  EXPECT_FALSE(at(0.01, HUGE_VAL));
  EXPECT_FALSE(at(0.01, std::nan("")));
}

// 32,768 elements of x / scale + offset: float32 in that order lands on the other side of a few
// ties.
TEST(Strict, QuantisedInFloat32PassesAndWrongRoundingDoesNot) {
  Rounded right, away, down, shifted;
  uint64_t state = 1;
  auto unit = [&] {
    return double((state = state * 6364136223846793005ull + 1442695040888963407ull) >> 40) /
           16777216;
  };
  int differ = 0;
  for (int i = 0; i < 32768; ++i) {
    // Every second one is drawn around a tie.
    const float scale = float(0.02 + unit()), offset = float(int(unit() * 20) - 10);
    const float x = i % 2
                        ? float(unit() * 2 - 1)
                        : float((std::floor(unit() * 40) - 20.5 - double(offset)) * double(scale));
    const double v = double(x) / double(scale) + double(offset);
    const float q = x / scale, v32 = q + offset;
    differ += std::nearbyint(v32) != std::nearbyint(v);
    for (Rounded* r : {&right, &away, &down, &shifted}) r->Add(std::nearbyint(v32), v, v32);
    away.out.back() = std::round(double(v32)), down.out.back() = std::floor(double(v32));
    for (Rounded* r : {&right, &away, &down, &shifted}) r->single.push_back(std::nearbyint(v32));
  }
  EXPECT_GT(differ, 5);
  EXPECT_TRUE(right.Pass(Dtype::kInt32));
  EXPECT_FALSE(away.Pass(Dtype::kInt32));
  EXPECT_FALSE(down.Pass(Dtype::kInt32));
  shifted.out[1] += shifted.before[1] > shifted.ref[1] ? 1 : -1;
  EXPECT_FALSE(shifted.Pass(Dtype::kInt32)) << "one element of 32,768, not at a tie";
}

// Products of three numbers in half: in the reference's order one half of them underflows on the
// way, in another order the other half.
TEST(Strict, InHalfThePeerExcusesItsOwnElements) {
  auto half = [](double x) { return double(base::HalfToFloat(base::DoubleToHalf(x))); };
  std::vector<double> exact, own, other;
  for (int i = 0; i < 1000; ++i) {
    const double a = half(std::ldexp(1 + i / 1000.0, i % 2 ? 10 : -10)),
                 b = half(std::ldexp(1.19, -10)), c = half(std::ldexp(1.19, i % 2 ? -10 : 10));
    exact.push_back(half(a * b * c));
    own.push_back(half(half(a * b) * c));
    other.push_back(half(a * half(b * c)));
  }
  EXPECT_TRUE(Judged(Dtype::kFloat16, own, exact, own).result.pass);
  EXPECT_TRUE(Judged(Dtype::kFloat16, exact, exact, own).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat16, other, exact, own).result.pass);
  EXPECT_FALSE(Judged(Dtype::kFloat16, own, exact, exact).result.pass);
  // In each domain of the rule: errors in other places than the peer's, as sums make them; not
  // larger, not more.
  for (const double small : {0.0004, 0.02}) {
    std::vector<double> ref(2000, 1), peer = ref;
    for (size_t i = 0; i < 40; ++i) ref[i] = peer[i] = small;
    for (size_t i = 0; i < 8; ++i) peer[i] = small * 1.1;
    auto judged = [&](Dtype d, size_t first, size_t count, double factor) {
      std::vector<double> out = ref;
      for (size_t i = first; i < first + count; ++i) out[i] = small * factor;
      return Judged(d, out, ref, peer).result.pass;
    };
    for (const Dtype d : {Dtype::kFloat16, Dtype::kBfloat16}) {
      const double over = d == Dtype::kFloat16 ? 1.1 : 1.11;
      EXPECT_TRUE(judged(d, 0, 8, 1.5)) << "the peer's own elements, " << small;
      EXPECT_TRUE(judged(d, 20, 8, over)) << small;
      EXPECT_TRUE(judged(d, 20, 16, over)) << small;
      EXPECT_FALSE(judged(d, 20, 17, over)) << "more than twice as many, " << small;
      EXPECT_FALSE(judged(d, 20, 1, 1.25)) << "more than twice as large, " << small;
    }
    peer = ref;
    EXPECT_FALSE(judged(Dtype::kFloat16, 20, 1, 1.1)) << "nothing is free, " << small;
  }
  // Below s an error counts from 2^-16 on: a peer that is off by less excuses no larger one.
  std::vector<double> ref(2000, 1), peer = ref, out = ref;
  ref[3] = 0.0001, peer[3] = 0.000112, out[3] = 0.0002;
  EXPECT_FALSE(Judged(Dtype::kFloat16, out, ref, peer).result.pass);
  peer[3] = 0.00012;
  EXPECT_TRUE(Judged(Dtype::kFloat16, out, ref, peer).result.pass);
}

TEST(Strict, DtypeAndShapeAreExact) {
  auto b = Bytes(Dtype::kFloat16, {1, 2});
  EXPECT_FALSE(
      CompareStrict(false, {Dtype::kFloat16, {2, 1}}, b, {Dtype::kFloat16, {2}}, b).result.pass);
  EXPECT_FALSE(
      CompareStrict(false, {Dtype::kBfloat16, {2}}, b, {Dtype::kFloat16, {2}}, b).result.pass);
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

// Which elements are said to be wrong: those beyond the largest error, or those that are not finite
// where the reference is, and then no others.
TEST(Strict, WhichElementsAreWrong) {
  const double in = 1.0005, far = 1.5, nan = std::nan("");  // the limit is 1.00122
  struct Row {
    std::vector<double> out;
    std::vector<int64_t> wrong;
    int64_t non_finite = 0;
  };
  for (const Row& row :
       {Row{{1, 1, 1, 1, 1}, {}}, Row{{in, 1, far, in, 1}, {2}},
        Row{{far, in, in, in, far}, {0, 4}}, Row{{in, in, in, in, in}, {}},
        Row{{nan, 1, far, in, 1}, {0}, 1}, Row{{far, in, nan, far, in}, {2}, 1},
        Row{{far, nan, far, HUGE_VAL, far}, {1, 3}, 2}, Row{{in, 1, 1, 1, -HUGE_VAL}, {4}, 1}}) {
    const Comparison c =
        Judged(Dtype::kFloat32, row.out, std::vector<double>(row.out.size(), 1)).result;
    std::vector<int64_t> wrong;
    for (const Mismatch& m : c.wrong.first()) wrong.push_back(m.index);
    EXPECT_EQ(wrong, row.wrong);
    EXPECT_EQ(c.mismatches, int64_t(row.wrong.size()));
    EXPECT_EQ(c.non_finite, row.non_finite);
    EXPECT_EQ(c.pass, row.out == std::vector<double>(5, 1));
  }
}
}  // namespace
}  // namespace akgen::task
