// The chip's entry point: GM regions and a kernel in, findings out.
#pragma once
#include "sim/exec/launch_types.h"

namespace akgen::sim {

// Runs all blocks, one after the other or interleaved where they wait for each other.
// Deterministic, also for a schedule. Afterwards reports outputs that hold undefined bytes (regions
// with role kOutput, when check_outputs).
LaunchResult Launch(const LaunchRequest& request);

// `module_base`/`module_end`: the loaded kernel object; return addresses become offsets in it
// ("pcs").
base::Json ToJson(const RawFinding& finding, uintptr_t module_base, uintptr_t module_end);

}  // namespace akgen::sim
