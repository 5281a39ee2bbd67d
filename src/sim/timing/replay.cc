#include "sim/timing/replay.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>

#include "sim/timing/memory_system.h"
#include "sim/timing/replay_state.h"

namespace akgen::sim {
namespace {
using namespace replay;

class Machine {
 public:
  Machine(const Trace& trace, const TimingParameters& p, const ReplayOptions& o);
  ModelledTime Run();

 private:
  struct Wake {
    double at;
    uint32_t core;
    uint8_t agent;  // 0: scalar unit, else a pipe
    bool operator>(const Wake& w) const { return std::tie(at, core, agent) > std::tie(w.at, w.core, w.agent); }
  };
  void Call(double at, uint32_t core, uint8_t agent) { wakes_.push({at, core, agent}); }
  void NextBlock(CoreState& c, double at);
  void Scalar(CoreState& c, double now);
  bool ScalarStep(CoreState& c, const Record& r);
  static void Spend(CoreState& c, double cycles) { c.scalar += cycles, c.paid += cycles; }
  bool Drained(CoreState& c, uint32_t pipe, double& until);
  void Pipe(CoreState& c, uint8_t pipe, double now);
  bool PipeStep(CoreState& c, uint8_t pipe, const Issued& i);
  void SetNow(CoreState& c, uint32_t flag, double at);
  void StartCopy(CoreState& c, uint8_t pipe, const Issued& i);
  void EndPart(uint32_t who, double at);
  void Crowd(const Transfer& t);
  void Keep(const CoreState& c, uint8_t pipe, const TraceEvent& e, double begin, double end);
  bool Step();

  const Trace& trace_;
  const TimingParameters& p_;
  const ReplayOptions& o_;
  L2 own_;
  L2& l2_;
  SharedServer hbm_, cache_, filled_;  // filled_: L2 takes what is written beside what is read from it
  std::vector<Shape> shapes_;
  uint32_t flags_ = 0;
  std::vector<CoreState> cores_;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
  std::unordered_map<uint32_t, std::pair<uint32_t, double>> meetings_;  // arrivals, the latest
  std::unordered_map<uint64_t, std::deque<double>> posts_;
  uint32_t next_block_ = 0;
  double written_back_ = 0;  // when HBM had the last line that a write drove out of L2
  double crowded_ = 0;       // cycles that the memory needs for what is copied beyond what the mean core's pipe needs
  ModelledTime result_;
};

Machine::Machine(const Trace& trace, const TimingParameters& p, const ReplayOptions& o)
    : trace_(trace),
      p_(p),
      o_(o),
      own_(p),
      l2_(o.l2 ? *o.l2 : own_),
      hbm_(p.hbm_rate / p.clock_mhz),
      cache_(p.l2_rate / p.clock_mhz),
      filled_(p.l2_rate / p.clock_mhz),
      cores_(std::min<size_t>(o.cores, trace.block_count())) {
  std::unordered_map<uint64_t, uint32_t> flags;
  shapes_.reserve(trace.shapes().size());
  for (const TraceEvent& e : trace.shapes()) {
    Shape& s = shapes_.emplace_back();
    s.event = e;
    if (e.kind == TraceKind::kVector || e.kind == TraceKind::kCopyUb) s.cycles = VectorCycles(e, p, &s.lost);
    if (e.kind == TraceKind::kSet || e.kind == TraceKind::kWait)
      s.flag = flags.try_emplace(e.address, uint32_t(flags.size())).first->second;
  }
  flags_ = uint32_t(flags.size());
}

// The record at `next`, and behind it the next one.
Record Read(const std::vector<Shape>& shapes, const uint32_t*& next) {
  Record r{&shapes[*next++], 0, 1};
  if (HasPlace(r.shape->event.kind)) r.address = next[0] | uint64_t(next[1]) << 32, next += 2;
  else if (HasCount(r.shape->event.kind)) r.n = *next++;
  return r;
}

void Machine::Keep(const CoreState& c, uint8_t pipe, const TraceEvent& e, double begin, double end) {
  if (c.core >= o_.span_cores || result_.spans.size() >= o_.most_spans || end <= begin) return;
  result_.spans.push_back({c.core, c.block, e.site, pipe, e.kind, e.op, begin, end});
}

void Machine::NextBlock(CoreState& c, double at) {
  c.done = next_block_ >= trace_.block_count();
  if (c.done) {
    result_.core_end[c.core] = at;
    return;
  }
  c.block = next_block_++;
  const std::vector<uint32_t>& words = trace_.words(c.block);
  c.next = words.data(), c.end = words.data() + words.size();
  c.start = at;
  c.scalar = at + p_.block_start;
  result_.pipes[AKGEN_PIPE_S].busy += p_.block_start;
  c.waiting = false;
  c.paid = 0;
  c.set.resize(flags_);
  for (Fifo<double>& times : c.set) times.clear();
  for (PipeState& p : c.pipes) p.Begin(at);
  Call(c.scalar, c.core, 0);
}

// Has this pipe done all it was given? `until`: when.
bool Machine::Drained(CoreState& c, uint32_t pipe, double& until) {
  PipeState& p = c.pipes[pipe];
  if (!p.queue.empty() || p.moving || p.held != kNoFlag) return false;
  until = std::max({until, p.now, p.data});
  return true;
}

bool Machine::ScalarStep(CoreState& c, const Record& r) {
  const TraceEvent& e = r.shape->event;
  if (!HasCount(e.kind)) c.paid = 0;
  switch (e.kind) {
    case TraceKind::kCall:
      if (e.pipe != AKGEN_PIPE_S) break;  // a barrier within a pipe: it takes its turn there
      Spend(c, r.n * p_.scalar_issue);
      return true;
    case TraceKind::kScalarUb: Spend(c, r.n * p_.scalar_ub); return true;
    case TraceKind::kScalarGm: Spend(c, r.n * p_.scalar_gm); return true;
    case TraceKind::kWork: Spend(c, std::max(0.0, r.n - c.paid)); return true;
    case TraceKind::kJoin:
    case TraceKind::kBarrier: {
      const bool all = e.kind == TraceKind::kBarrier;
      double until = c.scalar;
      for (uint32_t i = all ? 1 : e.pipe; i < (all ? kPipeCount : e.pipe + 1u); ++i)
        if (!Drained(c, i, until)) return false;
      c.scalar = until + p_.hand_off;
      return true;
    }
    case TraceKind::kMeet: {
      auto& [arrived, latest] = meetings_[e.n];
      latest = std::max(latest, c.scalar);
      if (!c.waiting) ++arrived;
      if (arrived < e.repeats) return false;
      c.scalar = std::max(c.scalar, latest + p_.sync_all);
      for (CoreState& other : cores_)
        if (other.waiting) Call(latest, other.core, 0);
      return true;
    }
    case TraceKind::kPost:
      posts_[e.address].push_back(c.scalar);
      for (CoreState& other : cores_)
        if (other.waiting) Call(c.scalar, other.core, 0);
      return true;
    case TraceKind::kAwait: {
      auto& posted = posts_[e.address];
      if (posted.empty()) return false;
      c.scalar = std::max(c.scalar, posted.front() + p_.sync_all / 2);
      posted.pop_front();
      return true;
    }
    case TraceKind::kWait: {
      if (e.pipe != AKGEN_PIPE_S) break;
      Fifo<double>& times = c.set[r.shape->flag];
      if (times.empty()) return false;
      c.scalar = std::max(c.scalar, times.front() + p_.hand_off);
      times.pop();
      return true;
    }
    case TraceKind::kSet:
      if (e.pipe != AKGEN_PIPE_S) break;
      c.set[r.shape->flag].push(c.scalar);
      for (uint8_t i = 1; i < kPipeCount; ++i)
        if (c.pipes[i].held != kNoFlag) Call(c.scalar, c.core, i);
      return true;
    default: break;
  }
  Spend(c, p_.scalar_issue);
  PipeState& p = c.pipes[e.pipe];
  p.queue.push({r.shape, r.address, c.scalar});
  if (p.idle) {
    p.idle = false;
    Call(std::max(c.scalar, p.now), c.core, e.pipe);
  }
  return true;
}

void Machine::Scalar(CoreState& c, double now) {
  if (c.done) return;
  PipeTime& total = result_.pipes[AKGEN_PIPE_S];
  // It runs ahead by at most a queue's length, so that the queues stay short.
  for (int budget = 256; c.next < c.end;) {
    if (--budget < 0) return Call(c.scalar, c.core, 0);
    const uint32_t* behind = c.next;
    const Record r = Read(shapes_, behind);
    const TraceEvent& e = r.shape->event;
    double before = c.scalar;
    bool joins = e.kind == TraceKind::kJoin || e.kind == TraceKind::kBarrier || e.kind == TraceKind::kMeet ||
                 e.kind == TraceKind::kAwait || (e.kind == TraceKind::kWait && e.pipe == AKGEN_PIPE_S);
    if (!ScalarStep(c, r)) {
      c.waiting = true;
      return;
    }
    c.next = behind;
    c.waiting = false;
    ++total.instructions;
    (joins ? total.flag_wait : total.busy) += c.scalar - before;
    if (joins || c.scalar - before > p_.scalar_issue) Keep(c, AKGEN_PIPE_S, e, before, c.scalar);
  }
  double end = c.scalar;
  for (uint32_t i = 1; i < kPipeCount; ++i)
    if (!Drained(c, i, end)) {
      c.waiting = true;
      return;
    }
  // What the code said of its work may be less than what it executed.
  NextBlock(c, std::max(end, c.start + p_.scalar_least * double(trace_.executed(c.block))));
}

bool Machine::PipeStep(CoreState& c, uint8_t pipe, const Issued& i) {
  const TraceEvent& e = i.shape->event;
  PipeState& p = c.pipes[pipe];
  PipeTime& total = result_.pipes[pipe];
  switch (e.kind) {
    case TraceKind::kSet: {
      if (p.data > p.now) {
        total.busy += p.data - p.now;
        p.now = p.data;
      }
      SetNow(c, i.shape->flag, p.now);
      return true;
    }
    case TraceKind::kWait: {
      Fifo<double>& times = c.set[i.shape->flag];
      if (times.empty()) {
        if (p.held == kNoFlag) p.held_since = p.now;
        p.held = i.shape->flag;
        return false;
      }
      double since = p.held != kNoFlag ? p.held_since : p.now;
      p.now = std::max(p.now, times.front() + p_.hand_off);
      total.flag_wait += std::max(0.0, p.now - since);
      p.held = kNoFlag;
      times.pop();
      return true;
    }
    case TraceKind::kCopyIn:
    case TraceKind::kCopyOut: StartCopy(c, pipe, i); return false;
    case TraceKind::kVector:
    case TraceKind::kCopyUb: {
      const double cycles = i.shape->cycles;
      Keep(c, pipe, e, p.now, p.now + cycles);
      p.now += cycles;
      total.busy += cycles;
      total.conflicts += i.shape->lost;
      ++total.instructions;
      return true;
    }
    default: return true;
  }
}

void Machine::SetNow(CoreState& c, uint32_t flag, double at) {
  c.set[flag].push(at);
  for (uint8_t i = 1; i < kPipeCount; ++i)
    if (c.pipes[i].held == flag) Call(at, c.core, i);
  if (c.waiting) Call(at, c.core, 0);
}

void Machine::StartCopy(CoreState& c, uint8_t pipe, const Issued& i) {
  const TraceEvent& e = i.shape->event;
  PipeState& p = c.pipes[pipe];
  Transfer t = l2_.Serve(e, i.address, c.core, c.copied);
  if (pipe == AKGEN_PIPE_MTE2) c.copied += double(e.n) * e.bursts;
  result_.hbm_bytes += t.moved;
  result_.l2_bytes += t.l2;
  result_.bypass_bytes += t.bypass;
  result_.pipes[pipe].bytes += double(e.n) * e.bursts;
  result_.pipes[pipe].bursts += e.bursts;
  p.began = p.now;
  p.own_end = p.now + t.cycles;
  p.moving = true;
  p.parts = 0;
  p.tail = t.tail;
  Crowd(t);
  uint32_t who = c.core * kPipeCount + pipe;
  auto start = [&](SharedServer& server, double bytes) {
    if (bytes <= 0) return;
    ++p.parts;
    server.Start(p.now, bytes, who);
  };
  start(hbm_, t.hbm);
  if (t.behind > 0) hbm_.Start(p.now, t.behind, kNobody);
  start(pipe == AKGEN_PIPE_MTE3 ? filled_ : cache_, t.l2);
  if (p.parts == 0) p.parts = 1, EndPart(who, p.now);
}

// By what is copied and not by how long it took: what delays copies makes them wait less for each other, and a launch
// would be faster for it.
void Machine::Crowd(const Transfer& t) {
  const double memory = std::max(t.hbm / p_.hbm_rate, t.l2 / p_.l2_rate) * p_.clock_mhz;
  crowded_ += std::max(0.0, memory - t.cycles / double(cores_.size()));
}

// One part of a transfer is over; the last ends the copy.
void Machine::EndPart(uint32_t who, double at) {
  CoreState& c = cores_[who / kPipeCount];
  uint8_t pipe = uint8_t(who % kPipeCount);
  PipeState& p = c.pipes[pipe];
  if (--p.parts > 0) return;
  p.now = std::max(at, p.own_end) + p.tail;
  p.data = p.now + (pipe == AKGEN_PIPE_MTE2 ? p_.mte2_latency : 0);
  PipeTime& total = result_.pipes[pipe];
  total.busy += p.now - p.began;
  ++total.instructions;
  Keep(c, pipe, p.queue.front().shape->event, p.began, p.data);
  p.queue.pop();
  Call(p.now, c.core, pipe);
}

void Machine::Pipe(CoreState& c, uint8_t pipe, double now) {
  PipeState& p = c.pipes[pipe];
  if (c.done) return;
  if (p.moving) {
    if (p.parts > 0 || now < p.now) return;
    p.moving = false;
  }
  p.now = std::max(p.now, now);
  while (!p.queue.empty()) {
    Issued i = p.queue.front();
    p.now = std::max(p.now, i.at);
    // Others may still act before this pipe's own time: go on only when it is the earliest.
    if (p.now > now) return Call(p.now, c.core, pipe);
    if (!PipeStep(c, pipe, i)) return;
    p.queue.pop();
  }
  p.idle = true;
  if (c.waiting) Call(p.now, c.core, 0);
}

bool Machine::Step() {
  double wake = wakes_.empty() ? kNever : wakes_.top().at;
  SharedServer* first = &hbm_;
  double end = hbm_.NextEnd();
  for (SharedServer* server : {&cache_, &filled_})
    if (double other = server->NextEnd(); other < end) first = server, end = other;
  if (wake == kNever && end == kNever) return false;
  if (end <= wake) {
    const uint32_t who = first->PopEnd();
    if (who == kNobody) written_back_ = end;
    else EndPart(who, end);
    return true;
  }
  Wake w = wakes_.top();
  wakes_.pop();
  CoreState& c = cores_[w.core];
  if (w.agent == 0) Scalar(c, w.at);
  else Pipe(c, w.agent, w.at);
  return true;
}

ModelledTime Machine::Run() {
  result_.cores = uint32_t(cores_.size());
  result_.core_end.assign(cores_.size(), 0);
  // Cores are started one after the other.
  const double apart = p_.launch_core_us * p_.clock_mhz;
  for (uint32_t i = 0; i < cores_.size(); ++i) {
    cores_[i].core = i;
    NextBlock(cores_[i], i * apart);
  }
  while (Step()) {}
  if (cores_.empty()) return result_;
  const double cores = double(cores_.size());
  double sum = 0, longest = 0, end = 0;
  for (CoreState& c : cores_) {
    result_.stuck |= !c.done;
    const double took = result_.core_end[c.core] - c.core * apart;
    sum += took;
    longest = std::max(longest, took);
    end = std::max(end, result_.core_end[c.core]);
  }
  // What writes drove out of L2 on its way: the launch is over when HBM has it, or one that only writes would cost
  // none.
  longest = std::max(longest, written_back_), end = std::max(end, written_back_);
  // Memory does not serve all cores alike; here it does, and the slowest core's part is added.
  const double slowest = p_.slowest * crowded_;
  result_.core_us = sum / cores / p_.clock_mhz;
  result_.longest_core_us = (longest + slowest) / p_.clock_mhz;
  result_.start_us = p_.block_start * next_block_ / cores / p_.clock_mhz;
  result_.us = (end + slowest) / p_.clock_mhz + p_.launch_us;
  return result_;
}
}  // namespace

ModelledTime Replay(const Trace& trace, const TimingParameters& p, const ReplayOptions& options) {
  return Machine(trace, p, options).Run();
}

}  // namespace akgen::sim
