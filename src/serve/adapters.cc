#include "serve/adapters.h"

#include <algorithm>
#include <mutex>

#include "generate/extract.h"
#include "serve/hidden_draws.h"
#include "serve/record_view.h"
#include "serve/submission.h"
#include "task/describe.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;
using record::Verdict;

namespace {
constexpr size_t kMaxShown = 5, kMaxFeedback = 8000;

struct Gathered {
  std::mutex mutex;
  std::vector<Answer> answers;
  size_t left = 0;
  std::function<void(std::vector<Answer>)> then;
  void Set(size_t i, const Answer& a) {
    {
      std::lock_guard lock(mutex);
      answers[i] = a;
      if (--left > 0) return;
    }
    then(std::move(answers));
  }
};

std::string OfFinding(const std::string& case_id, const record::Finding& f) {
  std::string out = "case " + case_id + ": " + f.code + ": " + f.message;
  if (!f.place.file.empty()) out += " at " + f.place.file + ":" + std::to_string(f.place.line);
  return out + (f.fix.empty() ? "\n" : "\n  fix: " + f.fix + "\n");
}

std::string OfCases(const std::vector<record::CaseRecord>& cases) {
  std::string out;
  for (const auto& c : cases) {
    size_t shown = 0;
    for (const auto& f : c.findings)
      if (!f.warning && ++shown <= kMaxShown) out += OfFinding(c.id, f);
    if (shown > 0) break;  // those of the next cases are mostly the same
  }
  return out;
}

std::string OfBuild(const std::vector<record::BuildDiagnostic>& diagnostics) {
  std::string out;
  size_t shown = 0;
  for (const auto& d : diagnostics)
    if (d.severity != "warning" && shown++ < kMaxShown)
      out += d.file + ":" + std::to_string(d.line) + ": " + d.message + "\n";
  return out;
}
}  // namespace

Json ToJson(const task::TaskInfo& t) {
  return {{"name", t.name}, {"level", t.level}, {"category", t.category}};
}

Json ToJson(const task::TaskSpec& task) {
  Json cases = Json::array();
  for (const auto& c : task.cases) cases.push_back({{"id", c.id}, {"columns", c.columns}});
  return {{"name", task.name},
          {"level", task.level},
          {"category", task.category},
          {"entry", task.entry},
          {"description", task::Describe(task)},
          {"answer_format", generate::AnswerFormat()},
          {"reference", task.reference},
          {"cases", cases}};
}

Submission TextSubmission(std::string task, std::string text, const Caller& caller) {
  JudgeWork work;
  work.task = std::move(task);
  work.candidate.form = GuessForm(text);
  // No text at all is an answer too: one without code.
  work.candidate.text = text.empty() ? " " : std::move(text);
  Submission s;
  s.work = std::move(work), s.caller = caller;
  return s;
}

void JudgeAll(Service& service, const Request& request, std::vector<Result<Submission>> submissions,
              std::function<void(std::vector<Answer>)> then) {
  if (submissions.empty()) return then({});
  auto gathered = std::make_shared<Gathered>();
  gathered->answers.resize(submissions.size());
  gathered->left = submissions.size(), gathered->then = std::move(then);
  for (size_t i = 0; i < submissions.size(); ++i) {
    auto& s = submissions[i];
    if (!s.ok()) {
      gathered->Set(i, Without("", Ending::kInvalid, s.error()));
      continue;
    }
    const std::string id =
        service.Submit(std::move(*s), [gathered, i](const Answer& a) { gathered->Set(i, a); });
    request.presence->OnGone([&service, id] { service.Cancel(id); });
  }
}

Response UnrewardedReply(const Answer& a) {
  Response r = EndingReply(a);
  if (a.ending == Ending::kExpired) r.status = 503;
  return r;
}

std::string FeedbackOf(const Answer& a) {
  if (a.ending != Ending::kDone) return a.error ? a.error->message : std::string(NameOf(a.ending));
  if (a.outcome == record::NameOf(Verdict::kPass)) return "";
  std::string out = "The verdict is " + a.outcome;
  // What a wrong answer's reason says are values.
  if (a.outcome != record::NameOf(Verdict::kWrongAnswer) && !a.reason.empty())
    out += ": " + a.reason;
  out += "\n";
  const Shown shown = ShownOf(a.record);
  if (!record::Builds(a.outcome)) out += OfBuild(shown.diagnostics);
  for (const bool hidden : {false, true}) {
    auto wanted = [&](const auto& c) { return IsHidden(c.id) == hidden; };
    const auto all = std::count_if(shown.cases.begin(), shown.cases.end(), wanted);
    const auto right = std::count_if(shown.cases.begin(), shown.cases.end(),
                                     [&](const auto& c) { return wanted(c) && c.Passed(); });
    if (all > 0)
      out += std::to_string(right) + " of " + std::to_string(all) + (hidden ? " hidden" : "") +
             " cases pass\n";
  }
  out += OfCases(shown.cases);
  if (out.size() > kMaxFeedback) out.resize(kMaxFeedback), out += "\n(cut)\n";
  return out;
}

bool Compiled(const Answer& a) { return record::Builds(a.outcome); }
bool Correct(const Answer& a) { return a.outcome == record::NameOf(Verdict::kPass); }

}  // namespace akgen::serve
