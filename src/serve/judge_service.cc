#include "serve/judge_service.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/seed.h"
#include "judge/provenance.h"

namespace akgen::serve {
using base::Error;
using base::Json;

namespace {
double MsBetween(std::chrono::steady_clock::time_point a, std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double, std::milli>(b - a).count();
}

std::string NewId() { return fmt::format("{:013x}{:013x}", base::DrawSeed(), base::DrawSeed()); }

Answer Without(std::string id, Ending ending, Error error) {
  Answer a;
  a.id = std::move(id), a.ending = ending, a.error = std::move(error);
  return a;
}

Error FullError() {
  return {"AK0903", "the queue is full", "", "ask again later; Retry-After says when, /metrics shows the queue"};
}
Error StoppingError() { return {"AK0905", "the server is stopping", "", "ask another one, or this one later"}; }
}  // namespace

void JudgeService::Declare() {
  metrics_.Counter("akgen_judgements_total", "Jobs that ended, by verdict, or by how they ended without one");
  metrics_.Counter("akgen_cache_hits_total", "Jobs answered from the cache or by equal work under way");
  metrics_.Counter("akgen_worker_deaths_total", "Judging processes that died while they judged");
  metrics_.Counter("akgen_workers_recycled_total", "Judging processes replaced after their number of judgements");
  const std::vector<double> bounds{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300};
  metrics_.Histogram("akgen_judge_seconds", "Time of a judgement, without waiting", bounds);
  metrics_.Histogram("akgen_queue_seconds", "Time that jobs waited for their turn", bounds);
  metrics_.Histogram("akgen_stage_seconds", "Time by stage of judgements, all cases together", bounds);
  metrics_.Gauge("akgen_queue_depth", "Jobs that wait for their turn", [this] {
    std::lock_guard lock(mutex_);
    return static_cast<double>(queue_.size());
  });
  metrics_.Gauge("akgen_inflight", "Judgements under way", [this] {
    std::lock_guard lock(mutex_);
    return static_cast<double>(flights_.size());
  });
  metrics_.Gauge("akgen_workers", "Threads that judge", [this] { return static_cast<double>(options_.workers); });
}

JudgeService::JudgeService(Options options, Metrics& metrics)
    : options_(std::move(options)),
      metrics_(metrics),
      cache_(options_.cache),
      seed_(options_.seed.value_or(base::DrawSeed())),
      queue_(options_.queue) {
  Declare();
  (void)judge::HashOfJudge();  // takes a while, once
  for (int i = 0; i < std::max(1, options_.workers); ++i) threads_.emplace_back([this] { Work(); });
  threads_.emplace_back([this] { KeepTime(); });
}

JudgeService::~JudgeService() {
  Stop(std::chrono::milliseconds(0));
  {
    std::lock_guard lock(mutex_);
    end_ = true;
    work_.notify_all(), time_.notify_all();
  }
  for (std::thread& t : threads_) t.join();
}

bool JudgeService::Ready() const {
  std::lock_guard lock(mutex_);
  return !closed_ && ready_ > 0;
}

void JudgeService::Stop(std::chrono::milliseconds grace) {
  std::vector<std::string> left;
  {
    std::unique_lock lock(mutex_);
    closed_ = true;
    idle_.wait_for(lock, grace, [this] { return jobs_.empty(); });
    for (const auto& [id, job] : jobs_) left.push_back(id);
  }
  for (const std::string& id : left) End(id, Ending::kStopping, StoppingError());
}

std::string JudgeService::Submit(Submission submission, Done done) {
  const std::string id = NewId();
  if (auto checked = CheckWork(submission.work, tasks_); !checked.ok()) {
    done(Without(id, Ending::kInvalid, checked.error()));
    return id;
  }
  Job job;
  job.id = id, job.hash = KeyOfWork(submission.work, seed_, tasks_);
  job.submission = std::move(submission);
  job.done.push_back(std::move(done));
  job.accepted = Clock::now();
  if (job.submission.again) job.hash += id;
  if (auto known = job.submission.again ? std::nullopt : cache_.Get(job.hash)) {
    known->id = id;
    Tell({std::move(job), std::move(*known)});
    return id;
  }
  std::unique_lock lock(mutex_);
  const size_t bytes = BytesOf(job.submission.work);
  if (closed_ || !queue_.HasRoom(job.submission.caller, bytes)) {
    Answer refused =
        closed_ ? Without(id, Ending::kStopping, StoppingError()) : Without(id, Ending::kOverloaded, FullError());
    lock.unlock();
    Tell({std::move(job), std::move(refused)});
    return id;
  }
  if (job.submission.deadline.count() > 0) {
    job.expires = job.accepted + job.submission.deadline;
    expiries_.emplace(job.expires, id);
    time_.notify_all();
  }
  queue_.Add(id, job.submission.caller, job.submission.priority, bytes);
  by_hash_.emplace(job.hash, id);
  jobs_.emplace(id, std::move(job));
  work_.notify_one();
  return id;
}

void JudgeService::Cancel(const std::string& id) {
  {
    std::lock_guard lock(mutex_);
    auto it = jobs_.find(id);
    if (it == jobs_.end() || it->second.submission.kept) return;
  }
  End(id, Ending::kCancelled, {"AK0905", "the caller left or took the job back", id, ""});
}

std::optional<JobState> JudgeService::State(const std::string& id, const Caller& caller) {
  std::lock_guard lock(mutex_);
  auto it = jobs_.find(id);
  if (it == jobs_.end() || it->second.submission.caller.principal != caller.principal) return std::nullopt;
  return JobState{id, it->second.running ? "running" : "queued", queue_.Ahead(id), std::nullopt};
}

// Nobody waits for work whose last job is gone.
JudgeService::Ended JudgeService::Close(std::map<std::string, Job>::iterator it, Answer answer) {
  Ended out{std::move(it->second), std::move(answer)};
  jobs_.erase(it);
  queue_.Remove(out.job.id);
  expiries_.erase({out.job.expires, out.job.id});
  auto [first, last] = by_hash_.equal_range(out.job.hash);
  by_hash_.erase(std::find_if(first, last, [&](const auto& e) { return e.second == out.job.id; }));
  if (auto flight = flights_.find(out.job.hash); flight != flights_.end() && !by_hash_.contains(out.job.hash))
    flight->second->stop = true;
  out.answer.id = out.job.id;
  if (jobs_.empty()) idle_.notify_all();
  return out;
}

void JudgeService::End(const std::string& id, Ending ending, Error error) {
  std::unique_lock lock(mutex_);
  auto it = jobs_.find(id);
  if (it == jobs_.end()) return;
  Ended ended = Close(it, Without(id, ending, std::move(error)));
  lock.unlock();
  Tell(std::move(ended));
}

void JudgeService::Tell(Ended&& ended) {
  Answer& a = ended.answer;
  const auto now = Clock::now();
  const bool done = a.ending == Ending::kDone;
  if (ended.job.started == Clock::time_point()) ended.job.started = now;
  a.queued_ms = a.cached && !ended.job.running ? 0 : MsBetween(ended.job.accepted, ended.job.started);
  metrics_.Count("akgen_judgements_total", {{"verdict", done ? a.outcome : std::string(NameOf(a.ending))}});
  if (a.cached) metrics_.Count("akgen_cache_hits_total");
  metrics_.Observe("akgen_queue_seconds", a.queued_ms / 1000);
  if (options_.log) {
    const auto& work = std::get<JudgeWork>(ended.job.submission.work);
    options_.log({{"event", "job"},
                  {"id", a.id},
                  {"principal", ended.job.submission.caller.principal},
                  {"client", ended.job.submission.caller.name},
                  {"task", work.task.substr(0, 100)},
                  {"ending", NameOf(a.ending)},
                  {"outcome", a.outcome},
                  {"cached", a.cached},
                  {"queued_ms", a.queued_ms},
                  {"judged_ms", a.judged_ms}});
  }
  for (const Done& f : ended.job.done) f(a);
}

// The next job whose work is not under way already; a job that waits for equal work leaves the queue all the same.
std::optional<JudgeService::Job> JudgeService::Take(std::shared_ptr<Flight>& flight) {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return end_ || !queue_.empty(); });
    if (end_) return std::nullopt;
    auto it = jobs_.find(*queue_.Next());
    Job& job = it->second;
    job.running = true, job.started = Clock::now();
    auto& under_way = flights_[job.hash];
    if (under_way && !under_way->stop) continue;
    flight = under_way = std::make_shared<Flight>();
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

}  // namespace akgen::serve
