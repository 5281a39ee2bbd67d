// The threads of the service: those that judge, the one that keeps deadlines, the one for short
// work.
#include <algorithm>

#include "serve/judge_service.h"

namespace akgen::serve {

// The next job whose work is not under way already; a job that waits for equal work leaves the
// queue all the same.
std::optional<JudgeService::Job> JudgeService::Take(std::shared_ptr<Flight>& flight) {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return end_ || !queue_.empty(); });
    if (end_) return std::nullopt;
    auto it = jobs_.find(*queue_.Next());
    Job& job = it->second;
    job.running = true, job.started = Clock::now();
    if (job.submission.run_limit.count() > 0)
      SetLimit(job, job.started + job.submission.run_limit, "time limit of the run");
    for (const Watch& f : job.watches) f(StateOf(job));
    auto& under_way = flights_[job.hash];
    if (under_way && !under_way->stop) continue;
    flight = under_way = std::make_shared<Flight>();
    if (job.submission.kept) (void)journal_.Begin(job.id);
    return job;
  }
}

Judged JudgeService::JudgeWithRetries(const Job& job, std::optional<judge::Worker>& worker,
                                      const std::atomic<bool>& stop) {
  Judged judged;
  for (int attempt = 0; attempt < options_.tries && !stop; ++attempt) {
    if (!worker) {
      auto started = judge::Worker::Start();
      if (!started.ok()) {
        judged.answer = Without(job.id, Ending::kFault, started.error());
        continue;
      }
      worker.emplace(std::move(*started));
    }
    const int deaths = worker->deaths();
    judged = JudgeOnce(job.submission.work, {seed_, tasks_, hidden_}, *worker, &stop);
    metrics_.Count("akgen_worker_deaths_total", {}, worker->deaths() - deaths);
    if (judged.answer.ending != Ending::kDone ||
        judged.answer.outcome != record::NameOf(record::Verdict::kInfraError))
      break;
    worker.reset();
  }
  return judged;
}

// All jobs that wait for it are answered, wherever they stand in the queue. Whether somebody else
// asked for the same is told nobody.
void JudgeService::Land(const Job& owner, const Judged& judged) {
  const std::string& hash = owner.hash;
  std::vector<Ended> ended;
  {
    std::lock_guard lock(mutex_);
    flights_.erase(hash);
    std::vector<std::string> ids;
    auto [first, last] = by_hash_.equal_range(hash);
    for (auto it = first; it != last; ++it) ids.push_back(it->second);
    for (const std::string& id : ids) {
      Answer answer = judged.answer;
      auto job = jobs_.find(id);
      answer.reused = !job->second.running || job->second.started > owner.started;
      answer.cached = answer.reused &&
                      job->second.submission.caller.principal == owner.submission.caller.principal;
      ended.push_back(Close(job, std::move(answer)));
    }
  }
  for (Ended& e : ended) Tell(std::move(e));
}

void JudgeService::Work() {
  std::optional<judge::Worker> worker;
  int judged_here = 0;
  if (auto started = judge::Worker::Start(); started.ok()) worker.emplace(std::move(*started));
  {
    std::lock_guard lock(mutex_);
    ready_ += worker.has_value();
  }
  for (std::shared_ptr<Flight> flight; auto job = Take(flight);) {
    Judged judged = JudgeWithRetries(*job, worker, flight->stop);
    judged.answer.judged_ms = MsBetween(job->started, Clock::now());
    metrics_.Observe("akgen_judge_seconds", judged.answer.judged_ms / 1000);
    if (judged.keep && !flight->stop && !job->submission.again)
      cache_.Put(job->hash, judged.answer, job->submission.caller.principal);
    if (flight->stop) {
      // Who wanted it is gone; a new job for the same work has a flight of its own.
      std::lock_guard lock(mutex_);
      auto it = flights_.find(job->hash);
      if (it != flights_.end() && it->second == flight) flights_.erase(it);
    } else {
      Land(*job, judged);
    }
    if (++judged_here % std::max(1, options_.recycle_after) == 0 && worker) {
      worker.reset();
      metrics_.Count("akgen_workers_recycled_total");
    }
  }
}

void JudgeService::KeepTime() {
  std::unique_lock lock(mutex_);
  while (!end_) {
    if (expiries_.empty()) {
      time_.wait(lock);
      continue;
    }
    const auto [when, id] = *expiries_.begin();
    if (Clock::now() < when) {
      time_.wait_until(lock, when);
      continue;
    }
    lock.unlock();
    Expire(id);
    lock.lock();
  }
}

// One that outlives its limits has nobody left to tell, and is judged for who asks again.
void JudgeService::Expire(const std::string& id) {
  std::unique_lock lock(mutex_);
  auto it = jobs_.find(id);
  if (it == jobs_.end() || it->second.expires > Clock::now()) return;
  Job& job = it->second;
  base::Error error{"AK0905", "the " + job.limit + " went by", id,
                    "give it longer, or ask again when the queue is shorter"};
  if (!job.submission.outlives_limits) {
    lock.unlock();
    return End(id, Ending::kExpired, std::move(error));
  }
  expiries_.erase({job.expires, id});
  job.expires = Clock::time_point::max();
  std::vector<Done> done;
  done.swap(job.done);
  Answer answer = Without(id, Ending::kExpired, std::move(error));
  answer.queued_ms = MsBetween(job.accepted, job.running ? job.started : Clock::now());
  lock.unlock();
  for (const Done& f : done) f(answer);
}

void JudgeService::WorkAside() {
  std::unique_lock lock(mutex_);
  for (;;) {
    aside_work_.wait(lock, [this] { return end_ || !aside_.empty(); });
    if (end_) return;
    auto work = std::move(aside_.front());
    aside_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace akgen::serve
