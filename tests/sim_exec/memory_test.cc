// A second memory is another instance: checks, messages and queue positions follow from its row.
#include "sim/machine/memory.h"

#include <gtest/gtest.h>

#include "sim/exec/core.h"
#include "sim/machine/positions.h"

namespace akgen::sim {
namespace {

class TwoMemories : public ::testing::Test {
 protected:
  TwoMemories()
      : core_(chip_, checks_, log_, shared_, {{MemoryId::UB, 4096}, {MemoryId::L0C, 2048}}) {
    log_.Enable(checks_);
    core_.Reset(0, Schedule());
  }
  std::string Message(size_t i) const {
    return i < log_.all().size() ? log_.all()[i].message : "no such finding";
  }

  ChipModel chip_ = ModelOf(*chip::LoadChip());
  Checks checks_;
  FindingLog log_;
  SharedNow shared_;
  Core core_;
};

TEST_F(TwoMemories, LieApart) {
  Memory &ub = core_.memory(MemoryId::UB), &l0c = core_.memory(MemoryId::L0C);
  EXPECT_EQ(core_.memories.Holding(ub.At(4095)), &ub);
  EXPECT_EQ(core_.memories.Holding(l0c.base()), &l0c);
  EXPECT_EQ(core_.memories.Holding(l0c.base() + l0c.bytes()), nullptr);
  l0c.defined.Set(0, 64, true);
  EXPECT_FALSE(ub.defined.Defined(0, 1));
  EXPECT_EQ(*l0c.At(64), 0xff) << "poisoned";
}

TEST_F(TwoMemories, MessagesNameTheMemory) {
  Memory& l0c = core_.memory(MemoryId::L0C);
  EXPECT_TRUE(
      core_.watch.Allow(l0c, {l0c.At(32), 64, true, AKGEN_PIPE_M, "Mmad", l0c.row().align}));
  EXPECT_EQ(Message(0), "Mmad writes L0C at offset 32, which is not a multiple of 64 bytes");
  EXPECT_FALSE(core_.watch.Allow(l0c, {l0c.At(2000), 64, false, AKGEN_PIPE_FIX, "Fixpipe"}));
  EXPECT_EQ(Message(1),
            "Fixpipe reads 64 bytes at L0C offset 2000, outside the L0C Buffer of 2048 bytes");
  EXPECT_EQ(log_.all()[1].memory, "L0C");
}

TEST_F(TwoMemories, TheirOwnPipesRace) {
  Memory& l0c = core_.memory(MemoryId::L0C);
  ++core_.now.epoch;
  core_.watch.Touch(l0c, {l0c.base(), 64, true, AKGEN_PIPE_M, "Mmad"});
  ++core_.now.epoch;
  core_.watch.Touch(l0c, {l0c.base(), 64, false, AKGEN_PIPE_FIX, "Fixpipe"});
  EXPECT_EQ(
      Message(0),
      "PIPE_FIX reads L0C at 0 (Fixpipe) while PIPE_M may still write it: nothing orders the two");
}

TEST_F(TwoMemories, BuffersHaveNamesInEach) {
  Memory& l0c = core_.memory(MemoryId::L0C);
  l0c.buffers.Give(3, {64, 128, AKGEN_POS_CO1, 7});
  EXPECT_EQ(l0c.buffers.NameAt(100), "buffer 7 (CO1, bytes 64 to 191)");
  EXPECT_EQ(l0c.buffers.NameAt(0), "");
  EXPECT_EQ(core_.memory(MemoryId::UB).buffers.NameAt(100), "");
}

TEST_F(TwoMemories, UndefinedDataIsFollowedFromOneIntoTheOther) {
  Memory &ub = core_.memory(MemoryId::UB), &l0c = core_.memory(MemoryId::L0C);
  l0c.defined.Set(0, 64, true);
  core_.watch.init.OnMove(l0c, 32, ub, 128, 64);
  EXPECT_TRUE(ub.defined.Defined(128, 32));
  EXPECT_FALSE(ub.defined.Defined(160, 1));
  core_.watch.init.OnScalar(ub, {ub.At(156), 8, false, AKGEN_PIPE_S, "GetValue"});
  EXPECT_EQ(Message(0), "GetValue reads 8 bytes of UB at offset 156 that nothing defined");
}

// Each check is off by itself, whatever the log would take.
TEST_F(TwoMemories, WithoutItsCheckUndefinedDataIsNotFollowed) {
  Memory &ub = core_.memory(MemoryId::UB), &l0c = core_.memory(MemoryId::L0C);
  ub.defined.Set(0, 64, true);
  for (bool on : {false, true}) {
    checks_.init = on;
    const size_t before = log_.all().size();
    core_.watch.init.OnScalar(ub, {ub.At(64), 8, false, AKGEN_PIPE_S, "GetValue"});
    EXPECT_EQ(log_.all().size(), before + on);
    EXPECT_EQ(core_.watch.init.OnOffsets(ub, 128, 8, "Gather"), !on);
    EXPECT_EQ(log_.all().size(), before + 2 * on);
    core_.watch.init.OnScalar(ub, {ub.At(256 + 64 * on), 8, true, AKGEN_PIPE_S, "SetValue"});
    EXPECT_EQ(ub.defined.Defined(256 + 64 * on, 8), on);
    core_.watch.init.OnMove(ub, 0, l0c, 128, 64);
    EXPECT_EQ(l0c.defined.Defined(128, 64), on);
  }
  EXPECT_EQ(Message(0), "GetValue reads 8 bytes of UB at offset 64 that nothing defined");
  EXPECT_EQ(Message(1),
            "Gather takes offsets from 8 bytes of UB at offset 128 that are not all defined");
}

TEST_F(TwoMemories, WhatIsOffReportsNothingButBoundsHold) {
  checks_ = {false, false, false, false};
  log_.Enable(checks_);
  Memory& l0c = core_.memory(MemoryId::L0C);
  ++core_.now.epoch;
  core_.watch.Touch(l0c, {l0c.base(), 64, true, AKGEN_PIPE_M, "Mmad"});
  ++core_.now.epoch;
  core_.watch.Touch(l0c, {l0c.base(), 64, false, AKGEN_PIPE_FIX, "Fixpipe"});
  core_.watch.init.OnScalar(l0c, {l0c.base(), 8, false, AKGEN_PIPE_S, "GetValue"});
  EXPECT_FALSE(core_.watch.Allow(l0c, {l0c.At(2047), 2, true, AKGEN_PIPE_M, "Mmad"}));
  EXPECT_TRUE(log_.all().empty());
}

TEST(Positions, SayWhereATensorLiesAndWhoHandsItOver) {
  EXPECT_EQ(RowOfPosition(AKGEN_POS_MAX), nullptr);
  EXPECT_STREQ(RowOfPosition(AKGEN_POS_VECCALC)->name, "VECCALC");
  EXPECT_EQ(RowOfPosition(AKGEN_POS_CO1)->memory, MemoryId::L0C);
  EXPECT_EQ(ProducerOf(AKGEN_POS_GM), uint32_t(AKGEN_PIPE_MTE2));
  EXPECT_EQ(ProducerOf(AKGEN_POS_VECOUT), uint32_t(AKGEN_PIPE_V));
  EXPECT_EQ(ConsumerOf(AKGEN_POS_VECIN), uint32_t(AKGEN_PIPE_V));
  EXPECT_EQ(ConsumerOf(AKGEN_POS_GM), uint32_t(AKGEN_PIPE_MTE3));
}

TEST(Memories, HaveARowEach) {
  for (size_t i = 0; i < kMemories; ++i) {
    const MemoryRow& row = RowOf(MemoryId(i));
    EXPECT_NE(*row.name, 0);
    EXPECT_EQ(row.align & (row.align - 1), 0u) << row.name;
    EXPECT_EQ(row.pipes.count == 0, MemoryId(i) == MemoryId::GM) << row.name;
  }
}

}  // namespace
}  // namespace akgen::sim
