// The one order of outcomes, what counts, what builds, and the one reward.
#include "record/verdict.h"

#include <gtest/gtest.h>

#include <limits>

#include "record/reward.h"

namespace akgen::record {
namespace {

constexpr Verdict kAll[] = {Verdict::kPass,         Verdict::kWrongAnswer, Verdict::kFinding,
                            Verdict::kRuntimeError, Verdict::kTimeout,     Verdict::kBuildError,
                            Verdict::kRejected,     Verdict::kUnsupported, Verdict::kUndecided,
                            Verdict::kInfraError};

TEST(Verdict, NamesAndValuesAgreeInEveryQuestion) {
  for (Verdict v : kAll) {
    ASSERT_EQ(VerdictFromName(NameOf(v)), v);
    EXPECT_EQ(Rank(NameOf(v)), Rank(v)) << NameOf(v);
    EXPECT_EQ(Counts({NameOf(v), true}), Rank(v) >= 0) << NameOf(v);
    EXPECT_FALSE(Counts({NameOf(v), false})) << NameOf(v);
    EXPECT_EQ(Builds(NameOf(v)), Builds(v)) << NameOf(v);
  }
}

TEST(Verdict, OneOrder) {
  EXPECT_GT(Rank("pass"), Rank("wrong_answer"));
  EXPECT_EQ(Rank("wrong_answer"), Rank("finding"));
  EXPECT_GT(Rank("finding"), Rank("runtime_error"));
  EXPECT_EQ(Rank("runtime_error"), Rank("timeout"));
  EXPECT_GT(Rank("timeout"), Rank("build_error"));
  EXPECT_EQ(Rank("build_error"), Rank("refused"));
  EXPECT_GT(Rank("refused"), Rank("rejected"));
  EXPECT_EQ(Rank("rejected"), Rank("no_code"));
  EXPECT_EQ(Rank("rejected"), Rank("too_long"));
  for (const char* says_nothing :
       {"unsupported", "undecided", "infra_error", "", "passed", "PASS"}) {
    EXPECT_EQ(Rank(says_nothing), -1) << says_nothing;
    EXPECT_FALSE(Counts({says_nothing, true})) << says_nothing;
  }
}

TEST(Verdict, WhatBuilds) {
  for (const char* built :
       {"pass", "wrong_answer", "finding", "runtime_error", "timeout", "undecided"})
    EXPECT_TRUE(Builds(built)) << built;
  for (const char* not_built : {"build_error", "rejected", "unsupported", "infra_error", "refused",
                                "no_code", "too_long", "x"})
    EXPECT_FALSE(Builds(not_built)) << not_built;
}

TEST(Reward, OfOutcomes) {
  const Merit right{true, 0};
  EXPECT_EQ(RewardOf({"pass", true}), 1.0);
  EXPECT_EQ(RewardOf({"finding", true}, right), 0.3);
  EXPECT_EQ(RewardOf({"finding", true}), 0.1);
  EXPECT_EQ(RewardOf({"wrong_answer", true}), 0.1);
  EXPECT_EQ(RewardOf({"wrong_answer", true}, right), 0.1);
  EXPECT_EQ(RewardOf({"runtime_error", true}), 0.05);
  EXPECT_EQ(RewardOf({"timeout", true}), 0.05);
  for (const char* none : {"refused", "no_code", "too_long", "build_error", "rejected"})
    EXPECT_EQ(RewardOf({none, true}, right), 0.0) << none;
  for (const char* left_out : {"unsupported", "undecided", "infra_error", ""})
    EXPECT_EQ(RewardOf({left_out, true}, right), std::nullopt) << left_out;
}

TEST(Reward, NoneWithoutASeal) {
  for (const char* outcome : {"pass", "finding", "wrong_answer", "build_error", "refused"})
    EXPECT_EQ(RewardOf({outcome, false}, {true, 1}), std::nullopt) << outcome;
}

TEST(Reward, OfAPassGrowsWithItsShareOfTheBound) {
  EXPECT_EQ(RewardOf({"pass", true}, {true, 0.5}), 1.125);
  EXPECT_EQ(RewardOf({"pass", true}, {true, 1}), 1.25);
  EXPECT_EQ(RewardOf({"pass", true}, {true, 7}), 1.25);
  EXPECT_EQ(RewardOf({"pass", true}, {true, -1}), 1.0);
  EXPECT_EQ(RewardOf({"wrong_answer", true}, {false, 1}), 0.1);
}

TEST(Verdict, OnlyARecordThatSaysSoIsSealed) {
  EXPECT_TRUE(Sealed({{"verdict", "pass"}, {"sealed", true}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}, {"sealed", false}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}, {"sealed", "true"}}));
  EXPECT_FALSE(Sealed(base::Json()));
}

CaseRecord Case(Verdict verdict, bool right, base::Json modelled = nullptr) {
  CaseRecord c;
  c.verdict = verdict, c.numbers_pass = right, c.modelled = std::move(modelled);
  return c;
}
base::Json Timed(double us, double low, double high, double bound) {
  return {{"us", us}, {"range_us", {low, high}}, {"bound_us", bound}};
}

TEST(Merit, ValuesAreRightWhereThoseOfAllCasesAre) {
  EXPECT_FALSE(MeritOf({}).right_values);
  EXPECT_TRUE(MeritOf({Case(Verdict::kFinding, true), Case(Verdict::kPass, true)}).right_values);
  EXPECT_FALSE(
      MeritOf({Case(Verdict::kFinding, true), Case(Verdict::kWrongAnswer, false)}).right_values);
  CaseRecord skipped;  // too large: it says nothing
  EXPECT_TRUE(MeritOf({Case(Verdict::kFinding, true), skipped}).right_values);
  EXPECT_FALSE(MeritOf({skipped}).right_values);
}

TEST(Merit, TheShareOfTheBoundIsThatOfTheSumsBeyondTheRange) {
  auto share = [](std::vector<CaseRecord> cases) { return MeritOf(cases).bound_share; };
  EXPECT_EQ(share({Case(Verdict::kPass, true, Timed(10, 10, 10, 5))}), 0.5);
  EXPECT_EQ(share({Case(Verdict::kPass, true, Timed(10, 8, 20, 4))}), 0.5)
      << "the range goes down to 8 us";
  EXPECT_EQ(share({Case(Verdict::kPass, true, Timed(10, 4, 20, 5))}), 1.0)
      << "the bound lies in its range";
  EXPECT_EQ(share({Case(Verdict::kPass, true, Timed(10, 10, 10, 9)),
                   Case(Verdict::kPass, true, Timed(30, 30, 30, 1))}),
            0.25);
  EXPECT_EQ(share({Case(Verdict::kPass, true, Timed(10, 10, 10, 5)), Case(Verdict::kPass, true)}),
            0.5)
      << "hidden cases are not timed";
  EXPECT_EQ(share({Case(Verdict::kPass, true, Timed(10, 10, 10, 5)),
                   Case(Verdict::kPass, true,
                        {{"unmodelled", "it uses an instruction without a price"}})}),
            0.0);
  EXPECT_EQ(share({Case(Verdict::kPass, true, Timed(10, 10, 10, 0))}), 0.0) << "no bound is known";
  EXPECT_EQ(share({Case(Verdict::kPass, true)}), 0.0);
}

TEST(Modelled, CasesAddUpAndOneThatIsNotKnownLeavesNothing) {
  base::Json cases{{{"modelled", {{"us", 2.0}, {"range_us", {1.0, 4.0}}}}},
                   {{"modelled_us", 3.0}, {"modelled_range_us", {2.0, 5.0}}},
                   {{"verdict", "skipped"}}};
  const Modelled sum = SumOfCases(cases);
  EXPECT_EQ(ToJson(sum), (base::Json{{"us", 5.0}, {"range_us", {3.0, 9.0}}}));
  cases.push_back({{"modelled", {{"trace_cut", true}}}});
  EXPECT_FALSE(SumOfCases(cases).known());
}

}  // namespace
}  // namespace akgen::record
