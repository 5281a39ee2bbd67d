// What a core that hands something over to others, or takes it, tells the checks.
#pragma once
#include "sim/exec/launch_state.h"

namespace akgen::sim {

// For whoever waits for this core: what is over when an instruction is that it gives to this pipe
// now.
BlockClock Release(uint32_t pipe);
// The running core's wait is over, and so is what this clock knows of.
void EndWait(const BlockClock& of);
// The same, where what this core itself has done may have been what was waited for.
void EndWaitForOwn(const BlockClock& of);

}  // namespace akgen::sim
