// The unit flags of L0C, one for each 512 bytes, by which Mmad and Fixpipe hand its parts to each
// other.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/exec/core_memories.h"
#include "sim/machine/now.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {

class UnitFlags {
 public:
  UnitFlags(const CoreMemories& memories, Pipes& pipes, const Now& now)
      : memories_(memories), pipes_(pipes), now_(now) {}
  void Reset();

  bool Fit(const PipeWork& work) const;  // may it start, as far as unit flags go?
  void Block(uint32_t pipe, uint32_t site);
  void Take(const AkgenCube& c);   // before it runs: what its unit flags say is over
  void Leave(const AkgenCube& c);  // after it: flags that it flips
  // They are others now: pipes that wait for them may look again, by `look`.
  template <typename F>
  void Changed(F look) {
    if (units_.empty()) return;
    for (uint32_t pipe : {AKGEN_PIPE_M, AKGEN_PIPE_FIX}) {
      Pipe& p = pipes_[pipe];
      if (p.blocked_on != &changed_[pipe == AKGEN_PIPE_M ? 0 : 1]) continue;
      p.blocked_on = nullptr;
      look(pipe);
    }
  }
  void Clear();
  bool AnySet() const;
  uint32_t site() const { return site_; }  // of the latest Mmad that set some

 private:
  // L0C's part that an Mmad or Fixpipe works on, in units; empty: none, or it leaves L0C.
  struct Units {
    uint32_t first = 0, count = 0, pieces = 0,
             step = 0;  // `pieces` runs of `count` units, `step` apart
  };
  Units UnitsOf(const AkgenCube& c) const;

  const CoreMemories& memories_;
  Pipes& pipes_;
  const Now& now_;
  std::vector<uint8_t> units_;  // empty: no instruction has used them
  uint32_t site_ = 0;
  Flag changed_[2];         // what Mmad and Fixpipe wait for while theirs do not fit; never set
  Clock computed_, taken_;  // what Mmads that set flags, and Fixpipes that cleared some, had done
};

}  // namespace akgen::sim
