#include "serve/kept_jobs.h"

#include "serve/answer_cache.h"
#include "serve/submission.h"

namespace akgen::serve {
using base::Error;

namespace {
constexpr int64_t kKeepEndedS = 24 * 3600, kMaxEnded = 100000;
constexpr uint64_t kPruneEvery = 1000;
constexpr int kMaxAttempts = 2;  // servers that may die of one job
}  // namespace

std::vector<Job> KeptJobs::Unended(const TaskList& tasks, uint64_t seed) {
  std::vector<Job> out;
  journal_.Prune(kKeepEndedS, kMaxEnded);
  for (const Journal::Entry& e : journal_.Unended()) {
    auto submission = KeptFromJson(base::Parse(e.submission), e.principal);
    std::optional<Error> given_up;
    if (!submission.ok())
      given_up = submission.error();
    else if (auto checked = CheckWork(submission->work, tasks); !checked.ok())
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
    job.hash = KeyOfWork(job.submission.work, seed, tasks) + (job.submission.again ? job.id : "");
    job.accepted = JobClock::now();
    out.push_back(std::move(job));
  }
  return out;
}

std::optional<Answer> KeptJobs::Promise(const Job& job) {
  if (!job.submission.kept) return std::nullopt;
  auto kept = journal_.Accept({job.id, job.submission.caller.principal, job.submission.key,
                               job.fingerprint, base::Dump(KeptToJson(job.submission)), "", 0});
  return kept.ok() ? std::nullopt : std::optional(Without(job.id, Ending::kFault, kept.error()));
}

void KeptJobs::Begin(const Job& job) {
  if (job.submission.kept) (void)journal_.Begin(job.id);
}

void KeptJobs::Note(const EndedJob& ended) {
  if (!ended.job.submission.kept) return;
  const std::string& id = ended.job.id;
  if (ended.answer.ending == Ending::kStopping) {
    if (ended.job.running) (void)journal_.GiveBack(id);
    return;
  }
  (void)journal_.End(id, base::Dump(ToJson(ended.answer)), ended.answer.ending != Ending::kDone);
  if (++ended_ % kPruneEvery == 0) journal_.Prune(kKeepEndedS, kMaxEnded);
}

void KeptJobs::NoteKnown(const std::string& id, const Answer& answer) {
  (void)journal_.End(id, base::Dump(ToJson(answer)), false);
}

std::optional<Answer> KeptJobs::AnswerOf(const std::string& id, const Caller& caller) const {
  auto entry = journal_.ById(id);
  if (!entry || entry->principal != caller.principal || entry->answer.empty()) return std::nullopt;
  auto answer = AnswerFromJson(base::Parse(entry->answer));
  if (!answer.ok()) return std::nullopt;
  answer->id = id;
  return std::move(*answer);
}

std::optional<Journal::Entry> KeptJobs::EndedByKey(const Caller& caller,
                                                   const std::string& key) const {
  auto entry = journal_.ByKey(caller.principal, key);
  return entry && !entry->answer.empty() ? entry : std::nullopt;
}

}  // namespace akgen::serve
