// When instructions run that a core's pipes hold back. With a schedule that is every one, until
// something needs it; without one nothing happens here.
#pragma once
#include <cstdint>

#include "sim/exec/schedule.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {

class Core;

class Pace {
 public:
  explicit Pace(Core& core) : core_(core) {}
  void Reset(const Schedule& schedule) { schedule_ = schedule; }

  bool on() const { return schedule_.on(); }
  void CatchUp();  // lets the pipes run as far as they can
  void CatchUpUntil(const Flag& flag);
  void CatchUpPipe(uint32_t pipe);  // until that pipe holds nothing back
  void LetHeldCrossSetsRun();       // before the scalar unit waits for other cores
  void MoveOn();                    // after an issue: perhaps a step, perhaps another block's turn

 private:
  bool Step(uint32_t pipe,
            bool force = false);  // runs an instruction the pipe holds back; false: none can run
  bool StepAny();

  Core& core_;
  Schedule schedule_;
};

}  // namespace akgen::sim
