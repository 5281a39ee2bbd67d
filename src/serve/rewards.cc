// Remote reward functions of trainers: OpenRLHF (POST /get_reward) and slime (POST /slime). Neither
// has a word for "leave this sample out": where there is no number the request fails, and the
// trainer asks again or stops.
#include <algorithm>

#include "serve/adapters.h"
#include "serve/handlers.h"
#include "serve/submission.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr std::chrono::seconds kOpenRlhf{170}, kSlime{110};  // just below what their clients wait

Error Bad(const std::string& what, const std::string& member) {
  return {"AK0902", what, member, "docs/serve.md shows what the trainer sends"};
}

// A label is the task's name, or an object that says what /v1/judge takes, but for the candidate.
Result<Submission> Labelled(const Json& label, const std::string& text, const Request& request,
                            std::chrono::seconds deadline) {
  Result<Submission> s = Bad("the label names no task", "label");
  if (label.is_string()) s = TextSubmission(label.get<std::string>(), text, request.caller);
  if (label.is_object()) {
    Json body = label;
    body["text"] = text.empty() ? " " : text;
    if (!body.contains("form")) body["form"] = "auto";
    s = ReadSubmission(body, request.caller);
  }
  // Who asks again finds the verdict, or a place further ahead.
  if (s.ok() && s->deadline.count() == 0) s->deadline = deadline, s->outlives_limits = true;
  return s;
}

// The first answer that must not become a number; nullptr: all may.
const Answer* Unrewarded(const std::vector<Answer>& answers) {
  const auto it =
      std::find_if(answers.begin(), answers.end(), [](const Answer& a) { return !a.Reward(); });
  return it == answers.end() ? nullptr : &*it;
}

// A query is prompt and response; what the prompt shows is no answer.
std::string ResponseOf(const Json& query, const Json& prompts, size_t i) {
  std::string text = query.get<std::string>();
  if (prompts.is_array() && i < prompts.size() && prompts[i].is_string()) {
    const auto& prompt = prompts[i].get_ref<const std::string&>();
    if (!prompt.empty() && text.starts_with(prompt)) text.erase(0, prompt.size());
  }
  return text;
}

void GetReward(Service& service, const Request& request, const Reply& reply) {
  auto body = ReadBody(request);
  if (!body.ok()) return reply(ErrorReply(400, body.error()));
  const Json queries = body->is_object() ? body->value("query", Json()) : Json();
  const Json labels = body->is_object() ? body->value("labels", Json()) : Json();
  if (!queries.is_array() || !labels.is_array() || labels.size() != queries.size() ||
      !std::all_of(queries.begin(), queries.end(), [](const Json& q) { return q.is_string(); }))
    return reply(
        ErrorReply(422, Bad("`query` is a list of texts and `labels` one as long", "labels")));
  std::vector<Result<Submission>> submissions;
  for (size_t i = 0; i < queries.size(); ++i)
    submissions.push_back(Labelled(
        labels[i], ResponseOf(queries[i], body->value("prompts", Json()), i), request, kOpenRlhf));
  JudgeAll(service, request, std::move(submissions), [reply](const std::vector<Answer>& answers) {
    if (const Answer* bad = Unrewarded(answers)) return reply(UnrewardedReply(*bad));
    Json rewards = Json::array(), scores = Json::array(), compiled = Json::array(),
         correct = Json::array();
    for (const Answer& a : answers) {
      rewards.push_back(*a.Reward());
      scores.push_back(std::clamp(*a.Reward(), 0.0, 1.0));
      compiled.push_back(Compiled(a) ? 1 : 0), correct.push_back(Correct(a) ? 1 : 0);
    }
    reply(JsonReply({{"rewards", rewards},
                     {"scores", scores},
                     {"reward_version", record::kRewardVersion},
                     {"extra_logs", {{"compiled", compiled}, {"correct", correct}}}}));
  });
}

void Slime(Service& service, const Request& request, const Reply& reply) {
  auto body = ReadBody(request);
  if (!body.ok()) return reply(ErrorReply(400, body.error()));
  const Json response = body->is_object() ? body->value("response", Json()) : Json();
  if (!response.is_string()) return reply(ErrorReply(422, Bad("`response` is a text", "response")));
  std::vector<Result<Submission>> one{
      Labelled(body->value("label", Json()), response.get<std::string>(), request, kSlime)};
  JudgeAll(service, request, std::move(one), [reply](const std::vector<Answer>& answers) {
    const auto reward = answers[0].Reward();
    reply(reward ? JsonReply(*reward) : UnrewardedReply(answers[0]));
  });
}
}  // namespace

void AddRewards(Router& router, Service& service) {
  router.On("POST", "/get_reward", [&service](const Request& request, const Reply& reply) {
    GetReward(service, request, reply);
  });
  router.On("POST", "/slime", [&service](const Request& request, const Reply& reply) {
    Slime(service, request, reply);
  });
}

}  // namespace akgen::serve
