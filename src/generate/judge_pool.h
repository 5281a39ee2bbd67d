// Judges for many threads: as many as may work at a time, each started when it is first needed.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>

#include "generate/generator.h"

namespace akgen::generate {

class JudgePool {
 public:
  explicit JudgePool(int most) : most_(most) {}
  // The candidate lies in a folder of its own while it is judged. AK0013, AK0002.
  base::Result<judge::Judgement> Run(const Files& files, const task::TaskSpec& task, const judge::Options& options);
  base::Result<Made> Plan(const task::TaskSpec& task);
  base::Result<std::vector<Message>> Operations(const task::TaskSpec& task);

 private:
  base::Result<std::unique_ptr<judge::Judge>> Take();
  void Return(std::unique_ptr<judge::Judge> judge);
  int most_, out_ = 0;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<judge::Judge>> idle_;
};

}  // namespace akgen::generate
