// The threads of the service: those that judge, the one that keeps deadlines, the one for short work.
#include <algorithm>

#include "serve/judge_service.h"

namespace akgen::serve {

// The next job whose work is not under way already; a job that waits for equal work leaves the queue all the same.
std::optional<JudgeService::Job> JudgeService::Take(std::shared_ptr<Flight>& flight) {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return end_ || !queue_.empty(); });
    if (end_) return std::nullopt;
    auto it = jobs_.find(*queue_.Next());
    Job& job = it->second;
    job.running = true, job.started = Clock::now();
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
    judged = JudgeOnce(job.submission.work, seed_, tasks_, *worker, &stop);
    metrics_.Count("akgen_worker_deaths_total", {}, worker->deaths() - deaths);
    if (judged.answer.ending != Ending::kDone || judged.answer.outcome != record::NameOf(record::Verdict::kInfraError))
      break;
    worker.reset();
  }
  return judged;
}

// All jobs that wait for it are answered, wherever they stand in the queue.
void JudgeService::Land(const std::string& hash, const Judged& judged, Clock::time_point started) {
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
      answer.cached = !job->second.running || job->second.started > started;
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
    if (judged.keep && !flight->stop && !job->submission.again) cache_.Put(job->hash, judged.answer);
    if (flight->stop) {
      // Who wanted it is gone; a new job for the same work has a flight of its own.
      std::lock_guard lock(mutex_);
      auto it = flights_.find(job->hash);
      if (it != flights_.end() && it->second == flight) flights_.erase(it);
    } else {
      Land(job->hash, judged, job->started);
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
    End(id, Ending::kExpired,
        {"AK0905", "the deadline of the request went by", id,
         "give it longer, or ask again when the queue is shorter"});
    lock.lock();
  }
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
