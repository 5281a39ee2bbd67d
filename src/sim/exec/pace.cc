#include "sim/exec/pace.h"

#include "sim/exec/launch_state.h"

namespace akgen::sim {
namespace {
constexpr size_t kMaxHeld = 4096;    // instructions a core may have waiting in all its pipes
constexpr uint32_t kOvertake = 64;   // chance of 256 that a copy overtakes those before it
constexpr size_t kOvertaken = 8;     // at most so many
constexpr uint32_t kLeaveBlock = 2;  // chance of 256, per instruction, that another block goes on

// A copy that may run before or after its neighbours: atomic ones keep their order, for sums depend
// on it.
bool MayOvertake(const HeldWork& h) {
  return std::holds_alternative<AkgenCopy>(h.work) && !h.state.atomic_op;
}
}  // namespace

// A flag that is still set is not set again until somebody has waited for it, unless nothing else
// can run.
bool Pace::Step(uint32_t pipe, bool force) {
  Pipe& p = core_.pipes[pipe];
  if (p.blocked_on || p.held.empty()) return false;
  if (core_.cube() && !core_.units.Fit(p.held[0].work))
    return core_.units.Block(pipe, p.held[0].site), false;
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
  uint32_t keep_pipe = core_.now.pipe, keep_site = core_.now.site;
  core_.Execute(pipe, h.work, h.state, h.issued, h.site);
  core_.now.pipe = keep_pipe;
  core_.now.site = keep_site;
  return true;
}

bool Pace::StepAny() {
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

void Pace::CatchUp() {
  while (schedule_.on() && StepAny()) {}
}

void Pace::CatchUpUntil(const Flag& flag) {
  while (schedule_.on() && !flag.set && StepAny()) {}
}

void Pace::CatchUpPipe(uint32_t pipe) {
  while (schedule_.on() && pipe < kPipes && !core_.pipes[pipe].held.empty() && StepAny()) {}
}

void Pace::MoveOn() {
  for (size_t i = 0; i < schedule_.order().size(); ++i)
    if (schedule_.Hurries(i)) Step(schedule_.order()[i]);
  if (core_.pipes.Held() > kMaxHeld) StepAny();
  if (UnitsOf(*g_launch->request) > 1 && schedule_.Chance(kLeaveBlock)) {
    ++core_.cross.waits_done;
    YieldBlock();
  }
}

void Pace::LetHeldCrossSetsRun() {
  if (on() && core_.pipes.HoldsCrossSet()) CatchUp();
}

}  // namespace akgen::sim
