// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "learn/prefer.h"
#include "learn/problems.h"
#include "learn/reinforce.h"

namespace akgen::learn {
namespace {
TEST(LearnDefaults, Prefer) {
  EXPECT_EQ(double(PreferOptions().samples), 8);
  EXPECT_EQ(double(PreferOptions().resample), 0);
  EXPECT_FALSE(PreferOptions().time);
  EXPECT_EQ(double(PreferOptions().per_prompt), 2);
  EXPECT_TRUE(PreferOptions().planner);
  EXPECT_EQ(double(PreferOptions().jobs), 1);
  EXPECT_EQ(double(OwnAnswer().tokens), 0);
  EXPECT_FALSE(ProblemLine().composed);
  EXPECT_EQ(double(ProblemLine().inputs_seed), 0);
  EXPECT_EQ(double(PassRates().problems), 0);
  EXPECT_EQ(double(PassRates().answers), 0);
  EXPECT_EQ(double(PreferCard().samples), 0);
  EXPECT_EQ(double(PreferCard().passed_over), 0);
  EXPECT_EQ(double(PreferCard().left), 0);
  EXPECT_EQ(double(PreferCard().too_long), 0);
  EXPECT_EQ(double(PreferCard().pairs), 0);
  EXPECT_EQ(double(PreferCard().tokens), 0);
}
TEST(LearnDefaults, Problems) {
  EXPECT_TRUE(Problem().composed);
  EXPECT_EQ(double(ProblemOptions().compositions), 0);
  EXPECT_EQ(double(ProblemOptions().seed), 1);
  EXPECT_EQ(double(ProblemOptions().cases), 3);
  EXPECT_FALSE(Answered().sealed);
}
TEST(LearnDefaults, Reinforce) {
  EXPECT_EQ(double(ReinforceOptions().jobs), 1);
  EXPECT_FALSE(ReinforceOptions().resume);
  EXPECT_EQ(double(Reinforced().steps), 0);
  EXPECT_EQ(double(Reinforced().exit_code), 0);
}
}  // namespace
}  // namespace akgen::learn
