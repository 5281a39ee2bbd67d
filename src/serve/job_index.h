// Jobs that were accepted and have not ended, by everything that they are found by.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "serve/fair_queue.h"
#include "serve/service.h"

namespace akgen::serve {

using JobClock = std::chrono::steady_clock;
inline double MsBetween(JobClock::time_point a, JobClock::time_point b) {
  return std::chrono::duration<double, std::milli>(b - a).count();
}

// One submission that was accepted.
struct Job {
  std::string id, hash, fingerprint;
  Submission submission;
  std::vector<Done> done;
  std::vector<Watch> watches;
  JobClock::time_point accepted, started, expires = JobClock::time_point::max();
  bool running = false;
  std::string limit;  // which one goes by at `expires`
};
struct EndedJob {
  Job job;
  Answer answer;
};

// One thread at a time. Jobs stay where they are until they are removed.
class JobIndex {
 public:
  explicit JobIndex(FairQueue::Limits limits) : queue_(limits) {}

  bool HasRoom(const Caller& caller, size_t bytes) const { return queue_.HasRoom(caller, bytes); }
  void Add(Job job, size_t bytes);  // to the queue's end
  Job& Next();                      // leaves the queue, in which there is one
  Job Remove(const std::string& id);

  Job* Find(const std::string& id);
  Job* FindByKey(const std::string& principal, const std::string& key);
  std::vector<std::string> WithHash(const std::string& hash) const;
  bool HasHash(const std::string& hash) const { return by_hash_.contains(hash); }
  std::vector<std::string> Ids() const;
  // Those of this caller, running ones first.
  std::vector<JobState> List(const Caller& caller, size_t most) const;
  JobState StateOf(const Job& job) const;
  size_t Waiting() const { return queue_.size(); }
  bool empty() const { return jobs_.empty(); }

  // The earliest of a job's limits holds. False: it has an earlier one.
  bool SetLimit(Job& job, JobClock::time_point when, const char* limit);
  void DropLimit(Job& job);
  std::optional<std::pair<JobClock::time_point, std::string>> FirstLimit() const;

 private:
  FairQueue queue_;
  std::map<std::string, Job> jobs_;                  // by id
  std::multimap<std::string, std::string> by_hash_;  // hash -> id
  std::set<std::pair<JobClock::time_point, std::string>> expiries_;
  std::map<std::pair<std::string, std::string>, std::string> by_key_;  // principal and key -> id
};

}  // namespace akgen::serve
