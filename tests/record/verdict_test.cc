// The one order of outcomes, what counts, what builds, and the one reward.
#include "record/verdict.h"

#include <gtest/gtest.h>

#include <limits>

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
    EXPECT_EQ(RewardOf({outcome, false}, 5, 10), std::nullopt) << outcome;
}

TEST(Verdict, OnlyARecordThatSaysSoIsSealed) {
  EXPECT_TRUE(Sealed({{"verdict", "pass"}, {"sealed", true}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}, {"sealed", false}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}}));
  EXPECT_FALSE(Sealed({{"verdict", "pass"}, {"sealed", "true"}}));
  EXPECT_FALSE(Sealed(base::Json()));
}

TEST(Reward, TimeCountsForAPassUpToAFactorOfTwoWhenBothAreKnown) {
  EXPECT_EQ(RewardOf({"pass", true}, 10, 10), 1.0);
  EXPECT_EQ(RewardOf({"pass", true}, 5, 10), 1.25);
  EXPECT_EQ(RewardOf({"pass", true}, 1, 10), 1.25);
  EXPECT_EQ(RewardOf({"pass", true}, 80, 10), 0.75);
  EXPECT_EQ(RewardOf({"pass", true}, 80, 0), 1.0);
  EXPECT_EQ(RewardOf({"pass", true}, 0, 10), 1.0);
  EXPECT_EQ(RewardOf({"pass", true}, std::numeric_limits<double>::quiet_NaN(), 10), 1.0);
  EXPECT_EQ(RewardOf({"pass", true}, 10, std::numeric_limits<double>::infinity()), 1.0);
  EXPECT_EQ(RewardOf({"wrong_answer", true}, 5, 10), 0.2);
}

}  // namespace
}  // namespace akgen::record
