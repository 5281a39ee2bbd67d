// The service over judging processes of this machine: one queue, threads that each hold one
// process, verdicts by content, deadlines.
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <set>
#include <thread>

#include "serve/answer_cache.h"
#include "serve/fair_queue.h"
#include "serve/history.h"
#include "serve/journal.h"
#include "serve/judging.h"
#include "serve/metrics.h"
#include "serve/service.h"

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
  void Stop(std::chrono::milliseconds grace);

  std::string Submit(Submission submission, Done done) override;
  void Cancel(const std::string& id) override;
  bool Withdraw(const std::string& id, const Caller& caller) override;
  std::optional<JobState> State(const std::string& id, const Caller& caller) override;
  bool Follow(const std::string& id, const Caller& caller, Watch watch) override;
  std::vector<JobState> UnderWay(const Caller& caller, size_t most) override;
  std::vector<Seen> Recent(const Caller& caller, size_t most) override {
    return history_.Recent(caller, most);
  }
  std::optional<Seen> Find(const std::string& id, const Caller& caller) override {
    return history_.Find(id, caller);
  }
  bool Aside(std::function<void()> work) override;
  const std::vector<task::TaskInfo>& Tasks() const override { return tasks_.all(); }
  const std::vector<TaskSplit>& Splits() const override { return tasks_.splits(); }
  base::Result<task::TaskSpec> Task(const std::string& name) const override {
    return tasks_.Load(name);
  }
  uint64_t Seed() const override { return seed_; }
  std::string Name() const override { return options_.name; }
  ServiceLoad Load() const override;
  bool Ready() const override;

 private:
  using Clock = std::chrono::steady_clock;
  static double MsBetween(Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double, std::milli>(b - a).count();
  }
  // One submission that was accepted.
  struct Job {
    std::string id, hash, fingerprint;
    Submission submission;
    std::vector<Done> done;
    std::vector<Watch> watches;
    Clock::time_point accepted, started, expires = Clock::time_point::max();
    bool running = false;
    std::string limit;  // which one goes by at `expires`
  };
  // Work under way, for all jobs with its hash.
  struct Flight {
    std::atomic<bool> stop{false};
  };
  struct Ended {  // what is called outside of the lock
    Job job;
    Answer answer;
  };

  void Work();
  void WorkAside();
  void Resume();
  bool JoinKnown(Job& job, Done& done);
  std::string Enter(Job job);
  void Queue(Job job, size_t bytes);
  void Note(const Ended& ended);
  std::optional<Answer> Promise(const Job& job);
  JobState StateOf(const Job& job) const;
  void KeepTime();
  Judged JudgeWithRetries(const Job& job, std::optional<judge::Worker>& worker,
                          const std::atomic<bool>& stop);
  std::optional<Job> Take(std::shared_ptr<Flight>& flight);
  void Land(const Job& owner, const Judged& judged);
  void SetLimit(Job& job, Clock::time_point when, const char* limit);
  void Expire(const std::string& id);
  // With the lock held: the job leaves all tables.
  Ended Close(std::map<std::string, Job>::iterator job, Answer answer);
  void End(const std::string& id, Ending ending, base::Error error);
  void Tell(Ended&& ended);
  void Declare();

  Options options_;
  Journal& journal_;
  Metrics& metrics_;
  TaskList tasks_;
  HiddenDraws hidden_;
  AnswerCache cache_;
  History history_;
  uint64_t seed_;
  mutable std::mutex mutex_;
  std::condition_variable work_, time_, idle_;
  FairQueue queue_;
  std::map<std::string, Job> jobs_;                         // under way, by id
  std::multimap<std::string, std::string> by_hash_;         // hash -> id
  std::map<std::string, std::shared_ptr<Flight>> flights_;  // by hash
  std::set<std::pair<Clock::time_point, std::string>> expiries_;
  std::map<std::pair<std::string, std::string>, std::string>
      by_key_;  // principal and key -> id, of jobs under way
  std::deque<std::function<void()>> aside_;
  std::condition_variable aside_work_;
  uint64_t ended_ = 0;
  bool closed_ = false, end_ = false;
  int ready_ = 0;  // workers that have a process
  std::vector<std::thread> threads_;
};

}  // namespace akgen::serve
