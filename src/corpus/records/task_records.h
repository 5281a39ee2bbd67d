// What the tasks of this repository teach: the planner's program for each, for training models that
// are then scored on others of them.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "task/task.h"

namespace akgen::corpus {

struct TaskRecordOptions {
  std::vector<std::string> heldout;  // names of tasks that nothing may be learned from
  size_t cases = 3;  // a program is verified on so many of its task's smallest cases
  std::string chip{chip::kDefaultChip};
  std::function<void(size_t done, size_t all, const std::string& what)> progress;
};

// By the elements of inputs and outputs, the first of equals.
std::vector<task::CaseRow> SmallestCases(const task::TaskSpec& task, size_t count);

// The names in a file {"tasks": {category: [name, …]}}. AK0801: it is no such file.
base::Result<std::vector<std::string>> ReadHeldout(const std::filesystem::path& file);

struct TaskRecordsBuilt {
  int records = 0, heldout = 0, like_heldout = 0, refused = 0, failed = 0;  // tasks
  std::map<std::string, std::string> skipped;                               // task: reason
};
base::Json ToJson(const TaskRecordsBuilt& built);  // the manifest

// Writes OUT/tasks/records.jsonl (kind "task") and manifest.json: every task that the planner
// serves and the judge passes, unless it is held out or has a case with the canonical graph of a
// case that is. AK0113, AK0013, AK0002.
base::Result<TaskRecordsBuilt> BuildTaskRecords(const std::filesystem::path& out,
                                                const TaskRecordOptions& options);

}  // namespace akgen::corpus
