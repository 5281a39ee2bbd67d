// A composition as a task of the judge, so that any program for it is judged like one for a task:
// in its own process, under limits, against the reference in float64, by the strict rule, with
// modelled time on request.
#pragma once
#include "corpus/compose/composition.h"
#include "task/task.h"

namespace akgen::corpus {

// Parameters have the planner's names; `name` tells compositions apart. Its cases are those of the
// composition.
task::TaskSpec ComposedTask(const Composition& c);

}  // namespace akgen::corpus
