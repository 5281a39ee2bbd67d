#include "sim/launch/launch.h"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "sim/exec/launch_state.h"
#include "sim/exec/left_modes.h"
#include "sim/launch/end_checks.h"

namespace akgen::sim {
namespace {
namespace ctx = boost::context;
constexpr size_t kStackBytes = FiberStacks::kBytes;

// A fault inside a kernel: note where, leave the fiber, end the launch.
struct Fault {
  uintptr_t address = 0, pc = 0;
  uintptr_t frames[3] = {};
  int signal = 0;
};
Fault g_fault;

struct Registers {
  uintptr_t pc = 0, frame = 0, sp = 0;
};
Registers RegistersOf(const mcontext_t& m) {
#if defined(__aarch64__)
  return {m.pc, m.regs[29], m.sp};
#else
  return {uintptr_t(m.gregs[REG_RIP]), uintptr_t(m.gregs[REG_RBP]), uintptr_t(m.gregs[REG_RSP])};
#endif
}

void OnFault(int signal, siginfo_t* info, void* context) {
  const Registers at = RegistersOf(static_cast<ucontext_t*>(context)->uc_mcontext);
  g_fault.signal = signal;
  g_fault.address = uintptr_t(info->si_addr);
  g_fault.pc = at.pc;
  auto* frame = reinterpret_cast<uintptr_t*>(at.frame);
  const uintptr_t sp = at.sp;
  for (uintptr_t& f : g_fault.frames) {
    if (uintptr_t(frame) < sp || uintptr_t(frame) > sp + kStackBytes) break;
    f = frame[1];
    frame = reinterpret_cast<uintptr_t*>(frame[0]);
  }
  siglongjmp(g_launch->crash, 1);
}

class FaultHandler {
 public:
  FaultHandler() {
    stack_.ss_sp = alt_;
    stack_.ss_size = sizeof alt_;
    ::sigaltstack(&stack_, nullptr);
    struct sigaction sa{};
    sa.sa_sigaction = OnFault;
    sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &sa, &old_[i]);
  }
  ~FaultHandler() {
    for (size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
    stack_.ss_flags = SS_DISABLE;
    ::sigaltstack(&stack_, nullptr);
  }

 private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                     SIGTRAP};  // the last: a trap of aarch64
  struct sigaction old_[std::size(kSignals)];
  stack_t stack_{};
  static inline char alt_[64 << 10];
};

// The cores of a block follow each other: the Cube core, then its Vector cores.
Core* TakeCore(LaunchState& l, uint32_t block) {
  const LaunchRequest& r = *l.request;
  const uint32_t group = block / r.cores.all(), place = block % r.cores.all();
  const CoreKind kind = place < r.cores.cube ? CoreKind::kCube : CoreKind::kVector;
  auto idle = std::find_if(l.idle.rbegin(), l.idle.rend(),
                           [&](const Core* c) { return c->kind() == kind; });
  if (idle == l.idle.rend()) {
    l.cores.push_back(std::make_unique<Core>(r.chip, l.checks, l.log, l.shared,
                                             MemoriesOf(r.chip, r.cores, kind), kind));
    l.idle.push_back(l.cores.back().get());
    idle = l.idle.rbegin();
  }
  Core* c = *idle;
  l.idle.erase(std::next(idle).base());
  c->group = group;
  c->sub_block = kind == CoreKind::kVector ? place - r.cores.cube : 0;
  Schedule order(l.request->schedule, block);
  if (c->cube()) order.OnCube(l.request->schedule);
  c->Reset(block, order, l.request->unwritten);
  if (r.left) r.left->Load(*c);
  const TimingParameters* timing = l.request->timing;
  c->trace.Begin(l.trace.get(), timing ? timing->scalar_issue : 0, timing ? timing->data_cache : 0);
  l.live[block] = c;
  return c;
}

void Retire(LaunchState& l, Core* c) {
  const IssueCounts n = std::exchange(c->counts, {});
  l.result->vector_ops += n.vector_ops;
  l.result->copies += n.copies;
  l.result->bytes_in += n.bytes_in;
  l.result->bytes_out += n.bytes_out;
  l.result->cube_ops += n.cube_ops;
  l.result->arithmetic.Add(n.arithmetic);
  l.cube_worked = l.cube_worked || (c->cube() && c->now.epoch != c->now.born);
  l.live[c->now.block] = nullptr;
  l.idle.push_back(c);
}

// How a fiber takes its stack, and gives it back.
struct BlockStack {
  FiberStacks& stacks;
  ctx::stack_context allocate() const { return stacks.Take(); }
  void deallocate(ctx::stack_context& stack) const { stacks.Return(stack); }
};

ctx::fiber MakeFiber(LaunchState& l) {
  return ctx::fiber(std::allocator_arg, BlockStack{l.stacks}, [&l](ctx::fiber&& back) {
    l.scheduler = std::move(back);
    g_core->fiber.stack_top = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    g_core->fiber.stack_bytes = kStackBytes;
    l.request->kernel();
    g_core->EndOfBlock();
    g_core->fiber.finished = true;
    return std::move(l.scheduler);
  });
}

void ResumeCore(LaunchState& l, Core* c) {
  g_core = c;
  c->fiber.resume = std::move(c->fiber.resume).resume();
}

// What a block that waits for ever may have meant: another cross-core flag that is set, or where
// another block waits.
void NameOtherWait(LaunchState& l, Core& first) {
  if (first.cross.waiting == Wait::kCross)
    for (uint32_t b = 0; b < l.cross.size(); ++b)
      for (const CrossFlag& f : l.cross[b])
        if (f.standing())
          return first.findings.OtherSide(f.site, "a set that nobody has waited for", f.pipe,
                                          int(b));
  for (const Core* c : l.live)
    if (c && c != &first && c->cross.waiting != Wait::kNone && c->now.site != first.now.site)
      return first.findings.OtherSide(c->now.site, "another block waits here", AKGEN_PIPE_S,
                                      int(c->now.block));
}

// " (AIC)" and the like in a launch of both types of core.
std::string CoreIn(const Core& c) {
  if (!g_launch->request->cores.mixed()) return "";
  return c.cube() ? " (AIC)" : " (AIV" + std::to_string(c.sub_block) + ")";
}

// Who would have to set the cross-core flag that a core waits for, in a launch of both types of
// core.
std::string WhoSets(const LaunchState& l, const Core& c) {
  if (!l.request->cores.mixed()) return "";
  std::string have;
  const BlockCores& cores = l.request->cores;
  for (uint32_t unit = 0; unit < l.cross.size() && have.size() < 100; ++unit) {
    if (!l.cross[unit][c.cross.waiting_flag].sent.count()) continue;
    const uint32_t place = unit % cores.all();
    have += (have.empty() ? "" : ", ") + std::to_string(unit / cores.all()) +
            (place < cores.cube ? " (AIC)" : " (AIV" + std::to_string(place - cores.cube) + ")");
  }
  if (!have.empty()) return ", which so far block " + have + " alone has set";
  return c.cube() ? ", which its Vector cores have not set"
                  : ", which neither its Cube core nor other Vector cores have set";
}

void ReportStuck(LaunchState& l) {
  std::string who;
  Core* first = nullptr;
  for (Core* c : l.live) {
    if (!c || c->cross.waiting == Wait::kNone) continue;
    if (!first) first = c;
    static const char* kinds[] = {"",
                                  "a cross-core flag",
                                  "SyncAll",
                                  "SyncAll (software)",
                                  "another block's IBSet or turn",
                                  "its Cube core to carry out a call of a Matmul object",
                                  "calls of the Matmul objects of its Vector cores"};
    if (who.size() < 400)
      who +=
          (who.empty() ? "block " : "; block ") + std::to_string(c->group) + CoreIn(*c) +
          " waits for " + kinds[int(c->cross.waiting)] +
          (c->cross.waiting == Wait::kCross
               ? " " + std::to_string(c->cross.waiting_flag) + WhoSets(l, *c)
               : "") +
          (c->cross.waiting == Wait::kJobs ? WhoIsMissing(l.jobs[c->group], l.request->cores.vector)
                                           : "");
  }
  bool told = false;
  for (Core* c : l.live)
    told |= c && c->cross.waiting != Wait::kNone && c->watch.sync.OnStuckBlocks(who);
  if (first && !told) {
    first->now.pipe = AKGEN_PIPE_S;
    NameOtherWait(l, *first);
    first->findings.Report(FindingKind::kDeadlock, "blocks wait for each other for ever: " + who);
  }
  l.result->status = "deadlock";
  l.result->detail = who;
}

// Starts each block in order; blocks that yield go on in rounds until all end or none moves.
void RunBlocks(LaunchState& l) {
  std::vector<Core*> waiting;
  for (const uint32_t b : UnitsToRun(*l.request)) {
    Core* c = TakeCore(l, b);
    c->fiber.resume = MakeFiber(l);
    ResumeCore(l, c);
    if (l.stop) return;
    if (c->fiber.finished)
      Retire(l, c);
    else
      waiting.push_back(c);
  }
  while (!waiting.empty()) {
    std::vector<Core*> still;
    bool moved = false;
    for (Core* c : waiting) {
      uint64_t before = c->now.epoch + c->cross.waits_done;
      ResumeCore(l, c);
      if (l.stop) return;
      moved |= c->fiber.finished || c->now.epoch + c->cross.waits_done != before;
      if (c->fiber.finished)
        Retire(l, c);
      else
        still.push_back(c);
    }
    if (!moved && still.size() == waiting.size()) return ReportStuck(l);
    waiting = std::move(still);
  }
}

// Cores that a launch keeps busy at once at most.
uint32_t MostAtOnce(const LaunchRequest& r) {
  const uint32_t by_vector = r.cores.vector ? r.chip.aiv_cores / r.cores.vector : UINT32_MAX;
  const uint32_t by_cube = r.cores.cube ? r.chip.aic_cores / r.cores.cube : UINT32_MAX;
  return std::min(by_vector, by_cube) * r.cores.all();
}

// With a schedule: blocks start in any order and take turns at random, as many at once as there are
// cores.
void RunBlocksShuffled(LaunchState& l) {
  std::vector<uint32_t> fresh = UnitsToRun(*l.request);
  for (size_t i = fresh.size(); i > 1; --i)
    std::swap(fresh[i - 1], fresh[l.schedule.Below(uint32_t(i))]);
  std::vector<Core*> running;
  const size_t most = std::max<size_t>(1, MostAtOnce(*l.request));
  size_t still = 0;  // turns in a row in which nothing moved
  while (!fresh.empty() || !running.empty()) {
    bool may_start = !fresh.empty() && running.size() < most;
    size_t at = running.size();
    if (may_start && (running.empty() || still || l.schedule.Chance(128))) {
      running.push_back(TakeCore(l, fresh.back()));
      running.back()->fiber.resume = MakeFiber(l);
      fresh.pop_back();
    } else {
      at = still ? still % running.size() : l.schedule.Below(uint32_t(running.size()));
    }
    Core* c = running[at];
    uint64_t before = c->now.epoch + c->cross.waits_done;
    ResumeCore(l, c);
    if (l.stop) return;
    bool moved = c->fiber.finished || c->now.epoch + c->cross.waits_done != before;
    still = moved ? 0 : still + 1;
    if (c->fiber.finished) {
      running.erase(running.begin() + long(at));
      Retire(l, c);
    }
    if (still > running.size() && (fresh.empty() || running.size() >= most)) return ReportStuck(l);
  }
}

void ReportFault(LaunchState& l) {
  Core& c = *g_core;
  RawFinding f;
  f.kind = FindingKind::kInvalidPointer;
  const char* name =
      g_fault.signal == SIGFPE ? "integer division by zero"
      : g_fault.signal == SIGILL || g_fault.signal == SIGTRAP
          ? "the kernel calls through a pointer that leads to none of its functions, or traps"
          : "the kernel dereferences an invalid pointer";
  char where[32];
  std::snprintf(where, sizeof where, "0x%lx", (unsigned long)g_fault.address);
  f.message =
      std::string(name) + (g_fault.signal == SIGFPE ? "" : std::string(" (address ") + where + ")");
  f.site.pc = {g_fault.pc, g_fault.frames[0], g_fault.frames[1], g_fault.frames[2]};
  f.pipe = "PIPE_S";
  f.block = int(c.now.block);
  l.log.Add(std::move(f));
  l.result->status = "crash";
  l.result->detail = where;
}

// Blocks of several cores: which of them, in front of the pipe.
void NameCores(const BlockCores& cores, RawFinding& f) {
  auto name = [&](int& block, std::string& pipe) {
    if (block < 0) return;
    const uint32_t place = uint32_t(block) % cores.all();
    pipe = (place < cores.cube ? "AIC " : "AIV" + std::to_string(place - cores.cube) + " ") + pipe;
    block = int(uint32_t(block) / cores.all());
  };
  name(f.block, f.pipe);
  name(f.other_block, f.other_pipe);
}

// What only a launch of all blocks can be asked.
void CheckEnd(LaunchState& l) {
  if (l.request->checks.init && l.result->status == "ok") CheckOutputs(l.log);
  CheckCrossFlags(l);
  CheckIdleCube(l);
  if (!l.request->cores.mixed()) CheckTurns(l);
}

constexpr size_t kMaxRecords = size_t{96} << 20;  // 4 to 12 bytes each
constexpr uint32_t kReservedTail = 256;           // of UB: the compiler keeps it

void PrepareTrace(LaunchState& l) {
  l.checks = l.request->checks;
  if (!l.request->timing) return;
  l.trace = std::make_unique<Trace>(UnitsOf(*l.request), kMaxRecords);
  l.trace->SetCores(l.request->cores.cube, l.request->cores.vector);
  l.checks.race = true;
}

void ModelTime(LaunchState& l) {
  if (!l.trace) return;
  l.result->trace_cut = l.trace->cut();
  if (l.trace->cut()) return;
  ReplayOptions options;
  if (l.request->keep_trace) l.result->trace = *l.trace;
  options.cores = MostAtOnce(*l.request) / l.request->cores.all();
  options.span_cores = l.request->span_cores;
  l.result->time = Replay(*l.trace, *l.request->timing, options);
  l.result->ub_used = l.trace->ub.used;
  const ChipModel& chip = l.request->chip;
  l.result->what_ifs = l.request->what_if
                           ? WhatIfs(*l.trace, *l.request->timing, options,
                                     chip.ub_bytes - kReservedTail, chip.aiv_cores)
                           : WhatIfsOfClass(*l.trace, *l.result->time, *l.request->timing, options,
                                            chip.ub_bytes - kReservedTail, chip.aiv_cores);
  if (l.request->scale > 0)
    l.result->scaled = Extrapolate(*l.trace, *l.request->timing, options, l.request->scale);
  std::map<uint32_t, uint32_t> known;  // site of the launch to place in span_sites
  auto rename = [&](uint32_t& site) {
    auto [it, fresh] = known.try_emplace(site, uint32_t(l.result->span_sites.size()));
    if (fresh) l.result->span_sites.push_back(l.log.sites()[site]);
    site = it->second;
  };
  for (Span& s : l.result->time->spans) rename(s.site);
  if (l.request->what_if || l.request->span_cores)
    for (WhatIf& w : l.result->what_ifs) rename(w.site);
}
}  // namespace

void YieldBlock() {
  Core* self = g_core;
  g_launch->scheduler = std::move(g_launch->scheduler).resume();
  g_core = self;
}

void StopLaunch(const char* status, std::string detail) {
  LaunchState& l = *g_launch;
  l.result->status = status;
  l.result->detail = std::move(detail);
  l.stop = true;
  siglongjmp(l.crash, 2);
}

LaunchResult Launch(const LaunchRequest& request) {
  LaunchResult result;
  // Kept on the heap and leaked after a crash: fibers that were left by a jump must not be unwound.
  auto* l = new LaunchState;
  l->request = &request;
  l->result = &result;
  l->log.Enable(request.checks);
  PrepareTrace(*l);
  l->live.assign(UnitsOf(request), nullptr);
  l->cross.resize(UnitsOf(request));
  l->schedule = Schedule(request.schedule, request.blocks);
  LaunchState* outer_launch = g_launch;
  Core* outer_core = g_core;
  g_launch = l;
  Gm().BeginLaunch();
  bool clean = false;
  {
    // A fault of the processor is the kernel's where its code is this machine's; else it is our
    // own, and hides nothing.
    std::optional<FaultHandler> handler;
    if (!request.where) handler.emplace();
    int jumped = sigsetjmp(l->crash, 1);
    if (jumped == 0) {
      request.schedule ? RunBlocksShuffled(*l) : RunBlocks(*l);
      clean = result.status == "ok";
    } else if (jumped == 1) {
      ReportFault(*l);
    }
  }
  l->log.AddDoubts(l->shared.polled);
  if (request.only.empty()) CheckEnd(*l);
  if (clean) ModelTime(*l);
  result.exchanged = l->shared.exchanged && request.blocks > 1;
  result.findings = l->log.all();
  if (request.cores.mixed())
    for (RawFinding& f : result.findings) NameCores(request.cores, f);
  if (request.want_sites)
    result.sites.assign(l->log.sites().all().begin() + 1, l->log.sites().all().end());
  g_launch = outer_launch;
  g_core = outer_core;
  static auto& abandoned = *new std::vector<LaunchState*>;  // for good: see above
  if (clean)
    delete l;
  else
    abandoned.push_back(l);
  return result;
}

base::Json ToJson(const RawFinding& f, uintptr_t module_base, uintptr_t module_end) {
  auto pcs = [&](const Site& s) {
    base::Json out = base::Json::array();
    for (uintptr_t pc : s.pc)
      if (pc >= module_base && pc < module_end) out.push_back(pc - module_base);
    return out;
  };
  base::Json j{
      {"code", CodeOf(f.kind)},
      {"check", NameOf(CheckOf(f.kind))},
      {"undecided", f.undecided},
      {"message", f.message},
      {"fix", f.fix.empty() ? std::string(FixOf(f.kind)) : f.fix},
      {"block", f.block},
      {"memory", f.memory},
      {"address", f.address},
      {"bytes", f.bytes},
      {"count", f.count},
      {"warning", f.warning},
      {"pcs", pcs(f.site)},
      {"buffer", f.buffer},
      {"place",
       {{"file", ""}, {"line", 0}, {"pipe", f.pipe}, {"what", f.what}, {"block", f.block}}}};
  if (f.other.pc[0]) {
    j["other"] = {{"file", ""},
                  {"line", 0},
                  {"pipe", f.other_pipe},
                  {"what", f.other_what},
                  {"block", f.other_block}};
    j["other_pcs"] = pcs(f.other);
  }
  return j;
}

}  // namespace akgen::sim
