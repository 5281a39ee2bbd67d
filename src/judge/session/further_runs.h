// Cases that are run once more, to say why.
#pragma once
#include "judge/session/case_runner.h"

namespace akgen::judge {

// Wrong values of a kernel with instructions that are inaccurate by their pages: would they be
// right if those were exact? Then the instructions are named, each at its place.
void BlameImprecise(SessionState& state, CaseRunner& runner, CaseRun& run);
// Of a tiling that said something else when it was called again (judge/host/tiling_again.h):
// `first` are the outputs of the run. False: AK3017, or what else the result says.
bool SameWithOtherTiling(SessionState& state, CaseRunner& runner, CaseRun& run,
                         const Packed& first);

}  // namespace akgen::judge
