// What a model is asked while it is trained on its own answers: the reference an operation a line,
// with the task that judges the answer and the planner's program. Fresh compositions without end,
// and tasks that may be learned from.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "chip/chip.h"
#include "corpus/records/benchmark.h"
#include "craft/ir/target.h"
#include "generate/judge_pool.h"
#include "generate/model.h"
#include "record/modelled.h"
#include "record/reward.h"
#include "task/task.h"

namespace akgen::learn {

struct Problem {
  std::string id;  // "composed SEED INDEX" or "task NAME"
  bool composed = true;
  std::string operations,
      program;  // the prompt; the planner's program, its host function called `op`
  task::TaskSpec task;
  std::vector<task::CaseRow> rows;  // answers are judged on these
  craft::Target target;             // answers are lowered for this
  std::vector<generate::Message> Prompt() const { return {{"user", operations}}; }
};

struct ProblemOptions {
  uint64_t compositions = 0, seed = 1;
  std::vector<std::string> exclude;  // folders of corpora: compositions with the graph of one of
                                     // their records are skipped
  std::string tasks, heldout;  // folder of `akgen corpus tasks`, or ""; the file of what nothing
                               // may be learned from
  size_t cases = 3;            // smallest ones of a task
  std::string chip{chip::kDefaultChip};
};

class Problems {
 public:
  // AK0120, AK0121 of the chip; AK0801 a folder or file is not what it should be; AK0708 tasks
  // without `heldout`; errors of LoadBenchmark.
  static base::Result<Problems> Open(const ProblemOptions& options,
                                     const std::function<void(size_t, size_t)>& progress);
  // In an order that depends on the options alone: tasks, then compositions; none at the end. More
  // compositions later leave those before as they are. AK0803 new compositions have become too
  // rare; errors of the task's folder.
  base::Result<std::optional<Problem>> Next();
  size_t count() const { return tasks_.size() + options_.compositions; }
  size_t passed_over() const {
    return passed_over_;
  }  // compositions that repeat, stand in a corpus or in the benchmark, or that the planner refuses

 private:
  struct TaskLine {
    std::string name, operations, program;
  };
  base::Status ReadApart();
  base::Status ReadTasks();
  base::Result<Problem> OfTask(const TaskLine& t) const;
  std::optional<Problem> Compose(uint64_t index, std::string& canonical) const;

  ProblemOptions options_;
  craft::Target target_;
  corpus::Benchmark benchmark_;
  std::vector<TaskLine> tasks_;
  std::set<std::string> seen_;  // canonical graphs
  size_t at_ = 0, composed_ = 0, passed_over_ = 0;
  uint64_t index_ = 0;
};

// How an answer does: the judge's verdict, or no_code or refused (docs/generate.md).
struct Answered {
  std::string verdict, reason;
  bool sealed = false;        // record/verdict.h
  record::Modelled modelled;  // of all cases
  record::Merit merit;        // record/reward.h
  std::optional<double> Reward() const { return record::RewardOf({verdict, sealed}, merit); }
};
// AK0013, AK0002, AK0113. A pass has passed hidden cases as well; values of inputs, and these
// cases, come from `seed`.
base::Result<Answered> JudgeAnswer(generate::JudgePool& pool, const Problem& problem,
                                   const std::string& answer, uint64_t seed, bool time);

}  // namespace akgen::learn
