#include "serve/job_index.h"

#include <algorithm>

#include "serve/judging.h"
#include "serve/submission.h"

namespace akgen::serve {

void JobIndex::Add(Job job, size_t bytes) {
  const std::string id = job.id;
  queue_.Add(id, job.submission.caller, job.submission.priority, bytes);
  by_hash_.emplace(job.hash, id);
  if (!job.submission.key.empty())
    by_key_[{job.submission.caller.principal, job.submission.key}] = id;
  jobs_.emplace(id, std::move(job));
}

Job& JobIndex::Next() { return jobs_.at(*queue_.Next()); }

Job JobIndex::Remove(const std::string& id) {
  auto it = jobs_.find(id);
  Job job = std::move(it->second);
  jobs_.erase(it);
  queue_.Remove(job.id);
  expiries_.erase({job.expires, job.id});
  auto [first, last] = by_hash_.equal_range(job.hash);
  by_hash_.erase(std::find_if(first, last, [&](const auto& e) { return e.second == job.id; }));
  if (!job.submission.key.empty())
    by_key_.erase({job.submission.caller.principal, job.submission.key});
  return job;
}

Job* JobIndex::Find(const std::string& id) {
  auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : &it->second;
}

Job* JobIndex::FindByKey(const std::string& principal, const std::string& key) {
  auto it = by_key_.find({principal, key});
  return it == by_key_.end() ? nullptr : &jobs_.at(it->second);
}

std::vector<std::string> JobIndex::WithHash(const std::string& hash) const {
  std::vector<std::string> ids;
  auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) ids.push_back(it->second);
  return ids;
}

std::vector<std::string> JobIndex::Ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, job] : jobs_) ids.push_back(id);
  return ids;
}

std::vector<JobState> JobIndex::List(const Caller& caller, size_t most) const {
  std::vector<JobState> out;
  for (bool running : {true, false})
    for (const auto& [id, job] : jobs_)
      if (out.size() < most && job.running == running &&
          job.submission.caller.principal == caller.principal)
        out.push_back(
            {id, running ? "running" : "queued", SubjectOf(job.submission.work), 0, std::nullopt});
  return out;
}

JobState JobIndex::StateOf(const Job& job) const {
  return {job.id, job.running ? "running" : "queued", SubjectOf(job.submission.work),
          queue_.Ahead(job.id), std::nullopt};
}

bool JobIndex::SetLimit(Job& job, JobClock::time_point when, const char* limit) {
  if (when >= job.expires) return false;
  expiries_.erase({job.expires, job.id});
  job.expires = when, job.limit = limit;
  expiries_.emplace(when, job.id);
  return true;
}

void JobIndex::DropLimit(Job& job) {
  expiries_.erase({job.expires, job.id});
  job.expires = JobClock::time_point::max();
}

std::optional<std::pair<JobClock::time_point, std::string>> JobIndex::FirstLimit() const {
  return expiries_.empty() ? std::nullopt : std::optional(*expiries_.begin());
}

}  // namespace akgen::serve
