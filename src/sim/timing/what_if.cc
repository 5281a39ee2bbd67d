#include "sim/timing/what_if.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "sim/timing/cube_what_if.h"
#include "sim/timing/rounds.h"

namespace akgen::sim {
namespace {
constexpr size_t kMaxEvents = 4u << 20;

bool IsCopy(const TraceEvent& e) {
  return e.kind == TraceKind::kCopyIn || e.kind == TraceKind::kCopyOut;
}

// Every event of every block through `change`, which may add none, one or several in its place.
using Emitter = std::function<void(const TraceEvent&)>;
Trace Mapped(const Trace& t,
             const std::function<void(uint32_t block, const TraceEvent&, const Emitter&)>& change) {
  Trace out(uint32_t(t.blocks().size()), SIZE_MAX);
  out.CopyUse(t);
  for (uint32_t b = 0; b < t.blocks().size(); ++b)
    for (const TraceEvent& e : t.blocks()[b])
      change(b, e, [&](const TraceEvent& n) { out.Add(b, n); });
  return out;
}

// The place with the largest sum of `weight`; 0 when all weigh nothing.
uint32_t Heaviest(const Trace& t, const std::function<double(const TraceEvent&)>& weight) {
  std::map<uint32_t, double> sums;
  for (const auto& events : t.blocks())
    for (const TraceEvent& e : events)
      if (double w = weight(e); w > 0) sums[e.site] += w;
  uint32_t best = 0;
  double most = 0;
  for (const auto& [site, sum] : sums)
    if (sum > most) most = sum, best = site;
  return best;
}

double Bytes(const TraceEvent& e) { return IsCopy(e) ? double(e.n) * e.bursts : 0; }
uint32_t FetchSite(const Trace& t) {
  uint32_t in =
      Heaviest(t, [](const TraceEvent& e) { return e.kind == TraceKind::kCopyIn ? Bytes(e) : 0; });
  return in ? in : Heaviest(t, Bytes);
}

// A buffer more is a wait less: the first turn of every buffer's give-back flag need not be waited
// for.
Trace DoubleBuffered(const Trace& t) {
  std::map<std::pair<uint32_t, uint64_t>, bool> given;
  return Mapped(t, [&](uint32_t block, const TraceEvent& e, const Emitter& emit) {
    if (e.kind == TraceKind::kWait && t.ub.single_flags.contains(e.address) &&
        !std::exchange(given[{block, e.address}], true))
      return;
    emit(e);
  });
}

std::vector<std::vector<TraceRound>> AllRounds(const Trace& t) {
  std::vector<std::vector<TraceRound>> out;
  for (uint32_t b = 0; b < t.blocks().size(); ++b) out.push_back(RoundsOf(t, b));
  return out;
}

std::optional<Trace> Tiled(const Trace& t, const std::vector<std::vector<TraceRound>>& rounds,
                           uint32_t together, uint32_t parts) {
  Plan plan;
  for (const auto& mine : rounds) {
    if (mine.empty()) return std::nullopt;
    plan.emplace_back();
    for (size_t r = 0; r < mine.size(); r += together) {
      std::vector<Piece> pieces;
      for (size_t k = r; k < std::min<size_t>(mine.size(), r + together); ++k)
        pieces.push_back({mine[k], 0, 1});
      if (parts == 1) plan.back().push_back(pieces);
      for (uint32_t part = 0; parts > 1 && part < parts; ++part)
        plan.back().push_back({{mine[r], part, parts}});
    }
  }
  return Replan(t, plan);
}

std::optional<Trace> Dealt(const Trace& t, const std::vector<std::vector<TraceRound>>& rounds,
                           uint32_t blocks) {
  std::vector<TraceRound> all;
  for (const auto& mine : rounds) all.insert(all.end(), mine.begin(), mine.end());
  if (all.size() < blocks || blocks == 0) return std::nullopt;
  Plan plan(blocks);
  for (uint32_t b = 0; b < blocks; ++b)
    for (size_t r = all.size() * b / blocks; r < all.size() * (b + 1) / blocks; ++r)
      plan[b].push_back({{all[r], 0, 1}});
  return Replan(t, plan);
}

bool ByElement(const TraceEvent& e) {
  return e.kind == TraceKind::kScalarUb || e.kind == TraceKind::kScalarGm;
}

// Runs of at least this many scalar accesses, with nothing but calls and waits of the scalar unit
// between them.
constexpr uint64_t kLongRun = 64;

Trace VectorForScalar(const Trace& t) {
  Trace out(uint32_t(t.blocks().size()), SIZE_MAX);
  out.CopyUse(t);
  for (uint32_t b = 0; b < t.blocks().size(); ++b) {
    const auto& events = t.blocks()[b];
    uint64_t accesses = 0, replaced = 0;
    for (size_t i = 0, j; i < events.size(); i = j) {
      uint64_t n = 0;
      for (j = i; j < events.size() &&
                  (ByElement(events[j]) || events[j].kind == TraceKind::kCall ||
                   events[j].kind == TraceKind::kWork || events[j].kind == TraceKind::kJoin);
           ++j)
        if (ByElement(events[j])) n += events[j].n;
      if (j == i) j = i + 1;
      accesses += n;
      if (n < kLongRun) {
        for (size_t k = i; k < j; ++k) out.Add(b, events[k]);
        continue;
      }
      TraceEvent v;
      v.kind = TraceKind::kVector, v.pipe = AKGEN_PIPE_V, v.op = AKGEN_OP_Add, v.bits = 32,
      v.site = events[i].site;
      v.n = uint32_t(std::min<uint64_t>(n / 3, UINT32_MAX)),
      v.repeats = (v.n + 63) / 64;  // two in, one out
      out.Add(b, v);
      replaced += n;
    }
    // What the block executes goes with the loops that are replaced.
    if (replaced)
      out.Executed(
          b, uint64_t(double(t.executed(b)) * double(accesses - replaced) / double(accesses)));
  }
  return out;
}

// What queues of one buffer would order, in place of waiting for everything.
Trace FlagsForBarriers(const Trace& t) {
  static constexpr uint8_t kPairs[][2] = {{AKGEN_PIPE_MTE2, AKGEN_PIPE_V},
                                          {AKGEN_PIPE_V, AKGEN_PIPE_MTE3},
                                          {AKGEN_PIPE_V, AKGEN_PIPE_MTE2},
                                          {AKGEN_PIPE_MTE3, AKGEN_PIPE_V}};
  return Mapped(t, [&](uint32_t, const TraceEvent& e, const Emitter& emit) {
    if (e.kind != TraceKind::kBarrier) return emit(e);
    for (uint64_t i = 0; i < 4; ++i)
      for (TraceKind kind : {TraceKind::kSet, TraceKind::kWait}) {
        TraceEvent f;
        f.kind = kind, f.pipe = kPairs[i][kind == TraceKind::kWait], f.site = e.site,
        f.address = (uint64_t(1) << 60) + i;
        emit(f);
      }
  });
}

// Copies of one size from one place, equally far apart and with nothing between them, as one.
Trace OneCopy(const Trace& t) {
  Trace out(uint32_t(t.blocks().size()), SIZE_MAX);
  out.CopyUse(t);
  for (uint32_t b = 0; b < t.blocks().size(); ++b) {
    const auto& events = t.blocks()[b];
    for (size_t i = 0; i < events.size(); ++i) {
      TraceEvent e = events[i];
      size_t j = i + 1;
      for (; IsCopy(e) && j < events.size(); ++j) {
        const TraceEvent& n = events[j];
        if (n.kind == TraceKind::kCall || n.kind == TraceKind::kWork) continue;
        int64_t step = e.bursts > 1 ? e.stride : int64_t(n.address - e.address);
        bool next = n.kind == e.kind && n.site == e.site && n.bursts == 1 && n.n == e.n &&
                    e.bursts < 4095 && step >= int64_t(e.n) &&
                    n.address == e.address + uint64_t(step) * e.bursts;
        if (!next) break;
        e.stride = step, ++e.bursts;
        i = j;
      }
      out.Add(b, e);
    }
  }
  return out;
}

class Trials {
 public:
  // `now`: modelled time of the trace as it is, us.
  Trials(double now, const TimingParameters& p, const ReplayOptions& o) : p_(p), o_(o), now_(now) {}
  double Time(const Trace& changed) const {
    ModelledTime m = Replay(changed, p_, o_);
    return m.stuck ? now_ : m.us;
  }
  void Try(const char* change, uint32_t amount, uint32_t site,
           const std::optional<Trace>& changed) {
    if (!changed) return;
    double us = Time(*changed);
    if (us < now_ * 0.99) found_.push_back({change, amount, site, us});
  }
  std::vector<WhatIf> Best() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const WhatIf& a, const WhatIf& b) { return a.us < b.us; });
    return std::move(found_);
  }

 private:
  const TimingParameters& p_;
  const ReplayOptions& o_;
  double now_;
  std::vector<WhatIf> found_;
};

void TryBuffers(const Trace& t, uint32_t ub_bytes, Trials& trials) {
  if (!t.ub.single) return;
  if (t.ub.used + t.ub.single <= ub_bytes)
    return trials.Try("double_buffer", 2, FetchSite(t), DoubleBuffered(t));
  if (auto halves = Tiled(t, AllRounds(t), 1, 2))
    trials.Try("double_buffer_half_tiles", 2, FetchSite(t), DoubleBuffered(*halves));
}

// The rounds of a trace's loops, found once.
struct Loops {
  explicit Loops(const Trace& t) : rounds(AllRounds(t)), blocks(t.block_count()) {
    for (const auto& r : rounds) all += r.size(), most = std::max(most, r.size());
  }
  std::vector<std::vector<TraceRound>> rounds;
  uint32_t blocks;
  size_t all = 0, most = 0;  // rounds, of all blocks and of the one with most
};

void TryLargerTiles(const Trace& t, const Loops& loops, uint32_t ub_bytes, Trials& trials) {
  for (uint32_t together = 16; together >= 2; together /= 2)
    if (loops.most >= together && t.ub.used && t.ub.used * together <= ub_bytes)
      return trials.Try("larger_tiles", together, FetchSite(t),
                        Tiled(t, loops.rounds, together, 1));
}

void TryMoreCores(const Trace& t, const Loops& loops, uint32_t chip_cores, Trials& trials) {
  if (loops.blocks >= chip_cores || loops.all <= loops.blocks) return;
  uint32_t cores = uint32_t(std::min<size_t>(chip_cores, loops.all));
  trials.Try("more_cores", cores, FetchSite(t), Dealt(t, loops.rounds, cores));
}

void TryEvenCores(const Trace& t, const Loops& loops, uint32_t chip_cores, Trials& trials) {
  uint32_t even = std::min(loops.blocks, chip_cores);
  if (loops.most == 0 || loops.blocks <= 1) return;
  if (loops.most * even > loops.all + even - 1 || loops.blocks > chip_cores)
    trials.Try("even_cores", even, FetchSite(t), Dealt(t, loops.rounds, even));
}

void TryPlaces(const Trace& t, Trials& trials) {
  auto ragged = [](const TraceEvent& e) { return IsCopy(e) && e.address % 512 ? Bytes(e) : 0; };
  if (uint32_t site = Heaviest(t, ragged))
    trials.Try("aligned", 512, site,
               Mapped(t, [](uint32_t, const TraceEvent& e, const Emitter& emit) {
                 TraceEvent n = e;
                 if (IsCopy(e))
                   n.address &= ~uint64_t(511),
                       n.stride = e.bursts > 1 ? (e.stride + 511) / 512 * 512 : e.stride;
                 emit(n);
               }));
  auto banks = [](const TraceEvent& e) { return double(e.bank_reads) + double(e.bank_writes); };
  if (uint32_t site = Heaviest(t, banks))
    trials.Try("apart_in_ub", 0, site,
               Mapped(t, [](uint32_t, const TraceEvent& e, const Emitter& emit) {
                 TraceEvent n = e;
                 n.bank_reads = n.bank_writes = 0;
                 emit(n);
               }));
  // What is written past L2 must reach HBM at once; what is read past it leaves room there for what
  // is written.
  auto read = [](const TraceEvent& e) { return e.kind == TraceKind::kCopyIn ? Bytes(e) : 0; };
  if (uint32_t site = Heaviest(t, read))
    trials.Try("past_l2", 0, site,
               Mapped(t, [](uint32_t, const TraceEvent& e, const Emitter& emit) {
                 TraceEvent n = e;
                 n.bypass = e.bypass || e.kind == TraceKind::kCopyIn;
                 emit(n);
               }));
}

// Of the Cube core: one more buffer where there is but one, and larger blocks.
void TryCube(const Trace& t, Trials& trials) {
  if (auto site = SingleL0(t))
    trials.Try("double_buffer_l0", 2, *site, OneMoreBuffer(t, AKGEN_PIPE_M, AKGEN_PIPE_MTE1));
  if (auto site = SingleL1(t))
    trials.Try("double_buffer_l1", 2, *site, OneMoreBuffer(t, AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2));
  if (auto site = SmallBlocks(t)) trials.Try("larger_base_block", 2, *site, LargerBlocks(t));
}

ReplayOptions Plain(const ReplayOptions& options) {
  ReplayOptions plain = options;
  plain.span_cores = 0;
  return plain;
}

}  // namespace

std::vector<WhatIf> WhatIfs(const Trace& t, const TimingParameters& p, const ReplayOptions& options,
                            uint32_t ub_bytes, uint32_t chip_cores) {
  if (t.records() > kMaxEvents) return {};
  const ReplayOptions plain = Plain(options);
  Trials trials(Replay(t, p, plain).us, p, plain);
  if (t.cube()) return TryCube(t, trials), trials.Best();
  TryBuffers(t, ub_bytes, trials);
  const Loops loops(t);
  TryLargerTiles(t, loops, ub_bytes, trials);
  TryMoreCores(t, loops, chip_cores, trials);
  TryEvenCores(t, loops, chip_cores, trials);
  TryPlaces(t, trials);
  auto scalar = [](const TraceEvent& e) { return ByElement(e) ? double(e.n) : 0; };
  if (uint32_t site = Heaviest(t, scalar))
    trials.Try("vector_for_scalar", 0, site, VectorForScalar(t));
  auto barrier = [](const TraceEvent& e) { return e.kind == TraceKind::kBarrier ? 1.0 : 0; };
  if (uint32_t site = Heaviest(t, barrier))
    trials.Try("flags_for_barriers", 0, site, FlagsForBarriers(t));
  trials.Try("one_copy", 0,
             Heaviest(t, [](const TraceEvent& e) { return IsCopy(e) && e.bursts == 1 ? 1.0 : 0; }),
             OneCopy(t));
  return trials.Best();
}

std::vector<WhatIf> WhatIfsOfClass(const Trace& t, const ModelledTime& time,
                                   const TimingParameters& p, const ReplayOptions& options,
                                   uint32_t ub_bytes, uint32_t chip_cores) {
  const double cycles = time.core_us * p.clock_mhz * time.cores;
  if (t.records() > kMaxEvents || cycles <= 0 || t.cube()) return {};
  double busiest = time.pipes[AKGEN_PIPE_S].busy / cycles - time.start_us / time.core_us;
  for (uint32_t pipe : {AKGEN_PIPE_V, AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3})
    busiest = std::max(busiest, time.pipes[pipe].busy / cycles);
  const bool spread = time.us - time.longest_core_us + time.start_us <= kLaunchBound * time.us &&
                      time.core_us >= kEven * time.longest_core_us;
  const bool few = spread && time.cores < chip_cores,
             idle = spread && busiest <= kBusy && t.ub.used < kRoomy * ub_bytes;
  if (!few && !idle) return {};
  const ReplayOptions plain = Plain(options);
  Trials trials(time.us, p, plain);
  const Loops loops(t);
  if (few) TryMoreCores(t, loops, chip_cores, trials);
  if (idle) TryBuffers(t, ub_bytes, trials), TryLargerTiles(t, loops, ub_bytes, trials);
  return trials.Best();
}

}  // namespace akgen::sim
