#include "sim/exec/shadow.h"

#include <gtest/gtest.h>

#include "akgen/abi.h"

namespace akgen::sim {
namespace {

TEST(DefinedBits, IsExactToTheByte) {
  DefinedBits d;
  d.Resize(256);
  d.Set(5, 70, true);
  EXPECT_TRUE(d.Defined(5, 70));
  EXPECT_FALSE(d.Defined(4, 2));
  EXPECT_FALSE(d.Defined(74, 2));
  EXPECT_EQ(d.Find(5, 200, false), 75u);
  EXPECT_EQ(d.Find(0, 256, true), 5u);
  d.Set(40, 1, false);
  EXPECT_FALSE(d.Defined(5, 70));
  EXPECT_EQ(d.Find(5, 70, false), 40u);
  EXPECT_EQ(d.Find(5, 35, false), SIZE_MAX);
}

TEST(AccessHistory, FindsWhatTheClockDoesNotKnow) {
  AccessHistory h;
  h.Resize(1024);
  Clock none;
  EXPECT_FALSE(h.Write(2, 4, AKGEN_PIPE_MTE2, none, 1, 7).found);
  Conflict c = h.Read(4, 6, AKGEN_PIPE_V, none, 2, 8);
  ASSERT_TRUE(c.found);
  EXPECT_TRUE(c.prior_is_write);
  EXPECT_EQ(c.pipe, uint32_t(AKGEN_PIPE_MTE2));
  EXPECT_EQ(c.site, 7u);
  EXPECT_EQ(c.block, 4u);
  Clock knows;
  knows.at[AKGEN_PIPE_MTE2] = 1;
  EXPECT_FALSE(h.Read(2, 4, AKGEN_PIPE_V, knows, 3, 9).found);
  EXPECT_TRUE(h.Write(3, 3, AKGEN_PIPE_MTE2, knows, 4, 10).found) << "the reads of V are not known to be over";
}

TEST(AccessHistory, AnInstructionDoesNotRaceWithItself) {
  AccessHistory h;
  h.Resize(64);
  Clock none;
  h.Write(0, 0, AKGEN_PIPE_MTE2, none, 5, 1);
  EXPECT_FALSE(h.Write(0, 0, AKGEN_PIPE_MTE2, none, 5, 1).found);
  EXPECT_TRUE(h.Write(0, 0, AKGEN_PIPE_MTE2, none, 6, 1).found);
}

}  // namespace
}  // namespace akgen::sim
