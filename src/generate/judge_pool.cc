#include "generate/judge_pool.h"

#include "base/files.h"

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

Result<judge::Judgement> JudgePool::Run(const Files& files, const task::TaskSpec& task, const judge::Options& options) {
  auto dir = base::TempDir::Create();
  if (!dir.ok()) return dir.error();
  for (const auto& [path, content] : files) {
    std::error_code ec;
    std::filesystem::create_directories((dir->path() / path).parent_path(), ec);
    if (auto s = base::WriteFileAtomic(dir->path() / path, content); !s.ok()) return s.error();
  }
  auto judge = Take();
  if (!judge.ok()) return judge.error();
  judge::Judgement j = (*judge)->Run(dir->path().string(), task, options);
  Return(std::move(*judge));
  return j;
}

Result<Made> JudgePool::Plan(const task::TaskSpec& task) {
  auto judge = Take();
  if (!judge.ok()) return judge.error();
  auto made = MakeByPlan((*judge)->reference(), task);
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
