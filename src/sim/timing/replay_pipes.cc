// What pipes do with what the scalar unit gave them.
#include <algorithm>

#include "sim/timing/cube_time.h"
#include "sim/timing/replay_machine.h"

namespace akgen::sim::replay {

bool Machine::PipeStep(CoreState& c, uint8_t pipe, const Issued& i) {
  const TraceEvent& e = i.shape->event;
  PipeState& p = c.pipes[pipe];
  PipeTime& total = Total(c, pipe);
  switch (e.kind) {
    case TraceKind::kSet: {
      if (c.cube) return SetNow(c, i.shape->flag, std::max(p.now, p.data)), true;
      if (p.data > p.now) {
        total.busy += p.data - p.now;
        p.now = p.data;
        p.Done(pipe);
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
      p.allowed = std::max(p.allowed, times.front() + p_.hand_off);
      p.now = std::max(p.now, p.allowed);
      if (p.now > since) {
        Waited(c, pipe, e, {since, p.now, setters_[i.shape->flag]});
        p.Done(setters_[i.shape->flag]);
      }
      p.held = kNoFlag;
      times.pop();
      return true;
    }
    case TraceKind::kCopyIn:
    case TraceKind::kCopyOut: StartCopy(c, pipe, i); return false;
    case TraceKind::kVector:
    case TraceKind::kCopyUb: {
      const double cycles = i.shape->cycles;
      spans_.Keep(c, pipe, e, {p.now, p.now + cycles, p.after});
      p.now += cycles;
      p.Done(pipe);
      if (e.kind == TraceKind::kVector)
        (e.bits <= 16 ? result_.elements_16 : result_.elements_32) += e.n;
      total.busy += cycles;
      total.conflicts += i.shape->lost;
      ++total.instructions;
      return true;
    }
    case TraceKind::kLoad:
    case TraceKind::kMmad:
    case TraceKind::kFix: return CubeWork(c, pipe, i), true;
    case TraceKind::kCall:  // a barrier within the pipe
      if (c.cube) p.now = std::max(p.now, p.data);
      return true;
    case TraceKind::kPost: return Post(e.address, std::max(p.now, p.data)), true;
    case TraceKind::kCrossSet: return SetAcross(c, e, std::max(p.now, p.data)), true;
    default: return true;
  }
}

// Of what follows the last instruction of a Cube core's pipe, its latency is time that the pipe is
// at work.
void Machine::Expose(CoreState& c, uint8_t pipe) {
  PipeState& p = c.pipes[pipe];
  if (p.left >= 0) Total(c, pipe).busy += std::clamp(p.now - p.left, 0.0, CubeLatency(pipe, p_));
  p.left = -1;
}

void Machine::CubeWork(CoreState& c, uint8_t pipe, const Issued& i) {
  PipeState& p = c.pipes[pipe];
  PipeTime& total = Total(c, pipe);
  Expose(c, pipe);
  const double head = std::max(0.0, std::max(i.at, p.allowed) + i.shape->head - p.now);
  const double cycles = head + i.shape->cycles;
  const TraceEvent& e = i.shape->event;
  spans_.Keep(c, pipe, e, {p.now, p.now + cycles, p.after});
  p.now += cycles;
  p.Done(pipe);
  if (e.kind == TraceKind::kMmad) result_.macs[e.bits] += double(e.n) * 256 * MmadWidth(e.bits);
  p.data = p.now + CubeLatency(pipe, p_);
  p.left = p.now;
  total.busy += cycles;
  ++total.instructions;
}

void Machine::SetAcross(CoreState& c, const TraceEvent& e, double at) {
  cross_.Set(c.core, e.n, e.repeats, at, [&](uint32_t other) {
    if (cores_[other].waiting) Call(at, other, 0);
  });
}

void Machine::Post(uint64_t name, double at) {
  posts_[name].push_back(at);
  for (CoreState& other : cores_)
    if (other.waiting) Call(at, other.core, 0);
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
  if (c.cube) Expose(c, pipe);
  Transfer t = l2_.Serve(e, i.address, {c.core, c.copied, c.cube});
  if (pipe == AKGEN_PIPE_MTE2) c.copied += double(e.n) * e.bursts;
  result_.hbm_bytes += t.moved;
  result_.l2_bytes += t.l2;
  result_.bypass_bytes += t.bypass;
  Total(c, pipe).bytes += double(e.n) * e.bursts;
  Total(c, pipe).bursts += e.bursts;
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
  start(e.kind == TraceKind::kCopyOut ? filled_ : cache_, t.l2);
  if (p.parts == 0) p.parts = 1, EndPart(who, p.now);
}

// By what is copied and not by how long it took: what delays copies makes them wait less for each
// other, and a launch would be faster for it.
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
  p.data = p.now + (c.cube ? CubeLatency(pipe, p_) : pipe == AKGEN_PIPE_MTE2 ? p_.mte2_latency : 0);
  p.left = c.cube ? p.now : -1;
  PipeTime& total = Total(c, pipe);
  total.busy += p.now - p.began;
  total.shared += std::max(0.0, p.now - p.tail - p.own_end);
  ++total.instructions;
  spans_.Keep(c, pipe, p.queue.front().shape->event, {p.began, p.data, p.after});
  p.Done(pipe);
  p.queue.pop();
  if (c.full) Call(p.now, c.core, 0);
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
    if (i.at > p.ended) p.after = AKGEN_PIPE_S;
    // Others may still act before this pipe's own time: go on only when it is the earliest.
    if (p.now > now) return Call(p.now, c.core, pipe);
    if (!PipeStep(c, pipe, i)) return;
    p.queue.pop();
    if (c.full) Call(i.at > now ? i.at : now, c.core, 0);
  }
  p.idle = true;
  if (c.waiting) Call(p.now, c.core, 0);
}

}  // namespace akgen::sim::replay
