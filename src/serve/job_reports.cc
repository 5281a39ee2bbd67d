#include "serve/job_reports.h"

#include "serve/judging.h"
#include "serve/submission.h"

namespace akgen::serve {

JobReports::JobReports(Metrics& metrics, History& history,
                       std::function<void(const base::Json&)> log)
    : metrics_(metrics), history_(history), log_(std::move(log)) {
  metrics_.Counter("akgen_judgements_total",
                   "Jobs that ended, by verdict, or by how they ended without one");
  metrics_.Counter("akgen_cache_hits_total",
                   "Jobs answered from the cache or by equal work under way");
  metrics_.Histogram("akgen_queue_seconds", "Time that jobs waited for their turn", kSecondsBounds);
}

void JobReports::Tell(EndedJob&& ended) {
  Answer& a = ended.answer;
  const auto now = JobClock::now();
  const bool done = a.ending == Ending::kDone;
  if (ended.job.started == JobClock::time_point()) ended.job.started = now;
  a.queued_ms =
      a.reused && !ended.job.running ? 0 : MsBetween(ended.job.accepted, ended.job.started);
  metrics_.Count("akgen_judgements_total",
                 {{"verdict", done ? a.outcome : std::string(NameOf(a.ending))}});
  if (a.reused) metrics_.Count("akgen_cache_hits_total");
  metrics_.Observe("akgen_queue_seconds", a.queued_ms / 1000);
  if (log_) {
    log_({{"event", "job"},
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
