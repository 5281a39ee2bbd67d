// The one order of outcomes, what counts, what builds, and the one reward.
#include "record/verdict.h"

#include <gtest/gtest.h>

#include <limits>

#include "record/modelled.h"
#include "record/reward.h"

namespace akgen::record {
namespace {

constexpr Verdict kAll[] = {Verdict::kPass,      Verdict::kWrongAnswer, Verdict::kFinding,  Verdict::kRuntimeError,
                            Verdict::kTimeout,   Verdict::kBuildError,  Verdict::kRejected, Verdict::kUnsupported,
                            Verdict::kUndecided, Verdict::kInfraError};

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
  EXPECT_GT(Rank("wrong_answer"), Rank("finding"));
  EXPECT_EQ(Rank("finding"), Rank("runtime_error"));
  EXPECT_EQ(Rank("finding"), Rank("timeout"));
  EXPECT_GT(Rank("timeout"), Rank("build_error"));
  EXPECT_EQ(Rank("build_error"), Rank("refused"));
  EXPECT_GT(Rank("refused"), Rank("rejected"));
  EXPECT_EQ(Rank("rejected"), Rank("no_code"));
  EXPECT_EQ(Rank("rejected"), Rank("too_long"));
  for (const char* says_nothing : {"unsupported", "undecided", "infra_error", "", "passed", "PASS"}) {
    EXPECT_EQ(Rank(says_nothing), -1) << says_nothing;
    EXPECT_FALSE(Counts({says_nothing, true})) << says_nothing;
  }
}

TEST(Verdict, WhatBuilds) {
  for (const char* built : {"pass", "wrong_answer", "finding", "runtime_error", "timeout", "undecided"})
    EXPECT_TRUE(Builds(built)) << built;
  for (const char* not_built :
       {"build_error", "rejected", "unsupported", "infra_error", "refused", "no_code", "too_long", "x"})
    EXPECT_FALSE(Builds(not_built)) << not_built;
}

TEST(Reward, OfOutcomes) {
  EXPECT_EQ(RewardOf({"pass", true}), 1.0);
  EXPECT_EQ(RewardOf({"wrong_answer", true}), 0.2);
  EXPECT_EQ(RewardOf({"finding", true}), 0.1);
  EXPECT_EQ(RewardOf({"runtime_error", true}), 0.1);
  EXPECT_EQ(RewardOf({"timeout", true}), 0.1);
  for (const char* none : {"refused", "no_code", "too_long", "build_error", "rejected"})
    EXPECT_EQ(RewardOf({none, true}), 0.0) << none;
  for (const char* left_out : {"unsupported", "undecided", "infra_error", ""})
    EXPECT_EQ(RewardOf({left_out, true}), std::nullopt) << left_out;
}

TEST(Reward, NoneWithoutASeal) {
  for (const char* outcome : {"pass", "wrong_answer", "build_error", "refused"})
    EXPECT_EQ(RewardOf({outcome, false}, ModelledOf({{"us", 5}}), ModelledOf({{"us", 10}})), std::nullopt) << outcome;
}

TEST(Verdict, OnlyARecordThatSaysSoIsSealed) {
  EXPECT_TRUE(Sealed({{"verdict", "pass"}, {"sealed", true}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}, {"sealed", false}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}, {"sealed", "true"}}));
  EXPECT_FALSE(Sealed(base::Json()));
}

Modelled Exactly(double us) { return ModelledOf({{"us", us}}); }

TEST(Reward, TimeCountsForAPassUpToAFactorOfTwoWhenBothAreKnown) {
  EXPECT_EQ(RewardOf({"pass", true}, Exactly(10), Exactly(10)), 1.0);
  EXPECT_EQ(RewardOf({"pass", true}, Exactly(5), Exactly(10)), 1.25);
  EXPECT_EQ(RewardOf({"pass", true}, Exactly(1), Exactly(10)), 1.25);
  EXPECT_EQ(RewardOf({"pass", true}, Exactly(80), Exactly(10)), 0.75);
  EXPECT_EQ(RewardOf({"pass", true}, Exactly(80), Exactly(0)), 1.0);
  EXPECT_EQ(RewardOf({"pass", true}, Exactly(0), Exactly(10)), 1.0);
  EXPECT_EQ(RewardOf({"pass", true}, Exactly(std::numeric_limits<double>::quiet_NaN()), Exactly(10)), 1.0);
  EXPECT_EQ(RewardOf({"pass", true}, Exactly(10), Exactly(std::numeric_limits<double>::infinity())), 1.0);
  EXPECT_EQ(RewardOf({"wrong_answer", true}, Exactly(5), Exactly(10)), 0.2);
}

TEST(Reward, OnlyWhatIsBeyondTheRangesCounts) {
  const Modelled reference = ModelledOf({{"us", 10.0}, {"range_us", {8.0, 20.0}}});
  auto of = [&](double us) {
    return *RewardOf({"pass", true}, ModelledOf({{"us", us}, {"range_us", {0.8 * us, 2 * us}}}), reference);
  };
  EXPECT_EQ(of(10), 1.0);
  EXPECT_EQ(of(5.1), 1.0) << "10 us lies in its range";
  EXPECT_EQ(of(19), 1.0) << "it lies in the reference's range";
  EXPECT_GT(of(4.9), 1.0);
  EXPECT_LT(of(4.9), 1.01) << "what is within the ranges does not count";
  EXPECT_EQ(of(2.5), 1.25);
  EXPECT_LT(of(21), 1.0);
  EXPECT_EQ(of(40), 0.75);
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
