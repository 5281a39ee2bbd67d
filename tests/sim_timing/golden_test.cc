// Modelled times of random kernels under the shipped parameters: golden/replays.txt. A rule of the
// model that changes changes a row; the rules one by one are in replay_test.cc and what_if_test.cc.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "../golden.h"
#include "random_trace.h"
#include "sim/timing/extrapolate.h"
#include "sim/timing/parameters.h"
#include "sim/timing/replay.h"
#include "sim/timing/what_if.h"

namespace akgen::sim {
namespace {
// Scalar work, copies within UB, bank conflicts and the counts that blocks raise for each other,
// between what there is.
Blocks WithScalarWork(Blocks blocks, Dice& d) {
  for (size_t b = 0; b < blocks.size(); ++b) {
    std::vector<TraceEvent> out;
    for (TraceEvent e : blocks[b]) {
      if (e.kind == TraceKind::kVector) {
        e.bits = d.OneIn(3) ? 16 : 32, e.op = uint16_t(d.Below(40));
        e.bank_reads = float(d.Below(3)), e.bank_writes = float(d.Below(2));
      }
      e.bypass = d.OneIn(5);
      out.push_back(e);
      if (!d.OneIn(4)) continue;
      TraceEvent more = EventOf(TraceKind::kWork, AKGEN_PIPE_S);
      more.n = 1 + d.Below(50);
      switch (d.Below(6)) {
        case 0: more.kind = TraceKind::kScalarUb; break;
        case 1: more.kind = TraceKind::kScalarGm, more.address = d.Below(4096) * 64; break;
        case 2: more.kind = TraceKind::kCall; break;
        case 3: more.kind = TraceKind::kJoin, more.pipe = AKGEN_PIPE_V; break;
        case 4:
          more.kind = TraceKind::kCopyUb, more.pipe = AKGEN_PIPE_V,
          more.bursts = uint16_t(1 + d.Below(8)), more.n *= 32;
          break;
        default: break;
      }
      out.push_back(more);
    }
    TraceEvent count = EventOf(b == 0 ? TraceKind::kPost : TraceKind::kAwait, AKGEN_PIPE_S, 77);
    for (size_t times = b == 0 ? blocks.size() - 1 : 1; times > 0; --times) out.push_back(count);
    blocks[b] = out;
  }
  return blocks;
}

// A Cube core and two Vector cores for each block: loads, products, results, and a flag to the
// Vector cores.
Trace OnCubes(Dice& d) {
  const uint32_t blocks = 1 + d.Below(20), rounds = 1 + d.Below(8), bytes = 512 * (1 + d.Below(64));
  Trace t(blocks * 3, 1'000'000);
  t.SetCores(1, 2);
  for (uint32_t b = 0; b < blocks * 3; ++b)
    for (uint32_t r = 0; r < rounds; ++r) {
      TraceEvent cross = EventOf(TraceKind::kCrossSet, AKGEN_PIPE_FIX);
      cross.n = 2, cross.repeats = 2;
      if (!t.OnCube(b)) {
        cross.kind = TraceKind::kCrossWait, cross.pipe = AKGEN_PIPE_S;
        t.Add(b, cross);
        t.Add(b, CopyOf(false, (uint64_t(b) << 24) + r * bytes, bytes));
        t.Add(b, VectorOf(1 + d.Below(20)));
        continue;
      }
      TraceEvent in = CopyOf(false, (uint64_t(b + 100) << 24) + r * bytes, bytes);
      in.op = uint16_t(d.Below(2));
      t.Add(b, in);
      t.Add(b, EventOf(TraceKind::kSet, AKGEN_PIPE_MTE2, 1));
      t.Add(b, EventOf(TraceKind::kWait, AKGEN_PIPE_MTE1, 1));
      for (LoadTo to : {LoadTo::kL0A, LoadTo::kL0B}) {
        TraceEvent load = EventOf(TraceKind::kLoad, AKGEN_PIPE_MTE1);
        load.n = bytes, load.repeats = uint32_t(to);
        t.Add(b, load);
      }
      t.Add(b, EventOf(TraceKind::kSet, AKGEN_PIPE_MTE1, 2));
      t.Add(b, EventOf(TraceKind::kWait, AKGEN_PIPE_M, 2));
      TraceEvent product = EventOf(TraceKind::kMmad, AKGEN_PIPE_M);
      product.n = 1 + d.Below(2000);
      t.Add(b, product);
      t.Add(b, EventOf(TraceKind::kSet, AKGEN_PIPE_M, 3));
      t.Add(b, EventOf(TraceKind::kWait, AKGEN_PIPE_FIX, 3));
      TraceEvent result = CopyOf(true, (uint64_t(b + 200) << 24) + r * bytes, bytes);
      result.pipe = AKGEN_PIPE_FIX, result.bits = d.OneIn(2) ? 16 : 32;
      t.Add(b, result);
      t.Add(b, cross);
    }
  return t;
}

// The same with buffers that are given back, loads of images and tables, and results kept in L1.
Trace InTurns(Dice& d) {
  const uint32_t blocks = 1 + d.Below(24), rounds = 2 + d.Below(10), buffers = 1 + d.Below(2),
                 inner = 1 + d.Below(4), bytes = 512 * (1 + d.Below(32)), bits = 8u << d.Below(3);
  const bool table = d.OneIn(3), image = d.OneIn(3), kept = d.OneIn(3);
  Trace t(blocks, 1'000'000);
  t.SetCores(1, 0);
  const auto flag = [&](uint32_t b, bool set, uint32_t from, uint32_t to, uint64_t name) {
    t.Add(b, EventOf(set ? TraceKind::kSet : TraceKind::kWait, set ? from : to, name));
  };
  for (uint32_t b = 0; b < blocks; ++b)
    for (uint32_t r = 0; r < rounds; ++r) {
      const uint64_t slot = r % buffers;
      if (r >= buffers) flag(b, false, AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, 20 + slot);
      TraceEvent in = CopyOf(false, (uint64_t(b + 1) << 26) + uint64_t(r) * bytes * inner,
                             bytes * inner, 1 + d.Below(4), bytes * inner * 2);
      in.op = uint16_t(d.Below(2)), in.bits = uint8_t(bits), in.site = 1;
      t.Add(b, in);
      flag(b, true, AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, 10 + slot);
      flag(b, false, AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, 10 + slot);
      for (uint32_t i = 0; i < inner; ++i) {
        const uint64_t part = (r * inner + i) % buffers;
        if (r * inner + i >= buffers) flag(b, false, AKGEN_PIPE_M, AKGEN_PIPE_MTE1, 40 + part);
        for (LoadTo to : {LoadTo::kL0A, LoadTo::kL0B}) {
          TraceEvent load = EventOf(TraceKind::kLoad, AKGEN_PIPE_MTE1);
          load.n = bytes, load.repeats = uint32_t(to), load.site = 2;
          load.op = uint16_t(image && to == LoadTo::kL0A ? AKGEN_CUBE_LOAD3D : 0);
          t.Add(b, load);
        }
        flag(b, true, AKGEN_PIPE_MTE1, AKGEN_PIPE_M, 30 + part);
        flag(b, false, AKGEN_PIPE_MTE1, AKGEN_PIPE_M, 30 + part);
        TraceEvent product = EventOf(TraceKind::kMmad, AKGEN_PIPE_M);
        product.n = 1 + d.Below(400), product.bits = uint8_t(bits), product.site = 3;
        t.Add(b, product);
        flag(b, true, AKGEN_PIPE_M, AKGEN_PIPE_MTE1, 40 + part);
      }
      flag(b, true, AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, 20 + slot);
      flag(b, true, AKGEN_PIPE_M, AKGEN_PIPE_FIX, 50);
      flag(b, false, AKGEN_PIPE_M, AKGEN_PIPE_FIX, 50);
      if (table) {
        TraceEvent load = EventOf(TraceKind::kLoad, AKGEN_PIPE_FIX);
        load.n = 64 * (1 + d.Below(8)), load.repeats = uint32_t(LoadTo::kTable);
        t.Add(b, load);
      }
      TraceEvent result = CopyOf(true, (uint64_t(b + 500) << 26) + r * bytes, bytes);
      result.pipe = AKGEN_PIPE_FIX, result.bits = uint8_t(bits), result.site = 4;
      if (kept) result.kind = TraceKind::kFix, result.address = 0;
      t.Add(b, result);
      flag(b, true, AKGEN_PIPE_FIX, AKGEN_PIPE_M, 60);
      flag(b, false, AKGEN_PIPE_FIX, AKGEN_PIPE_M, 60);
    }
  return t;
}

std::string Said(const Trace& trace, const TimingParameters& p, const ReplayOptions& options) {
  const ModelledTime time = Replay(trace, p, options);
  std::string out = fmt::format(
      "{:.6g} us, cores {} {}, core {:.6g} longest {:.6g} start {:.6g}, bytes {:.6g} {:.6g} "
      "{:.6g}, {} {}{}\n",
      time.us, time.cores, time.cube_cores, time.core_us, time.longest_core_us, time.start_us,
      time.hbm_bytes, time.l2_bytes, time.bypass_bytes, RegimeOf(time, p), BusyRegimeOf(time, p),
      time.stuck ? " stuck" : "");
  for (const auto& pipes : {time.pipes, time.cube_pipes})
    for (int i = 0; i < AKGEN_PIPE_COUNT; ++i)
      if (const PipeTime& u = pipes[i]; u.instructions)
        out += fmt::format("  {}: {:.6g} {:.6g} {:.6g} {} {:.6g} {}", i, u.busy, u.flag_wait,
                           u.conflicts, u.instructions, u.bytes, u.bursts);
  out += fmt::format("\n  spans {}", time.spans.size());
  for (size_t i = 0; i < time.spans.size(); i += 1 + time.spans.size() / 4)
    out += fmt::format(" {}/{}/{} {:.6g}-{:.6g}", time.spans[i].core, time.spans[i].pipe,
                       time.spans[i].op, time.spans[i].begin, time.spans[i].end);
  for (const WhatIf& w : WhatIfs(trace, p, options, 196352, 48))
    out += fmt::format(" {} {} {:.6g}", w.change, w.amount, w.us);
  if (const auto more = Extrapolate(trace, p, options, 16))
    out += fmt::format(" extrapolated {:.6g} {:.6g}", more->us, more->bound);
  return out + "\n";
}

TEST(TimingGolden, RandomKernels) {
  std::string text;
  const auto p = LoadTiming("a2");
  ASSERT_TRUE(p.ok()) << p.error().message;
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    Dice d(seed);
    KernelShape shape = DrawShape(d);
    shape.tiles = std::min(shape.tiles, 8u), shape.blocks = std::min(shape.blocks, 24u);
    Blocks blocks = KernelOf(shape);
    if (seed % 2) blocks = WithScalarWork(blocks, d);
    text += fmt::format("{}: ", seed) +
            Said(TraceOf(blocks), *p, {seed % 3 ? 48u : 5u, uint32_t(seed % 2)});
  }
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Dice d(seed);
    text += fmt::format("cube {}: ", seed) + Said(OnCubes(d), *p, {24, 1});
  }
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Dice d(seed);
    text += fmt::format("cube in turns {}: ", seed) +
            Said(InTurns(d), *p, {seed % 3 ? 24u : 3u, uint32_t(seed % 2)});
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "replays.txt", text);
}
}  // namespace
}  // namespace akgen::sim
