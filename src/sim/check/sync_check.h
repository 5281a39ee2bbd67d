// synccheck: flags that are set twice, left set or never set. (Queues and ids check their calls
// where they are made.)
#pragma once
#include <string>

#include "sim/check/checks.h"
#include "sim/check/reporter.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {

class SyncCheck {
 public:
  SyncCheck(const Checks& on, Now& now, const Pipes& pipes, Reporter& out)
      : on_(on), now_(now), pipes_(pipes), out_(out) {}
  bool on() const { return on_.sync; }

  void OnSet(const Flag& flag, const SetFlagOp& op);
  void OnBlockEnd();
  // The block ends, and a queue still holds a tensor that was enqueued there.
  // `what` is a mode of the core that the kernel switched on at `site`.
  void OnModeLeftOn(const char* what, uint32_t site);
  // The block ends, and unit flags of L0C that an Mmad at `site` set were never taken.
  void OnUnitsLeft(uint32_t site);
  void OnLeftInQueue(uint32_t src, uint32_t dst, uint32_t site);
  // A flag that a pipe waits for will never be set: reported at the wait that causes it, not at its
  // waiters. Names the set that was meant, if there is one.
  void OnDeadlock(const std::string& message);
  std::string WaitsFor() const;  // who waits for whom
  // All blocks wait for each other: reports the wait of a pipe of this one that nobody ends, and
  // what came of it. False: it has none, others' flags would let its pipes go on.
  bool OnStuckBlocks(const std::string& who);

 private:
  const Pipe* BlameWait();
  bool NameMeantSet(const Pipe& waiting);
  bool SetsLater(uint32_t pipe, const Flag* flag) const;

  const Checks& on_;
  Now& now_;  // the place of what is reported becomes the current one
  const Pipes& pipes_;
  Reporter& out_;
};

}  // namespace akgen::sim
