// Flags, barriers and cross-core synchronisation of the C interface.
#include <algorithm>

#include "sim/exec/launch_state.h"

using namespace akgen::sim;

namespace {
bool ValidId(int32_t id, const char* call) {
  Core& c = *g_core;
  if (id >= 0 && id < int32_t(c.chip_.event_ids)) return true;
  c.current_pipe_ = AKGEN_PIPE_S;
  c.current_site_ = c.SiteIndex();
  c.Report(FindingKind::kEventIdRange,
           std::string(call) + " with event id " + std::to_string(id) + ", the chip has 0 to 7");
  return false;
}

void Hardware(FindingKind kind, std::string message) {
  Core& c = *g_core;
  c.current_pipe_ = AKGEN_PIPE_S;
  c.current_site_ = c.SiteIndex();
  c.Report(kind, std::move(message));
}

// What this core has done so far, for whoever waits for it.
void PublishClock() { g_core->Barrier(AKGEN_PIPE_ALL); }

void NeedAllCores(const char* call) {
  if (g_launch->request->blocks > g_core->chip_.aiv_cores) {
    Hardware(FindingKind::kTooManyBlocks, std::string(call) + " with " + std::to_string(g_launch->request->blocks) +
                                              " blocks on " + std::to_string(g_core->chip_.aiv_cores) +
                                              " cores: blocks that wait keep the others from starting");
    StopLaunch("deadlock", "more blocks than cores wait for each other");
  }
}

void EndWait(const BlockClock& of) {
  g_core->waiting_ = Wait::kNone;
  ++g_core->waits_done_;
  g_core->Acquire(of);
}

void Join(BlockClock& into, const BlockClock& clock) {
  if (into.size() < clock.size()) into.resize(clock.size(), 0);
  for (size_t i = 0; i < clock.size(); ++i) into[i] = std::max(into[i], clock[i]);
}

void NoteMeeting(uint32_t number, uint32_t parties) {
  if (!g_core->trace_) return;
  TraceEvent e;
  e.kind = TraceKind::kMeet, e.n = number, e.repeats = parties, e.site = g_core->current_site_;
  g_core->trace_->Add(g_core->block_, e);
}

void WaitUntilAllArrive(Wait kind, uint32_t parties) {
  LaunchState& l = *g_launch;
  uint32_t generation = l.sync_generation;
  NoteMeeting(generation, parties);
  if (++l.sync_arrived == parties) {
    l.sync_arrived = 0;
    ++l.sync_generation;
    l.released = ++l.generation;
    g_core->SeeAll(l.released);
    ++g_core->waits_done_;
    return;
  }
  g_core->waiting_ = kind;
  while (l.sync_generation == generation) YieldBlock();
  g_core->waiting_ = Wait::kNone;
  ++g_core->waits_done_;
  g_core->SeeAll(l.released);
}

void Raise(CrossFlag& flag, uint32_t id) {
  constexpr uint32_t kMostSets = 15;
  if (++flag.count > kMostSets)
    Hardware(FindingKind::kCrossCoreFlag, "more than 15 sets of flag " + std::to_string(id) + " were not waited for");
}

size_t IbIndex(int32_t block, int32_t event) { return size_t(block) * 16 + size_t(event & 15); }
// Names of counts in the trace: IBSet's flags, and the turns of the determine-compute order.
uint64_t BetweenBlocks(int32_t block, int32_t event) {
  return uint64_t(1) << 62 | uint64_t(uint32_t(block)) << 8 | uint32_t(event & 15);
}
uint64_t Turn(uint32_t n) { return uint64_t(1) << 61 | n; }

int32_t& IbFlag(int32_t block, int32_t event) {
  auto& flags = g_launch->ib_flags;
  size_t at = IbIndex(block, event);
  if (flags.size() <= at) flags.resize(at + 1, 0);
  return flags[at];
}
}  // namespace

namespace akgen::sim {
// Later accesses of this block count as later than what is handed out here.
BlockClock Core::Release() {
  BlockClock clock(std::max<size_t>(seen_.size(), block_ + 1u), seen_all_);
  for (size_t i = 0; i < seen_.size(); ++i) clock[i] = SeenOf(uint32_t(i));
  clock[block_] = ++g_launch->generation;
  return clock;
}
void Core::Acquire(const BlockClock& clock) { Join(seen_, clock); }
}  // namespace akgen::sim

extern "C" {

void akgen_set_flag(uint32_t src, uint32_t dst, int32_t id) {
  if (!ValidId(id, "SetFlag") || src >= kPipes || dst >= kPipes) return;
  g_core->Issue(src, SetFlagOp{&g_core->FlagOf(src, dst, id), src, dst, id});
}

void akgen_wait_flag(uint32_t src, uint32_t dst, int32_t id) {
  if (!ValidId(id, "WaitFlag") || src >= kPipes || dst >= kPipes) return;
  Flag& f = g_core->FlagOf(src, dst, id);
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
  if (!g_core->PipesIdle()) PublishClock();
  g_core->CatchUpPipe(pipe);  // the set is an instruction of that pipe: it comes after those before it
  LaunchState& l = *g_launch;
  Join(l.cross_clock[id], g_core->Release());
  CrossFlag& mine = l.cross[g_core->block_][id];
  mine.site = g_core->SiteIndex();
  mine.pipe = pipe;
  if (mode != 0) return Raise(mine, id);  // an AI Core of this launch has one vector core: it waits for itself
  // Mode 0: every vector core's counter rises once all have set the flag.
  ++mine.sets;
  for (const auto& flags : l.cross)
    if (flags[id].sets == 0) return;
  for (auto& flags : l.cross) {
    --flags[id].sets;
    Raise(flags[id], id);
  }
}

void akgen_cross_wait(uint32_t flag_id) {
  uint32_t id = flag_id & 15;
  g_core->current_pipe_ = AKGEN_PIPE_S;
  g_core->current_site_ = g_core->SiteIndex();
  // All blocks' sets meet here: the wait stands for them in the trace.
  NoteMeeting(1u << 24 | id << 20 | (g_core->cross_waits_[id]++ & 0xfffff), g_launch->request->blocks);
  g_core->waiting_ = Wait::kCross;
  g_core->waiting_flag_ = id;
  CrossFlag& mine = g_launch->cross[g_core->block_][id];
  while (mine.count == 0) YieldBlock();
  EndWait(g_launch->cross_clock[id]);
  --mine.count;
}

void akgen_sync_all(int32_t) {
  NeedAllCores("SyncAll");
  PublishClock();
  WaitUntilAllArrive(Wait::kSyncAll, g_launch->request->blocks);
}

void akgen_sync_all_soft(void* gm, void* ub, int32_t used) {
  NeedAllCores("SyncAll");
  PublishClock();
  const uint32_t parties = used > 0 ? std::min(uint32_t(used), g_launch->request->blocks) : g_launch->request->blocks;
  if (g_core->block_ >= parties) return;
  WaitUntilAllArrive(Wait::kSoftSync, parties);
}

void akgen_ib_set(void*, void*, int32_t block, int32_t event) {
  PublishClock();
  Join(g_launch->ib_clocks[IbIndex(block, event)], g_core->Release());
  g_core->Note(TraceKind::kPost, AKGEN_PIPE_S, 1, BetweenBlocks(block, event));
  ++IbFlag(block, event);
}

void akgen_ib_wait(void*, void*, int32_t block, int32_t event) {
  PublishClock();
  g_core->Note(TraceKind::kAwait, AKGEN_PIPE_S, 1, BetweenBlocks(block, event));
  g_core->waiting_ = Wait::kIb;
  while (IbFlag(block, event) == 0) YieldBlock();
  EndWait(g_launch->ib_clocks[IbIndex(block, event)]);
  --IbFlag(block, event);
}

void akgen_det_init(void*, void*) {}
void akgen_det_wait(void*, void*) {
  PublishClock();
  g_core->waiting_ = Wait::kIb;
  while (g_launch->det_next % g_launch->request->blocks != g_core->block_) YieldBlock();
  EndWait(g_launch->det_clock);
  if (g_launch->det_next > 0) g_core->Note(TraceKind::kAwait, AKGEN_PIPE_S, 1, Turn(g_launch->det_next));
}
void akgen_det_notify(void*, void*) {
  PublishClock();
  Join(g_launch->det_clock, g_core->Release());
  ++g_launch->det_next;
  g_core->Note(TraceKind::kPost, AKGEN_PIPE_S, 1, Turn(g_launch->det_next));
}
}  // extern "C"
