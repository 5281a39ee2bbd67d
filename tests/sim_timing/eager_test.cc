// The clock of the eager baseline, by hand.
#include "sim/timing/eager.h"

#include <gtest/gtest.h>

#include "sim/timing/errors.h"
#include "sim/timing/replay.h"

namespace akgen::sim {
namespace {

TEST(Eager, IsLaunchMemoryAndArithmetic) {
  TimingParameters p;
  p.clock_mhz = 1000, p.hbm_rate = 1000, p.launch_us = 2, p.launch_core_us = 0.1,
  p.block_start = 1000;
  p.eager_efficiency = 0.5, p.eager_reduce_us = 10, p.eager_vector = 2;
  EXPECT_DOUBLE_EQ(EagerUs({}, p, 11), 2 + 1 + 1);
  EXPECT_DOUBLE_EQ(EagerUs({1000, 0, 0, false}, p, 11), 4 + 2);
  EXPECT_DOUBLE_EQ(EagerUs({1000, 0, 0, true}, p, 11), 4 + 2 + 10);
  EXPECT_DOUBLE_EQ(EagerUs({0, 64 * 11 * 1000, 3, false}, p, 11), 4 + 3 * 2);
}

TEST(Eager, TheShippedTableIsWhole) {
  const auto table = LoadEager();
  ASSERT_TRUE(table.ok());
  EXPECT_DOUBLE_EQ(table->PassesOf("exp"), 2);
  EXPECT_DOUBLE_EQ(table->PassesOf("add"), 1);
  for (const EagerTable::Fused& f : table->fused)
    for (const auto& one : f.must)
      for (const std::string& op : one)
        EXPECT_TRUE(f.may.contains(op)) << f.name << " must hold " << op << " and may not";
}

TEST(Ranges, EveryRegimeAndSizeHasOne) {
  const auto errors = LoadErrors();
  ASSERT_TRUE(errors.ok());
  for (const char* regime : {"launch", "bandwidth", "compute", "sync", "cube"}) {
    ASSERT_TRUE(errors->clock.contains(regime)) << regime;
    EXPECT_LT(errors->clock.at(regime).low, 1);
    EXPECT_GT(errors->clock.at(regime).high, 1);
  }
  for (double elements : {1.0, 65536.0, 5e6})
    EXPECT_TRUE(errors->eager.contains(EagerSizeOf(elements)));
  EXPECT_FALSE(ParseErrors("[[clock]]\nregime = \"launch\"\nlow = 2\nhigh = 1\n", "x").ok());
  EXPECT_FALSE(ParseErrors("", "x").ok());
}

TEST(Ranges, FilesThatAreNone) {
  const std::string clock = "[[clock]]\nregime = \"launch\"\nlow = 0.5\nhigh = 2\n",
                    eager = "[[eager]]\nsize = \"small\"\nlow = 0.5\nhigh = 2\n";
  const auto with = [&](const char* from, const char* to, bool second = false) {
    std::string one = second ? eager : clock;
    one.replace(one.find(from), std::string(from).size(), to);
    return ParseErrors(second ? clock + one : one + eager, "file");
  };
  const auto right = ParseErrors(clock + eager, "file");
  ASSERT_TRUE(right.ok());
  EXPECT_EQ(right->clock.at("launch").low, 0.5);
  EXPECT_EQ(right->eager.at("small").high, 2);
  for (const bool second : {false, true}) {
    EXPECT_TRUE(with("high = 2", "high = 0.5", second).ok()) << "one number";
    for (const auto& [from, to] : {std::pair{"high = 2", "high = 0.4"},
                                   {"low = 0.5", "low = 0.0"},
                                   {"low = 0.5", "low = -0.5"},
                                   {"low = 0.5", ""},
                                   {"low = 0.5", "low = 3.0"}}) {
      const auto wrong = with(from, to, second);
      ASSERT_FALSE(wrong.ok()) << to;
      EXPECT_EQ(wrong.error().code + wrong.error().where, "AK0121file");
    }
  }
  EXPECT_FALSE(with("\"launch\"", "\"\"").ok());
  EXPECT_FALSE(with("regime", "regimes").ok());
  EXPECT_FALSE(ParseErrors(clock, "").ok() || ParseErrors(eager, "").ok());
  EXPECT_FALSE(ParseErrors("clock = []\n" + eager, "").ok());
  EXPECT_FALSE(ParseErrors("clock = [1]\n" + eager, "").ok());
}

TEST(Eager, BrokenTablesAreRefused) {
  EXPECT_FALSE(ParseEager("reduces = [", "x").ok());
  EXPECT_FALSE(ParseEager("", "x").ok()) << "no operators that reduce";
  const std::string head = "reduces = [\"sum\"]\n";
  EXPECT_TRUE(ParseEager(head, "x").ok());
  EXPECT_FALSE(ParseEager(head + "[[cost]]\npasses = 2\nops = [\"exp\"]\n", "x").ok())
      << "without a source";
  EXPECT_FALSE(ParseEager(head + "[[fused]]\nname = \"a\"\nsource = \"b\"\n", "x").ok())
      << "what it may hold";
}

}  // namespace
}  // namespace akgen::sim
