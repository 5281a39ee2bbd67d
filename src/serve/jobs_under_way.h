// Jobs from the moment they are accepted until they end: the queue, equal work that is judged once,
// deadlines. Any thread.
#pragma once
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "serve/job_index.h"
#include "serve/job_reports.h"
#include "serve/judging.h"
#include "serve/kept_jobs.h"

namespace akgen::serve {

class JobsUnderWay {
 public:
  // Work under way, for all jobs with its hash.
  struct Flight {
    std::atomic<bool> stop{false};
  };
  JobsUnderWay(FairQueue::Limits limits, KeptJobs& kept, JobReports& reports);
  ~JobsUnderWay() { Shut(); }

  // A key that this caller has used: the job that it names answers, whatever state it is in.
  bool JoinKnown(Job& job, Done& done);
  // `known`: the answer, where it is known.
  std::string Enter(Job job, std::optional<Answer> known);
  void Resume(Job job);

  void Cancel(const std::string& id);
  bool Withdraw(const std::string& id, const Caller& caller);
  std::optional<JobState> State(const std::string& id, const Caller& caller);
  bool Follow(const std::string& id, const Caller& caller, Watch watch);
  std::vector<JobState> List(const Caller& caller, size_t most);

  // The next job whose work is not under way already; a job that waits for equal work leaves the
  // queue all the same. Waits for one; nothing: shut.
  std::optional<Job> Take(std::shared_ptr<Flight>& flight);
  // All jobs that wait for it are answered, wherever they stand in the queue. Whether somebody else
  // asked for the same is told nobody.
  void Land(const Job& owner, const Judged& judged);
  // Who wanted it is gone; a new job for the same work has a flight of its own.
  void Drop(const Job& owner, const std::shared_ptr<Flight>& flight);

  // Takes no more jobs; waits until the others have ended, at most so long; the rest ends.
  void Stop(std::chrono::milliseconds grace);
  void Shut();  // wakes who waits for jobs
  bool Closed() const;
  std::pair<size_t, size_t> Load() const;  // jobs that wait, flights

 private:
  void KeepTime();
  void Expire(const std::string& id);
  // With the lock held.
  void Queue(Job job, size_t bytes);
  EndedJob Close(const std::string& id, Answer answer);
  void End(const std::string& id, Ending ending, base::Error error);

  KeptJobs& kept_;
  JobReports& reports_;
  mutable std::mutex mutex_;
  std::condition_variable work_, time_, idle_;
  JobIndex jobs_;
  std::map<std::string, std::shared_ptr<Flight>> flights_;  // by hash
  bool closed_ = false, end_ = false;
  std::thread timer_;  // last: it uses the others
};

}  // namespace akgen::serve
