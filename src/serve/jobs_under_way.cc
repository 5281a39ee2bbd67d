#include "serve/jobs_under_way.h"

#include "serve/answer_cache.h"
#include "serve/submission.h"

namespace akgen::serve {
using base::Error;

namespace {
Error FullError() {
  return {"AK0903", "the queue is full", "",
          "ask again later; Retry-After says when, /metrics shows the queue"};
}
Error StoppingError() {
  return {"AK0905", "the server is stopping", "", "ask another one, or this one later"};
}
}  // namespace

JobsUnderWay::JobsUnderWay(FairQueue::Limits limits, KeptJobs& kept, JobReports& reports)
    : kept_(kept), reports_(reports), jobs_(limits), timer_([this] { KeepTime(); }) {}

void JobsUnderWay::Stop(std::chrono::milliseconds grace) {
  std::vector<std::string> left;
  {
    std::unique_lock lock(mutex_);
    closed_ = true;
    idle_.wait_for(lock, grace, [this] { return jobs_.empty(); });
    left = jobs_.Ids();
  }
  for (const std::string& id : left) End(id, Ending::kStopping, StoppingError());
}

void JobsUnderWay::Shut() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
    work_.notify_all(), time_.notify_all();
  }
  if (timer_.joinable()) timer_.join();
}

bool JobsUnderWay::Closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

std::pair<size_t, size_t> JobsUnderWay::Load() const {
  std::lock_guard lock(mutex_);
  return {jobs_.Waiting(), flights_.size()};
}

bool JobsUnderWay::JoinKnown(Job& job, Done& done) {
  const Caller& caller = job.submission.caller;
  std::string known, answer, id;
  {
    std::lock_guard lock(mutex_);
    if (Job* under_way = jobs_.FindByKey(caller.principal, job.submission.key)) {
      known = under_way->fingerprint;
      if (known == job.fingerprint) {
        under_way->done.push_back(std::move(done));
        job.id = under_way->id;
        return true;
      }
      id = under_way->id;
    }
  }
  if (known.empty()) {
    auto entry = kept_.EndedByKey(caller, job.submission.key);
    if (!entry) return false;
    known = entry->fingerprint, answer = entry->answer, id = entry->id;
  }
  Answer told = Without(id, Ending::kConflict,
                        {"AK0907", "the idempotency key belongs to other work", job.submission.key,
                         "use a new key for new work"});
  if (known == job.fingerprint) {
    auto kept = AnswerFromJson(base::Parse(answer));
    if (!kept.ok()) return false;
    told = std::move(*kept);
    told.id = id, told.cached = told.reused = true;
    job.id = id;
  }
  done(told);
  return true;
}

std::string JobsUnderWay::Enter(Job job, std::optional<Answer> known) {
  const std::string id = job.id;
  std::unique_lock lock(mutex_);
  const size_t bytes = BytesOf(job.submission.work);
  std::optional<Answer> at_once;
  if (closed_)
    at_once = Without(id, Ending::kStopping, StoppingError());
  else if (!known && !jobs_.HasRoom(job.submission.caller, bytes))
    at_once = Without(id, Ending::kOverloaded, FullError());
  else if (at_once = kept_.Promise(job); !at_once && known) {
    at_once = std::move(known);
    if (job.submission.kept) kept_.NoteKnown(id, *at_once);
  }
  if (at_once) {
    lock.unlock();
    at_once->id = id;
    reports_.Tell({std::move(job), std::move(*at_once)});
    return id;
  }
  Queue(std::move(job), bytes);
  return id;
}

void JobsUnderWay::Resume(Job job) {
  std::lock_guard lock(mutex_);
  const size_t bytes = BytesOf(job.submission.work);
  Queue(std::move(job), bytes);
}

void JobsUnderWay::Queue(Job job, size_t bytes) {
  const bool limited =
      job.submission.deadline.count() > 0 &&
      jobs_.SetLimit(job, job.accepted + job.submission.deadline, "deadline of the request");
  jobs_.Add(std::move(job), bytes);
  if (limited) time_.notify_all();
  work_.notify_one();
}

void JobsUnderWay::Cancel(const std::string& id) {
  {
    std::lock_guard lock(mutex_);
    const Job* job = jobs_.Find(id);
    if (!job || job->submission.kept) return;
  }
  End(id, Ending::kCancelled, {"AK0905", "the caller left", id, ""});
}

bool JobsUnderWay::Withdraw(const std::string& id, const Caller& caller) {
  {
    std::lock_guard lock(mutex_);
    const Job* job = jobs_.Find(id);
    if (!job || job->submission.caller.principal != caller.principal) return false;
  }
  End(id, Ending::kCancelled, {"AK0905", "the job was taken back", id, ""});
  return true;
}

std::optional<JobState> JobsUnderWay::State(const std::string& id, const Caller& caller) {
  {
    std::lock_guard lock(mutex_);
    if (const Job* job = jobs_.Find(id)) {
      if (job->submission.caller.principal != caller.principal) return std::nullopt;
      return jobs_.StateOf(*job);
    }
  }
  auto answer = kept_.AnswerOf(id, caller);
  if (!answer) return std::nullopt;
  return JobState{id, "done", "", 0, std::move(*answer)};
}

bool JobsUnderWay::Follow(const std::string& id, const Caller& caller, Watch watch) {
  auto state = State(id, caller);
  if (!state) return false;
  if (state->state != "done") {
    std::lock_guard lock(mutex_);
    if (Job* job = jobs_.Find(id)) {
      watch(jobs_.StateOf(*job));
      job->watches.push_back(std::move(watch));
      return true;
    }
  }
  if (state->state != "done") state = State(id, caller);  // it ended in between
  if (!state) return false;
  watch(*state);
  return true;
}

std::vector<JobState> JobsUnderWay::List(const Caller& caller, size_t most) {
  std::lock_guard lock(mutex_);
  return jobs_.List(caller, most);
}

std::optional<Job> JobsUnderWay::Take(std::shared_ptr<Flight>& flight) {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return end_ || jobs_.Waiting() > 0; });
    if (end_) return std::nullopt;
    Job& job = jobs_.Next();
    job.running = true, job.started = JobClock::now();
    if (job.submission.run_limit.count() > 0 &&
        jobs_.SetLimit(job, job.started + job.submission.run_limit, "time limit of the run"))
      time_.notify_all();
    for (const Watch& f : job.watches) f(jobs_.StateOf(job));
    auto& under_way = flights_[job.hash];
    if (under_way && !under_way->stop) continue;
    flight = under_way = std::make_shared<Flight>();
    kept_.Begin(job);
    return job;
  }
}

void JobsUnderWay::Land(const Job& owner, const Judged& judged) {
  std::vector<EndedJob> ended;
  {
    std::lock_guard lock(mutex_);
    flights_.erase(owner.hash);
    for (const std::string& id : jobs_.WithHash(owner.hash)) {
      const Job& job = *jobs_.Find(id);
      Answer answer = judged.answer;
      answer.reused = !job.running || job.started > owner.started;
      answer.cached =
          answer.reused && job.submission.caller.principal == owner.submission.caller.principal;
      ended.push_back(Close(id, std::move(answer)));
    }
  }
  for (EndedJob& e : ended) reports_.Tell(std::move(e));
}

void JobsUnderWay::Drop(const Job& owner, const std::shared_ptr<Flight>& flight) {
  std::lock_guard lock(mutex_);
  auto it = flights_.find(owner.hash);
  if (it != flights_.end() && it->second == flight) flights_.erase(it);
}

// Nobody waits for work whose last job is gone.
EndedJob JobsUnderWay::Close(const std::string& id, Answer answer) {
  EndedJob out{jobs_.Remove(id), std::move(answer)};
  if (auto flight = flights_.find(out.job.hash);
      flight != flights_.end() && !jobs_.HasHash(out.job.hash))
    flight->second->stop = true;
  out.answer.id = out.job.id;
  kept_.Note(out);
  if (jobs_.empty()) idle_.notify_all();
  return out;
}

void JobsUnderWay::End(const std::string& id, Ending ending, Error error) {
  std::unique_lock lock(mutex_);
  if (!jobs_.Find(id)) return;
  EndedJob ended = Close(id, Without(id, ending, std::move(error)));
  lock.unlock();
  reports_.Tell(std::move(ended));
}

void JobsUnderWay::KeepTime() {
  std::unique_lock lock(mutex_);
  while (!end_) {
    const auto first = jobs_.FirstLimit();
    if (!first) {
      time_.wait(lock);
      continue;
    }
    if (JobClock::now() < first->first) {
      time_.wait_until(lock, first->first);
      continue;
    }
    lock.unlock();
    Expire(first->second);
    lock.lock();
  }
}

// One that outlives its limits has nobody left to tell, and is judged for who asks again.
void JobsUnderWay::Expire(const std::string& id) {
  std::unique_lock lock(mutex_);
  Job* job = jobs_.Find(id);
  if (!job || job->expires > JobClock::now()) return;
  Error error{"AK0905", "the " + job->limit + " went by", id,
              "give it longer, or ask again when the queue is shorter"};
  if (!job->submission.outlives_limits) {
    lock.unlock();
    return End(id, Ending::kExpired, std::move(error));
  }
  jobs_.DropLimit(*job);
  std::vector<Done> done;
  done.swap(job->done);
  Answer answer = Without(id, Ending::kExpired, std::move(error));
  answer.queued_ms = MsBetween(job->accepted, job->running ? job->started : JobClock::now());
  lock.unlock();
  for (const Done& f : done) f(answer);
}

}  // namespace akgen::serve
