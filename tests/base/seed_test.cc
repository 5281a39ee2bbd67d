#include "base/seed.h"

#include <gtest/gtest.h>

#include <set>

namespace akgen::base {
namespace {
// The outputs of splitmix64 from 0 on, without their last 12 bits: JSON readers keep them whole.
TEST(Seed, DerivedOnesAreThoseOfSplitmix) {
  const uint64_t outputs[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f};
  for (uint64_t i = 0; i < 3; ++i) EXPECT_EQ(DerivedSeed(0, i), outputs[i] >> 12) << i;
  EXPECT_EQ(DerivedSeed(0x9e3779b97f4a7c15, 0), outputs[1] >> 12);
}

TEST(Seed, DrawnOnesDifferAndFitADouble) {
  std::set<uint64_t> drawn;
  for (int i = 0; i < 100; ++i) drawn.insert(DrawSeed());
  EXPECT_EQ(drawn.size(), 100u);
  EXPECT_LT(*drawn.rbegin(), uint64_t{1} << 52);
  EXPECT_GT(*drawn.rbegin(), uint64_t{1} << 48) << "of a hundred";
}
}  // namespace
}  // namespace akgen::base
