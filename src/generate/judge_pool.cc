#include "generate/judge_pool.h"

#include <algorithm>

#include "base/files.h"
#include "task/hidden.h"

namespace akgen::generate {
using base::Result;

Result<std::vector<task::CaseRow>> JudgePool::Hidden(const task::TaskSpec& task, const Trial& trial,
                                                     bool wide) {
  const HiddenKey key{task.name, trial.hidden_seed, trial.hidden, wide};
  {
    std::lock_guard lock(mutex_);
    if (auto it = hidden_.find(key); it != hidden_.end()) return it->second;
  }
  auto drawn = workers_.WithReference([&](task::ReferenceClient& reference) {
    return task::HiddenCases(task, trial.hidden_seed, trial.hidden, "hidden", reference, wide);
  });
  if (!drawn.ok()) return drawn;
  std::lock_guard lock(mutex_);
  return hidden_[key] = *drawn;
}

Result<Trialed> JudgePool::Try(judge::Worker& worker, const std::string& dir,
                               const task::TaskSpec& task, const judge::Options& options,
                               const Trial& trial) {
  Trialed out{worker.Run(dir, task, options), {}, {}};
  judge::Options more = options;
  more.cases.clear(), more.rows.clear();
  more.range = false;
  more.time = {};
  if (out.shown.verdict == record::Verdict::kPass && trial.hidden > 0) {
    auto rows =
        Hidden(task, trial, options.inputs != "upstream" && options.precision != "upstream");
    if (!rows.ok()) return rows.error();
    more.rows = std::move(*rows), more.seed = trial.hidden_seed;
    out.hidden = worker.Run(dir, task, more);
  }
  if (out.shown.verdict == record::Verdict::kWrongAnswer && trial.feedback_seed) {
    const auto& rows = options.rows.empty() ? task.cases : options.rows;
    const auto& cases = out.shown.cases;
    auto failed = std::find_if(cases.begin(), cases.end(), [](const auto& c) {
      return c.verdict == record::Verdict::kWrongAnswer;
    });
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(more.rows),
                 [&](const auto& row) { return failed != cases.end() && row.id == failed->id; });
    more.seed = trial.feedback_seed;
    if (!more.rows.empty()) out.again = worker.Run(dir, task, more);
  }
  return out;
}

Result<Trialed> JudgePool::Run(const Files& files, const task::TaskSpec& task,
                               const judge::Options& options, const Trial& trial) {
  auto dir = base::TempDir::Create();
  if (!dir.ok()) return dir.error();
  for (const auto& [path, content] : files) {
    std::error_code ec;
    std::filesystem::create_directories((dir->path() / path).parent_path(), ec);
    if (auto s = base::WriteFileAtomic(dir->path() / path, content); !s.ok()) return s.error();
  }
  auto worker = workers_.Take();
  if (!worker.ok()) return worker.error();
  return Try(**worker, dir->path().string(), task, options, trial);
}

Result<Made> JudgePool::Plan(const task::TaskSpec& task, const craft::Target& target) {
  return workers_.WithReference(
      [&](task::ReferenceClient& reference) { return MakeByPlan(reference, task, target); });
}

Result<std::vector<Message>> JudgePool::Operations(const task::TaskSpec& task) {
  return workers_.WithReference(
      [&](task::ReferenceClient& reference) { return OperationsPrompt(reference, task); });
}

}  // namespace akgen::generate
