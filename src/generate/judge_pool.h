// What a candidate's answer goes through: cases that its author knows, hidden ones, feedback. For
// many threads, by the workers of judge/pool/pool.h.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "generate/generator.h"
#include "judge/pool/pool.h"

namespace akgen::generate {

// What is asked of a candidate beyond the cases that its author knows.
struct Trial {
  int hidden = 0;            // hidden cases that a pass takes as well
  uint64_t hidden_seed = 0;  // of their shapes and values
  std::optional<uint64_t>
      feedback_seed;  // a wrong answer is judged with it again, on the case that failed
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
  explicit JudgePool(int most) : workers_(most) {}
  // The candidate lies in a folder of its own while it is judged. AK0013, AK0002, AK0113.
  base::Result<Trialed> Run(const Files& files, const task::TaskSpec& task,
                            const judge::Options& options, const Trial& trial);
  base::Result<Made> Plan(const task::TaskSpec& task, const craft::Target& target);
  base::Result<std::vector<Message>> Operations(const task::TaskSpec& task);

 private:
  base::Result<Trialed> Try(judge::Worker& worker, const std::string& dir,
                            const task::TaskSpec& task, const judge::Options& options,
                            const Trial& trial);
  base::Result<std::vector<task::CaseRow>> Hidden(const task::TaskSpec& task, const Trial& trial,
                                                  bool wide);
  judge::Pool workers_;
  std::mutex mutex_;
  using HiddenKey = std::tuple<std::string, uint64_t, int, bool>;  // task, seed, number, widened
  std::map<HiddenKey, std::vector<task::CaseRow>> hidden_;
};

}  // namespace akgen::generate
