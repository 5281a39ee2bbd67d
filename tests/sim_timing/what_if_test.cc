// Changed traces and what they take, on kernels small enough to be timed by hand.
#include "sim/timing/what_if.h"

#include <gtest/gtest.h>

#include <optional>

#include "sim/timing/extrapolate.h"
#include "sim/timing/rounds.h"

namespace akgen::sim {
namespace {

TimingParameters OneCycleIsOneNs() {
  TimingParameters p;
  p.clock_mhz = 1000;
  p.vector_head = 20;
  p.bank_read = p.bank_write = 1;
  p.mte2_rate = p.mte3_rate = p.l2_core_rate = 32;
  p.hbm_rate = p.l2_rate = 1e9;
  p.l2_bytes = 1 << 20;
  p.vector.assign(AKGEN_OP_COUNT_, {{128, 64}, 1});
  return p;
}

TraceEvent Event(TraceKind kind, uint32_t pipe, uint32_t site, uint64_t address = 0) {
  TraceEvent e;
  e.kind = kind, e.pipe = uint8_t(pipe), e.site = site, e.address = address;
  return e;
}

// Tiles of 3200 bytes: fetched (100 cycles), worked on (20 + 80); one buffer, given back by flag 7.
constexpr uint64_t kGivenBack = 7;
void Tile(Trace& t, uint32_t block, uint64_t at, bool first) {
  if (!first) t.Add(block, Event(TraceKind::kWait, AKGEN_PIPE_MTE2, 1, kGivenBack));
  TraceEvent copy = Event(TraceKind::kCopyIn, AKGEN_PIPE_MTE2, 2, at);
  copy.n = 3200, copy.bursts = 1;
  t.Add(block, copy);
  t.Add(block, Event(TraceKind::kSet, AKGEN_PIPE_MTE2, 3, 8));
  t.Add(block, Event(TraceKind::kWait, AKGEN_PIPE_V, 4, 8));
  TraceEvent add = Event(TraceKind::kVector, AKGEN_PIPE_V, 5);
  add.op = AKGEN_OP_Add, add.bits = 32, add.n = 5120, add.repeats = 80;
  t.Add(block, add);
  t.Add(block, Event(TraceKind::kSet, AKGEN_PIPE_V, 6, kGivenBack));
}

Trace Tiles(std::vector<uint32_t> per_block) {
  Trace t(uint32_t(per_block.size()), 100000);
  uint64_t at = 0;
  for (uint32_t b = 0; b < per_block.size(); ++b)
    for (uint32_t i = 0; i < per_block[b]; ++i, at += 3200) Tile(t, b, at, i == 0);
  t.ub.Use(6400);
  t.ub.UseSingle(0, 3200, kGivenBack);
  return t;
}

double Us(const Trace& t) { return Replay(t, OneCycleIsOneNs(), {48, 0, 0}).us; }
std::optional<WhatIf> Find(const std::vector<WhatIf>& all, const std::string& change) {
  for (const WhatIf& w : all)
    if (w.change == change) return w;
  return std::nullopt;
}

TEST(Rounds, AreFoundFromFetchToFetch) {
  Trace t = Tiles({4});
  auto rounds = RoundsOf(t, 0);
  ASSERT_EQ(rounds.size(), 4u);
  EXPECT_EQ(rounds[0].begin, 0u);
  EXPECT_EQ(rounds[1].begin, 5u) << "the first tile waits for nothing";
  EXPECT_EQ(rounds[3].end, t.blocks()[0].size());
  EXPECT_TRUE(RoundsOf(Tiles({1}), 0).empty());
}

TEST(Rounds, TheSamePlanGivesTheSameTime) {
  Trace t = Tiles({4, 3});
  Plan plan(2);
  for (uint32_t b = 0; b < 2; ++b)
    for (const TraceRound& r : RoundsOf(t, b)) plan[b].push_back({{r, 0, 1}});
  auto same = Replan(t, plan);
  ASSERT_TRUE(same);
  EXPECT_DOUBLE_EQ(Us(*same), Us(t));
}

TEST(WhatIf, ASecondBufferHidesTheSmallerHalf) {
  // 8 tiles, one after the other: 8 * 200; with two buffers 100 + 8 * 100.
  Trace t = Tiles({8});
  EXPECT_NEAR(Us(t), 1.6, 1e-9);
  auto all = WhatIfs(t, OneCycleIsOneNs(), {48, 0, 0}, 196608, 1);
  auto two = Find(all, "double_buffer");
  ASSERT_TRUE(two);
  EXPECT_NEAR(two->us, 0.9, 1e-9);
  EXPECT_EQ(two->site, 2u) << "the fetch";
  // No room: tiles of half the size, 50 + 20 + 40 each; 50 + 16 * 60.
  auto halves =
      Find(WhatIfs(t, OneCycleIsOneNs(), {48, 0, 0}, 8000, 1), "double_buffer_half_tiles");
  ASSERT_TRUE(halves);
  EXPECT_NEAR(halves->us, 1.03, 0.03)
      << "every second copy begins within a sector, which costs a little";
}

TEST(WhatIf, LargerTilesSaveTheirHeads) {
  // Four tiles as one: 400 + 20 + 320, twice.
  auto all = WhatIfs(Tiles({8}), OneCycleIsOneNs(), {48, 0, 0}, 6400 * 4, 1);
  auto larger = Find(all, "larger_tiles");
  ASSERT_TRUE(larger);
  EXPECT_EQ(larger->amount, 4u);
  EXPECT_NEAR(larger->us, 1.48, 1e-9);
}

TEST(WhatIf, CoresShareTheRounds) {
  auto more = Find(WhatIfs(Tiles({8}), OneCycleIsOneNs(), {48, 0, 0}, 6400, 4), "more_cores");
  ASSERT_TRUE(more);
  EXPECT_EQ(more->amount, 4u);
  EXPECT_NEAR(more->us, 0.4, 1e-9);
  auto even =
      Find(WhatIfs(Tiles({1 + 5, 2}), OneCycleIsOneNs(), {48, 0, 0}, 6400, 2), "even_cores");
  ASSERT_TRUE(even);
  EXPECT_NEAR(even->us, 0.8, 1e-9);
  EXPECT_FALSE(Find(WhatIfs(Tiles({4, 4}), OneCycleIsOneNs(), {48, 0, 0}, 6400, 2), "even_cores"));
}

// More cores only where there are more on the chip, and rounds for them.
TEST(WhatIf, NoMoreCoresThanThereAreNorThanRounds) {
  const auto more = [](const std::vector<uint32_t>& per_block, uint32_t chip_cores) {
    const auto w = Find(WhatIfs(Tiles(per_block), OneCycleIsOneNs(), {48, 0, 0}, 6400, chip_cores),
                        "more_cores");
    return w ? w->amount : 0;
  };
  EXPECT_EQ(more({8}, 1), 0u);
  EXPECT_EQ(more({6, 2}, 2), 0u) << "all are in use: they may share more evenly";
  EXPECT_EQ(more({6, 2}, 3), 3u);
  EXPECT_EQ(more({8}, 20), 8u) << "as many as rounds";
  EXPECT_EQ(more({2, 0, 0}, 20), 0u) << "fewer rounds than cores";
}

TEST(WhatIf, NothingIsAdvisedThatGainsNothing) {
  Trace t(1, 100);
  TraceEvent add = Event(TraceKind::kVector, AKGEN_PIPE_V, 5);
  add.op = AKGEN_OP_Add, add.bits = 32, add.n = 5120, add.repeats = 80;
  t.Add(0, add);
  EXPECT_TRUE(WhatIfs(t, OneCycleIsOneNs(), {48, 0, 0}, 196608, 48).empty());
}

TEST(Extrapolate, EvenRoundsAreExact) {
  auto four = Extrapolate(Tiles({16}), OneCycleIsOneNs(), {48, 0, 0}, 4);
  ASSERT_TRUE(four);
  EXPECT_NEAR(four->us, Us(Tiles({64})), 1e-9);
  EXPECT_NEAR(four->bound, 0, 1e-9);
  EXPECT_FALSE(Extrapolate(Tiles({4}), OneCycleIsOneNs(), {48, 0, 0}, 4)) << "too few rounds";
  EXPECT_FALSE(Extrapolate(Tiles({16}), OneCycleIsOneNs(), {48, 0, 0}, 0.5));
}

// L2 keeps what the first rounds write; later ones drive that out to memory, which is slower.
TEST(Extrapolate, L2FillsWhereItWouldFill) {
  auto rounds = [](uint32_t n) {
    Trace t(1, 100000);
    for (uint32_t i = 0; i < n; ++i) {
      Tile(t, 0, uint64_t(i) * 3200, i == 0);
      TraceEvent out =
          Event(TraceKind::kCopyOut, AKGEN_PIPE_MTE3, 7, (uint64_t(1) << 33) + uint64_t(i) * 3200);
      out.n = 3200, out.bursts = 1;
      t.Add(0, out);
    }
    return t;
  };
  TimingParameters p = OneCycleIsOneNs();
  p.hbm_rate = 16000, p.write_share = 2, p.l2_bytes = 40 * 6400;
  const double little = Replay(rounds(32), p, {48, 0, 0}).us,
               much = Replay(rounds(128), p, {48, 0, 0}).us;
  EXPECT_GT(much, 5 * little);
  auto four = Extrapolate(rounds(32), p, {48, 0, 0}, 4);
  ASSERT_TRUE(four);
  EXPECT_NEAR(four->us, much, 0.05 * much);
  EXPECT_LT(four->bound, 0.1 * much);
}

}  // namespace
}  // namespace akgen::sim
