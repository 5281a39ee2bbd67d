// Flags, barriers and cross-core synchronisation of the C interface.
#include <algorithm>

#include "sim/exec/meet.h"

using namespace akgen::sim;

namespace akgen::sim {
BlockClock Release(uint32_t pipe) {
  g_launch->shared.exchanged = true;
  return g_core->watch.gm_race.blocks().Release(g_core->now.block, g_core->pipes.DoneBefore(pipe));
}

void EndWait(const BlockClock& of) {
  g_core->cross.waiting = Wait::kNone;
  ++g_core->cross.waits_done;
  g_core->watch.gm_race.blocks().Acquire(of);
}

void EndWaitForOwn(const BlockClock& of) {
  EndWait(of);
  if (const Clock* own = of.DoneBy(g_core->now.block)) g_core->pipes[AKGEN_PIPE_S].clock.Join(*own);
}
}  // namespace akgen::sim

namespace {
bool ValidId(int32_t id, const char* call) {
  Core& c = *g_core;
  if (id >= 0 && id < int32_t(c.chip().event_ids)) return true;
  c.AtScalar();
  c.findings.Report(FindingKind::kEventIdRange, std::string(call) + " with event id " +
                                                    std::to_string(id) + ", the chip has 0 to 7");
  return false;
}

void Hardware(FindingKind kind, std::string message, bool warning = false) {
  Core& c = *g_core;
  c.AtScalar();
  c.findings.Report(kind, std::move(message), warning);
}

// Of what is handed over: it knows where the kernel asked for it, which may have been long ago.
void HandedOver(FindingKind kind, std::string message, bool warning = false) {
  Core& c = *g_core;
  c.now.pipe = AKGEN_PIPE_S;
  c.findings.Report(kind, std::move(message), warning);
}

// What this core has done so far, for whoever waits for it.
void PublishClock() { g_core->Barrier(AKGEN_PIPE_ALL); }

void NeedAllCores(const char* call) {
  const uint32_t cores = g_core->cube() ? g_core->chip().aic_cores : g_core->chip().aiv_cores,
                 wanted = PeersOf(*g_core);
  if (wanted > cores) {
    Hardware(FindingKind::kTooManyBlocks,
             std::string(call) + " with " + std::to_string(wanted) + " blocks on " +
                 std::to_string(cores) + " cores: blocks that wait keep the others from starting");
    StopLaunch("deadlock", "more blocks than cores wait for each other");
  }
}

void WaitUntilAllArrive(MeetingKind kind, uint32_t parties) {
  Meeting& m = g_launch->meetings[kind];
  const uint32_t generation = m.generation;
  g_core->trace.NoteMeeting(uint32_t(kind) << 22 | (generation & 0x3fffff), parties);
  m.arriving.Join(Release(AKGEN_PIPE_S));
  if (++m.arrived == parties) {
    m.arrived = 0;
    ++m.generation;
    m.met = std::exchange(m.arriving, {});
  }
  g_core->cross.waiting = kind == kSoftware ? Wait::kSoftSync : Wait::kSyncAll;
  while (m.generation == generation) YieldBlock();
  EndWait(m.met);
}

constexpr uint32_t kFirstReserved = 11, kLastReserved = 14;
// Hardware SyncAll takes flags 11 to 14 for itself.
void KeepFlagsApart() {
  LaunchState& l = *g_launch;
  if (l.hardware_sync && l.reserved_flag)
    Hardware(FindingKind::kCrossCoreFlag,
             "flag " + std::to_string(l.reserved_flag) +
                 " is set by hand in a kernel that calls SyncAll, which takes 11 to 14");
}

// Matmul objects of Vector cores and their Cube core tell each other with two flags an object, and
// with the last one.
void KeepFlagsOfObjects(uint32_t id, uint32_t objects) {
  if (objects && (id < 2 * objects || id == kCrossFlags - 1))
    Hardware(FindingKind::kCrossCoreFlag,
             "flag " + std::to_string(id) + " is set by hand in a kernel whose " +
                 std::to_string(objects) + " Matmul object(s) take 0 to " +
                 std::to_string(2 * objects - 1) + " and 15");
}

// The workspace of a software form: `gm_bytes` of Global Memory from `gm` on, all zero before the
// launch, and `ub_bytes` of the Unified Buffer.
void CheckWorkspace(const char* call, void* gm, uint64_t gm_bytes, void* ub, uint64_t ub_bytes) {
  Core& c = *g_core;
  if (!c.watch.mem.on()) return;
  c.AtScalar();
  c.watch.Allow(c.memory(MemoryId::UB), {ub, ub_bytes, true, AKGEN_PIPE_S, call});
  const Access looks{gm, gm_bytes, false, AKGEN_PIPE_S, call};
  Region* r = c.watch.AllowGm(looks);
  if (!r) return;
  c.watch.init.OnScalarGm(*r, looks);
  const auto* bytes = static_cast<const uint8_t*>(gm);
  if (std::any_of(bytes, bytes + gm_bytes, [](uint8_t b) { return b != 0; }))
    c.findings.Report(FindingKind::kBrokenRule,
                      std::string(call) + ": the workspace in '" + r->name + "' is not zero");
}
constexpr uint64_t kSlot = 32;  // bytes that a block has in such a workspace

// A flag has one mode as long as a set of it waits for its answer.
void KeepMode(uint32_t id, uint32_t mode) {
  for (const auto& flags : g_launch->cross)
    if (flags[id].standing() && flags[id].mode != mode)
      return HandedOver(FindingKind::kCrossCoreFlag,
                        "flag " + std::to_string(id) + " is set in mode " + std::to_string(mode) +
                            " while a set of mode " + std::to_string(flags[id].mode) +
                            " is not answered yet");
}

void Raise(CrossFlag& flag, uint32_t id, const BlockClock& done) {
  flag.raised.Add(done);
  constexpr uint32_t kMaxSets = 15;
  // Public libraries let one more stand between a Cube core and its Vector cores.
  if (flag.raised.count() == kMaxSets + 1 && g_launch->request->cores.mixed()) {
    HandedOver(FindingKind::kCrossCoreFlag,
               "16 sets of flag " + std::to_string(id) +
                   " were not waited for, and 15 is what the page allows",
               true);
  } else if (flag.raised.count() > kMaxSets)
    HandedOver(FindingKind::kCrossCoreFlag,
               "more than 15 sets of flag " + std::to_string(id) + " were not waited for");
}

struct Parties {
  std::vector<uint32_t> setters, receivers;  // by Core::now.block
};
// Who has to set a flag of this mode, and whose counters then rise. Mode 0: all cores of a type; 1:
// the Vector cores of a block; 2: from the Cube core of a block to its Vector cores, or back. Where
// a block is one core, it waits for itself.
Parties PartiesOf(const Core& c, uint32_t mode) {
  const LaunchRequest& r = *g_launch->request;
  if (mode != 0 && !r.cores.mixed()) return {{c.now.block}, {c.now.block}};
  const uint32_t all = r.cores.all(), first = c.group * all;
  std::vector<uint32_t> cube, vectors, peers;
  for (uint32_t i = 0; i < all; ++i) (i < r.cores.cube ? cube : vectors).push_back(first + i);
  for (uint32_t unit = 0; mode == 0 && unit < UnitsOf(r); ++unit)
    if ((unit % all < r.cores.cube) == c.cube()) peers.push_back(unit);
  if (mode == 0) return {peers, peers};
  if (mode == 1) return {vectors, vectors};
  return c.cube() ? Parties{cube, vectors} : Parties{vectors, cube};
}

size_t IbIndex(int32_t block, int32_t event) { return size_t(block) * 16 + size_t(event & 15); }
// Names of counts in the trace: IBSet's flags, and the turns of the determine-compute order.
uint64_t BetweenBlocks(int32_t block, int32_t event) {
  return uint64_t(1) << 62 | uint64_t(uint32_t(block)) << 8 | uint32_t(event & 15);
}
uint64_t Turn(uint32_t n) { return uint64_t(1) << 61 | n; }

FlagSets& IbFlag(int32_t block, int32_t event) { return g_launch->ib_flags[IbIndex(block, event)]; }

void NeedTurns(const char* call) {
  if (!g_core->cross.in_turn)
    Hardware(FindingKind::kBrokenRule,
             std::string(call) + " without InitDetermineComputeWorkspace before it");
}

// Does IBSet or IBWait name a block of the launch? If so, its slot in the workspace is looked at.
bool BlockToMeet(const char* call, void* gm, void* ub, int32_t block, int32_t event) {
  if (g_core->cube()) return false;
  const int64_t blocks = PeersOf(*g_core);
  if (block < 0 || block >= blocks || event < 0) {
    Hardware(FindingKind::kBrokenRule, std::string(call) + " of block " + std::to_string(block) +
                                           " and event " + std::to_string(event) +
                                           " in a launch of " + std::to_string(blocks) + " blocks");
    return false;
  }
  const uint64_t slot = uint64_t(blocks) * kSlot * uint64_t(event) + uint64_t(block) * kSlot;
  CheckWorkspace(call, static_cast<uint8_t*>(gm) + slot, kSlot, ub, kSlot);
  return true;
}

// A flag between pipes that only the other type of core has; kernels of both call it on both.
bool OfOtherCore(uint32_t src, uint32_t dst) {
  if (!g_launch->request->cores.cube) return false;
  auto cube = [](uint32_t p) {
    return p == AKGEN_PIPE_M || p == AKGEN_PIPE_MTE1 || p == AKGEN_PIPE_FIX;
  };
  return g_core->cube() ? src == AKGEN_PIPE_V || dst == AKGEN_PIPE_V : cube(src) || cube(dst);
}

// What the checks say to the call of a flag.
std::vector<Remark> HeardOf(bool set, uint32_t src, uint32_t dst, int32_t id) {
  return Observers::Heard(FlagCall{set, g_core->cube(), g_launch->request->cores.mixed(), src, dst,
                                   id, g_core->pipes.ids.HeldByQueue(src, dst, id)});
}
}  // namespace

void akgen::sim::SendCrossFlag(uint32_t pipe, uint32_t mode, uint32_t id, const BlockClock& done) {
  if (!g_launch->request->cores.mixed()) KeepMode(id, mode);
  auto& flags = g_launch->cross;
  CrossFlag& mine = flags[g_core->now.block][id];
  mine.site = g_core->now.site;
  mine.pipe = pipe;
  mine.mode = mode;
  mine.sent.Add(done);
  const Parties parties = PartiesOf(*g_core, mode);
  for (uint32_t unit : parties.setters)
    if (flags[unit][id].sent.count() == 0) return;
  BlockClock all;
  for (uint32_t unit : parties.setters) all.Join(flags[unit][id].sent.Take());
  for (uint32_t unit : parties.receivers) Raise(flags[unit][id], id, all);
}

extern "C" {

void akgen_set_flag(uint32_t src, uint32_t dst, int32_t id) {
  if (!ValidId(id, "SetFlag") || src >= kPipes || dst >= kPipes) return;
  for (Remark& r : HeardOf(true, src, dst, id)) Hardware(r.kind, std::move(r.message), r.warning);
  if (OfOtherCore(src, dst)) return;
  ++g_core->pipes.ids.OpenSets(src, dst, id);
  g_core->Issue(src, SetFlagOp{&g_core->pipes.FlagOf(src, dst, id), src, dst, id});
}

void akgen_wait_flag(uint32_t src, uint32_t dst, int32_t id) {
  if (!ValidId(id, "WaitFlag") || src >= kPipes || dst >= kPipes) return;
  for (Remark& r : HeardOf(false, src, dst, id)) Hardware(r.kind, std::move(r.message), r.warning);
  if (OfOtherCore(src, dst)) return;
  if (g_core->pipes.ids.TakeStanding(src, dst, id)) return;
  Flag& f = g_core->pipes.FlagOf(src, dst, id);
  if (uint32_t& open = g_core->pipes.ids.OpenSets(src, dst, id)) --open;
  if (dst == AKGEN_PIPE_S) return g_core->WaitOnScalar(f, src, id);
  g_core->Issue(dst, WaitFlagOp{&f, src, dst, id});
}

void akgen_pipe_barrier(uint32_t pipe) {
  if (pipe == AKGEN_PIPE_S) return;
  g_core->Barrier(pipe);
}

void akgen_data_sync_barrier(uint32_t) {}

void akgen_cross_set(uint32_t mode, uint32_t pipe, uint32_t flag_id) {
  NeedAllCores("CrossCoreSetFlag");
  uint32_t id = flag_id & 15;
  if (flag_id > 15)
    Hardware(FindingKind::kCrossCoreFlag,
             "CrossCoreSetFlag with flag id " + std::to_string(flag_id) + ", only 4 bits are kept");
  if (id >= kFirstReserved && id <= kLastReserved) g_launch->reserved_flag = id, KeepFlagsApart();
  if (!g_launch->jobs.empty()) KeepFlagsOfObjects(id, g_launch->jobs[g_core->group].objects);
  g_core->AtScalar();
  if (g_launch->request->cores.cube) g_core->trace.NoteCross(TraceKind::kCrossSet, pipe, id, mode);
  g_core->HandOver(
      pipe, [pipe, mode, id](const BlockClock& done) { SendCrossFlag(pipe, mode, id, done); });
}

void akgen_cross_wait(uint32_t flag_id) {
  uint32_t id = flag_id & 15;
  g_core->AtScalar();
  // All blocks' sets meet here: the wait stands for them in the trace.
  if (g_launch->request->cores.cube)
    g_core->trace.NoteCross(TraceKind::kCrossWait, AKGEN_PIPE_S, id, 0);
  else
    g_core->trace.NoteMeeting(1u << 24 | id << 20 | (g_core->cross.waits[id]++ & 0xfffff),
                              g_launch->request->blocks);
  g_core->pace.LetHeldCrossSetsRun();
  g_core->cross.waiting = Wait::kCross;
  g_core->cross.waiting_flag = id;
  CrossFlag& mine = g_launch->cross[g_core->now.block][id];
  while (mine.raised.count() == 0) YieldBlock();
  EndWaitForOwn(
      mine.raised
          .Take());  // a pipe of its own, which the set names, may have been what was waited for
}

void akgen_sync_all(int32_t aiv_only) {
  if (aiv_only && g_core->cube()) return;
  NeedAllCores("SyncAll");
  const bool mixed = g_launch->request->cores.mixed();
  if (!aiv_only && !mixed && g_core->watch.sync.on()) {
    g_core->AtScalar();
    g_core->findings.Report(
        FindingKind::kCrossCoreFlag,
        "SyncAll<false> waits for cube cores as well, and this kernel runs on vector cores alone",
        true);
  }
  g_launch->hardware_sync = true;
  KeepFlagsApart();
  PublishClock();
  if (mixed && !aiv_only)
    WaitUntilAllArrive(kOfAllCores, UnitsOf(*g_launch->request));
  else
    WaitUntilAllArrive(kOfOneType, PeersOf(*g_core));
}

void akgen_sync_all_soft(void* gm, void* ub, int32_t used) {
  if (g_core->cube()) return;
  NeedAllCores("SyncAll");
  const uint64_t blocks = PeersOf(*g_core);
  if (used > int64_t(blocks))
    Hardware(FindingKind::kBrokenRule, "SyncAll of " + std::to_string(used) +
                                           " cores in a launch of " + std::to_string(blocks) +
                                           " blocks");
  CheckWorkspace("SyncAll", gm, blocks * kSlot, ub, blocks * kSlot);
  PublishClock();
  const uint32_t parties = used > 0 ? std::min(uint32_t(used), uint32_t(blocks)) : uint32_t(blocks);
  if (IndexOf(*g_core) >= parties) return;
  WaitUntilAllArrive(kSoftware, parties);
}

void akgen_ib_set(void* gm, void* ub, int32_t block, int32_t event) {
  if (!BlockToMeet("IBSet", gm, ub, block, event)) return;
  PublishClock();
  IbFlag(block, event).Add(Release(AKGEN_PIPE_S));
  g_core->trace.Note(TraceKind::kPost, AKGEN_PIPE_S, 1, BetweenBlocks(block, event));
}

void akgen_ib_wait(void* gm, void* ub, int32_t block, int32_t event) {
  if (!BlockToMeet("IBWait", gm, ub, block, event)) return;
  PublishClock();
  g_core->trace.Note(TraceKind::kAwait, AKGEN_PIPE_S, 1, BetweenBlocks(block, event));
  g_core->cross.waiting = Wait::kIb;
  FlagSets& flag = IbFlag(block, event);
  while (flag.count() == 0) YieldBlock();
  EndWait(flag.Take());
}

void akgen_det_init(void* gm, void* ub) {
  const uint64_t bytes = PeersOf(*g_core) * kSlot;
  Core& c = *g_core;
  c.cross.in_turn = true;
  if (!c.watch.mem.on()) return;
  c.AtScalar();
  const char* call = "InitDetermineComputeWorkspace";
  c.watch.Allow(c.memory(MemoryId::UB), {ub, bytes + kSlot, true, AKGEN_PIPE_S, call});
  c.watch.AllowGm({gm, bytes, true, AKGEN_PIPE_S, call});
}
void akgen_det_wait(void*, void*) {
  NeedTurns("WaitPreBlock");
  PublishClock();
  g_core->cross.waiting = Wait::kIb;
  while (g_launch->det_next % PeersOf(*g_core) != IndexOf(*g_core)) YieldBlock();
  EndWait(g_launch->det_clock);
  if (g_launch->det_next > 0)
    g_core->trace.Note(TraceKind::kAwait, AKGEN_PIPE_S, 1, Turn(g_launch->det_next));
}
void akgen_det_notify(void*, void*) {
  NeedTurns("NotifyNextBlock");
  PublishClock();
  g_launch->det_clock.Join(Release(AKGEN_PIPE_S));
  ++g_launch->det_next;
  g_launch->det_site = g_core->SiteIndex();
  g_core->trace.Note(TraceKind::kPost, AKGEN_PIPE_S, 1, Turn(g_launch->det_next));
}
}  // extern "C"
