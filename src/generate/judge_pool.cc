#include "generate/judge_pool.h"

#include <algorithm>

#include "base/files.h"
#include "task/hidden.h"

namespace akgen::generate {
using base::Result;

Result<std::unique_ptr<judge::Judge>> JudgePool::Take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return out_ < most_; });
  ++out_;
  if (!idle_.empty()) {
    auto judge = std::move(idle_.back());
    idle_.pop_back();
    return judge;
  }
  auto started = judge::Judge::Start();
  if (started.ok()) return std::make_unique<judge::Judge>(std::move(*started));
  --out_;
  freed_.notify_one();
  return started.error();
}

void JudgePool::Return(std::unique_ptr<judge::Judge> judge) {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(judge));
  --out_;
  freed_.notify_one();
}

Result<std::vector<task::CaseRow>> JudgePool::Hidden(judge::Judge& judge, const task::TaskSpec& task,
                                                     const Trial& trial) {
  const HiddenKey key{task.name, trial.hidden_seed, trial.hidden};
  {
    std::lock_guard lock(mutex_);
    if (auto it = hidden_.find(key); it != hidden_.end()) return it->second;
  }
  auto drawn = task::HiddenCases(task, trial.hidden_seed, trial.hidden, "hidden", judge.reference());
  if (!drawn.ok()) return drawn;
  std::lock_guard lock(mutex_);
  return hidden_[key] = *drawn;
}

Result<Trialed> JudgePool::Try(judge::Judge& judge, const std::string& dir, const task::TaskSpec& task,
                               const judge::Options& options, const Trial& trial) {
  Trialed out{judge.Run(dir, task, options), {}, {}};
  judge::Options more = options;
  more.cases.clear(), more.rows.clear();
  more.time = {};
  if (out.shown.verdict == record::Verdict::kPass && trial.hidden > 0) {
    auto rows = Hidden(judge, task, trial);
    if (!rows.ok()) return rows.error();
    more.rows = std::move(*rows), more.seed = trial.hidden_seed;
    out.hidden = judge.Run(dir, task, more);
  }
  if (out.shown.verdict == record::Verdict::kWrongAnswer && trial.feedback_seed) {
    const auto& rows = options.rows.empty() ? task.cases : options.rows;
    const auto& cases = out.shown.cases;
    auto failed = std::find_if(cases.begin(), cases.end(),
                               [](const auto& c) { return c.verdict == record::Verdict::kWrongAnswer; });
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(more.rows),
                 [&](const auto& row) { return failed != cases.end() && row.id == failed->id; });
    more.seed = trial.feedback_seed;
    if (!more.rows.empty()) out.again = judge.Run(dir, task, more);
  }
  return out;
}

Result<Trialed> JudgePool::Run(const Files& files, const task::TaskSpec& task, const judge::Options& options,
                               const Trial& trial) {
  auto dir = base::TempDir::Create();
  if (!dir.ok()) return dir.error();
  for (const auto& [path, content] : files) {
    std::error_code ec;
    std::filesystem::create_directories((dir->path() / path).parent_path(), ec);
    if (auto s = base::WriteFileAtomic(dir->path() / path, content); !s.ok()) return s.error();
  }
  auto judge = Take();
  if (!judge.ok()) return judge.error();
  auto tried = Try(**judge, dir->path().string(), task, options, trial);
  Return(std::move(*judge));
  return tried;
}

Result<Made> JudgePool::Plan(const task::TaskSpec& task, const craft::Target& target) {
  auto judge = Take();
  if (!judge.ok()) return judge.error();
  auto made = MakeByPlan((*judge)->reference(), task, target);
  Return(std::move(*judge));
  return made;
}

Result<std::vector<Message>> JudgePool::Operations(const task::TaskSpec& task) {
  auto judge = Take();
  if (!judge.ok()) return judge.error();
  auto prompt = OperationsPrompt((*judge)->reference(), task);
  Return(std::move(*judge));
  return prompt;
}

}  // namespace akgen::generate
