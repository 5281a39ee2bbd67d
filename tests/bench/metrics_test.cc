#include "bench/metrics.h"

#include <gtest/gtest.h>

#include <bit>

namespace akgen::bench {
namespace {

// Every choice of k of n samples, the first c of which are right.
double BruteForce(int n, int c, int k) {
  int all = 0, hit = 0;
  for (unsigned set = 0; set < (1u << n); ++set) {
    if (std::popcount(set) != k) continue;
    ++all;
    hit += (set & ((1u << c) - 1)) != 0;
  }
  return double(hit) / all;
}

TEST(Metrics, PassAtKIsTheShareOfAllChoices) {
  for (int n = 1; n <= 10; ++n)
    for (int c = 0; c <= n; ++c)
      for (int k = 1; k <= n; ++k)
        EXPECT_NEAR(PassAtK(n, c, k), BruteForce(n, c, k), 1e-12) << n << " " << c << " " << k;
}

TEST(Metrics, PassAtKByHand) {
  EXPECT_DOUBLE_EQ(PassAtK(1, 0, 1), 0);
  EXPECT_DOUBLE_EQ(PassAtK(10, 3, 1), 0.3);
  EXPECT_NEAR(PassAtK(5, 2, 2), 1 - 3.0 / 10, 1e-12);
  EXPECT_DOUBLE_EQ(PassAtK(200, 200, 100), 1);
  EXPECT_NEAR(PassAtK(200, 1, 100), 0.5, 1e-12);
}

TEST(Metrics, IntervalsHoldTheMeanAndShrinkWithAgreement) {
  Interval mixed = MeanPassAtK({0, 1, 2, 0, 2, 1, 0, 2}, 2, 1);
  EXPECT_DOUBLE_EQ(mixed.value, 0.5);
  EXPECT_LT(mixed.low, 0.5);
  EXPECT_GT(mixed.high, 0.5);
  EXPECT_GE(mixed.low, 0);
  EXPECT_LE(mixed.high, 1);
  Interval same = MeanPassAtK({1, 1, 1}, 2, 1);
  EXPECT_DOUBLE_EQ(same.low, 0.5);
  EXPECT_DOUBLE_EQ(same.high, 0.5);
  // Half of 100 tasks right: the interval of a share, 0.5 +- 1.96 sqrt(0.25 / 100).
  std::vector<int> half(100, 0);
  std::fill(half.begin(), half.begin() + 50, 1);
  Interval h = MeanPassAtK(half, 1, 1, 4000);
  EXPECT_NEAR(h.low, 0.402, 0.02);
  EXPECT_NEAR(h.high, 0.598, 0.02);
}

TEST(Metrics, HapByHand) {
  EXPECT_DOUBLE_EQ(*Hap(10, 10, 2), 0.5);
  EXPECT_DOUBLE_EQ(*Hap(2, 10, 2), 1);
  EXPECT_DOUBLE_EQ(*Hap(26, 10, 2), 0.25);
  EXPECT_GT(*Hap(1, 10, 2), 1) << "faster than the bound is shown, not hidden";
  EXPECT_FALSE(Hap(0, 10, 2));
  EXPECT_FALSE(Hap(1, 2, 10));
}

TEST(Metrics, FastPCountsAllUnits) {
  std::vector<std::optional<double>> s{1.2, std::nullopt, 0.5, 2.0};
  EXPECT_DOUBLE_EQ(FastP(s, 0.2), 0.75);
  EXPECT_DOUBLE_EQ(FastP(s, 1), 0.5);
  EXPECT_DOUBLE_EQ(FastP(s, 2), 0) << "2 is not above 2";
  EXPECT_DOUBLE_EQ(FastP({}, 1), 0);
}

// Three tasks on two levels, two samples each; one candidate is missing, one was never judged.
class RunMetrics : public ::testing::Test {
 protected:
  RunMetrics()
      : dir_(std::move(base::TempDir::Create().value())),
        store_(
            std::move(store::Store::Open(dir_.path() / "r.db", store::Access::kAppend).value())) {
    store::RunRow run;
    EXPECT_TRUE(store_.AddRun({{"samples", 2}}, id_).ok());
    EXPECT_TRUE(
        store_.AddTasks(id_, {{"A", "Math", "a", 1}, {"B", "Math", "b", 1}, {"C", "Norm", "c", 2}})
            .ok());
    EXPECT_TRUE(store_
                    .AddCandidates(id_, {{"A", "", "1", 0},
                                         {"A", "", "2", 1},
                                         {"B", "", "3", 0},
                                         {"C", "", "4", 0},
                                         {"C", "", "5", 1}})
                    .ok());
    Add("A", 0, "pass", "pass"), Add("A", 1, "pass", "wrong_answer"),
        Add("B", 0, "build_error", "build_error"), Add("C", 0, "finding", "pass");
  }
  void Add(const std::string& task, int sample, const std::string& open,
           const std::string& hidden) {
    store::VerdictRow v;
    v.task = task, v.sample = sample, v.part = "public", v.verdict = open,
    v.record = {{"sealed", true}};
    store::VerdictRow h = v;
    h.part = "hidden", h.verdict = hidden;
    EXPECT_TRUE(store_.AddVerdicts(id_, {v, h}).ok());
  }
  base::TempDir dir_;
  store::Store store_;
  std::string id_;
};

TEST_F(RunMetrics, ByHand) {
  auto m = Measure(store_, store_.Runs()->at(0));
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->n, 2);
  EXPECT_DOUBLE_EQ(m->pass.at(1).value, (0.5 + 0 + 0) / 3);
  EXPECT_DOUBLE_EQ(m->pass_public.at(1).value, (1.0 + 0 + 0) / 3);
  EXPECT_DOUBLE_EQ(m->pass_hidden.at(1).value, (0.5 + 0 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(m->compile.at(1).value, (1.0 + 0 + 0.5) / 3);
  EXPECT_FALSE(m->pass.contains(5)) << "there are only two samples";
  EXPECT_DOUBLE_EQ(m->level_rate.at(1), 1.0 / 4);
  EXPECT_DOUBLE_EQ(m->level_rate.at(2), 0);
  EXPECT_DOUBLE_EQ(m->weighted, 0.2 * 0.25);
  std::map<std::string, int> taxonomy{{"pass", 1},        {"hidden_wrong_answer", 1},
                                      {"build_error", 1}, {"finding", 1},
                                      {"not judged", 1},  {"missing", 1}};
  EXPECT_EQ(m->taxonomy, taxonomy);
  int all = 0;
  for (auto& [name, n] : m->taxonomy) all += n;
  EXPECT_EQ(all, 6) << "the taxonomy covers every task times n";
}

TEST_F(RunMetrics, WhatIsNotSealedCountsAsNothing) {
  store::VerdictRow v;
  v.task = "C", v.sample = 1, v.part = "public", v.verdict = "pass", v.record = {{"sealed", false}};
  store::VerdictRow h = v;
  h.part = "hidden", h.record = {{"sealed", true}};
  ASSERT_TRUE(store_.AddVerdicts(id_, {v, h}).ok());
  auto m = Measure(store_, store_.Runs()->at(0));
  EXPECT_EQ(m->taxonomy.at("unsealed"), 1);
  EXPECT_EQ(m->taxonomy.at("pass"), 1);
  EXPECT_DOUBLE_EQ(m->pass.at(2).value, 1.0 / 3);
  EXPECT_DOUBLE_EQ(m->compile.at(2).value, 2.0 / 3) << "that it builds is its word as well";
  auto rows = store_.Evidence(id_);
  ASSERT_TRUE(rows.ok());
  for (const auto& row : *rows)
    if (row.task == "C" && row.sample == 1 && row.part == "public")
      EXPECT_EQ(row.verdict + ", " + row.reason, "unsealed, pass");
}

TEST_F(RunMetrics, RatesComeForTheKsAskedForAndAllSamples) {
  auto ks = [&](const Metrics& m) {
    std::vector<int> out;
    for (const auto& [k, rate] : m.pass) out.push_back(k);
    return out;
  };
  auto m = Measure(store_, store_.Runs()->at(0));
  EXPECT_EQ(ks(*m), (std::vector<int>{1, 2}));
  EXPECT_DOUBLE_EQ(m->pass.at(2).value, 1.0 / 3)
      << "one of three tasks has a right sample among its two";
  EXPECT_DOUBLE_EQ(m->compile.at(2).value, 2.0 / 3);
  EXPECT_EQ(ks(*Measure(store_, store_.Runs()->at(0), {2})), (std::vector<int>{2}));
}

TEST_F(RunMetrics, TimesReadNotModelled) {
  base::Json j = ToJson(*Measure(store_, store_.Runs()->at(0)));
  EXPECT_EQ(j["hap"], "not modelled");
  EXPECT_EQ(j["fast_p"]["1.5"], "not modelled");
  EXPECT_EQ(j["fast_p"].size(), 5u);
  EXPECT_FALSE(j.contains("fast_p_range"));
}

TEST_F(RunMetrics, TimesCountOverAllSamples) {
  store::VerdictRow v;
  v.task = "C", v.sample = 1, v.part = "public", v.verdict = "pass";
  v.record = {{"sealed", true},
              {"cases",
               {{{"modelled",
                  {{"us", 5.0},
                   {"baseline_us", 10.0},
                   {"baseline_range_us", {6.0, 13.0}},
                   {"bound_us", 2.0}}}},
                {{"modelled", {{"trace_cut", true}}}}}}};
  store::VerdictRow h = v;
  h.part = "hidden", h.record = {{"sealed", true}};
  ASSERT_TRUE(store_.AddVerdicts(id_, {v, h}).ok());
  base::Json j = ToJson(*Measure(store_, store_.Runs()->at(0)));
  EXPECT_DOUBLE_EQ(j["hap"].get<double>(), 8.0 / 11 / 6) << "one of six samples has a time";
  EXPECT_DOUBLE_EQ(j["fast_p"]["1.5"].get<double>(), 1.0 / 6);
  EXPECT_DOUBLE_EQ(j["fast_p"][base::Json(2.0).dump()].get<double>(), 0) << "2 is not above 2";
  EXPECT_EQ(j["fast_p_range"]["1.5"], base::Json({0.0, 1.0 / 6}))
      << "the estimate may be as little as 6";
  EXPECT_EQ(j["fast_p_range"][base::Json(2.0).dump()], base::Json({0.0, 1.0 / 6}))
      << "or as much as 13";
  EXPECT_EQ(j["fast_p_range"][base::Json(1.0).dump()], base::Json({1.0 / 6, 1.0 / 6}));
  EXPECT_DOUBLE_EQ(j["fast_p_beyond"][base::Json(1.0).dump()].get<double>(), 1.0 / 6)
      << "5 us is below 6";
  EXPECT_EQ(j["fast_p_beyond"]["1.5"], 0.0) << "but by a fifth";
}

}  // namespace
}  // namespace akgen::bench
