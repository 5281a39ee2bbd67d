#include "sim/timing/replay.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sim/timing/cube_time.h"
#include "sim/timing/replay_machine.h"

namespace akgen::sim {
namespace replay {

Machine::Machine(const Trace& trace, const TimingParameters& p, const ReplayOptions& o)
    : trace_(trace),
      p_(p),
      o_(o),
      own_(p),
      l2_(o.l2 ? *o.l2 : own_),
      hbm_(p.hbm_rate / p.clock_mhz),
      cache_(p.l2_rate / p.clock_mhz),
      filled_(p.l2_rate / p.clock_mhz),
      together_(trace.cube() + trace.vector()),
      cores_(std::min<size_t>(o.cores, trace.block_count() / together_) * together_),
      cross_(cores_.size(), trace.cube(), trace.vector()) {
  std::unordered_map<uint64_t, uint32_t> flags;
  shapes_.reserve(trace.shapes().size());
  for (const TraceEvent& e : trace.shapes()) {
    Shape& s = shapes_.emplace_back();
    s.event = e;
    if (e.kind == TraceKind::kVector || e.kind == TraceKind::kCopyUb)
      s.cycles = VectorCycles(e, p, &s.lost);
    else
      s.cycles = CubeCycles(e, p), s.head = LoadHead(e, p);
    if (e.kind == TraceKind::kSet || e.kind == TraceKind::kWait)
      s.flag = flags.try_emplace(e.address, uint32_t(flags.size())).first->second;
  }
  flags_ = uint32_t(flags.size());
  setters_.assign(flags_, AKGEN_PIPE_S);
  for (const Shape& s : shapes_)
    if (s.event.kind == TraceKind::kSet) setters_[s.flag] = s.event.pipe;
  result_.span_cores = std::min(o.span_cores, uint32_t(cores_.size()));
}

// The record at `next`, and behind it the next one.
Record Read(const std::vector<Shape>& shapes, const uint32_t*& next) {
  Record r{&shapes[*next++], 0, 1};
  if (HasPlace(r.shape->event.kind))
    r.address = next[0] | uint64_t(next[1]) << 32, next += 2;
  else if (HasCount(r.shape->event.kind))
    r.n = *next++;
  return r;
}

void SpanLog::Keep(const CoreState& c, uint8_t pipe, const TraceEvent& e, const Stretch& s) {
  if (c.core >= result_.span_cores || s.end <= s.begin) return;
  while (result_.spans.size() >= most_ && result_.span_cores > 1) {
    result_.span_cores /= 2;
    std::erase_if(result_.spans, [&](const Span& kept) { return kept.core >= result_.span_cores; });
    if (c.core >= result_.span_cores) return;
  }
  if (result_.spans.size() >= most_) return;
  result_.spans.push_back(
      {c.core, c.block, e.site, pipe, s.after, s.role, e.kind, e.op, s.begin, s.end});
}

void Machine::Waited(CoreState& c, uint8_t pipe, const TraceEvent& e, const Stretch& s) {
  PipeTime& total = Total(c, pipe);
  total.flag_wait += std::max(0.0, s.end - s.begin);
  total.waits[s.after] += std::max(0.0, s.end - s.begin);
  spans_.Keep(c, pipe, e, {s.begin, s.end, s.after, SpanRole::kWait});
}

void Machine::Begin(CoreState& c, double at) {
  c.done = false;
  c.block = next_block_++;
  const std::vector<uint32_t>& words = trace_.words(c.block);
  c.next = words.data(), c.end = words.data() + words.size();
  c.start = at;
  c.scalar = at + p_.block_start;
  Total(c, AKGEN_PIPE_S).busy += p_.block_start;
  spans_.Keep(c, AKGEN_PIPE_S, {}, {at, c.scalar, AKGEN_PIPE_S, SpanRole::kStart});
  c.waiting = c.full = false;
  c.paid = 0;
  c.set.resize(flags_);
  for (Fifo<double>& times : c.set) times.clear();
  for (PipeState& p : c.pipes) p.Begin(at);
  Call(c.scalar, c.core, 0);
}

// The core is free: for the next block when all are that it would start.
void Machine::NextBlock(CoreState& c, double at) {
  c.done = true;
  result_.core_end[c.core] = at;
  CoreState* first = &cores_[c.core / together_ * together_];
  for (CoreState* other = first; other < first + together_; ++other) {
    if (!other->done) return;
    at = std::max(at, result_.core_end[other->core]);
  }
  if (next_block_ >= trace_.block_count()) return;
  for (CoreState* other = first; other < first + together_; ++other) Begin(*other, at);
}

// The scalar unit waits for one pipe, or for all of them.
bool Machine::Join(CoreState& c, const TraceEvent& e) {
  const bool all = e.kind == TraceKind::kBarrier;
  double until = c.scalar;
  c.after = AKGEN_PIPE_S;
  for (uint32_t i = all ? 1 : e.pipe; i < (all ? kPipeCount : e.pipe + 1u); ++i) {
    const double before = until;
    if (!c.pipes[i].Drained(until)) return false;
    if (until > before) c.after = uint8_t(i);
  }
  c.scalar = until + p_.hand_off;
  return true;
}

bool Machine::ScalarStep(CoreState& c, const Record& r) {
  const TraceEvent& e = r.shape->event;
  if (!HasCount(e.kind)) c.paid = 0;
  switch (e.kind) {
    case TraceKind::kCall:
      if (e.pipe != AKGEN_PIPE_S) break;  // a barrier within a pipe: it takes its turn there
      c.Spend(r.n * p_.scalar_issue);
      return true;
    case TraceKind::kScalarUb: c.Spend(r.n * p_.scalar_ub); return true;
    case TraceKind::kScalarGm: c.Spend(r.n * p_.scalar_gm); return true;
    case TraceKind::kWork: c.Spend(std::max(0.0, r.n - c.paid)); return true;
    case TraceKind::kJoin:
    case TraceKind::kBarrier: return Join(c, e);
    case TraceKind::kMeet: {
      auto& [arrived, latest] = meetings_[e.n];
      latest = std::max(latest, c.scalar);
      if (!c.waiting) ++arrived;
      if (arrived < e.repeats) return false;
      c.scalar = std::max(c.scalar, latest + p_.sync_all);
      c.after = kOtherCores;
      for (CoreState& other : cores_)
        if (other.waiting) Call(latest, other.core, 0);
      return true;
    }
    case TraceKind::kPost:
      if (e.pipe != AKGEN_PIPE_S) break;
      Post(e.address, c.scalar);
      return true;
    case TraceKind::kCrossSet:
      if (e.pipe != AKGEN_PIPE_S) break;
      SetAcross(c, e, c.scalar);
      return true;
    case TraceKind::kCrossWait: {
      Fifo<double>& raised = cross_.Raised(c.core, e.n);
      if (raised.empty()) return false;
      c.after = kOtherCores;
      c.scalar = std::max(c.scalar, raised.front() + p_.sync_all / 2);
      raised.pop();
      return true;
    }
    case TraceKind::kAwait: {
      auto& posted = posts_[e.address];
      if (posted.empty()) return false;
      c.after = kOtherCores;
      c.scalar = std::max(c.scalar, posted.front() + p_.sync_all / 2);
      posted.pop_front();
      return true;
    }
    case TraceKind::kWait: {
      if (e.pipe != AKGEN_PIPE_S) break;
      Fifo<double>& times = c.set[r.shape->flag];
      if (times.empty()) return false;
      c.after = setters_[r.shape->flag];
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
  PipeState& p = c.pipes[e.pipe];
  c.full = c.cube && double(p.queue.size()) >= p_.cube_queue;
  if (c.full) return false;
  c.Spend(p_.scalar_issue);
  p.queue.push({r.shape, r.address, c.scalar});
  if (p.idle) {
    p.idle = false;
    Call(std::max(c.scalar, p.now), c.core, e.pipe);
  }
  return true;
}

void Machine::Scalar(CoreState& c, double now) {
  if (c.done) return;
  PipeTime& total = Total(c, AKGEN_PIPE_S);
  if (c.full) {
    const uint32_t* blocked = c.next;
    const TraceEvent& e = Read(shapes_, blocked).shape->event;
    Waited(c, AKGEN_PIPE_S, e, {c.scalar, now, e.pipe});
    c.scalar = std::max(c.scalar, now);
  }
  // It runs ahead by at most a queue's length, so that the queues stay short.
  for (int budget = 256; c.next < c.end;) {
    if (--budget < 0) return Call(c.scalar, c.core, 0);
    const uint32_t* behind = c.next;
    const Record r = Read(shapes_, behind);
    const TraceEvent& e = r.shape->event;
    double before = c.scalar;
    bool joins = e.kind == TraceKind::kJoin || e.kind == TraceKind::kBarrier ||
                 e.kind == TraceKind::kMeet || e.kind == TraceKind::kAwait ||
                 e.kind == TraceKind::kCrossWait ||
                 (e.kind == TraceKind::kWait && e.pipe == AKGEN_PIPE_S);
    if (!ScalarStep(c, r)) {
      c.waiting = true;
      return;
    }
    c.next = behind;
    c.waiting = false;
    ++total.instructions;
    if (joins)
      Waited(c, AKGEN_PIPE_S, e, {before, c.scalar, c.after});
    else
      total.busy += c.scalar - before;
    if (!joins && c.scalar - before > p_.scalar_issue)
      spans_.Keep(c, AKGEN_PIPE_S, e, {before, c.scalar, AKGEN_PIPE_S});
  }
  double end = c.scalar;
  for (uint32_t i = 1; i < kPipeCount; ++i)
    if (!c.pipes[i].Drained(end)) {
      c.waiting = true;
      return;
    }
  // What the code said of its work may be less than what it executed.
  NextBlock(c, std::max(end, c.start + p_.scalar_least * double(trace_.executed(c.block))));
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
    if (who == kNobody)
      written_back_ = end;
    else
      EndPart(who, end);
    return true;
  }
  Wake w = wakes_.top();
  wakes_.pop();
  CoreState& c = cores_[w.core];
  if (w.agent == 0)
    Scalar(c, w.at);
  else
    Pipe(c, w.agent, w.at);
  return true;
}

ModelledTime Machine::Run() {
  result_.cores = uint32_t(cores_.size());
  result_.core_end.assign(cores_.size(), 0);
  // Cores are started one after the other.
  const double apart = p_.launch_core_us * p_.clock_mhz;
  for (uint32_t i = 0; i < cores_.size(); ++i) {
    cores_[i].core = i;
    cores_[i].cube = trace_.OnCube(i);
    result_.cube_cores += cores_[i].cube;
    const uint32_t place = i / together_;  // of the block, among those that start
    Begin(cores_[i], place * apart);
  }
  while (Step()) {}
  if (cores_.empty()) return result_;
  const double cores = double(cores_.size());
  double sum = 0, longest = 0, end = 0;
  for (CoreState& c : cores_) {
    result_.stuck |= !c.done;
    const uint32_t place = c.core / together_;
    const double took = result_.core_end[c.core] - place * apart;
    sum += took;
    longest = std::max(longest, took);
    end = std::max(end, result_.core_end[c.core]);
  }
  // What writes drove out of L2 on its way: the launch is over when HBM has it, or one that only
  // writes would cost none.
  longest = std::max(longest, written_back_), end = std::max(end, written_back_);
  // Memory does not serve all cores alike; here it does, and the slowest core's part is added.
  const double slowest = p_.slowest * crowded_;
  result_.core_us = sum / cores / p_.clock_mhz;
  result_.longest_core_us = (longest + slowest) / p_.clock_mhz;
  result_.start_us = p_.block_start * next_block_ / cores / p_.clock_mhz;
  result_.us = (end + slowest) / p_.clock_mhz + p_.launch_us;
  return result_;
}
}  // namespace replay

ModelledTime Replay(const Trace& trace, const TimingParameters& p, const ReplayOptions& options) {
  return replay::Machine(trace, p, options).Run();
}

}  // namespace akgen::sim
