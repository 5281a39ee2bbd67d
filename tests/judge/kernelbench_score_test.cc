// AscendKernelBench's numbers, by hand, and what a result's record holds.
#include <gtest/gtest.h>

#include <cmath>

#include "base/version.h"
#include "judge/kernelbench/judge.h"

namespace akgen::judge::kernelbench {
namespace {
using base::Json;

TEST(KernelBenchTime, SolLiesBetweenEagerAndTheSpeedOfLight) {
  const struct {
    double us, eager, light, speedup, sol;
  } rows[] = {{5, 10, 1, 2, 9.0 / 13},
              {10, 10, 1, 1, 0.5},
              {1, 10, 1, 10, 9 / 9.001},
              {20, 10, 1, 0.5, 9.0 / 28},
              // Faster than the bytes allow, or than they would take eagerly: light is what is
              // faster than both.
              {5, 10, 7, 2, (10 - 4.995) / (0.005 + 10 - 4.995)},
              {10, 5, 7, 0.5, (5 - 4.995) / (10 - 4.995 + 5 - 4.995)}};
  for (const auto& r : rows) {
    const Time t{r.us, r.eager, r.light};
    EXPECT_DOUBLE_EQ(t.Speedup(), r.speedup) << r.us;
    EXPECT_NEAR(t.Sol(), r.sol, 1e-3) << r.us << " " << r.light;
  }
  EXPECT_NEAR(Time({5, 10, 7}).Sol(), 0.999, 1e-9 + 1e-3);
  EXPECT_EQ(Time({0, 10, 1}).Speedup(), 0) << "no time is no speed";
}

Sample Of(const char* task, double us, record::Verdict v = record::Verdict::kPass) {
  Sample s;
  s.task = task, s.result.verdict = v;
  if (us > 0) s.result.time = Time{us, 10, 1};
  return s;
}

TEST(KernelBenchScore, ByHand) {
  using enum record::Verdict;
  // Speed-ups 2, 1, 10, 10.1 (which is odd), none; one fails.
  const Score s = ScoreOf({Of("a", 5), Of("a", 10), Of("b", 1), Of("b", 10 / 10.1), Of("b", 0),
                           Of("a", 1, kWrongAnswer)});
  EXPECT_EQ(s.samples, 6u);
  EXPECT_EQ(s.correct, 5);
  EXPECT_EQ(s.flagged, 1);
  std::map<std::string, double> fast(s.fast.begin(), s.fast.end());
  EXPECT_EQ(fast.size(), 6u);
  EXPECT_DOUBLE_EQ(fast["0"], 5 / 6.0);
  EXPECT_DOUBLE_EQ(fast["0.5"], 3 / 6.0);
  EXPECT_DOUBLE_EQ(fast["0.8"], 3 / 6.0);
  EXPECT_DOUBLE_EQ(fast["1"], 2 / 6.0) << "faster, not as fast";
  EXPECT_DOUBLE_EQ(fast["1.5"], 2 / 6.0);
  EXPECT_DOUBLE_EQ(fast["2"], 1 / 6.0);
  ASSERT_EQ(s.pass.size(), 1u) << "three samples of a task tell of no five";
  EXPECT_EQ(s.pass[0].first, "1");
  EXPECT_NEAR(s.pass[0].second, (2 / 3.0 + 1) / 2, 1e-12);
  EXPECT_NEAR(*s.geometric_mean, std::cbrt(20), 1e-12);
  EXPECT_NEAR(*s.sol, (9.0 / 13 + 0.5 + 9 / 9.001) / 3, 1e-6);
  EXPECT_EQ(ToJson(s)["flagged"], 1);
  EXPECT_EQ(ToJson(s)["samples"], 6);
  EXPECT_EQ(ToJson(s)["correct"], 5);
  EXPECT_EQ(ToJson(s)["fast_p"]["2"], 1 / 6.0);
}

TEST(KernelBenchScore, PassAtFiveAndTen) {
  std::vector<Sample> all;
  for (int i = 0; i < 5; ++i)
    all.push_back(Of("a", 0, i < 1 ? record::Verdict::kPass : record::Verdict::kFinding));
  const Score five = ScoreOf(all);
  ASSERT_EQ(five.pass.size(), 2u);
  EXPECT_NEAR(five.pass[0].second, 0.2, 1e-12);
  EXPECT_EQ(five.pass[1].first, "5");
  EXPECT_EQ(five.pass[1].second, 1) << "any five of five";
  for (int i = 5; i < 10; ++i) all.push_back(Of("a", 0, record::Verdict::kFinding));
  const Score ten = ScoreOf(all);
  ASSERT_EQ(ten.pass.size(), 3u);
  EXPECT_NEAR(ten.pass[0].second, 0.1, 1e-12);
  EXPECT_NEAR(ten.pass[1].second, 0.5, 1e-12);
  EXPECT_NEAR(ten.pass[2].second, 1, 1e-12);
  const Json none = ToJson(ScoreOf({}));
  EXPECT_EQ(none, Json::parse(R"({"samples": 0, "correct": 0, "flagged": 0, "pass_at_k": {},
      "fast_p": {"0": 0.0, "0.5": 0.0, "0.8": 0.0, "1": 0.0, "1.5": 0.0, "2": 0.0},
      "geometric_mean": null, "sol": null})"));
}

TEST(KernelBenchResult, TheRecordHoldsAll) {
  Result r;
  r.verdict = record::Verdict::kWrongAnswer, r.reason = "why", r.trial = "seed 3";
  r.trials = 2, r.launches = 7, r.cap = 64, r.untimed = "no time";
  record::Finding f;
  f.code = "AK1201";
  r.findings = {f};
  r.diagnostics = {{"error", "k.cpp", 3, 1, "d", {}}};
  Json j = ToJson(r);
  EXPECT_EQ(j["findings"][0]["code"], "AK1201");
  EXPECT_EQ(j["diagnostics"][0]["line"], 3);
  EXPECT_TRUE(j["modelled"].is_null());
  j.erase("findings"), j.erase("diagnostics"), j.erase("modelled");
  EXPECT_EQ(j, (Json{{"schema", record::kVerdictSchema},
                     {"version", base::kVersion},
                     {"backend", record::NameOf(record::kDefaultBackend)},
                     {"sealed", record::IsSealed(record::kDefaultBackend)},
                     {"verdict", "wrong_answer"},
                     {"reason", "why"},
                     {"trial", "seed 3"},
                     {"trials", 2},
                     {"launches", 7},
                     {"cap", 64},
                     {"untimed", "no time"}}));
  r.time = Time{5, 10, 1};
  EXPECT_EQ(ToJson(r)["modelled"], Json({{"us", 5.0},
                                         {"eager_us", 10.0},
                                         {"speed_of_light_us", 1.0},
                                         {"speedup", 2.0},
                                         {"sol", 9.0 / 13}}));
}
}  // namespace
}  // namespace akgen::judge::kernelbench
