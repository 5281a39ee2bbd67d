// Further legal orders of execution, for kernels whose blocks exchange data.
//
// The chip's own order is eager and lets block 0 go first: what one block hands to another is there
// early. A kernel that relies on that is right here and wrong elsewhere, and no check of single
// accesses sees it where a flag came too early.
#pragma once
#include "judge/session/case_runner.h"

namespace akgen::judge {

// Of a case that is right in the chip's own order: AK1204 in its result, or a verdict, where it is
// not under another.
void TryOtherOrders(SessionState& state, CaseRunner& runner, CaseRun& run);

}  // namespace akgen::judge
