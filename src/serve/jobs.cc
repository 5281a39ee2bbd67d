// Jobs that outlive their connection: submitted, looked at, followed, taken back. And many of them
// in one request.
#include "serve/adapters.h"
#include "serve/handlers.h"
#include "serve/submission.h"

namespace akgen::serve {
using base::Json;
using base::Result;

namespace {
constexpr size_t kMaxListed = 1000;

Json StateJson(const JobState& s) {
  Json j{{"id", s.id}, {"state", s.state}};
  if (s.state == "queued") j["ahead"] = s.ahead;
  if (!s.answer) return j;
  const Response r = ReplyOf(*s.answer);
  j["status"] = r.status;
  j["result"] = base::Parse(r.body);
  return j;
}

Response Unknown(const std::string& id) {
  return ErrorReply(404, {"AK0901", "no job of yours has this id", id.substr(0, 100),
                          "jobs that ended are kept for a day"});
}

// A job of its own gets an answer when it ends; who submits it is told at once whether it was
// taken.
Response Submit(Service& service, Submission submission) {
  submission.kept = true;
  struct Told {  // while Submit runs
    std::mutex mutex;
    bool listening = true;
    std::optional<Answer> refused;
  };
  auto told = std::make_shared<Told>();
  const std::string id = service.Submit(std::move(submission), [told](const Answer& a) {
    std::lock_guard lock(told->mutex);
    if (told->listening && a.ending != Ending::kDone) told->refused = a;
  });
  std::lock_guard lock(told->mutex);
  told->listening = false;
  return told->refused ? EndingReply(*told->refused) : JsonReply({{"id", id}}, 202);
}

// The answers in the order of the requests.
void JudgeBatch(Service& service, const Request& request, const Reply& reply) {
  auto body = ReadBody(request);
  if (!body.ok()) return reply(ErrorReply(400, body.error()));
  auto submissions = BatchFromJson(*body, request.caller);
  if (!submissions.ok()) return reply(ErrorReply(422, submissions.error()));
  JudgeAll(service, request, std::move(*submissions), [reply](const std::vector<Answer>& answers) {
    Json results = Json::array();
    for (const Answer& a : answers) {
      const Response r = ReplyOf(a);
      results.push_back({{"status", r.status}, {"result", base::Parse(r.body)}});
    }
    reply(JsonReply({{"results", results}}));
  });
}

// Server-sent events: `state` as it changes, the last one with the result.
Response Events(Service& service, const std::string& id, const Caller& caller) {
  if (!service.State(id, caller)) return Unknown(id);
  Response r;
  r.type = "text/event-stream";
  r.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  r.stream = [&service, id, caller](const std::shared_ptr<Stream>& stream) {
    const bool followed = service.Follow(id, caller, [stream](const JobState& s) {
      stream->Write("event: state\ndata: " + base::Dump(StateJson(s)) + "\n\n");
      if (s.answer) stream->End();
    });
    if (!followed) stream->End();
  };
  return r;
}
}  // namespace

void AddJobs(Router& router, Service& service) {
  router.On("POST", "/v1/batch", [&service](const Request& request, const Reply& reply) {
    JudgeBatch(service, request, reply);
  });
  router.OnPlain("POST", "/v1/jobs", [&service](const Request& request) -> Response {
    auto submission = ReadSubmission(request);
    return submission.ok() ? Submit(service, std::move(*submission))
                           : ErrorReply(422, submission.error());
  });
  router.OnPlain("GET", "/v1/jobs", [&service](const Request& request) {
    Json jobs = Json::array();
    for (const JobState& s : service.UnderWay(request.caller, kMaxListed))
      jobs.push_back({{"id", s.id}, {"state", s.state}});
    return JsonReply({{"jobs", jobs}});
  });
  router.OnPlain("GET", "/v1/jobs/{id}", [&service](const Request& request) {
    const std::string& id = request.Part("id");
    auto state = service.State(id, request.caller);
    return state ? JsonReply(StateJson(*state)) : Unknown(id);
  });
  router.OnPlain("GET", "/v1/jobs/{id}/events", [&service](const Request& request) {
    return Events(service, request.Part("id"), request.caller);
  });
  router.OnPlain("DELETE", "/v1/jobs/{id}", [&service](const Request& request) {
    const std::string& id = request.Part("id");
    return service.Withdraw(id, request.caller) ? JsonReply({{"id", id}, {"state", "cancelled"}})
                                                : Unknown(id);
  });
}

}  // namespace akgen::serve
