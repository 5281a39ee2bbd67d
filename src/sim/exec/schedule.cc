#include "sim/exec/schedule.h"

#include <algorithm>

#include "sim/exec/launch_state.h"

namespace akgen::sim {
namespace {
constexpr size_t kMaxHeld = 4096;    // instructions a core may have waiting in all its pipes
constexpr uint32_t kOvertake = 64;   // chance of 256 that a copy overtakes those before it
constexpr size_t kOvertaken = 8;     // at most so many
constexpr uint32_t kLeaveBlock = 2;  // chance of 256, per instruction, that another block goes on
constexpr uint32_t kOrders[6][3] = {{AKGEN_PIPE_MTE2, AKGEN_PIPE_V, AKGEN_PIPE_MTE3},
                                    {AKGEN_PIPE_MTE3, AKGEN_PIPE_V, AKGEN_PIPE_MTE2},
                                    {AKGEN_PIPE_V, AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3},
                                    {AKGEN_PIPE_V, AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2},
                                    {AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3, AKGEN_PIPE_V},
                                    {AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2, AKGEN_PIPE_V}};

// A copy that may run before or after its neighbours: atomic ones keep their order, for sums depend
// on it.
bool MayOvertake(const HeldWork& h) {
  return std::holds_alternative<AkgenCopy>(h.work) && !h.state.atomic_op;
}
}  // namespace

// The first seeds are the six extreme orders in which a pipe runs only when another one needs it;
// later ones are drawn.
Schedule::Schedule(uint64_t seed, uint32_t block) : on_(seed != 0) {
  if (!on_) return;
  state_ = (seed * 0x9e3779b97f4a7c15ull) ^ (uint64_t(block + 1) * 0xd1342543de82ef95ull);
  for (int i = 0; i < 4; ++i) Below(2);
  size_t which = seed <= 6 ? size_t(seed - 1) : Below(6);
  for (size_t i = 0; i < 3; ++i) order_[i] = kOrders[which][i];
  if (seed <= 6) return;
  mixes_ = Chance(128);
  constexpr uint32_t kHaste[] = {0, 0, 16, 64, 255};
  for (size_t i = 0; i < 3; ++i) haste_[i] = kHaste[Below(5)];
}

// The first seed lets those that bring data go first, the second those that take it; the others are
// drawn.
void Schedule::OnCube(uint64_t seed) {
  if (!on_) return;
  pipes_ = order_.size();
  order_ = {AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, AKGEN_PIPE_M, AKGEN_PIPE_FIX};
  if (seed == 2) std::reverse(order_.begin(), order_.end());
  for (size_t i = order_.size(); seed > 2 && i > 1; --i)
    std::swap(order_[i - 1], order_[Below(uint32_t(i))]);
  haste_[3] = haste_[0];
}

uint32_t Schedule::Below(uint32_t n) {
  state_ += 0x9e3779b97f4a7c15ull;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return uint32_t(((z ^ (z >> 31)) >> 32) * n >> 32);
}

// A flag that is still set is not set again until somebody has waited for it, unless nothing else
// can run.
bool Core::Step(uint32_t pipe, bool force) {
  Pipe& p = pipes[pipe];
  if (p.blocked_on || p.held.empty()) return false;
  if (cube() && !UnitsFit(p.held[0].work)) return WaitForUnits(pipe, p.held[0].site), false;
  auto* set = std::get_if<SetFlagOp>(&p.held[0].work);
  if (set && set->flag->set && !force) return false;
  size_t at = 0;
  if (pipe != AKGEN_PIPE_V && MayOvertake(p.held[0]) && schedule_.Chance(kOvertake)) {
    size_t run = 1;
    while (run < p.held.size() && run < kOvertaken && MayOvertake(p.held[run])) ++run;
    at = schedule_.Below(uint32_t(run));
  }
  HeldWork h = std::move(p.held[at]);
  p.held.erase(p.held.begin() + long(at));
  uint32_t keep_pipe = now.pipe, keep_site = now.site;
  Execute(pipe, h.work, h.state, h.issued, h.site);
  now.pipe = keep_pipe;
  now.site = keep_site;
  return true;
}

bool Core::StepAny() {
  if (schedule_.mixes() && schedule_.Chance(64) &&
      Step(schedule_.order()[schedule_.Below(uint32_t(schedule_.order().size()))]))
    return true;
  for (uint32_t pipe : schedule_.order())
    if (Step(pipe)) return true;
  for (bool force : {false, true})
    for (uint32_t pipe = 0; pipe < kPipes; ++pipe)
      if (Step(pipe, force)) return true;
  return false;
}

void Core::CatchUp() {
  while (schedule_.on() && StepAny()) {}
}

void Core::CatchUpUntil(const Flag& flag) {
  while (schedule_.on() && !flag.set && StepAny()) {}
}

void Core::CatchUpPipe(uint32_t pipe) {
  while (schedule_.on() && pipe < kPipes && !pipes[pipe].held.empty() && StepAny()) {}
}

void Core::MoveOn() {
  for (size_t i = 0; i < schedule_.order().size(); ++i)
    if (schedule_.Hurries(i)) Step(schedule_.order()[i]);
  if (pipes.Held() > kMaxHeld) StepAny();
  if (UnitsOf(*g_launch->request) > 1 && schedule_.Chance(kLeaveBlock)) {
    ++cross.waits_done;
    YieldBlock();
  }
}

}  // namespace akgen::sim
