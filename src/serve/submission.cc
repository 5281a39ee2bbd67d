#include "serve/submission.h"

#include "serve/adapters.h"
#include "serve/record_view.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr double kLongestDeadlineMs = 24 * 3600 * 1000.0;
constexpr size_t kMaxKey = 200, kMaxInBatch = 10000;

struct BadMember {
  std::string member, wanted;
};

template <typename T>
void Take(const Json& value, const std::string& member, const char* wanted, T& into) {
  try {
    into = value.get<T>();
  } catch (const Json::exception&) {
    throw BadMember{member, wanted};
  }
}

template <typename T>
T Named(const Json& value, const std::string& member, const char* wanted,
        std::optional<T> (*from)(std::string_view)) {
  const auto named = value.is_string() ? from(value.get_ref<const std::string&>()) : std::nullopt;
  if (!named) throw BadMember{member, wanted};
  return *named;
}

void TakeSeed(const Json& value, const std::string& member, JudgeWork& work) {
  constexpr const char* kWanted = "a whole number, or \"fresh\"";
  if (value.is_string() && value.get_ref<const std::string&>() == "fresh") {
    work.fresh = true;
    return;
  }
  uint64_t seed = 0;
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value < 0))
    throw BadMember{member, kWanted};
  Take(value, member, kWanted, seed);
  work.seed = seed;
}

void TakeHidden(const Json& value, const std::string& member, JudgeWork& work) {
  constexpr const char* kWanted = "a number of hidden cases, 0 to 64";
  int hidden = 0;
  if (!value.is_number_integer() || value < 0 || value > 64) throw BadMember{member, kWanted};
  Take(value, member, kWanted, hidden);
  work.hidden = hidden;
}

void TakeDeadline(const Json& value, const std::string& member, Submission& s) {
  double ms = 0;
  Take(value, member, "a number of milliseconds", ms);
  if (!(ms > 0 && ms <= kLongestDeadlineMs)) throw BadMember{member, "above 0, at most a day"};
  s.deadline = std::chrono::milliseconds(static_cast<int64_t>(ms) + 1);
}

void TakeMember(const std::string& name, const Json& value, Submission& s, JudgeWork& work) {
  Candidate& c = work.candidate;
  if (name == "task")
    Take(value, name, "a task's name", work.task);
  else if (name == "files")
    Take(value, name, "an object: path to content", c.files);
  else if (name == "text")
    Take(value, name, "a text", c.text);
  else if (name == "form")
    c.form = Named<Form>(value, name, "project, kernel, program or auto", FormFromName);
  else if (name == "cases")
    Take(value, name, "a list of case ids", work.cases);
  else if (name == "chip")
    Take(value, name, "a chip's name", work.chip);
  else if (name == "precision")
    Take(value, name, "strict or upstream", work.precision);
  else if (name == "inputs")
    Take(value, name, "wide or upstream", work.inputs);
  else if (name == "seed")
    TakeSeed(value, name, work);
  else if (name == "hidden")
    TakeHidden(value, name, work);
  else if (name == "time")
    Take(value, name, "true or false", work.time);
  else if (name == "timeline")
    Take(value, name, "true or false", work.spans);
  else if (name == "profile")
    Take(value, name, "true or false", work.advise);
  else if (name == "edits")
    Take(value, name, "true or false", work.edits);
  else if (name == "project")
    Take(value, name, "a text", work.label);
  else if (name == "priority")
    s.priority = Named<Priority>(value, name, "high, normal or low", PriorityFromName);
  else if (name == "deadline_ms")
    TakeDeadline(value, name, s);
  else if (name == "cache") {
    bool cache = true;
    Take(value, name, "true or false", cache);
    s.again = !cache;
  } else
    throw BadMember{name, "not a member that is known"};
}

Form FormOf(const Candidate& c) {
  std::string all = c.text;
  for (const auto& [path, content] : c.files) all += content;
  return GuessForm(all);
}
}  // namespace

Form GuessForm(const std::string& text) {
  auto has = [&](const char* what) { return text.find(what) != std::string::npos; };
  if (has("@kernel") && has("@host")) return Form::kProgram;
  return has("OP_ADD") || has("OpDef") || has("TilingContext") ? Form::kProject : Form::kKernel;
}

std::optional<Form> FormFromName(std::string_view name) {
  if (name == "project") return Form::kProject;
  if (name == "kernel") return Form::kKernel;
  if (name == "program") return Form::kProgram;
  return std::nullopt;
}

Result<Submission> ReadSubmission(const Json& body, const Caller& caller) {
  Submission s;
  s.caller = caller;
  JudgeWork work;
  bool guess = false;
  if (!body.is_object())
    return Error{"AK0902", "the body is no JSON object", "", "GET /openapi.json describes it"};
  try {
    for (const auto& [name, value] : body.items()) {
      if (name == "form" && value == "auto")
        guess = true;
      else
        TakeMember(name, value, s, work);
    }
  } catch (const BadMember& bad) {
    return Error{"AK0902", "a member is not what it should be: " + bad.wanted,
                 bad.member.substr(0, 100), "GET /openapi.json describes them all"};
  }
  if (work.task.empty())
    return Error{"AK0902", "no task is named", "task", "GET /v1/tasks lists them"};
  if (guess) work.candidate.form = FormOf(work.candidate);
  s.work = std::move(work);
  return s;
}

Json ToJson(const Submission& s) {
  const auto& w = std::get<JudgeWork>(s.work);
  constexpr const char* kForms[] = {"project", "kernel", "program"};
  Json j{{"task", w.task},           {"form", kForms[static_cast<size_t>(w.candidate.form)]},
         {"cases", w.cases},         {"chip", w.chip},
         {"precision", w.precision}, {"inputs", w.inputs},
         {"time", w.time},           {"timeline", w.spans},
         {"profile", w.advise},      {"edits", w.edits},
         {"project", w.label},       {"priority", NameOf(s.priority)},
         {"cache", !s.again}};
  if (!w.candidate.files.empty()) j["files"] = w.candidate.files;
  if (!w.candidate.text.empty()) j["text"] = w.candidate.text;
  if (w.hidden) j["hidden"] = *w.hidden;
  if (w.seed) j["seed"] = *w.seed;
  if (w.fresh) j["seed"] = "fresh";
  if (s.deadline.count() > 0) j["deadline_ms"] = s.deadline.count() - 1;
  return j;
}

Json KeptToJson(const Submission& s) {
  return {{"submission", ToJson(s)}, {"name", s.caller.name}};
}

Result<Submission> KeptFromJson(const Json& kept, const std::string& principal) {
  return base::Checked("the journal", [&] {
    return ReadSubmission(kept.at("submission"), {principal, kept.at("name").get<std::string>()});
  });
}

Result<std::vector<Result<Submission>>> BatchFromJson(const Json& body, const Caller& caller) {
  const Json requests = body.is_object() ? body.value("requests", Json()) : Json();
  if (!requests.is_array() || requests.size() > kMaxInBatch)
    return Error{"AK0902", "a batch is {\"requests\": [at most 10000]}", "requests",
                 "GET /openapi.json describes it"};
  std::vector<Result<Submission>> out;
  for (const Json& r : requests) out.push_back(ReadSubmission(r, caller));
  return out;
}

Result<Json> ReadBody(const Request& request) {
  Json body = base::Parse(request.body);
  if (body.is_discarded())
    return Error{"AK0902", "the body is no JSON, or nests too deep", request.path,
                 "send application/json"};
  return body;
}

Result<Submission> ReadSubmission(const Request& request) {
  auto body = ReadBody(request);
  if (!body.ok()) return body.error();
  auto s = ReadSubmission(*body, request.caller);
  if (!s.ok()) return s;
  s->key = request.Header("idempotency-key");
  if (s->key.size() > kMaxKey)
    return Error{"AK0902", "the idempotency key is longer than 200 characters", "Idempotency-Key",
                 "a UUID will do"};
  return s;
}

Json ToReply(const Answer& a) {
  Json j{{"id", a.id},
         {"verdict", a.outcome},
         {"reason", a.reason},
         {"reward", nullptr},
         {"reward_version", record::kRewardVersion},
         {"right_values", a.merit.right_values},
         {"bound_share", a.merit.bound_share > 0 ? Json(a.merit.bound_share) : Json()},
         {"sealed", a.sealed},
         {"cached", a.cached},
         {"queued_ms", a.queued_ms},
         {"judged_ms", a.judged_ms},
         {"retryable", a.Retryable()},
         {"feedback", FeedbackOf(a)},
         {"record", a.record}};
  if (auto reward = a.Reward()) j["reward"] = *reward;
  if (const auto profiles = ProfilesOf(ShownOf(a.record)); !profiles.empty())
    j["profiles"] = ToJson(profiles);
  return j;
}

Response ReplyOf(const Answer& a) {
  if (a.ending != Ending::kDone) return EndingReply(a);
  Response r = JsonReply(ToReply(a), a.Retryable() ? 503 : 200);
  if (a.Retryable()) r.headers.emplace_back("Retry-After", "1");
  return r;
}

}  // namespace akgen::serve
