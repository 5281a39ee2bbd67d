// Inputs that are not free: arrangements, index sets, coordinates of other inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "task/generate.h"
#include "task/inputs.h"

namespace akgen::task {
namespace {
using base::Json;

ParamSpec Input(const std::string& name, const std::string& dtype, const Json& shape,
                const Json& dist) {
  ParamSpec p;
  p.name = name, p.dtype = dtype, p.shape = shape, p.dist = dist;
  return p;
}
TaskSpec With(std::vector<ParamSpec> inputs) {
  TaskSpec t;
  t.name = "Made";
  t.outputs = {inputs[0]};
  t.inputs = std::move(inputs);
  t.cases = {{"0", Json::object()}};
  return t;
}
template <typename T>
std::vector<T> Values(const TensorSet& set, size_t i) {
  std::vector<T> out(set.Bytes(i).size() / sizeof(T));
  std::memcpy(out.data(), set.Bytes(i).data(), set.Bytes(i).size());
  return out;
}
template <typename T>
std::vector<T> Drawn(const std::string& dtype, const Json& shape, const Json& dist,
                     uint64_t seed = 1) {
  TaskSpec t = With({Input("x", dtype, shape, dist)});
  auto set = GenerateInputs(t, *ResolveCase(t, "0"), seed);
  EXPECT_TRUE(set) << set.error().ToString();
  return set ? Values<T>(*set, 0) : std::vector<T>();
}
bool Refused(const std::string& dtype, const Json& shape, const Json& dist) {
  TaskSpec t = With({Input("x", dtype, shape, dist)});
  auto set = GenerateInputs(t, *ResolveCase(t, "0"), 1);
  return !set && set.error().code == "AK0102";
}

TEST(Derived, BoolWithACountHasExactlyThatManyOnes) {
  for (int n : {1, 2, 3, 31, 64, 1000, 4097}) {
    for (int count : {0, 1, n / 2, n}) {
      auto v = Drawn<uint8_t>("bool", {n}, {{"kind", "bool"}, {"count", count}});
      EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), count) << n;
    }
  }
  Json half{{"kind", "bool"}, {"count", 2000}};
  auto a = Drawn<uint8_t>("bool", {4000}, half, 1), b = Drawn<uint8_t>("bool", {4000}, half, 2);
  EXPECT_NE(a, b);
  int front = std::accumulate(a.begin(), a.begin() + 1000, 0);
  EXPECT_NEAR(front, 500, 80);  // spread over the whole tensor
  EXPECT_TRUE(Refused("bool", {3}, {{"kind", "bool"}, {"count", 4}}));
}

TEST(Derived, AscendingNumbersDiffer) {
  for (double high : {64.0, 1000.0, 1e12}) {
    auto v = Drawn<int64_t>("int64", {64}, {{"kind", "ascending"}, {"high", high}});
    for (size_t i = 1; i < v.size(); ++i) EXPECT_LT(v[i - 1], v[i]);
    EXPECT_GE(v.front(), 0);
    EXPECT_LT(v.back(), int64_t(high));
  }
  EXPECT_TRUE(Refused("int64", {64}, {{"kind", "ascending"}, {"high", 63}}));
}

TEST(Derived, OntoReachesEveryNumber) {
  for (int high : {1, 7, 100}) {
    auto v = Drawn<int64_t>("int64", {100}, {{"kind", "onto"}, {"high", high}});
    std::set<int64_t> seen(v.begin(), v.end());
    EXPECT_EQ(int(seen.size()), high);
    EXPECT_EQ(*seen.rbegin(), high - 1);
  }
  EXPECT_TRUE(Refused("int64", {10}, {{"kind", "onto"}, {"high", 11}}));
}

TEST(Derived, ShuffledLinesHoldEveryValueOnce) {
  // Lines of 6 along axis 1 of 4 x 6 x 5.
  auto v = Drawn<float>("float32", {4, 6, 5},
                        {{"kind", "shuffled"}, {"low", -3}, {"high", 3}, {"axis", 1}});
  std::set<std::vector<float>> lines;
  for (size_t i = 0; i < 4; ++i)
    for (size_t k = 0; k < 5; ++k) {
      std::vector<float> line;
      for (size_t j = 0; j < 6; ++j) line.push_back(v[(i * 6 + j) * 5 + k]);
      lines.insert(line);
      EXPECT_EQ(std::set<float>(line.begin(), line.end()), (std::set<float>{-3, -2, -1, 0, 1, 2}));
    }
  EXPECT_GT(lines.size(), 15u);  // not the same arrangement everywhere
  EXPECT_TRUE(
      Refused("float32", {4}, {{"kind", "shuffled"}, {"low", 0}, {"high", 1}, {"axis", 1}}));
}

TEST(Derived, CoordinatesOfOtherInputs) {
  Json coordinates{
      {"kind", "coordinates"}, {"numbers", "places"}, {"at", "which"}, {"dims", {10, 7, 3}}};
  TaskSpec t = With({Input("places", "int64", {20}, {{"kind", "ascending"}, {"high", 210}}),
                     Input("which", "int64", {50}, {{"kind", "onto"}, {"high", 20}}),
                     Input("rows", "int64", {50, 3}, coordinates)});
  auto set = GenerateInputs(t, *ResolveCase(t, "0"), 3);
  ASSERT_TRUE(set) << set.error().ToString();
  auto places = Values<int64_t>(*set, 0), which = Values<int64_t>(*set, 1),
       rows = Values<int64_t>(*set, 2);
  for (size_t r = 0; r < 50; ++r) {
    int64_t a = rows[3 * r], b = rows[3 * r + 1], c = rows[3 * r + 2];
    EXPECT_TRUE(a >= 0 && a < 10 && b >= 0 && b < 7 && c >= 0 && c < 3);
    EXPECT_EQ((a * 7 + b) * 3 + c, places[size_t(which[r])]);
  }
  t.inputs[2].dist["at"] = "rows";  // not an earlier input
  EXPECT_FALSE(GenerateInputs(t, *ResolveCase(t, "0"), 3));
  t.inputs[2].dist["at"] = "which";
  t.inputs[2].dist["dims"] = Json::array({10, 7});
  EXPECT_FALSE(GenerateInputs(t, *ResolveCase(t, "0"), 3));
}

TEST(Derived, ARingHasItsMagnitudesInEveryDirection) {
  auto v = Drawn<float>("complex64", {4000}, {{"kind", "ring"}, {"low", 2}, {"high", 3}});
  int quadrant[4] = {}, steep = 0;
  for (size_t i = 0; i + 1 < v.size(); i += 2) {
    double size = std::hypot(v[i], v[i + 1]);
    EXPECT_GE(size, 1.999999);
    EXPECT_LT(size, 3.000001);
    ++quadrant[(v[i] < 0) + 2 * (v[i + 1] < 0)];
    steep += std::fabs(v[i + 1]) > std::fabs(v[i]);
  }
  for (int q : quadrant) EXPECT_NEAR(q, 1000, 150);
  EXPECT_NEAR(steep, 2000, 200);
  EXPECT_TRUE(Refused("float32", {4}, {{"kind", "ring"}, {"low", 0}, {"high", 1}}));
}

TEST(Derived, AHeavyTailReachesFarOnBothSides) {
  auto v = Drawn<float>("float32", {100000}, {{"kind", "heavy"}, {"std", 2}});
  int beyond[2] = {}, inside = 0;
  for (float x : v) {
    EXPECT_LT(std::fabs(x), 2 * 8 * 1024.f);
    inside += std::fabs(x) < 2;
    if (std::fabs(x) > 200) ++beyond[x < 0];
  }
  EXPECT_NEAR(inside, 36700, 1500);
  for (int n : beyond) EXPECT_NEAR(n, 350, 100);
}

}  // namespace
}  // namespace akgen::task
