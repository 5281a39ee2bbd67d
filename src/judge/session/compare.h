// What a case's outputs are worth.
#pragma once
#include "judge/run/pack.h"
#include "judge/session/case_run.h"
#include "judge/session/state.h"

namespace akgen::judge {

// Compares outputs of the case with `run.expected`, and says in `r`, which may be another result
// than the run's, what came of it.
void CompareOutputs(SessionState& state, const CaseRun& run, const Packed& packed, CaseResult& r);

}  // namespace akgen::judge
