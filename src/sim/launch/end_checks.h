// What the cores of a launch leave behind.
#pragma once
#include "sim/exec/launch_state.h"

namespace akgen::sim {

void CheckCrossFlags(LaunchState& l);
void CheckTurns(LaunchState& l);
void CheckIdleCube(LaunchState& l);

}  // namespace akgen::sim
