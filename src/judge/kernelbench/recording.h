// What a candidate's model does for the shapes of a task: its calls, each with the launches of the
// host code.
#pragma once
#include <variant>
#include <vector>

#include "judge/kernelbench/answer.h"
#include "judge/kernelbench/host.h"
#include "judge/kernelbench/task.h"

namespace akgen::judge::kernelbench {

struct Recording {
  Trace trace;
  std::vector<HostCall> calls;  // of trace.calls
};

// Runs model_new.py in the sandbox, which assumes the shapes of results; again with those that the
// host code says, until they agree.
std::variant<Recording, Stop> Record(Executor& executor, const Task& task, const Answer& answer,
                                     const HostHalf& host);

}  // namespace akgen::judge::kernelbench
