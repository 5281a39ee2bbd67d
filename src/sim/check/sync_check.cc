#include "sim/check/sync_check.h"

#include <utility>

namespace akgen::sim {

// Whether a second set is lost, kept or hangs is not documented.
void SyncCheck::OnSet(const Flag& flag, const SetFlagOp& op) {
  if (!flag.set || !on_.sync) return;
  out_.OtherSide(flag.site, "first set", op.src);
  out_.Report(FindingKind::kFlagSetTwice, std::string("flag ") + PipeName(op.src) + "->" +
                                              PipeName(op.dst) + " id " + std::to_string(op.id) +
                                              " is set again before anybody waited for it");
}

void SyncCheck::OnBlockEnd() {
  if (!on_.sync) return;
  for (uint32_t s = 0; s < kPipes; ++s)
    for (uint32_t d = 0; d < kPipes; ++d)
      for (int id = 0; id < Pipes::kEventIds; ++id) {
        const Flag& f = pipes_.FlagsOf(s, d)[size_t(id)];
        if (!f.set || f.twice) continue;
        now_.pipe = s;
        now_.site = f.site;
        out_.Report(FindingKind::kFlagLeftSet,
                    std::string("flag ") + PipeName(s) + "->" + PipeName(d) + " id " +
                        std::to_string(id) +
                        " is still set when the block ends; the next kernel inherits it",
                    true);
      }
}

void SyncCheck::OnModeLeftOn(const char* what, uint32_t site) {
  if (!on_.sync) return;
  now_.pipe = AKGEN_PIPE_S;
  now_.site = site;
  out_.Report(FindingKind::kModeLeftOn,
              std::string(what) + " still on when the block ends; the next kernel inherits it",
              true);
}

void SyncCheck::OnUnitsLeft(uint32_t site) {
  if (!on_.sync) return;
  now_.pipe = AKGEN_PIPE_M;
  now_.site = site;
  out_.Report(FindingKind::kFlagLeftSet,
              "unit flags of L0C are still set when the block ends: no Fixpipe with unitFlag 3 "
              "took what this Mmad "
              "left; the next kernel's Mmad waits for it for ever");
}

void SyncCheck::OnLeftInQueue(uint32_t src, uint32_t dst, uint32_t site) {
  if (!on_.sync) return;
  now_.pipe = src;
  now_.site = site;
  out_.Report(FindingKind::kFlagLeftSet,
              std::string("a tensor was enqueued and never dequeued: its flag ") + PipeName(src) +
                  "->" + PipeName(dst) +
                  " is still set when the block ends; the next kernel inherits it",
              true);
}

void SyncCheck::OnDeadlock(const std::string& message) {
  const Pipe* cause = BlameWait();
  bool named = cause && NameMeantSet(*cause);
  for (uint32_t i = 0; i < kPipes; ++i)
    named = named || (pipes_[i].blocked_on && NameMeantSet(pipes_[i]));
  out_.Report(FindingKind::kDeadlock, message);
}

bool SyncCheck::OnStuckBlocks(const std::string& who) {
  const auto [pipe, site] = std::pair(now_.pipe, now_.site);
  const Pipe* cause = BlameWait();
  if (!cause || SetsLater(cause->wait.src, cause->blocked_on)) {
    now_.pipe = pipe, now_.site = site;
    return false;
  }
  OnDeadlock(WaitsFor() + ", so that blocks wait for each other for ever: " + who);
  return true;
}

// The set that a wait which is never met was meant for, as the next finding's other side.
bool SyncCheck::NameMeantSet(const Pipe& waiting) {
  const WaitFlagOp& wait = waiting.wait;
  for (uint32_t i = 0; i < kPipes; ++i)
    for (const HeldWork& h : pipes_[i].held)
      if (auto* set = std::get_if<SetFlagOp>(&h.work); set && set->flag == waiting.blocked_on)
        return out_.OtherSide(h.site, "the set, which is behind a wait itself", i), true;
  if (wait.id < 0) return false;
  auto named = [&](uint32_t src, uint32_t dst, const char* what) {
    for (const Flag& f : pipes_.FlagsOf(src, dst))
      if (f.set) return out_.OtherSide(f.site, what, src), true;
    return false;
  };
  if (named(wait.src, wait.dst, "a set of the same pair with another event id")) return true;
  if (waiting.blocked_on->site)
    return out_.OtherSide(waiting.blocked_on->site, "the last set of this flag, already waited for",
                          wait.src),
           true;
  return named(wait.dst, wait.src, "a set in the reverse direction");
}

bool SyncCheck::SetsLater(uint32_t pipe, const Flag* flag) const {
  for (const HeldWork& h : pipes_[pipe].held)
    if (auto* s = std::get_if<SetFlagOp>(&h.work); s && s->flag == flag) return true;
  return false;
}

// Of all pipes that wait, the first whose flag no held-back instruction would set; the others wait
// for it. When they wait in a circle, the first that began to.
const Pipe* SyncCheck::BlameWait() {
  const Pipe* best = nullptr;
  bool best_root = false;
  for (uint32_t i = 0; i < kPipes; ++i) {
    const Pipe& p = pipes_[i];
    if (!p.blocked_on) continue;
    const bool root = !SetsLater(p.wait.src, p.blocked_on);
    if (best && (root != best_root ? best_root : p.wait_order > best->wait_order)) continue;
    best = &p;
    best_root = root;
    now_.pipe = i;
    now_.site = p.wait_site;
  }
  return best;
}

std::string SyncCheck::WaitsFor() const {
  std::string out;
  for (uint32_t i = 0; i < kPipes; ++i) {
    const Pipe& p = pipes_[i];
    if (!p.blocked_on) continue;
    if (!out.empty()) out += "; ";
    out += std::string(PipeName(i)) + " waits for a flag from " + PipeName(p.wait.src) +
           (p.wait.id >= 0          ? " (event id " + std::to_string(p.wait.id) + ")"
            : p.wait.id == kOfUnits ? " (a unit flag of L0C)"
                                    : " (a queue's buffer)") +
           " that nobody sets";
  }
  return out;
}

}  // namespace akgen::sim
