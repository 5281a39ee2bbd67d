#include "sim/machine/pipe.h"

#include "sim/ops/ops.h"

namespace akgen::sim {

void Flag::Take(Clock& into) {
  into.Join(clock);
  set = !later.empty();
  if (!set) return;
  clock = later.front();
  later.erase(later.begin());
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

void Pipes::Reset(uint32_t epoch) {
  for (Pipe& p : pipes_) {
    p = Pipe{};
    for (uint32_t& a : p.clock.at) a = epoch;
    p.latest = epoch;
  }
  for (auto& row : flags_)
    for (auto& cell : row)
      for (Flag& f : cell)
        if (f.set || f.site) f = Flag{};  // few of 392 are used
  ids = EventIds();
}

void EventIds::SetStanding() {
  for (int32_t id = 0; id < kStanding; ++id) Take(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, id);
  standing_ = (1 << kStanding) - 1;
}

void EventIds::EndStanding() {
  for (int32_t id = 0; id < kStanding; ++id) Release(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, id);
  standing_ = 0;
}

bool EventIds::TakeStanding(uint32_t src, uint32_t dst, int32_t id) {
  if (src != AKGEN_PIPE_M || dst != AKGEN_PIPE_MTE1 || OpenSets(src, dst, id) ||
      !(standing_ >> id & 1))
    return false;
  standing_ &= uint8_t(~(1 << id));
  return true;
}

int32_t EventIds::TakeForQueue(uint32_t src, uint32_t dst) {
  const int32_t id = Free(src, dst);
  if (id < 0) return id;
  Take(src, dst, id);
  queued_[src][dst] |= uint8_t(1 << id);
  return id;
}

int32_t EventIds::Free(uint32_t src, uint32_t dst) const {
  for (int32_t id = 0; id < kCount; ++id)
    if (!(used_[src][dst] >> id & 1)) return id;
  return -1;
}

void Pipes::Block(uint32_t pipe, const WaitFlagOp& wait, uint32_t site) {
  Pipe& p = pipes_[pipe];
  p.blocked_on = wait.flag;
  p.wait = wait;
  p.wait_site = site;
  p.wait_order = ++waits_;
}

bool Pipes::Idle() const {
  for (const Pipe& p : pipes_)
    if (p.blocked_on) return false;
  return true;
}

size_t Pipes::Held() const {
  size_t held = 0;
  for (const Pipe& p : pipes_) held += p.held.size();
  return held;
}

bool Pipes::HoldsCrossSet() const {
  for (const Pipe& p : pipes_)
    for (const HeldWork& h : p.held)
      if (std::holds_alternative<HandOverOp>(h.work)) return true;
  return false;
}

Clock Pipes::DoneBefore(uint32_t pipe) const {
  const bool scalar = pipe == AKGEN_PIPE_S || pipe == kRawScalar;
  const Pipe& s = pipes_[AKGEN_PIPE_S];
  Clock done = s.clock;
  done.at[AKGEN_PIPE_S] = done.at[kRawScalar] = s.latest;
  if (scalar) return done;
  done.Join(pipes_[pipe].clock);
  done.at[pipe] = pipes_[pipe].latest;
  return done;
}

void Pipes::MeetAll() {
  Clock all;
  for (uint32_t i = 0; i < kPipes; ++i) {
    all.Join(pipes_[i].clock);
    if (pipes_[i].latest > all.at[i]) all.at[i] = pipes_[i].latest;
  }
  all.at[kRawScalar] = all.at[AKGEN_PIPE_S];
  for (Pipe& p : pipes_) p.clock = all;
}

}  // namespace akgen::sim
