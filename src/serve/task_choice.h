// The tasks that a server has, and their splits: those of the benchmark, or the ones that it was
// given.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "task/task.h"

namespace akgen::serve {

struct TaskSplit {
  std::string name;
  std::string type;           // train, validation or test, as ORS has them
  std::vector<size_t> tasks;  // indices into TaskChoice::all
};

struct TaskChoice {
  std::vector<task::TaskInfo> all;  // each name once
  std::vector<TaskSplit> splits;    // by name; "all" holds every task
};

// The benchmark: its levels, and all. It measures, so none of them is ever a split to train on.
TaskChoice BenchmarkTasks();

// `words`: [SPLIT=]WORD, a word being all, a level (level1 …), a task's name, or a folder: of one
// task, or of any number of them below it. A split without a name is called as its folder, its
// level, or "tasks". The type of a split is its name where that is train, validation or test, else
// train, and test where a task of the benchmark is in it. AK0101: no such task, or two of one name;
// AK0102: a task's file is malformed; AK0912: a task of the benchmark in a split called train.
base::Result<TaskChoice> ChooseTasks(const std::vector<std::string>& words);

}  // namespace akgen::serve
