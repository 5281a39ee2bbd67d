// A composition as a task of the judge, so that a program somebody else wrote for it is judged as one for a task is: in
// its own process, under limits, against the reference in float64, by the strict rule, with modelled time where it is
// wanted.
#pragma once
#include "corpus/composition.h"
#include "task/task.h"

namespace akgen::corpus {

// Parameters have the planner's names; `name` tells compositions apart. Its cases are those of the composition.
task::TaskSpec ComposedTask(const Composition& c);

}  // namespace akgen::corpus
