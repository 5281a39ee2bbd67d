// One job's work on one judging process: the candidate is put into a folder of its own, judged, and
// the folder goes.
#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "judge/pool/pool.h"
#include "serve/hidden_draws.h"
#include "serve/service.h"
#include "serve/task_choice.h"

namespace akgen::serve {

// The tasks by name, loaded when they are first asked for.
class TaskList {
 public:
  explicit TaskList(TaskChoice choice) : choice_(std::move(choice)) {}
  const std::vector<task::TaskInfo>& all() const { return choice_.all; }
  const std::vector<TaskSplit>& splits() const { return choice_.splits; }
  base::Result<task::TaskSpec> Load(const std::string& name) const;  // AK0101, AK0102

 private:
  TaskChoice choice_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, task::TaskSpec> loaded_;  // by the task's own name
};

// What can be said of work before it waits for its turn: AK0101 no such task, AK0103 no such case,
// AK0902 a file's name or the size of the candidate, errors of chip::LoadChip.
base::Status CheckWork(const Work& work, const TaskList& tasks);
// Names of files that may be written below a project's folder: relative, plain, no way out.
bool IsPlainPath(const std::string& path);
// A hash of everything that the record depends on; `seed` where the work names none.
std::string KeyOfWork(const Work& work, uint64_t seed, const TaskList& tasks);
std::string SubjectOf(const Work& work);  // the task's name as it was asked for, or "(kernel)"
size_t BytesOf(const Work& work);

// Ending, outcome, reason, record, error; `keep`: the record may be given to others who ask for the
// same.
struct Judged {
  Answer answer;
  bool keep = false;
};
// What is there for every job.
struct JudgingSetting {
  uint64_t seed;  // where the work names none
  const TaskList& tasks;
  HiddenDraws& hidden;
};
Judged JudgeOnce(const Work& work, const JudgingSetting& setting, judge::Worker& worker,
                 const std::atomic<bool>* stop);

}  // namespace akgen::serve
