// What any clock must have: more work is never faster, more data, fewer cores and less bandwidth
// never help, and no arrangement of copies beats what the memory can do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>

#include "random_trace.h"
#include "sim/timing/replay.h"

namespace akgen::sim {
namespace {

const TimingParameters& Committed() {
  static const TimingParameters p = *LoadTiming("a2");
  return p;
}

double TimeOf(const Blocks& blocks, const TimingParameters& p = Committed()) {
  const ModelledTime t = Replay(TraceOf(blocks), p, {48, 0, 0});
  EXPECT_FALSE(t.stuck);
  return t.us;
}

// Random kernels or seconds: AKGEN_SANITY_SECONDS lets the searches go on for so long.
double Seconds() {
  const char* more = std::getenv("AKGEN_SANITY_SECONDS");
  return more ? std::atof(more) : 0;
}
class Budget {
 public:
  explicit Budget(uint32_t least) : least_(least), began_(std::time(nullptr)) {}
  bool Next() { return n_++ < least_ || double(std::time(nullptr) - began_) < Seconds(); }
  uint32_t n() const { return n_; }

 private:
  uint32_t least_, n_ = 0;
  std::time_t began_;
};

// One thing more to do, in one block or in all of them, at one place.
Blocks WithMore(const Blocks& blocks, Dice& d, std::string* what) {
  static const char* names[] = {"vector instruction",  "copy in",    "copy out", "barrier",
                                "barrier of one pipe", "scalar work"};
  const uint32_t kind = d.Below(6);
  const bool all = d.OneIn(2);
  TraceEvent e;
  if (kind == 0)
    e = VectorOf(1 + d.Below(64));
  else if (kind == 1 || kind == 2)
    e = CopyOf(kind == 2, (uint64_t(12) << 33) + 4096 * d.Below(4096), 32 * (1 + d.Below(256)));
  else if (kind == 3)
    e = EventOf(TraceKind::kBarrier, AKGEN_PIPE_S);
  else if (kind == 4)
    e = EventOf(TraceKind::kCall, AKGEN_PIPE_V), e.n = 1;
  else
    e = EventOf(TraceKind::kWork, AKGEN_PIPE_S), e.n = 1 + d.Below(1000);
  *what = std::string(names[kind]) + (all ? " in all blocks" : " in one block");
  Blocks out = blocks;
  const uint32_t one = d.Below(uint32_t(blocks.size()));
  const double place = d.Below(1000) / 1000.0;
  const uint32_t times = d.OneIn(3) ? 4 : 1;  // at so many places
  for (uint32_t b = 0; b < out.size(); ++b)
    if (all || b == one)
      for (uint32_t i = 0; i < times; ++i) {
        auto& v = out[b];
        v.insert(v.begin() + long(size_t(place * double(v.size()) + double(i * v.size()) / times) %
                                  v.size()),
                 e);
        if (e.kind == TraceKind::kCopyIn || e.kind == TraceKind::kCopyOut) e.address += 1 << 24;
      }
  return out;
}

TEST(Sanity, MoreWorkIsNeverFaster) {
  double worst = 1;
  for (Budget budget(150); budget.Next();) {
    Dice d(budget.n());
    const Blocks blocks = KernelOf(DrawShape(d));
    const double before = TimeOf(blocks);
    for (int i = 0; i < 2; ++i) {
      std::string what;
      const double after = TimeOf(WithMore(blocks, d, &what));
      worst = std::min(worst, after / before);
      EXPECT_GE(after, 0.99 * before) << "kernel " << budget.n() << ", " << what;
    }
  }
  std::printf("the least that one thing more did to a launch's time: times %.5f\n", worst);
}

TEST(Sanity, MoreDataIsNeverFaster) {
  for (Budget budget(60); budget.Next();) {
    Dice d(1000 + budget.n());
    KernelShape s = DrawShape(d);
    s.bytes = (s.bytes + 511) / 512 * 512,
    s.gap = s.gap / 512 * 512;  // what begins at a line is copied faster
    const double before = TimeOf(KernelOf(s));
    KernelShape more = s;
    ++more.tiles;
    EXPECT_GE(TimeOf(KernelOf(more)), 0.99 * before) << "a tile more, kernel " << budget.n();
    more = s, more.bytes += 512;
    EXPECT_GE(TimeOf(KernelOf(more)), 0.99 * before)
        << "512 bytes more per burst, kernel " << budget.n();
    more = s, more.vectors += 1;
    EXPECT_GE(TimeOf(KernelOf(more)), 0.99 * before)
        << "an instruction more per tile, kernel " << budget.n();
    more = s, more.repeats += 1;
    EXPECT_GE(TimeOf(KernelOf(more)), 0.99 * before)
        << "a repeat more per instruction, kernel " << budget.n();
  }
}

TEST(Sanity, FasterMemoryIsNeverSlower) {
  for (Budget budget(40); budget.Next();) {
    Dice d(2000 + budget.n());
    const Blocks blocks = KernelOf(DrawShape(d));
    TimingParameters p = Committed();
    const double before = TimeOf(blocks, p);
    for (double TimingParameters::* rate :
         {&TimingParameters::hbm_rate, &TimingParameters::l2_rate, &TimingParameters::mte2_rate,
          &TimingParameters::mte3_rate}) {
      p = Committed();
      p.*rate *= 1.2;
      EXPECT_LE(TimeOf(blocks, p), 1.01 * before) << "kernel " << budget.n();
    }
  }
}

// Much work, dealt to more and more cores: faster until the memory is the limit, and no slower from
// there on.
TEST(Sanity, MoreCoresHelpUntilTheMemoryIsTheLimit) {
  for (uint32_t vectors : {1u, 8u, 32u}) {
    double before = 1e30;
    for (uint32_t blocks : {1u, 2u, 4u, 8u, 12u, 16u, 24u, 32u, 48u}) {
      KernelShape s;
      s.blocks = blocks, s.tiles = 960 / blocks, s.buffers = 2, s.bytes = 16384,
      s.vectors = vectors, s.repeats = 64;
      const double us = TimeOf(KernelOf(s));
      EXPECT_LE(us, 1.01 * before) << blocks << " cores, " << vectors << " instructions a tile";
      before = us;
    }
  }
}

// Copies and nothing else, without any order among them.
struct Arrangement {
  uint32_t cores = 1, copies = 1, bytes = 32, bursts = 1, stride = 0, out_of_4 = 0, reuse = 0,
           start = 0;
  bool bypass = false;
};

Arrangement Changed(Arrangement a, Dice& d) {
  switch (d.Below(9)) {
    case 0: a.cores = 1 + d.Below(48); break;
    case 1: a.copies = 1 + d.Below(40); break;
    case 2: a.bytes = 32 * (1 + d.Below(512)); break;
    case 3: a.bursts = 1 + d.Below(200); break;
    case 4: a.stride = 32 * d.Below(64); break;
    case 5: a.out_of_4 = d.Below(5); break;
    case 6: a.reuse = d.Below(4); break;
    case 7: a.start = 2 * d.Below(256); break;
    default: a.bypass = !a.bypass;
  }
  return a;
}

struct Moved {
  double read = 0, written = 0, most_in = 0,
         most_out = 0;  // bytes: distinct read, written; of the busiest core
};

// Distinct bytes that the kernel asks for, counted without the model.
Blocks ArrangedAs(const Arrangement& a, Moved& moved) {
  Blocks out(a.cores);
  std::set<uint64_t> read, written;  // units of 32 bytes
  const uint64_t step = uint64_t(a.bytes + a.stride) * a.bursts;
  for (uint32_t core = 0; core < a.cores; ++core) {
    double in = 0, away = 0;
    for (uint32_t c = 0; c < a.copies; ++c) {
      const bool write = c % 4 < a.out_of_4;
      uint64_t index = uint64_t(core) * a.copies + c;
      if (a.reuse == 1) index = c;
      if (a.reuse == 2) index = uint64_t(core) * a.copies + c / 2;
      if (a.reuse == 3) index = core;
      const uint64_t at = (uint64_t(write ? 9 : 1) << 33) + index * step + a.start;
      TraceEvent e = CopyOf(write, at, a.bytes, a.bursts, a.bytes + a.stride);
      e.bypass = a.bypass;
      out[core].push_back(e);
      (write ? away : in) += double(a.bytes) * a.bursts;
      for (uint32_t b = 0; b < a.bursts; ++b)
        for (uint64_t x = (at + uint64_t(b) * (a.bytes + a.stride) + 31) / 32, n = 0;
             n < a.bytes / 32; ++n)
          (write ? written : read).insert(x + n);
    }
    moved.most_in = std::max(moved.most_in, in), moved.most_out = std::max(moved.most_out, away);
  }
  moved.read = 32.0 * double(read.size()), moved.written = 32.0 * double(written.size());
  return out;
}

// What no arrangement can beat: HBM brings every byte once, L2 gives or takes every byte that is
// asked for, a core's pipes are as fast as they are. A start and a launch come on top.
double BoundUs(const Moved& m, const TimingParameters& p) {
  const double hbm = (m.read + p.write_share * std::max(0.0, m.written - p.l2_bytes)) / p.hbm_rate;
  const double core = std::max(m.most_in / p.l2_core_rate, m.most_out / p.mte3_rate) / p.clock_mhz;
  return EmptyUs(p, 1) + std::max(hbm, core);
}

TEST(Sanity, NoArrangementOfCopiesBeatsTheMemory) {
  double least = 1e30;
  uint32_t tried = 0;
  for (Budget budget(12); budget.Next();) {
    Dice d(3000 + budget.n());
    Arrangement best;
    double ratio = 1e30;
    for (int step = 0; step < 40; ++step, ++tried) {
      const Arrangement a = step == 0 ? best : Changed(best, d);
      if (uint64_t(a.cores) * a.copies * a.bytes * a.bursts > 24'000'000) continue;
      Moved moved;
      const Blocks blocks = ArrangedAs(a, moved);
      const double now = TimeOf(blocks) / BoundUs(moved, Committed());
      if (now <= ratio) ratio = now, best = a;
    }
    least = std::min(least, ratio);
    EXPECT_GE(ratio, 0.999) << "cores " << best.cores << ", copies " << best.copies << " of "
                            << best.bursts << " x " << best.bytes << " bytes, " << best.stride
                            << " apart, " << best.out_of_4 << " of 4 out, reuse " << best.reuse
                            << ", start " << best.start << ", past L2 " << best.bypass;
  }
  std::printf("%u arrangements: the fastest takes %.4f times the bound\n", tried, least);
}

// A product on Cube cores: each block of C over K, in steps, with buffers in L1 and L0 that events
// hand around.
struct ProductShape {
  uint32_t cores = 1, blocks = 1, steps = 1, m = 128, n = 128, k = 64, l1 = 1, l0 = 1, extra = 0;
  bool unit = false, shared = false;
};
ProductShape DrawProduct(Dice& d) {
  ProductShape s;
  s.cores = d.OneIn(3) ? 24 : 1 + d.Below(24);
  s.blocks = 1 + d.Below(4), s.steps = 1 + d.Below(24);
  s.m = 16 * (1 + d.Below(8)), s.n = 16 * (1 + d.Below(16)), s.k = 16 * (1 + d.Below(8));
  s.l1 = 1 + d.Below(2), s.l0 = 1 + d.Below(2);
  s.shared = d.OneIn(3);
  return s;
}

TraceEvent LoadOf(bool a, uint32_t bytes) {
  TraceEvent e = EventOf(TraceKind::kLoad, AKGEN_PIPE_MTE1);
  e.op = AKGEN_CUBE_LOAD2D, e.n = bytes, e.repeats = uint32_t(a ? LoadTo::kL0A : LoadTo::kL0B);
  return e;
}
TraceEvent MmadOf(uint32_t products) {
  TraceEvent e = EventOf(TraceKind::kMmad, AKGEN_PIPE_M);
  e.n = products;
  return e;
}
TraceEvent FixOf(uint64_t at, uint32_t m, uint32_t n) {
  TraceEvent e = EventOf(TraceKind::kCopyOut, AKGEN_PIPE_FIX, at);
  e.n = n * 2, e.bursts = uint16_t(m), e.stride = 16384, e.bits = 16;
  return e;
}
TraceEvent RowsOf(uint64_t at, uint32_t rows, uint32_t bytes) {
  TraceEvent e = CopyOf(false, at, bytes, rows, 16384);
  e.op = 1;
  return e;
}

Blocks ProductOf(const ProductShape& s) {
  Blocks out(s.cores);
  for (uint32_t c = 0; c < s.cores; ++c)
    for (uint32_t i = 0; i < s.blocks * s.steps; ++i) {
      std::vector<TraceEvent>& v = out[c];
      const uint64_t in = i % s.l1, l0 = i % s.l0, block = i / s.steps;
      const uint64_t row = s.shared ? block : uint64_t(c) * s.blocks + block;
      if (i >= s.l1) v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_MTE2, 100 + in));
      v.push_back(
          RowsOf((uint64_t{1} << 33) + row * 128 * 16384 + i % s.steps * s.k * 2, s.m, s.k * 2));
      v.push_back(
          RowsOf((uint64_t{2} << 33) + row * 256 * 16384 + i % s.steps * s.k * 2, s.n, s.k * 2));
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_MTE2, 200 + in));
      v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_MTE1, 200 + in));
      if (i >= s.l0) v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_MTE1, 300 + l0));
      v.push_back(LoadOf(true, s.m * s.k * 2)), v.push_back(LoadOf(false, s.n * s.k * 2));
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_MTE1, 100 + in));
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_MTE1, 400 + l0));
      v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_M, 400 + l0));
      if (i % s.steps == 0 && i) v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_M, 500));
      v.push_back(MmadOf(s.m / 16 * (s.n / 16) * (s.k / 16)));
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_M, 300 + l0));
      if ((i + 1) % s.steps) continue;
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_M, 600));
      v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_FIX, 600));
      v.push_back(
          FixOf((uint64_t{9} << 33) + (uint64_t(c) * s.blocks + block) * 128 * 16384, s.m, s.n));
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_FIX, 500));
    }
  return out;
}

double CubeTimeOf(const Blocks& blocks, const TimingParameters& p = Committed()) {
  Trace t = TraceOf(blocks);
  t.SetCores(1, 0);
  const ModelledTime time = Replay(t, p, {24, 0, 0});
  EXPECT_FALSE(time.stuck);
  return time.us;
}

TEST(Sanity, MoreOnTheCubeCoreIsNeverFaster) {
  double worst = 1;
  std::string what;
  for (Budget b(150); b.Next();) {
    Dice d(b.n());
    const Blocks blocks = ProductOf(DrawProduct(d));
    const double before = CubeTimeOf(blocks);
    static const char* names[] = {"load",    "Mmad",         "Fixpipe",    "rows",
                                  "barrier", "barrier of M", "scalar work"};
    const uint32_t kind = d.Below(7);
    const uint64_t far = (uint64_t{12} << 33) + 4096 * d.Below(4096);
    TraceEvent e = kind == 0   ? LoadOf(d.OneIn(2), 512 * (1 + d.Below(64)))
                   : kind == 1 ? MmadOf(1 + d.Below(512))
                   : kind == 2 ? FixOf(far, 16 * (1 + d.Below(8)), 16 * (1 + d.Below(16)))
                   : kind == 3 ? RowsOf(far, 1 + d.Below(128), 32 * (1 + d.Below(16)))
                   : kind == 4 ? EventOf(TraceKind::kBarrier, AKGEN_PIPE_S)
                   : kind == 5 ? EventOf(TraceKind::kCall, AKGEN_PIPE_M)
                               : EventOf(TraceKind::kWork, AKGEN_PIPE_S);
    if (kind >= 5) e.n = kind == 5 ? 1 : 1 + d.Below(1000);
    Blocks more = blocks;
    const bool all = d.OneIn(2);
    for (size_t c = all ? 0 : d.Below(uint32_t(more.size())); c < more.size();
         c += all ? 1 : more.size())
      more[c].insert(more[c].begin() + d.Below(uint32_t(more[c].size())), e);
    const double after = CubeTimeOf(more);
    if (after / before < worst)
      worst = after / before, what = std::string(names[kind]) + (all ? " in all" : " in one");
  }
  EXPECT_GE(worst, 0.99) << what;
  std::printf("worst: %.4f (%s)\n", worst, what.c_str());
}

TEST(Sanity, LargerProductsTakeLongerAndBuffersHelp) {
  for (Budget b(60); b.Next();) {
    Dice d(1000 + b.n());
    ProductShape s = DrawProduct(d);
    const double us = CubeTimeOf(ProductOf(s));
    auto with = [&](auto change) {
      ProductShape other = s;
      change(other);
      return CubeTimeOf(ProductOf(other));
    };
    EXPECT_GE(with([](ProductShape& o) { o.steps += 1; }), us * 0.99) << b.n();
    EXPECT_GE(with([](ProductShape& o) { o.blocks += 1; }), us * 0.99) << b.n();
    EXPECT_GE(with([](ProductShape& o) { o.n += 16; }), us * 0.99) << b.n();
    EXPECT_LE(with([](ProductShape& o) { o.l0 = 2; }), us * 1.01) << b.n();
    EXPECT_LE(with([](ProductShape& o) { o.l1 = 2; }), us * 1.01) << b.n();
    TimingParameters slower = Committed();
    slower.hbm_rate /= 2;
    EXPECT_GE(CubeTimeOf(ProductOf(s), slower), us * 0.99) << b.n();
  }
}

ProductShape Changed(ProductShape s, Dice& d) {
  switch (d.Below(9)) {
    case 0: s.cores = 1 + d.Below(24); break;
    case 1: s.blocks = 1 + d.Below(4); break;
    case 2: s.steps = 1 + d.Below(24); break;
    case 3: s.m = 16 * (1 + d.Below(8)); break;
    case 4: s.n = 16 * (1 + d.Below(16)); break;
    case 5: s.k = 16 * (1 + d.Below(8)); break;
    case 6: s.l1 = 1 + d.Below(3); break;
    case 7: s.l0 = 1 + d.Below(3); break;
    default: s.shared = !s.shared;
  }
  return s;
}

// What no product can beat: HBM brings every byte once, and each pipe of a Cube core is as fast as
// it is.
double BoundUs(const ProductShape& s, const TimingParameters& p) {
  const double steps = double(s.blocks) * s.steps, a = 2.0 * s.m * s.k,
               b = 2.0 * s.n * s.k;  // bytes a step
  const double hbm = (s.shared ? 1 : s.cores) * steps * (a + b) / p.hbm_rate;
  const double mmad = steps * (s.m / 16) * (s.n / 16) * (s.k / 16);
  const double load = steps * (a / p.l0a_rate + b / p.l0b_rate),
               copy = steps * (a + b) / p.l2_core_rate;
  const double fix = double(s.blocks) * s.m * s.n / p.fix_gm_rate;
  return EmptyUs(p, 1) + std::max(hbm, std::max({mmad, load, copy, fix}) / p.clock_mhz);
}

// No shape of blocks, buffers and cores is faster than a pipe of the Cube cores at its full rate,
// or the memory.
TEST(Sanity, NoProductBeatsTheBound) {
  double least = 1e30;
  uint32_t tried = 0;
  for (Budget budget(8); budget.Next();) {
    Dice d(5000 + budget.n());
    ProductShape best = DrawProduct(d);
    double ratio = 1e30;
    for (int step = 0; step < 25; ++step, ++tried) {
      const ProductShape s = step == 0 ? best : Changed(best, d);
      const double now = CubeTimeOf(ProductOf(s)) / BoundUs(s, Committed());
      if (now <= ratio) ratio = now, best = s;
    }
    least = std::min(least, ratio);
    EXPECT_GE(ratio, 0.999) << "cores " << best.cores << ", blocks " << best.blocks << " of "
                            << best.steps << " steps, " << best.m << " x " << best.n << " x "
                            << best.k << ", buffers " << best.l1 << " and " << best.l0
                            << ", shared " << best.shared;
  }
  std::printf("%u products: the fastest takes %.4f times the bound\n", tried, least);
}

}  // namespace
}  // namespace akgen::sim
