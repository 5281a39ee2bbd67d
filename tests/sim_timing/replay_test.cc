// The timing model on traces small enough to be timed by hand.
#include "sim/timing/replay.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace akgen::sim {
namespace {

// Round numbers: one cycle is a nanosecond, nothing costs anything that the test does not ask for.
TimingParameters Simple() {
  TimingParameters p;
  p.clock_mhz = 1000;
  p.vector_head = 20;
  p.bank_read = p.bank_write = 1;
  p.mte2_rate = p.l2_core_rate = 32;
  p.mte3_rate = 32;
  p.hbm_rate = p.l2_rate = 1e9;
  p.l2_bytes = 1 << 20;
  p.vector.assign(AKGEN_OP_COUNT_, {{128, 64}, 1});
  return p;
}

TraceEvent CopyIn(uint64_t at, uint32_t bytes) {
  TraceEvent e;
  e.kind = TraceKind::kCopyIn, e.pipe = AKGEN_PIPE_MTE2, e.n = bytes, e.bursts = 1, e.address = at;
  return e;
}
TraceEvent CopyOut(uint64_t at, uint32_t bytes) {
  TraceEvent e = CopyIn(at, bytes);
  e.kind = TraceKind::kCopyOut, e.pipe = AKGEN_PIPE_MTE3;
  return e;
}
TraceEvent Vector(uint32_t repeats) {
  TraceEvent e;
  e.kind = TraceKind::kVector, e.pipe = AKGEN_PIPE_V, e.op = AKGEN_OP_Add, e.bits = 32,
  e.n = repeats * 64, e.repeats = repeats;
  return e;
}
TraceEvent Flag(TraceKind kind, uint32_t pipe, uint64_t name) {
  TraceEvent e;
  e.kind = kind, e.pipe = uint8_t(pipe), e.address = name;
  return e;
}
TraceEvent Set(uint32_t pipe, uint64_t name) { return Flag(TraceKind::kSet, pipe, name); }
TraceEvent Wait(uint32_t pipe, uint64_t name) { return Flag(TraceKind::kWait, pipe, name); }

Trace Of(std::vector<std::vector<TraceEvent>> blocks) {
  Trace t(uint32_t(blocks.size()), 1000);
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (const TraceEvent& e : blocks[b]) t.Add(b, e);
  return t;
}
double Us(const Trace& t, const TimingParameters& p, uint32_t cores = 48) {
  return Replay(t, p, {cores, 0, 0}).us;
}

TEST(Replay, PipesRunSideBySide) {
  // 3200 bytes at 32 B/cycle: 100 cycles; 80 repeats: 20 + 80 cycles. Nothing orders the two.
  EXPECT_NEAR(Us(Of({{CopyIn(0, 3200), Vector(80)}}), Simple()), 0.100, 1e-9);
}

TEST(Replay, AFlagPutsOneBehindTheOther) {
  EXPECT_NEAR(
      Us(Of({{CopyIn(0, 3200), Set(AKGEN_PIPE_MTE2, 1), Wait(AKGEN_PIPE_V, 1), Vector(80)}}),
         Simple()),
      0.200, 1e-9);
}

TEST(Replay, SpansSayWhatLetThemBegin) {
  const TimingParameters p = Simple();
  const auto t = Of(
      {{CopyIn(0, 3200), Set(AKGEN_PIPE_MTE2, 1), Wait(AKGEN_PIPE_V, 1), Vector(80), Vector(80)}});
  const ModelledTime m = Replay(t, p, {48, 1, 100});
  ASSERT_EQ(m.spans.size(), 4u);
  std::map<std::pair<uint8_t, SpanRole>, std::vector<Span>> of;
  for (const Span& s : m.spans) of[{s.pipe, s.role}].push_back(s);
  const Span& wait = of[{AKGEN_PIPE_V, SpanRole::kWait}].at(0);
  EXPECT_EQ(wait.after, AKGEN_PIPE_MTE2);
  EXPECT_NEAR(wait.end, 100, 1e-9);
  const auto& work = of[{AKGEN_PIPE_V, SpanRole::kWork}];
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0].after, AKGEN_PIPE_MTE2) << "a flag let it begin";
  EXPECT_EQ(work[1].after, AKGEN_PIPE_V) << "it follows its own";
  EXPECT_NEAR(m.pipes[AKGEN_PIPE_V].waits[AKGEN_PIPE_MTE2], 100, 1e-9);
  EXPECT_NEAR(m.elements_32, 160 * 64, 1e-9);
}

TEST(Replay, TooManySpansAreThoseOfFewerCoresWhole) {
  const std::vector<TraceEvent> block(10, Vector(8));
  const auto t = Of(std::vector<std::vector<TraceEvent>>(8, block));
  const ModelledTime m = Replay(t, Simple(), {48, 48, 25});
  EXPECT_EQ(m.span_cores, 2u);
  ASSERT_EQ(m.spans.size(), 20u);
  for (const Span& s : m.spans) EXPECT_LT(s.core, 2u);
}

TEST(Replay, LatencyIsWaitedForByWhoeverNeedsTheData) {
  TimingParameters p = Simple();
  p.mte2_latency = 50;
  EXPECT_NEAR(
      Us(Of({{CopyIn(0, 3200), Set(AKGEN_PIPE_MTE2, 1), Wait(AKGEN_PIPE_V, 1), Vector(80)}}), p),
      0.250, 1e-9);
}

TEST(Replay, TwoBuffersHideTheSmallerHalf) {
  // Four tiles; copy 100, add 100 each. With one buffer a copy waits for the add before it.
  std::vector<TraceEvent> one, two;
  for (uint64_t i = 0; i < 4; ++i) {
    if (i >= 1) one.push_back(Wait(AKGEN_PIPE_MTE2, 100 + i - 1));
    if (i >= 2) two.push_back(Wait(AKGEN_PIPE_MTE2, 100 + i - 2));
    for (auto* v : {&one, &two}) {
      v->push_back(CopyIn(i * 4096, 3200));
      v->push_back(Set(AKGEN_PIPE_MTE2, i));
      v->push_back(Wait(AKGEN_PIPE_V, i));
      v->push_back(Vector(80));
      v->push_back(Set(AKGEN_PIPE_V, 100 + i));
    }
  }
  EXPECT_NEAR(Us(Of({one}), Simple()), 0.800, 1e-9);
  EXPECT_NEAR(Us(Of({two}), Simple()), 0.500, 1e-9);
}

TEST(Replay, CoresShareTheMemory) {
  TimingParameters p = Simple();
  p.hbm_rate = 32000;  // 32 B/cycle for all
  EXPECT_NEAR(Us(Of({{CopyIn(0, 3200)}}), p), 0.100, 1e-9);
  EXPECT_NEAR(Us(Of({{CopyIn(0, 3200)}, {CopyIn(8192, 3200)}}), p), 0.200, 1e-9);
  // The second begins when the first is half done: 50 alone, 100 shared, 50 alone.
  std::vector<TraceEvent> later{Vector(30), Set(AKGEN_PIPE_V, 1), Wait(AKGEN_PIPE_MTE2, 1),
                                CopyIn(8192, 3200)};
  EXPECT_NEAR(Us(Of({{CopyIn(0, 3200)}, later}), p), 0.200, 1e-9);
}

TEST(Replay, WhatL2KeptComesFaster) {
  TimingParameters p = Simple();
  p.l2_core_rate = 128;
  Trace again = Of({{CopyIn(0, 12800), CopyIn(0, 12800)}});
  ModelledTime t = Replay(again, p, {48, 0, 0});
  EXPECT_NEAR(t.us, 0.500, 1e-9);
  EXPECT_EQ(t.hbm_bytes, 12800);
  EXPECT_EQ(t.l2_bytes, 12800);
  p.l2_bytes = 6400;
  EXPECT_NEAR(Us(again, p), 0.800, 1e-9);
}

TEST(Replay, WhatL2KeepsOfWritesIsFreeTheRestGoesToMemory) {
  TimingParameters p = Simple();
  p.hbm_rate = 16000;  // 16 B/cycle
  p.write_share = 2;
  // 3200 bytes out: 100 cycles on the pipe, and L2 keeps them.
  Trace out = Of({{CopyOut(0, 3200)}});
  EXPECT_NEAR(Us(out, p), 0.100, 1e-9);
  // With room for five lines of 128 bytes, 20 of 25 are driven out: 20 * 128 * 2 / 16 cycles of
  // memory.
  p.l2_bytes = 640;
  EXPECT_NEAR(Us(out, p), 0.320, 1e-9);
  EXPECT_EQ(Replay(out, p, {48, 0, 0}).hbm_bytes, 20 * 128);
  // Past L2 all of them go there.
  TraceEvent past = CopyOut(0, 3200);
  past.bypass = true;
  EXPECT_NEAR(Us(Of({{past}}), p), 0.400, 1e-9);
}

TEST(Replay, SmallPiecesOutCostWhatSmallPiecesInDo) {
  TimingParameters p = Simple();
  p.mte2_floor = 20, p.mte2_burst = 2;
  TraceEvent pieces = CopyOut(0, 32);
  pieces.bursts = 1024, pieces.stride = 4096;
  EXPECT_NEAR(Us(Of({{pieces}}), p), (1024 * 128 / 32.0 + 1023 * 2) / 1000, 1e-9);
  EXPECT_NEAR(Us(Of({{CopyOut(0, 32)}}), p), 0.020, 1e-9);
}

TEST(Replay, OrderCosts) {
  TimingParameters p = Simple();
  p.hand_off = 10, p.sync_all = 500, p.launch_core_us = 0;
  EXPECT_NEAR(
      Us(Of({{CopyIn(0, 3200), Set(AKGEN_PIPE_MTE2, 1), Wait(AKGEN_PIPE_V, 1), Vector(80)}}), p),
      0.210, 1e-9);
  TraceEvent all, meet;
  all.kind = TraceKind::kBarrier;
  EXPECT_NEAR(Us(Of({{Vector(80), all, Vector(80)}}), p), 0.210, 1e-9);
  std::vector<TraceEvent> meetings;
  for (uint32_t i = 0; i < 101; ++i) {
    meet.kind = TraceKind::kMeet, meet.n = i, meet.repeats = 2;
    meetings.push_back(meet);
  }
  EXPECT_NEAR(Us(Of({meetings, meetings}), p), 101 * 0.5, 1e-9)
      << "every SyncAll costs what one does";
}

TEST(Replay, CoresBeginOneAfterTheOther) {
  TimingParameters p = Simple();
  p.launch_us = 0.5, p.launch_core_us = 0.02, p.block_start = 100;
  EXPECT_NEAR(Us(Of({{Vector(80)}, {Vector(80)}, {Vector(80)}}), p), 0.5 + 2 * 0.02 + 0.1 + 0.1,
              1e-9);
  EXPECT_NEAR(Us(Of({{}, {}, {}}), p), EmptyUs(p, 3), 1e-9);
}

TEST(Replay, BlocksBeyondTheCoresWaitForOne) {
  Trace t = Of({{Vector(80)}, {Vector(80)}, {Vector(80)}});
  EXPECT_NEAR(Us(t, Simple(), 3), 0.100, 1e-9);
  EXPECT_NEAR(Us(t, Simple(), 2), 0.200, 1e-9);
}

TEST(Replay, AMeetingWaitsForTheLast) {
  TraceEvent meet;
  meet.kind = TraceKind::kMeet, meet.repeats = 2;
  TraceEvent all;
  all.kind = TraceKind::kBarrier;
  EXPECT_NEAR(
      Us(Of({{Vector(80), all, meet, Vector(80)}, {Vector(180), all, meet, Vector(80)}}), Simple()),
      0.300, 1e-9);
}

TEST(Replay, AWaitThatIsNeverMetIsSaid) {
  EXPECT_TRUE(Replay(Of({{Wait(AKGEN_PIPE_V, 7), Vector(1)}}), Simple(), {48, 0, 0}).stuck);
  EXPECT_FALSE(Replay(Of({{Vector(1)}}), Simple(), {48, 0, 0}).stuck);
}

TEST(Replay, TheSameTraceTakesTheSameTime) {
  Trace t = Of({{CopyIn(0, 3200), Vector(8), CopyOut(4096, 64)}, {CopyIn(8192, 640), Vector(80)}});
  TimingParameters p = Simple();
  p.hbm_rate = 20000;
  EXPECT_EQ(Us(t, p), Us(t, p));
}

// One row of the published table of bank conflicts: where the operands of an Add of 64 repeats lie.
TraceEvent AddAt(uint32_t src0, uint32_t src1, uint32_t dst, uint16_t block_stride = 1,
                 uint16_t repeat_stride = 8) {
  static uint8_t ub[1];
  AkgenVec v{};
  v.op = AKGEN_OP_Add, v.form = AKGEN_FORM_MASK, v.set_mask = 1, v.mask[0] = 64, v.repeat = 64;
  v.dst_type = v.src_type = v.src1_type = AKGEN_F32;
  v.dst_blk = v.src1_blk = 1, v.dst_rep = v.src1_rep = 8, v.src0_blk = block_stride,
  v.src0_rep = repeat_stride;
  auto at = [](uint32_t offset) {
    return reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(ub) + offset);
  };
  v.src0 = at(src0), v.src1 = at(src1), v.dst = at(dst);
  return VectorEvent(v, ub, 0);
}

TEST(Banks, ConflictsFollowTheAddresses) {
  EXPECT_EQ(AddAt(0, 0x10100, 0x20000).bank_reads, 0);
  EXPECT_EQ(AddAt(0, 0x10100, 0x20000).bank_writes, 0);
  EXPECT_EQ(AddAt(0, 0x4000, 0x10000).bank_reads, 64) << "the same bank";
  EXPECT_EQ(AddAt(0, 0x10000, 0x14100).bank_reads, 64) << "another bank of the same group";
  EXPECT_EQ(AddAt(0, 0x10100, 0x4000).bank_writes, 0) << "a write comes one repeat after its read";
  EXPECT_EQ(AddAt(0, 0x10100, 0x4020).bank_writes, 63);
  EXPECT_EQ(AddAt(0, 0x10100, 0x10100, 0, 1).bank_reads, 32) << "every other repeat";
  EXPECT_EQ(AddAt(0, 0x10100, 0x10100, 0, 8).bank_reads, 0);
}

TEST(Banks, TheWorseOfTwoConflictsCounts) {
  TimingParameters p = Simple();
  double lost = 0;
  EXPECT_EQ(VectorCycles(AddAt(0, 0x10100, 0x20000), p, &lost), 84);
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(VectorCycles(AddAt(0, 0x10000, 0x14100), p, &lost), 148);
  EXPECT_EQ(lost, 64);
}

TEST(TraceRecords, TouchingBurstsAreOne) {
  AkgenCopy c{};
  c.kind = AKGEN_GM_TO_UB, c.block_count = 4, c.block_len = 64;
  EXPECT_EQ(CopyEvent(c).n, 256u);
  EXPECT_EQ(CopyEvent(c).bursts, 1);
  c.src_stride = 64;
  EXPECT_EQ(CopyEvent(c).n, 64u);
  EXPECT_EQ(CopyEvent(c).bursts, 4);
  EXPECT_EQ(CopyEvent(c).stride, 128);
}

TEST(TraceRecords, AFullTraceSaysSo) {
  Trace t(1, 2);
  t.Add(0, Vector(1));
  t.Add(0, Vector(2));
  EXPECT_FALSE(t.cut());
  t.Add(0, Vector(3));
  EXPECT_TRUE(t.cut());
  EXPECT_EQ(t.blocks()[0].size(), 2u);
}

TEST(TraceRecords, WhatWasAddedComesOut) {
  TraceEvent calls;
  calls.n = 3;
  std::vector<TraceEvent> all{CopyIn(uint64_t(5) << 40 | 96, 640),
                              Set(AKGEN_PIPE_MTE2, 1),
                              calls,
                              Vector(8),
                              CopyIn(1 << 20, 640),
                              CopyOut(0, 64),
                              calls,
                              Wait(AKGEN_PIPE_MTE2, 1)};
  Trace t(2, 1000);
  for (int turn = 0; turn < 3; ++turn)
    for (const TraceEvent& e : all) t.Add(1, e);
  EXPECT_TRUE(t.blocks()[0].empty());
  ASSERT_EQ(t.blocks()[1].size(), 3 * all.size());
  for (size_t i = 0; i < 3 * all.size(); ++i) EXPECT_EQ(t.blocks()[1][i], all[i % all.size()]) << i;
  EXPECT_EQ(t.shapes().size(), 6u);  // two copies differ in place alone
  t.Add(1, calls), t.Add(1, calls);
  EXPECT_EQ(t.blocks()[1].back().n, 6u);
  EXPECT_EQ(t.records(), 3 * all.size() + 1);
}

// A record made from memory of an earlier instruction is the one that the instruction itself gives.
TEST(TraceRecords, AnInstructionThatComesAgainIsTheSame) {
  static uint8_t ub[196608];
  AkgenVec v{};
  v.op = AKGEN_OP_Add, v.form = AKGEN_FORM_MASK, v.dst_type = v.src_type = v.src1_type = AKGEN_F16,
  v.repeat = 16, v.mask[0] = 128;
  v.dst_blk = v.src0_blk = v.src1_blk = 1, v.dst_rep = v.src0_rep = v.src1_rep = 8;
  v.dst = ub, v.src0 = ub + 1024, v.src1 = ub + 2048;
  std::vector<std::function<void(AkgenVec&)>> changes{
      [](AkgenVec&) {},
      [](AkgenVec& n) { n.op = AKGEN_OP_Div; },
      [](AkgenVec& n) { n.dst_type = AKGEN_F32; },
      [](AkgenVec& n) { n.src_type = AKGEN_F32; },
      [](AkgenVec& n) { n.src1_type = AKGEN_F32; },
      [](AkgenVec& n) { n.repeat = 3; },
      [](AkgenVec& n) { n.form = AKGEN_FORM_COUNT, n.count = 700; },
      [](AkgenVec& n) { n.dst = ub + 512; },
      [](AkgenVec& n) { n.src0 = ub + 65536; },
      [](AkgenVec& n) { n.src1 = ub + 65536 + 512; },
      [](AkgenVec& n) { n.dst_blk = 4; },
      [](AkgenVec& n) { n.src0_blk = 4; },
      [](AkgenVec& n) { n.src1_blk = 16; },
      [](AkgenVec& n) { n.dst_rep = 1; },
      [](AkgenVec& n) { n.src0_rep = 0; },
      [](AkgenVec& n) { n.src1_rep = 0; }};
  Trace t(1, 1000);
  std::vector<TraceEvent> wanted;
  for (int turn = 0; turn < 2; ++turn)
    for (const auto& change : changes)
      for (uint32_t counter : {0u, 333u})
        for (uint32_t site : {7u, 8u}) {
          AkgenVec n = v;
          change(n);
          t.AddVector(0, n, ub, counter, AKGEN_PIPE_V, site);
          wanted.push_back(VectorEvent(n, ub, counter));
          wanted.back().site = site;
        }
  EXPECT_EQ(t.blocks()[0], wanted);
}

}  // namespace
}  // namespace akgen::sim
