#include "serve/judge_service.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "base/seed.h"
#include "judge/session/provenance.h"
#include "serve/balancer.h"
#include "serve/submission.h"

namespace akgen::serve {

namespace {
std::string NewId() { return fmt::format("{:013x}{:013x}", base::DrawSeed(), base::DrawSeed()); }

// A judging process, which is replaced when it dies.
class JudgingProcess {
 public:
  JudgingProcess(const JudgingSetting& setting, Metrics& metrics)
      : setting_(setting), metrics_(metrics) {
    if (auto started = judge::Worker::Start(); started.ok()) worker_.emplace(std::move(*started));
  }
  bool started() const { return worker_.has_value(); }
  Judged Judge(const Job& job, int tries, const std::atomic<bool>& stop) {
    Judged judged;
    for (int attempt = 0; attempt < tries && !stop; ++attempt) {
      if (!worker_) {
        auto started = judge::Worker::Start();
        if (!started.ok()) {
          judged.answer = Without(job.id, Ending::kFault, started.error());
          continue;
        }
        worker_.emplace(std::move(*started));
      }
      const int deaths = worker_->deaths();
      judged = JudgeOnce(job.submission.work, setting_, *worker_, &stop);
      metrics_.Count("akgen_worker_deaths_total", {}, worker_->deaths() - deaths);
      if (judged.answer.ending != Ending::kDone ||
          judged.answer.outcome != record::NameOf(record::Verdict::kInfraError))
        break;
      worker_.reset();
    }
    return judged;
  }
  void Recycle() {
    if (!worker_) return;
    worker_.reset();
    metrics_.Count("akgen_workers_recycled_total");
  }

 private:
  const JudgingSetting setting_;
  Metrics& metrics_;
  std::optional<judge::Worker> worker_;
};
}  // namespace

JudgeService::JudgeService(Options options, Journal& journal, Metrics& metrics)
    : options_(std::move(options)),
      metrics_(metrics),
      tasks_(options_.tasks ? std::move(*options_.tasks) : BenchmarkTasks()),
      cache_(options_.cache),
      history_(options_.history),
      seed_(options_.seed.value_or(base::DrawSeed())),
      kept_(journal),
      reports_(metrics, history_, options_.log),
      jobs_(options_.queue, kept_, reports_) {
  metrics_.Counter("akgen_worker_deaths_total", "Judging processes that died while they judged");
  metrics_.Counter("akgen_workers_recycled_total",
                   "Judging processes replaced after their number of judgements");
  metrics_.Histogram("akgen_judge_seconds", "Time of a judgement, without waiting", kSecondsBounds);
  metrics_.Histogram("akgen_stage_seconds", "Time by stage of judgements, all cases together",
                     kSecondsBounds);
  metrics_.Gauge("akgen_queue_depth", "Jobs that wait for their turn",
                 [this] { return static_cast<double>(jobs_.Load().first); });
  metrics_.Gauge("akgen_inflight", "Judgements under way",
                 [this] { return static_cast<double>(jobs_.Load().second); });
  metrics_.Gauge("akgen_workers", "Threads that judge",
                 [this] { return static_cast<double>(options_.workers); });
  (void)judge::HashOfJudge();  // takes a while, once
  for (Job& job : kept_.Unended(tasks_, seed_)) jobs_.Resume(std::move(job));
  for (int i = 0; i < std::max(1, options_.workers); ++i) threads_.emplace_back([this] { Work(); });
}

JudgeService::~JudgeService() {
  Stop(std::chrono::milliseconds(0));
  jobs_.Shut();
  short_work_.Stop();
  for (std::thread& t : threads_) t.join();
}

ServiceLoad JudgeService::Load() const {
  const auto [waiting, judging] = jobs_.Load();
  return {waiting, judging, static_cast<size_t>(std::max(1, options_.workers))};
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
  if (!job.submission.key.empty() && jobs_.JoinKnown(job, done)) return job.id;
  if (auto* work = std::get_if<JudgeWork>(&job.submission.work)) {
    if (!work->seed) work->seed = work->fresh ? base::DrawSeed() : seed_;
    work->fresh = false;
    if (!work->hidden) work->hidden = work->cases.empty() ? options_.hidden : 0;
  }
  job.done.push_back(std::move(done));
  job.hash = KeyOfWork(job.submission.work, seed_, tasks_) + (job.submission.again ? job.id : "");
  job.accepted = JobClock::now();
  auto known =
      job.submission.again ? std::nullopt : cache_.Get(job.hash, job.submission.caller.principal);
  return jobs_.Enter(std::move(job), std::move(known));
}

void JudgeService::Work() {
  JudgingProcess process({seed_, tasks_, hidden_}, metrics_);
  int judged_here = 0;
  ready_ += process.started();
  for (std::shared_ptr<JobsUnderWay::Flight> flight; auto job = jobs_.Take(flight);) {
    Judged judged = process.Judge(*job, options_.tries, flight->stop);
    judged.answer.judged_ms = MsBetween(job->started, JobClock::now());
    metrics_.Observe("akgen_judge_seconds", judged.answer.judged_ms / 1000);
    if (judged.keep && !flight->stop && !job->submission.again)
      cache_.Put(job->hash, judged.answer, job->submission.caller.principal);
    if (flight->stop)
      jobs_.Drop(*job, flight);
    else
      jobs_.Land(*job, judged);
    if (++judged_here % std::max(1, options_.recycle_after) == 0) process.Recycle();
  }
}

}  // namespace akgen::serve
