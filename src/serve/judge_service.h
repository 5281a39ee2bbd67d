// The service over judging processes of this machine: one queue, threads that each hold one
// process, verdicts by content, deadlines.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "serve/answer_cache.h"
#include "serve/history.h"
#include "serve/job_reports.h"
#include "serve/jobs_under_way.h"
#include "serve/journal.h"
#include "serve/judging.h"
#include "serve/kept_jobs.h"
#include "serve/metrics.h"
#include "serve/service.h"
#include "serve/work_queue.h"

namespace akgen::serve {

class JudgeService final : public Service {
 public:
  struct Options {
    int workers = 1;
    std::string name;              // begins the ids of jobs (serve/balancer.h); empty: nothing does
    std::optional<uint64_t> seed;  // of inputs where a request names none; default: drawn
    int hidden = 4;                // hidden cases of a judgement that does not say how many
    std::optional<TaskChoice> tasks;  // default: the benchmark
    FairQueue::Limits queue;
    AnswerCache::Options cache;
    History::Limits history;
    int recycle_after = 500;  // judgements after which a process is replaced
    int tries = 4;            // of a job whose judging process dies, which is replaced each time
    std::function<void(const base::Json&)> log;  // one event each, any thread
  };
  // `journal` outlives it. What it holds that has not ended is resumed.
  JudgeService(Options options, Journal& journal, Metrics& metrics);
  ~JudgeService() override;
  // Takes no more jobs; waits until those in the queue are judged, at most so long; the rest ends
  // as kStopping, and what is kept resumes with the next server.
  void Stop(std::chrono::milliseconds grace) { jobs_.Stop(grace); }

  std::string Submit(Submission submission, Done done) override;
  void Cancel(const std::string& id) override { jobs_.Cancel(id); }
  bool Withdraw(const std::string& id, const Caller& caller) override {
    return jobs_.Withdraw(id, caller);
  }
  std::optional<JobState> State(const std::string& id, const Caller& caller) override {
    return jobs_.State(id, caller);
  }
  bool Follow(const std::string& id, const Caller& caller, Watch watch) override {
    return jobs_.Follow(id, caller, std::move(watch));
  }
  std::vector<JobState> UnderWay(const Caller& caller, size_t most) override {
    return jobs_.List(caller, most);
  }
  std::vector<Seen> Recent(const Caller& caller, size_t most) override {
    return history_.Recent(caller, most);
  }
  std::optional<Seen> Find(const std::string& id, const Caller& caller) override {
    return history_.Find(id, caller);
  }
  bool Aside(std::function<void()> work) override {
    return !jobs_.Closed() && short_work_.Add(std::move(work));
  }
  const std::vector<task::TaskInfo>& Tasks() const override { return tasks_.all(); }
  const std::vector<TaskSplit>& Splits() const override { return tasks_.splits(); }
  base::Result<task::TaskSpec> Task(const std::string& name) const override {
    return tasks_.Load(name);
  }
  uint64_t Seed() const override { return seed_; }
  std::string Name() const override { return options_.name; }
  ServiceLoad Load() const override;
  bool Ready() const override { return !jobs_.Closed() && ready_ > 0; }

 private:
  void Work();

  Options options_;
  Metrics& metrics_;
  TaskList tasks_;
  HiddenDraws hidden_;
  AnswerCache cache_;
  History history_;
  uint64_t seed_;
  KeptJobs kept_;
  JobReports reports_;
  JobsUnderWay jobs_;
  WorkQueue short_work_{1, 1000};  // what takes little time
  std::atomic<int> ready_ = 0;     // workers that have a process
  std::vector<std::thread> threads_;
};

}  // namespace akgen::serve
