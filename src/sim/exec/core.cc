#include "sim/exec/core.h"

#include <algorithm>

#include "sim/exec/cube_unit.h"
#include "sim/exec/launch_state.h"
#include "sim/exec/left_modes.h"
#include "sim/exec/meet.h"
#include "sim/machine/positions.h"

namespace akgen::sim {

Core* g_core = nullptr;
LaunchState* g_launch = nullptr;

namespace {
constexpr size_t kMaxSets = 15;  // of one flag that wait for a wait; more are dropped

// Frame pointers are kept in kernels and in the chip, so the caller's chain can be walked.
__attribute__((noinline, no_sanitize("address"))) Site CaptureSite(uintptr_t stack_top) {
  Site s;
  auto* frame = static_cast<uintptr_t*>(__builtin_frame_address(0));
  int n = 0;
  for (int hop = 0; hop < 12 && n < 4 && frame; ++hop) {
    uintptr_t pc = frame[1];
    auto* next = reinterpret_cast<uintptr_t*>(frame[0]);
    if (hop >= 2) s.pc[size_t(n++)] = pc;  // skip SiteIndex and the C interface function
    // Frames of code that keeps no frame pointer hold anything: follow only what lies further up
    // this block's stack.
    uintptr_t at = reinterpret_cast<uintptr_t>(next);
    if (next <= frame || at % sizeof(uintptr_t) || at >= stack_top) break;
    frame = next;
  }
  return s;
}

// Mmads of so many fractals follow each other in L0C by themselves.
bool FollowsByItself(const AkgenCube& c) {
  constexpr uint32_t kFractals = 10;
  return uint64_t(c.n[AKGEN_MMAD_M] / 16) * (c.n[AKGEN_MMAD_N] / 16) >= kFractals;
}
}  // namespace

Core::Core(const ChipModel& chip, const Checks& checks, FindingLog& log, SharedNow& shared,
           const std::vector<MemorySize>& sizes, CoreKind kind)
    : memories(sizes),
      trace(now),
      findings(log, now, RowOf(sizes.at(0).id).name),
      watch(checks, now, shared, pipes, findings),
      chip_(chip),
      kind_(kind) {}

void Core::Reset(uint32_t block, const Schedule& schedule, uint8_t unwritten) {
  now.block = block;
  pace.Reset(schedule);
  for (const auto& m : memories.all()) m->Reset(unwritten);
  now.born = ++now.epoch;
  pipes.Reset(now.epoch);
  tpipe.Reset(memories.all());
  slices.Reset();
  registers.Reset();
  cross.Reset();
  cube_state.Reset();
  units.Reset();
  watch.race.Reset();
  watch.gm_race.Reset();
  fiber.finished = false;
  fiber.library_site = 0;
  fiber.call_site.reset();
}

uint32_t Core::SiteIndex() {
  if (fiber.library_site) return fiber.library_site;
  if (fiber.call_site.value_or(0)) return *fiber.call_site;
  const auto& where = g_launch->request->where;
  const uint32_t site = findings.sites().Intern(where ? where() : CaptureSite(fiber.stack_top));
  if (fiber.call_site) fiber.call_site = site;
  return site;
}

void Core::Issue(uint32_t pipe, PipeWork work) {
  uint32_t site = SiteIndex();
  registers.issue.number = ++now.calls;
  if (trace) trace.NoteIssue(pipe, work, registers.issue, memory(kVectorMemory).base(), site);
  Pipe& p = pipes[pipe];
  bool later = pace.on() && pipe != AKGEN_PIPE_S;
  if (cube() && !p.blocked_on && !later && !units.Fit(work)) units.Block(pipe, site);
  if (p.blocked_on || later) {
    p.held.emplace_back(std::move(work), registers.issue, pipes[AKGEN_PIPE_S].clock, site);
    if (later) pace.MoveOn();
    return;
  }
  Execute(pipe, work, registers.issue, pipes[AKGEN_PIPE_S].clock, site);
}

void Core::Execute(uint32_t pipe, const PipeWork& work, const IssueState& state,
                   const Clock& issued, uint32_t site) {
  Pipe& p = pipes[pipe];
  p.clock.Join(issued);
  now.pipe = pipe;
  now.site = site;
  now.number = state.number;
  auto* v = std::get_if<AkgenVec>(&work);
  auto* c = std::get_if<AkgenCopy>(&work);
  if (cube() && (c || std::holds_alternative<CubeOp>(work))) {
    RunOnCube(p, pipe, work, state);
  } else if (v || c) {
    RunInstruction(p, pipe, v, c, state);
  } else if (auto* s = std::get_if<SetFlagOp>(&work)) {
    RunSet(pipe, *s);
  } else if (auto* w = std::get_if<WaitFlagOp>(&work)) {
    if (w->flag->set)
      w->flag->Take(p.clock);
    else
      pipes.Block(pipe, *w, site);
  } else if (auto* h = std::get_if<HandOverOp>(&work)) {
    RunHandOver(pipe, *h);
  } else if (std::get_if<BarrierOp>(&work)) {
    p.clock.at[pipe] = p.latest;
  }
}

void Core::RunInstruction(Pipe& p, uint32_t pipe, const AkgenVec* v, const AkgenCopy* c,
                          const IssueState& state) {
  p.latest = ++now.epoch;
  const bool raw = v ? v->raw : c->raw;
  watch.race.OnInstruction(raw);
  const uint32_t own = p.clock.at[AKGEN_PIPE_V], scalar = p.clock.at[AKGEN_PIPE_S];
  // Automatic synchronisation (2201): V->V barriers and S->V, S->MTE2, S->MTE3 flags, where both
  // sides are tensors.
  if (raw)
    p.clock.at[AKGEN_PIPE_S] = p.clock.at[kRawScalar];
  else if (pipe == AKGEN_PIPE_V && watch.race.auto_sync())
    p.clock.at[AKGEN_PIPE_V] = now.epoch - 1;
  if (v)
    RunVector(*v, state), CountArithmetic(*v, &counts.arithmetic), ++counts.vector_ops;
  else
    RunCopy(*c, state), ++counts.copies;
  watch.race.OnInstructionDone();
  p.clock.at[AKGEN_PIPE_V] = own;
  p.clock.at[AKGEN_PIPE_S] = scalar;
}

// Of the Cube core's pipes nothing is ordered by the compiler.
void Core::RunOnCube(Pipe& p, uint32_t pipe, const PipeWork& work, const IssueState& state) {
  p.latest = ++now.epoch;
  const uint32_t own = p.clock.at[pipe];
  // MTE1 and FIX do one thing after the other on what is theirs alone (public programs count on
  // it); Mmads wait for a barrier, and copies between Global Memory and L1 overtake each other.
  if (pipe == AKGEN_PIPE_MTE1 || pipe == AKGEN_PIPE_FIX) p.clock.at[pipe] = now.epoch - 1;
  if (auto* c = std::get_if<AkgenCopy>(&work)) {
    RunCopy(*c, state), ++counts.copies;
  } else {
    const auto held = std::get<CubeOp>(work).it;
    const AkgenCube& cube = *held;
    if (cube.op == AKGEN_CUBE_MMAD && FollowsByItself(cube)) p.clock.at[pipe] = now.epoch - 1;
    units.Take(cube);
    RunCubeInstruction(*this, cube, state), ++counts.cube_ops;
    units.Leave(cube);
  }
  p.clock.at[pipe] = own;
  units.Changed([&](uint32_t waiting) {
    if (!pace.on()) Drain(waiting);
  });
}

// A second set before the first was waited for is kept, so that the run goes on.
void Core::RunSet(uint32_t pipe, const SetFlagOp& op) {
  Flag& f = *op.flag;
  watch.sync.OnSet(f, op);
  Clock done = pipes[pipe].clock;
  done.at[pipe] = pipes[pipe].latest;
  if (pipe == AKGEN_PIPE_S) done.at[kRawScalar] = pipes[pipe].latest;
  f.site = now.site;
  if (f.set) {
    f.twice = true;
    if (f.later.size() < kMaxSets) f.later.push_back(done);
    return;
  }
  f.set = true;
  f.clock = done;
  const uint32_t waiting = pipes.Unblock(f);
  if (waiting < kPipes && !pace.on()) Drain(waiting);
}

void Core::Drain(uint32_t pipe) {
  Pipe& p = pipes[pipe];
  uint32_t keep_pipe = now.pipe, keep_site = now.site;
  while (!p.blocked_on && !p.held.empty()) {
    if (cube() && !units.Fit(p.held.front().work)) {
      units.Block(pipe, p.held.front().site);
      break;
    }
    HeldWork h = std::move(p.held.front());
    p.held.pop_front();
    Execute(pipe, h.work, h.state, h.issued, h.site);
  }
  now.pipe = keep_pipe;
  now.site = keep_site;
}

void Core::WaitOnScalar(Flag& flag, uint32_t src, int32_t id) {
  AtScalar();
  pace.CatchUpUntil(flag);
  trace.Note(TraceKind::kWait, AKGEN_PIPE_S, 1, reinterpret_cast<uint64_t>(&flag));
  if (flag.set) return flag.Take(pipes[AKGEN_PIPE_S].clock);
  // Every pipe has run as far as it can, and only this unit could issue the set: nobody ever will.
  pipes.Block(AKGEN_PIPE_S, {&flag, src, AKGEN_PIPE_S, id}, now.site);
  watch.sync.OnDeadlock(watch.sync.WaitsFor());
  StopLaunch("deadlock", watch.sync.WaitsFor());
}

void Core::Barrier(uint32_t pipe) {
  if (pipe != AKGEN_PIPE_ALL) return Issue(pipe, BarrierOp{pipe});
  AtScalar();
  pace.CatchUp();
  trace.Note(TraceKind::kBarrier, AKGEN_PIPE_S);
  if (!pipes.Idle()) {
    watch.sync.OnDeadlock("PipeBarrier<PIPE_ALL> can never be met: " + watch.sync.WaitsFor());
    StopLaunch("deadlock", watch.sync.WaitsFor());
  }
  pipes.MeetAll();
}

void Core::RunHandOver(uint32_t pipe, const HandOverOp& op) {
  BlockClock done = op.issued;
  Clock own = pipes[pipe].clock;
  own.at[pipe] = std::max(own.at[pipe], pipes[pipe].latest);
  done.Join(now.block, own);
  op.send(std::move(done));
}

// An instruction of its pipe: behind a wait that is not met it is held back as others are.
void Core::HandOver(uint32_t pipe, std::function<void(BlockClock done)> send) {
  AtScalar();
  pace.CatchUpPipe(pipe);
  HandOverOp op{std::move(send), Release(AKGEN_PIPE_S)};
  Pipe& p = pipes[pipe];
  if (p.blocked_on)
    p.held.emplace_back(std::move(op), registers.issue, pipes[AKGEN_PIPE_S].clock, now.site);
  else
    RunHandOver(pipe, op);
}

void Core::EndOfBlock() {
  pace.CatchUp();
  if (trace) trace.WorkDone(now.site);
  if (!pipes.Idle()) {
    watch.sync.OnDeadlock("the block never ends: " + watch.sync.WaitsFor());
    StopLaunch("deadlock", watch.sync.WaitsFor());
  }
  for (const Queue& q : tpipe.queues)
    if (q.producer != q.consumer && !q.order.empty())
      watch.sync.OnLeftInQueue(q.producer, q.consumer, q.buffers[q.order.front()].site);
  if (units.AnySet()) watch.sync.OnUnitsLeft(units.site());
  if (registers.issue.atomic_op)
    watch.sync.OnModeLeftOn("atomic copies are", registers.atomic_site);
  if (registers.issue.counter)
    watch.sync.OnModeLeftOn("the counter mode of masks is", registers.counter_site);
  if (g_launch->request->left) g_launch->request->left->Save(*this);
  watch.cache.OnEndOfBlock();
  watch.sync.OnBlockEnd();
}

}  // namespace akgen::sim
