// Measured and modelled times, and the reward that follows: the last value on one side of each
// limit, the first beyond.
#include <gtest/gtest.h>

#include "record/measured.h"
#include "record/reward.h"

namespace akgen::record {
namespace {
using base::Json;

TEST(Measured, Quantiles) {
  const MeasuredTime t =
      MeasuredOf({{50, 0, 0}, {10, 0, 0}, {20, 0, 0}, {40, 0, 0}, {30, 0, 0}}, {});
  EXPECT_EQ(t.us, 30);
  EXPECT_DOUBLE_EQ(t.p10, 14);
  EXPECT_DOUBLE_EQ(t.p90, 46);
  EXPECT_EQ(t.launches, 5);
  EXPECT_EQ(t.rated_mhz, 0) << "no clock is known";
  EXPECT_EQ(MeasuredOf({{10, 0, 0}, {20, 0, 0}}, {}).us, 15);
  EXPECT_EQ(MeasuredOf({{7, 0, 0}}, {}).p90, 7);
}

TEST(Measured, LaunchesBelowTheRatedClockDoNotCount) {
  const MeasuredTime t = MeasuredOf(
      {{9, 1800, 1800}, {1, 1799, 1800}, {11, 1900, 1800}, {0, 1800, 1850}, {5, 1700, 0}}, {});
  EXPECT_EQ(t.slow_clock, 2);
  EXPECT_EQ(t.launches, 3) << "one of unknown rating counts";
  EXPECT_EQ(t.us, 9);
  EXPECT_EQ(t.clock_mhz, 1799);
  EXPECT_EQ(t.rated_mhz, 1850);
}

TEST(Measured, WhyThereIsNone) {
  EXPECT_EQ(MeasuredOf({}, {}).note, "no launch was measured");
  EXPECT_EQ(MeasuredOf({{0, 0, 0}}, {}).note, "no launch has a time");
  EXPECT_EQ(MeasuredOf({{3, 1, 2}}, {}).note,
            "the device ran below its rated frequency in every launch");
  EXPECT_EQ(MeasuredOf({{3, 2, 2}}, {}).note, "");
}

TEST(Measured, OutliersAreMoreThanFiveMedianDeviationsAway) {
  const auto outliers = [](double us) {
    return MeasuredOf({{98, 0, 0}, {99, 0, 0}, {100, 0, 0}, {101, 0, 0}, {us, 0, 0}}, {}).outliers;
  };
  EXPECT_EQ(outliers(105), 0);  // deviations 0, 1, 1, 2, 5
  EXPECT_EQ(outliers(105.1), 1);
  const auto steady = [](double us) {
    return MeasuredOf({{100, 0, 0}, {100, 0, 0}, {100, 0, 0}, {us, 0, 0}}, {}).outliers;
  };
  EXPECT_EQ(steady(100.4), 0) << "a thousandth of the median at least";
  EXPECT_EQ(steady(100.6), 1);
}

TEST(Measured, MembersThatAreThereOnlySometimes) {
  MeasuredTime t;
  const std::string rule =
      R"("rule":{"discarded":1,"flush_bytes":0,"fresh_inputs":false,"host_gaps":false,"repeats":100,"source":"events","warm_up":10})";
  EXPECT_EQ(ToJson(t).dump(), "{\"launches\":0,\"outliers\":0," + rule + ",\"slow_clock\":0}");
  t.us = 2, t.p10 = 1, t.p90 = 3, t.clock_mhz = 5, t.rated_mhz = 6, t.same_outputs = false,
  t.pipes["vec"] = 4;
  t.note = "n", t.launches = 7, t.outliers = 8, t.slow_clock = 9;
  t.rule = {TimeSource::kProfiler, 11, 12, 13, 14, true};
  const Json j = ToJson(t);
  EXPECT_EQ(j.size(), 12u);
  const MeasuredTime back = MeasuredFromJson(j);
  EXPECT_EQ(ToJson(back).dump(), j.dump());
  EXPECT_EQ(back.same_outputs, false);
  EXPECT_EQ(ToJson(DeviceFactsFromJson(ToJson(DeviceFacts{3, "s", "t", "d"}))).dump(),
            R"({"driver":"d","id":3,"soc":"s","toolkit":"t"})");
}

TEST(Modelled, ARangeHoldsItsTime) {
  const auto of = [](const char* text) {
    const Modelled m = ModelledOf(Json::parse(text));
    return std::vector<double>{m.us, m.low, m.high};
  };
  using V = std::vector<double>;
  EXPECT_EQ(of(R"({"us":4,"range_us":[3,5]})"), (V{4, 3, 5}));
  EXPECT_EQ(of(R"({"us":4})"), (V{4, 4, 4}));
  EXPECT_EQ(of(R"({"us":4,"range_us":[3]})"), (V{4, 4, 4}));
  EXPECT_EQ(of(R"({"us":4,"range_us":[3,5,6]})"), (V{4, 4, 4}));
  EXPECT_EQ(of(R"({"us":4,"range_us":[null,5]})"), (V{4, 4, 5}));
  EXPECT_EQ(of(R"({"us":4,"range_us":[6,2]})"), (V{4, 4, 4}));
  EXPECT_EQ(of(R"({"us":0,"range_us":[3,5]})"), (V{0, 0, 0}));
  EXPECT_EQ(of(R"({"us":-1})"), (V{0, 0, 0}));
  EXPECT_EQ(of(R"({"us":"4"})"), (V{0, 0, 0}));
  EXPECT_EQ(of("3"), (V{0, 0, 0}));
  EXPECT_EQ(ToJson(Modelled{4, 3, 5}).dump(), R"({"range_us":[3.0,5.0],"us":4.0})");
  EXPECT_EQ(ToJson(Modelled{}).dump(), "{}");
}

TEST(Modelled, SumsOverCases) {
  const auto sum = [](const char* text) { return SumOfCases(Json::parse(text)).us; };
  EXPECT_EQ(
      sum(R"([{"verdict":"pass","modelled":{"us":2}},{"verdict":"skipped"},{"modelled_us":3}])"),
      5);
  EXPECT_EQ(sum(R"([{"modelled":{"us":2}},{"verdict":"pass"}])"), 0);
  EXPECT_EQ(sum(R"([{"modelled":3,"modelled_us":2}])"), 2);
  EXPECT_EQ(sum("[]"), 0);
}

TEST(Modelled, OneIsFasterOnlyBeyondBothRanges) {
  const Modelled ten{10, 9, 12};
  EXPECT_EQ(SpeedBeyond({5, 4, 6}, ten), 10.0 / 6);     // low/us 9/5, us/high 10/6
  EXPECT_EQ(SpeedBeyond({5, 4, 5}, {10, 6, 12}), 1.2);  // 6/5
  EXPECT_EQ(SpeedBeyond(ten, {5, 4, 6}), 6.0 / 10);
  EXPECT_EQ(SpeedBeyond({9, 8, 9}, ten), 1) << "its time is the other's lowest";
  EXPECT_EQ(SpeedBeyond({8, 7, 10}, ten), 1) << "its highest is the other's time";
  EXPECT_EQ(SpeedBeyond({}, ten), 1);
  EXPECT_EQ(SpeedBeyond(ten, {}), 1);
}

CaseRecord Case(bool right, Json modelled) {
  CaseRecord c;
  c.verdict = right ? Verdict::kPass : Verdict::kWrongAnswer, c.numbers_pass = right,
  c.modelled = std::move(modelled);
  return c;
}

TEST(Reward, MeritIsOfAllCasesThatWereJudged) {
  const Json timed{{"us", 4.0}, {"bound_us", 2.0}, {"baseline_us", 8.0}};
  EXPECT_EQ(MeritOf({Case(true, timed)}).bound_share, 0.5);
  EXPECT_TRUE(MeritOf({Case(true, timed), CaseRecord()}).right_values) << "a skipped one aside";
  EXPECT_FALSE(MeritOf({Case(true, timed), Case(false, timed)}).right_values);
  EXPECT_FALSE(MeritOf({}).right_values);
  EXPECT_FALSE(MeritOf({CaseRecord()}).right_values);
  EXPECT_EQ(MeritOf({Case(true, timed), Case(true, nullptr)}).bound_share, 0.5)
      << "no time was asked for";
  EXPECT_EQ(MeritOf({Case(true, timed), Case(true, {{"trace_cut", true}})}).bound_share, 0);
  EXPECT_EQ(MeritOf({Case(true, {{"us", 4.0}, {"baseline_us", 8.0}})}).bound_share, 0)
      << "without a bound";
  EXPECT_EQ(
      MeritOf({Case(true, {{"us", 4.0}, {"bound_us", 8.0}, {"baseline_us", 8.0}})}).bound_share, 1);
}

TEST(Reward, OneTable) {
  const auto of = [](const char* name, Merit merit = {}) { return RewardOf({name, true}, merit); };
  EXPECT_EQ(of("pass"), 1.0);
  EXPECT_EQ(of("pass", {true, 1}), 1.25);
  EXPECT_EQ(of("pass", {true, 2}), 1.25);
  EXPECT_EQ(of("pass", {true, 0.5}), 1.125);
  EXPECT_EQ(of("finding", {true, 1}), 0.3);
  EXPECT_EQ(of("finding"), 0.1);
  EXPECT_EQ(of("wrong_answer", {true, 1}), 0.1);
  EXPECT_EQ(of("runtime_error"), 0.05);
  EXPECT_EQ(of("timeout"), 0.05);
  for (const char* name : {"build_error", "refused", "rejected", "no_code", "too_long"})
    EXPECT_EQ(of(name), 0.0) << name;
  EXPECT_FALSE(of("xylophone"));
  EXPECT_FALSE(RewardOf({"pass", false}));
}
}  // namespace
}  // namespace akgen::record
