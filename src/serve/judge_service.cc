#include "serve/judge_service.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "base/seed.h"
#include "judge/session/provenance.h"
#include "serve/balancer.h"
#include "serve/submission.h"

namespace akgen::serve {
using base::Error;
using base::Json;

namespace {
std::string NewId() { return fmt::format("{:013x}{:013x}", base::DrawSeed(), base::DrawSeed()); }

constexpr int64_t kKeepEndedS = 24 * 3600, kMaxEnded = 100000;
constexpr uint64_t kPruneEvery = 1000;
constexpr int kMaxAttempts = 2;  // servers that may die of one job
constexpr size_t kMaxAside = 1000;

Error FullError() {
  return {"AK0903", "the queue is full", "",
          "ask again later; Retry-After says when, /metrics shows the queue"};
}
Error StoppingError() {
  return {"AK0905", "the server is stopping", "", "ask another one, or this one later"};
}
}  // namespace

void JudgeService::Declare() {
  metrics_.Counter("akgen_judgements_total",
                   "Jobs that ended, by verdict, or by how they ended without one");
  metrics_.Counter("akgen_cache_hits_total",
                   "Jobs answered from the cache or by equal work under way");
  metrics_.Counter("akgen_worker_deaths_total", "Judging processes that died while they judged");
  metrics_.Counter("akgen_workers_recycled_total",
                   "Judging processes replaced after their number of judgements");
  const std::vector<double> bounds{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                   2.5,  5,     10,   30,  60,   120, 300};
  metrics_.Histogram("akgen_judge_seconds", "Time of a judgement, without waiting", bounds);
  metrics_.Histogram("akgen_queue_seconds", "Time that jobs waited for their turn", bounds);
  metrics_.Histogram("akgen_stage_seconds", "Time by stage of judgements, all cases together",
                     bounds);
  metrics_.Gauge("akgen_queue_depth", "Jobs that wait for their turn", [this] {
    std::lock_guard lock(mutex_);
    return static_cast<double>(queue_.size());
  });
  metrics_.Gauge("akgen_inflight", "Judgements under way", [this] {
    std::lock_guard lock(mutex_);
    return static_cast<double>(flights_.size());
  });
  metrics_.Gauge("akgen_workers", "Threads that judge",
                 [this] { return static_cast<double>(options_.workers); });
}

JudgeService::JudgeService(Options options, Journal& journal, Metrics& metrics)
    : options_(std::move(options)),
      journal_(journal),
      metrics_(metrics),
      tasks_(options_.tasks ? std::move(*options_.tasks) : BenchmarkTasks()),
      cache_(options_.cache),
      history_(options_.history),
      seed_(options_.seed.value_or(base::DrawSeed())),
      queue_(options_.queue) {
  Declare();
  (void)judge::HashOfJudge();  // takes a while, once
  Resume();
  for (int i = 0; i < std::max(1, options_.workers); ++i) threads_.emplace_back([this] { Work(); });
  threads_.emplace_back([this] { KeepTime(); });
  threads_.emplace_back([this] { WorkAside(); });
}

JudgeService::~JudgeService() {
  Stop(std::chrono::milliseconds(0));
  {
    std::lock_guard lock(mutex_);
    end_ = true;
    work_.notify_all(), time_.notify_all(), aside_work_.notify_all();
  }
  for (std::thread& t : threads_) t.join();
}

ServiceLoad JudgeService::Load() const {
  std::lock_guard lock(mutex_);
  return {queue_.size(), flights_.size(), static_cast<size_t>(std::max(1, options_.workers))};
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

// A key that this caller has used: the job that it names answers, whatever state it is in.
bool JudgeService::JoinKnown(Job& job, Done& done) {
  const Caller& caller = job.submission.caller;
  std::string known, answer, id;
  {
    std::lock_guard lock(mutex_);
    if (auto it = by_key_.find({caller.principal, job.submission.key}); it != by_key_.end()) {
      Job& under_way = jobs_.at(it->second);
      known = under_way.fingerprint;
      if (known == job.fingerprint) {
        under_way.done.push_back(std::move(done));
        job.id = under_way.id;
        return true;
      }
      id = under_way.id;
    }
  }
  if (known.empty()) {
    auto entry = journal_.ByKey(caller.principal, job.submission.key);
    if (!entry || entry->answer.empty()) return false;
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

// What is kept is in the journal before anybody is told that it was accepted.
std::optional<Answer> JudgeService::Promise(const Job& job) {
  if (!job.submission.kept) return std::nullopt;
  auto kept = journal_.Accept({job.id, job.submission.caller.principal, job.submission.key,
                               job.fingerprint, base::Dump(KeptToJson(job.submission)), "", 0});
  return kept.ok() ? std::nullopt : std::optional(Without(job.id, Ending::kFault, kept.error()));
}

std::string JudgeService::Submit(Submission submission, Done done) {
  Job job;
  job.id = NamedId(options_.name, NewId());
  const auto* judge = std::get_if<JudgeWork>(&submission.work);
  submission.kept = judge && (submission.kept || !submission.key.empty());
  if (auto checked = CheckWork(submission.work, tasks_); !checked.ok()) {
    done(Without(job.id, Ending::kInvalid, checked.error()));
    return job.id;
  }
  job.submission = std::move(submission);
  if (job.submission.kept) job.fingerprint = base::Sha256(base::Dump(ToJson(job.submission)));
  if (!job.submission.key.empty() && JoinKnown(job, done)) return job.id;
  if (auto* work = std::get_if<JudgeWork>(&job.submission.work)) {
    if (!work->seed) work->seed = work->fresh ? base::DrawSeed() : seed_;
    work->fresh = false;
    if (!work->hidden) work->hidden = work->cases.empty() ? options_.hidden : 0;
  }
  job.done.push_back(std::move(done));
  job.hash = KeyOfWork(job.submission.work, seed_, tasks_) + (job.submission.again ? job.id : "");
  job.accepted = Clock::now();
  return Enter(std::move(job));
}

std::string JudgeService::Enter(Job job) {
  const std::string id = job.id;
  auto known =
      job.submission.again ? std::nullopt : cache_.Get(job.hash, job.submission.caller.principal);
  std::unique_lock lock(mutex_);
  const size_t bytes = BytesOf(job.submission.work);
  std::optional<Answer> at_once;
  if (closed_)
    at_once = Without(id, Ending::kStopping, StoppingError());
  else if (!known && !queue_.HasRoom(job.submission.caller, bytes))
    at_once = Without(id, Ending::kOverloaded, FullError());
  else if (at_once = Promise(job); !at_once && known) {
    at_once = std::move(known);
    if (job.submission.kept) (void)journal_.End(id, base::Dump(ToJson(*at_once)), false);
  }
  if (at_once) {
    lock.unlock();
    at_once->id = id;
    Tell({std::move(job), std::move(*at_once)});
    return id;
  }
  Queue(std::move(job), bytes);
  return id;
}

// With the lock held. The earliest of its limits holds.
void JudgeService::SetLimit(Job& job, Clock::time_point when, const char* limit) {
  if (when >= job.expires) return;
  expiries_.erase({job.expires, job.id});
  job.expires = when, job.limit = limit;
  expiries_.emplace(when, job.id);
  time_.notify_all();
}

// With the lock held.
void JudgeService::Queue(Job job, size_t bytes) {
  const std::string id = job.id;
  if (job.submission.deadline.count() > 0) {
    SetLimit(job, job.accepted + job.submission.deadline, "deadline of the request");
  }
  queue_.Add(id, job.submission.caller, job.submission.priority, bytes);
  by_hash_.emplace(job.hash, id);
  if (!job.submission.key.empty())
    by_key_[{job.submission.caller.principal, job.submission.key}] = id;
  jobs_.emplace(id, std::move(job));
  work_.notify_one();
}

// Jobs of a server that was stopped or killed. One that several servers died of is given up.
void JudgeService::Resume() {
  journal_.Prune(kKeepEndedS, kMaxEnded);
  for (const Journal::Entry& e : journal_.Unended()) {
    auto submission = KeptFromJson(base::Parse(e.submission), e.principal);
    std::optional<Error> given_up;
    if (!submission.ok())
      given_up = submission.error();
    else if (auto checked = CheckWork(submission->work, tasks_); !checked.ok())
      given_up = checked.error();
    else if (e.attempts >= kMaxAttempts)
      given_up = Error{"AK0904", "the server died while it judged this, twice", e.id,
                       "look at what is special about it"};
    if (given_up) {
      (void)journal_.End(e.id, base::Dump(ToJson(Without(e.id, Ending::kFault, *given_up))), true);
      continue;
    }
    Job job;
    job.id = e.id, job.fingerprint = e.fingerprint;
    job.submission = std::move(*submission);
    job.submission.key = e.key, job.submission.kept = true;
    job.hash = KeyOfWork(job.submission.work, seed_, tasks_) + (job.submission.again ? job.id : "");
    job.accepted = Clock::now();
    std::lock_guard lock(mutex_);
    const size_t bytes = BytesOf(job.submission.work);
    Queue(std::move(job), bytes);
  }
}

void JudgeService::Cancel(const std::string& id) {
  {
    std::lock_guard lock(mutex_);
    auto it = jobs_.find(id);
    if (it == jobs_.end() || it->second.submission.kept) return;
  }
  End(id, Ending::kCancelled, {"AK0905", "the caller left", id, ""});
}

bool JudgeService::Withdraw(const std::string& id, const Caller& caller) {
  {
    std::lock_guard lock(mutex_);
    auto it = jobs_.find(id);
    if (it == jobs_.end() || it->second.submission.caller.principal != caller.principal)
      return false;
  }
  End(id, Ending::kCancelled, {"AK0905", "the job was taken back", id, ""});
  return true;
}

JobState JudgeService::StateOf(const Job& job) const {
  return {job.id, job.running ? "running" : "queued", SubjectOf(job.submission.work),
          queue_.Ahead(job.id), std::nullopt};
}

std::optional<JobState> JudgeService::State(const std::string& id, const Caller& caller) {
  {
    std::lock_guard lock(mutex_);
    if (auto it = jobs_.find(id); it != jobs_.end()) {
      if (it->second.submission.caller.principal != caller.principal) return std::nullopt;
      return StateOf(it->second);
    }
  }
  auto entry = journal_.ById(id);
  if (!entry || entry->principal != caller.principal || entry->answer.empty()) return std::nullopt;
  auto answer = AnswerFromJson(base::Parse(entry->answer));
  if (!answer.ok()) return std::nullopt;
  answer->id = id;
  return JobState{id, "done", "", 0, std::move(*answer)};
}

bool JudgeService::Follow(const std::string& id, const Caller& caller, Watch watch) {
  auto state = State(id, caller);
  if (!state) return false;
  if (state->state != "done") {
    std::lock_guard lock(mutex_);
    auto it = jobs_.find(id);
    if (it != jobs_.end()) {
      watch(StateOf(it->second));
      it->second.watches.push_back(std::move(watch));
      return true;
    }
  }
  if (state->state != "done") state = State(id, caller);  // it ended in between
  if (!state) return false;
  watch(*state);
  return true;
}

std::vector<JobState> JudgeService::UnderWay(const Caller& caller, size_t most) {
  std::vector<JobState> out;
  std::lock_guard lock(mutex_);
  for (bool running : {true, false})
    for (const auto& [id, job] : jobs_)
      if (out.size() < most && job.running == running &&
          job.submission.caller.principal == caller.principal)
        out.push_back(
            {id, running ? "running" : "queued", SubjectOf(job.submission.work), 0, std::nullopt});
  return out;
}

bool JudgeService::Aside(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (closed_ || aside_.size() >= kMaxAside) return false;
  aside_.push_back(std::move(work));
  aside_work_.notify_one();
  return true;
}

// Nobody waits for work whose last job is gone.
JudgeService::Ended JudgeService::Close(std::map<std::string, Job>::iterator it, Answer answer) {
  Ended out{std::move(it->second), std::move(answer)};
  jobs_.erase(it);
  queue_.Remove(out.job.id);
  expiries_.erase({out.job.expires, out.job.id});
  auto [first, last] = by_hash_.equal_range(out.job.hash);
  by_hash_.erase(std::find_if(first, last, [&](const auto& e) { return e.second == out.job.id; }));
  if (!out.job.submission.key.empty())
    by_key_.erase({out.job.submission.caller.principal, out.job.submission.key});
  if (auto flight = flights_.find(out.job.hash);
      flight != flights_.end() && !by_hash_.contains(out.job.hash))
    flight->second->stop = true;
  out.answer.id = out.job.id;
  if (out.job.submission.kept) Note(out);
  if (jobs_.empty()) idle_.notify_all();
  return out;
}

// In the journal, before anybody is told. What stops with the server has not ended.
void JudgeService::Note(const Ended& ended) {
  const std::string& id = ended.job.id;
  if (ended.answer.ending == Ending::kStopping) {
    if (ended.job.running) (void)journal_.GiveBack(id);
    return;
  }
  (void)journal_.End(id, base::Dump(ToJson(ended.answer)), ended.answer.ending != Ending::kDone);
  if (++ended_ % kPruneEvery == 0) journal_.Prune(kKeepEndedS, kMaxEnded);
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
  a.queued_ms =
      a.reused && !ended.job.running ? 0 : MsBetween(ended.job.accepted, ended.job.started);
  metrics_.Count("akgen_judgements_total",
                 {{"verdict", done ? a.outcome : std::string(NameOf(a.ending))}});
  if (a.reused) metrics_.Count("akgen_cache_hits_total");
  metrics_.Observe("akgen_queue_seconds", a.queued_ms / 1000);
  if (options_.log) {
    options_.log({{"event", "job"},
                  {"id", a.id},
                  {"principal", ended.job.submission.caller.principal},
                  {"client", ended.job.submission.caller.name},
                  {"task", SubjectOf(ended.job.submission.work)},
                  {"ending", NameOf(a.ending)},
                  {"outcome", a.outcome},
                  {"cached", a.reused},
                  {"queued_ms", a.queued_ms},
                  {"judged_ms", a.judged_ms}});
  }
  history_.Add(ended.job.submission.caller, ended.job.submission.work, a);
  for (const Done& f : ended.job.done) f(a);
  for (const Watch& f : ended.job.watches)
    f({a.id, "done", SubjectOf(ended.job.submission.work), 0, a});
}

}  // namespace akgen::serve
