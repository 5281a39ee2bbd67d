// Judges for many threads: as many as may work at a time, each started when it is first needed.
#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "generate/generator.h"

namespace akgen::generate {

// What is asked of a candidate beyond the cases that its author knows.
struct Trial {
  int hidden = 0;                         // hidden cases that a pass takes as well
  uint64_t hidden_seed = 0;               // of their shapes and values
  std::optional<uint64_t> feedback_seed;  // a wrong answer is judged with it again, on the case that failed
};
struct Trialed {
  judge::Judgement shown;                  // on the cases that its author knows
  std::optional<judge::Judgement> hidden;  // where those passed
  std::optional<judge::Judgement> again;   // of one case, with the seed of feedback
  const judge::Judgement& Last() const { return hidden ? *hidden : shown; }
  record::Verdict verdict() const { return Last().verdict; }
  bool sealed() const { return record::IsSealed(shown.backend); }  // all are judged alike
  std::string reason() const {
    return hidden && !hidden->reason.empty() ? "hidden cases: " + hidden->reason : shown.reason;
  }
};

class JudgePool {
 public:
  explicit JudgePool(int most) : most_(most) {}
  // The candidate lies in a folder of its own while it is judged. AK0013, AK0002, AK0113.
  base::Result<Trialed> Run(const Files& files, const task::TaskSpec& task, const judge::Options& options,
                            const Trial& trial);
  base::Result<Made> Plan(const task::TaskSpec& task, const craft::Target& target);
  base::Result<std::vector<Message>> Operations(const task::TaskSpec& task);

 private:
  base::Result<std::unique_ptr<judge::Judge>> Take();
  void Return(std::unique_ptr<judge::Judge> judge);
  base::Result<Trialed> Try(judge::Judge& judge, const std::string& dir, const task::TaskSpec& task,
                            const judge::Options& options, const Trial& trial);
  base::Result<std::vector<task::CaseRow>> Hidden(judge::Judge& judge, const task::TaskSpec& task, const Trial& trial);
  int most_, out_ = 0;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<judge::Judge>> idle_;
  using HiddenKey = std::tuple<std::string, uint64_t, int>;  // task, seed, number
  std::map<HiddenKey, std::vector<task::CaseRow>> hidden_;
};

}  // namespace akgen::generate
