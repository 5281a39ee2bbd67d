// Cases too large to run: drawn blocks run at full shape and are compared; the time comes from a
// smaller case.
//
// The inputs of the full case are those of a case with fewer rows, repeated: memory maps the same
// pages again and again, and the expected values repeat likewise where the reference treats each
// row by itself, which is tried.
#pragma once
#include "judge/session/case_runner.h"

namespace akgen::judge {

// Of a case `c` of `row` that is skipped, with the reason in `r`. A verdict on the kernel takes it
// out of those that are skipped; else the reason says what was seen.
void JudgeTooLarge(SessionState& state, CaseRunner& runner, const task::CaseRow& row,
                   const task::CaseDesc& c, CaseResult& r);

}  // namespace akgen::judge
