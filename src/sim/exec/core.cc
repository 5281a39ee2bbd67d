#include "sim/exec/core.h"

#include <cstring>

#include "sim/exec/launch_state.h"
#include "sim/machine/positions.h"

namespace akgen::sim {

Core* g_core = nullptr;
LaunchState* g_launch = nullptr;

namespace {
constexpr size_t kMostSets = 15;  // of one flag that wait for a wait; more are dropped

// Frame pointers are kept in kernels and in the chip, so the caller's chain can be walked.
__attribute__((noinline, no_sanitize("address"))) Site CaptureSite(uintptr_t stack_top) {
  Site s;
  auto* frame = static_cast<uintptr_t*>(__builtin_frame_address(0));
  int n = 0;
  for (int hop = 0; hop < 12 && n < 4 && frame; ++hop) {
    uintptr_t pc = frame[1];
    auto* next = reinterpret_cast<uintptr_t*>(frame[0]);
    if (hop >= 2) s.pc[size_t(n++)] = pc;  // skip SiteIndex and the C interface function
    // Frames of code that keeps no frame pointer hold anything: follow only what lies further up this block's stack.
    uintptr_t at = reinterpret_cast<uintptr_t>(next);
    if (next <= frame || at % sizeof(uintptr_t) || at >= stack_top) break;
    frame = next;
  }
  return s;
}
}  // namespace

Core::Core(const ChipModel& chip, const Checks& checks, FindingLog& log, const std::vector<MemorySize>& memories)
    : chip_(chip), checks_(checks), log_(log), sites_(log.sites()) {
  for (const auto& [id, bytes] : memories) {
    memories_.push_back(std::make_unique<Memory>(id, bytes));
    by_id_[size_t(id)] = memories_.back().get();
  }
}

void Core::Reset(uint32_t block, const Schedule& schedule) {
  block_ = block;
  schedule_ = schedule;
  for (const auto& m : memories_) m->Reset();
  born_ = ++epoch_;
  for (Pipe& p : pipes_) {
    p = Pipe{};
    for (uint32_t& a : p.clock.at) a = epoch_;  // everything of earlier blocks is past
    p.latest = epoch_;
  }
  for (auto& row : flags_)
    for (auto& cell : row)
      for (Flag& f : cell) f = Flag{};
  std::memset(event_used_, 0, sizeof event_used_);
  tpipe_ = nullptr;
  queues_.clear();
  ResetPools();
  pending_races_.clear();
  state_ = {};
  ctrl_ = pad_value_ = 0;
  pad_value_set_ = false;
  std::memset(cross_waits_, 0, sizeof cross_waits_);
  waiting_ = Wait::kNone;
  looks_ = false;
  finished_ = false;
  seen_.clear();
  seen_all_ = 0;
  raw_epochs_.clear();
  work_ = 0;
  std::fill(std::begin(words_kept_), std::end(words_kept_), 0);
}

void Core::ResetPools() {
  for (const auto& m : memories_) roots_[size_t(m->id())] = {m.get(), 0, m->bytes(), 0};
  pools_.clear();
  pool_ = buffers_ = 0;
}

Memory& Core::MemoryOf(uint32_t position) const {
  const PositionRow* row = RowOfPosition(position);
  Memory* m = row ? by_id_[size_t(row->memory)] : nullptr;
  return m ? *m : *memories_[0];
}

uint32_t Core::SiteIndex() {
  const auto& where = g_launch->request->where;
  return sites_.Intern(where ? where() : CaptureSite(stack_top_));
}

HeldWork::HeldWork(PipeWork w, const IssueState& s, const Clock& c, uint32_t at)
    : work(std::move(w)), state(s), issued(c), site(at) {
  auto* v = std::get_if<AkgenVec>(&work);
  if (!v) return;
  const uint8_t count[] = {RowOf(v->op).list0.n, RowOf(v->op).list1.n};
  lists.reserve(count[0] + count[1]);
  for (int i = 0; i < 2; ++i) {
    if (count[i] == 0) continue;
    const auto* from = reinterpret_cast<const uint64_t*>(v->aux[i]);
    const size_t first = lists.size();
    lists.insert(lists.end(), from, from + count[i]);
    v->aux[i] = reinterpret_cast<uint64_t>(lists.data() + first);
  }
}

void Core::Issue(uint32_t pipe, PipeWork work) {
  uint32_t site = SiteIndex();
  ++state_.number;
  if (trace_) NoteWorkDone(site), NoteWork(pipe, work, site);
  Pipe& p = pipes_[pipe];
  bool later = schedule_.on() && pipe != AKGEN_PIPE_S;
  if (p.blocked_on || later) {
    p.held.emplace_back(std::move(work), state_, pipes_[AKGEN_PIPE_S].clock, site);
    if (later) MoveOn();
    return;
  }
  Execute(pipe, work, state_, pipes_[AKGEN_PIPE_S].clock, site);
}

void Core::NoteWork(uint32_t pipe, const PipeWork& work, uint32_t site) {
  if (auto* v = std::get_if<AkgenVec>(&work))
    return trace_->AddVector(block_, *v, memory(kVectorMemory).base(),
                             state_.counter ? uint32_t(v->set_mask ? v->mask[0] : state_.mask[0]) : 0, pipe, site);
  TraceEvent e;
  if (auto* c = std::get_if<AkgenCopy>(&work)) {
    e = CopyEvent(*c);
  } else if (auto* s = std::get_if<SetFlagOp>(&work)) {
    e.kind = TraceKind::kSet;
    e.address = reinterpret_cast<uint64_t>(s->flag);
  } else if (auto* w = std::get_if<WaitFlagOp>(&work)) {
    e.kind = TraceKind::kWait;
    e.address = reinterpret_cast<uint64_t>(w->flag);
  }
  e.pipe = uint8_t(pipe);
  e.site = site;
  trace_->Add(block_, e);
}

void Core::Execute(uint32_t pipe, const PipeWork& work, const IssueState& state, const Clock& issued, uint32_t site) {
  Pipe& p = pipes_[pipe];
  p.clock.Join(issued);
  current_pipe_ = pipe;
  current_site_ = site;
  current_number_ = state.number;
  auto* v = std::get_if<AkgenVec>(&work);
  auto* c = std::get_if<AkgenCopy>(&work);
  if (v || c) {
    p.latest = ++epoch_;
    bool raw = v ? v->raw : c->raw;
    if (raw) raw_epochs_.push_back(epoch_);
    const uint32_t own = p.clock.at[AKGEN_PIPE_V], scalar = p.clock.at[AKGEN_PIPE_S];
    // Automatic synchronisation (2201): V->V barriers and S->V, S->MTE2, S->MTE3 flags, where both sides are tensors.
    if (raw) p.clock.at[AKGEN_PIPE_S] = p.clock.at[kRawScalar];
    else if (pipe == AKGEN_PIPE_V) p.clock.at[AKGEN_PIPE_V] = epoch_ - 1;
    if (v) RunVector(*v, state), CountArithmetic(*v, &arithmetic_), ++vector_ops_;
    else RunCopy(*c, state), ++copies_;
    if (!pending_races_.empty()) SettleRaces();
    p.clock.at[AKGEN_PIPE_V] = own;
    p.clock.at[AKGEN_PIPE_S] = scalar;
  } else if (auto* s = std::get_if<SetFlagOp>(&work)) {
    RunSet(pipe, *s);
  } else if (auto* w = std::get_if<WaitFlagOp>(&work)) {
    RunWait(pipe, *w);
  } else if (std::get_if<BarrierOp>(&work)) {
    p.clock.at[pipe] = p.latest;
  }
}

void Flag::Take(Clock& into) {
  into.Join(clock);
  set = !later.empty();
  if (!set) return;
  clock = later.front();
  later.erase(later.begin());
}

// Whether a second set is lost, kept or hangs is not documented. It is reported, and kept so that the run goes on.
void Core::RunSet(uint32_t pipe, const SetFlagOp& op) {
  Flag& f = *op.flag;
  if (f.set && checks_.sync) {
    OtherSide(f.site, "first set", op.src);
    Report(FindingKind::kFlagSetTwice, std::string("flag ") + PipeName(op.src) + "->" + PipeName(op.dst) + " id " +
                                           std::to_string(op.id) + " is set again before anybody waited for it");
  }
  Clock now = pipes_[pipe].clock;
  now.at[pipe] = pipes_[pipe].latest;
  if (pipe == AKGEN_PIPE_S) now.at[kRawScalar] = pipes_[pipe].latest;
  f.site = current_site_;
  if (f.set) {
    f.twice = true;
    if (f.later.size() < kMostSets) f.later.push_back(now);
    return;
  }
  f.set = true;
  f.clock = now;
  Unblock(f);
}

void Core::RunWait(uint32_t pipe, const WaitFlagOp& op) {
  Pipe& p = pipes_[pipe];
  if (op.flag->set) return op.flag->Take(p.clock);
  p.blocked_on = op.flag;
  p.wait = op;
  p.wait_site = current_site_;
  p.wait_order = ++waits_;
}

void Core::Unblock(Flag& flag) {
  for (uint32_t i = 0; i < kPipes; ++i) {
    Pipe& p = pipes_[i];
    if (p.blocked_on != &flag) continue;
    p.blocked_on = nullptr;
    flag.Take(p.clock);
    if (!schedule_.on()) Drain(i);
    return;
  }
}

void Core::Drain(uint32_t pipe) {
  Pipe& p = pipes_[pipe];
  uint32_t keep_pipe = current_pipe_, keep_site = current_site_;
  while (!p.blocked_on && !p.held.empty()) {
    HeldWork h = std::move(p.held.front());
    p.held.pop_front();
    Execute(pipe, h.work, h.state, h.issued, h.site);
  }
  current_pipe_ = keep_pipe;
  current_site_ = keep_site;
}

void Core::WaitOnScalar(Flag& flag, uint32_t src, int32_t id) {
  current_pipe_ = AKGEN_PIPE_S;
  current_site_ = SiteIndex();
  CatchUpUntil(flag);
  Note(TraceKind::kWait, AKGEN_PIPE_S, 1, reinterpret_cast<uint64_t>(&flag));
  if (flag.set) return flag.Take(pipes_[AKGEN_PIPE_S].clock);
  // Every pipe has run as far as it can, and only this unit could issue the set: nobody ever will.
  Pipe& s = pipes_[AKGEN_PIPE_S];
  s.blocked_on = &flag;
  s.wait = {&flag, src, AKGEN_PIPE_S, id};
  s.wait_site = current_site_;
  s.wait_order = ++waits_;
  ReportDeadlock(WaitsFor());
  StopLaunch("deadlock", WaitsFor());
}

void Core::Barrier(uint32_t pipe) {
  if (pipe != AKGEN_PIPE_ALL) return Issue(pipe, BarrierOp{pipe});
  current_pipe_ = AKGEN_PIPE_S;
  current_site_ = SiteIndex();
  CatchUp();
  Note(TraceKind::kBarrier, AKGEN_PIPE_S);
  if (!PipesIdle()) {
    ReportDeadlock("PipeBarrier<PIPE_ALL> can never be met: " + WaitsFor());
    StopLaunch("deadlock", WaitsFor());
  }
  Clock all;
  for (uint32_t i = 0; i < kPipes; ++i) {
    all.Join(pipes_[i].clock);
    if (pipes_[i].latest > all.at[i]) all.at[i] = pipes_[i].latest;
  }
  all.at[kRawScalar] = all.at[AKGEN_PIPE_S];
  for (Pipe& p : pipes_) p.clock = all;
}

bool Core::PipesIdle() const {
  for (const Pipe& p : pipes_)
    if (p.blocked_on) return false;
  return true;
}

// The set that a wait which is never met was meant for, as the next finding's other side.
bool Core::NameMeantSet(const Pipe& waiting) {
  const WaitFlagOp& wait = waiting.wait;
  for (uint32_t i = 0; i < kPipes; ++i)
    for (const HeldWork& h : pipes_[i].held)
      if (auto* set = std::get_if<SetFlagOp>(&h.work); set && set->flag == waiting.blocked_on)
        return OtherSide(h.site, "the set, which is behind a wait itself", i), true;
  if (wait.id < 0) return false;
  auto named = [&](uint32_t src, uint32_t dst, const char* what) {
    for (const Flag& f : flags_[src][dst])
      if (f.set) return OtherSide(f.site, what, src), true;
    return false;
  };
  if (named(wait.src, wait.dst, "a set of the same pair with another event id")) return true;
  if (waiting.blocked_on->site)
    return OtherSide(waiting.blocked_on->site, "the last set of this flag, already waited for", wait.src), true;
  return named(wait.dst, wait.src, "a set in the reverse direction");
}

bool Core::SetsLater(uint32_t pipe, const Flag* flag) const {
  for (const HeldWork& h : pipes_[pipe].held)
    if (auto* s = std::get_if<SetFlagOp>(&h.work); s && s->flag == flag) return true;
  return false;
}

// Of all pipes that wait, the first whose flag no held-back instruction would set; the others wait for it. When they
// wait in a circle, the first that began to.
const Pipe* Core::BlameWait() {
  const Pipe* best = nullptr;
  bool best_root = false;
  for (uint32_t i = 0; i < kPipes; ++i) {
    const Pipe& p = pipes_[i];
    if (!p.blocked_on) continue;
    bool root = !SetsLater(p.wait.src, p.blocked_on);
    if (best && (root != best_root ? best_root : p.wait_order > best->wait_order)) continue;
    best = &p;
    best_root = root;
    current_pipe_ = i;
    current_site_ = p.wait_site;
  }
  return best;
}

// At the wait that causes it, not at whoever waits for that one.
void Core::ReportDeadlock(const std::string& message) {
  const Pipe* cause = BlameWait();
  bool named = cause && NameMeantSet(*cause);
  for (const Pipe& p : pipes_) named = named || (p.blocked_on && NameMeantSet(p));
  Report(FindingKind::kDeadlock, message);
}

std::string Core::WaitsFor() const {
  std::string out;
  for (uint32_t i = 0; i < kPipes; ++i) {
    const Pipe& p = pipes_[i];
    if (!p.blocked_on) continue;
    if (!out.empty()) out += "; ";
    out += std::string(PipeName(i)) + " waits for a flag from " + PipeName(p.wait.src) +
           (p.wait.id >= 0 ? " (event id " + std::to_string(p.wait.id) + ")" : " (a queue's buffer)") +
           " that nobody sets";
  }
  return out;
}

void Core::EndOfBlock() {
  CatchUp();
  if (trace_) NoteWorkDone(current_site_);
  if (!PipesIdle()) {
    ReportDeadlock("the block never ends: " + WaitsFor());
    StopLaunch("deadlock", WaitsFor());
  }
  if (!checks_.sync) return;
  for (uint32_t s = 0; s < kPipes; ++s)
    for (uint32_t d = 0; d < kPipes; ++d)
      for (int id = 0; id < 8; ++id) {
        Flag& f = flags_[s][d][id];
        if (!f.set || f.twice) continue;
        current_pipe_ = s;
        current_site_ = f.site;
        Report(FindingKind::kFlagLeftSet,
               std::string("flag ") + PipeName(s) + "->" + PipeName(d) + " id " + std::to_string(id) +
                   " is still set when the block ends; the next kernel inherits it",
               true);
      }
}

void Core::Report(FindingKind kind, std::string message, bool warning, const Memory& m, uint64_t address,
                  uint64_t bytes) {
  Report(kind, std::move(message), warning, m.name(), address, bytes, bytes ? m.buffers.NameAt(address) : "");
}

void Core::Report(FindingKind kind, std::string message, bool warning, const std::string& memory, uint64_t address,
                  uint64_t bytes, const std::string& buffer) {
  RawFinding f;
  f.kind = kind;
  f.message = std::move(message);
  f.site = sites_[current_site_];
  f.pipe = PipeName(current_pipe_);
  f.block = int(block_);
  f.memory = memory;
  f.buffer = buffer;
  f.address = address;
  f.bytes = bytes;
  f.warning = warning;
  if (other_.site) {
    f.other = sites_[other_.site];
    f.other_what = other_.what;
    f.other_pipe = PipeName(other_.pipe);
    f.other_block = other_.block < 0 ? int(block_) : other_.block;
    other_ = {};
  }
  log_.Add(std::move(f));
}

void Core::BlameShortWrite(const Memory& m, size_t offset) {
  if (uint32_t origin = m.origins.At(offset)) {
    const WrittenBy& by = m.origins[origin];
    return OtherSide(by.site, "the nearest write to the Global Memory they come from, which leaves it out", by.pipe,
                     by.block);
  }
  Conflict c = m.history.NearestWrite(uint32_t(offset), born_);
  if (c.found) OtherSide(c.site, "the nearest earlier write, which does not define them", c.pipe);
}

void Core::ReportRace(const Memory& m, const Conflict& c, bool write, uint32_t pipe, uint32_t offset, size_t bytes,
                      const char* what, bool same) {
  RawFinding f;
  f.kind = !write ? FindingKind::kRaceReadAfterWrite
                  : (c.prior_is_write ? FindingKind::kRaceWriteAfterWrite : FindingKind::kRaceWriteAfterRead);
  f.message = std::string(PipeName(pipe)) + (write ? " writes " : " reads ") + m.name() + " at " +
              std::to_string(c.at) + " (" + what + ") while " + PipeName(c.pipe) + " may still " +
              (c.prior_is_write ? "write" : "read") + " it: nothing orders the two" +
              (same ? " (the bytes stay the same)" : "");
  f.warning = same;
  f.site = sites_[current_site_];
  f.other = sites_[c.site];
  f.what = what;
  f.other_what = c.prior_is_write ? "earlier write" : "earlier read";
  f.pipe = PipeName(pipe);
  f.other_pipe = PipeName(c.pipe);
  f.block = f.other_block = int(block_);
  f.memory = m.name();
  f.buffer = m.buffers.NameAt(offset);
  f.address = offset;
  f.bytes = bytes;
  log_.Add(std::move(f));
}

}  // namespace akgen::sim
