// OpenEnv 0.10: sessions over WebSocket (/ws) and HTTP (/reset, /step, /state), its description,
// and the task routes that it shares with ORS. An action is {"code": TEXT}. A step's reward is what
// it improves on the best one of the episode, so that their sum, which some trainers take, is the
// reward of the best answer.
#include <algorithm>
#include <deque>

#include "base/version.h"
#include "serve/adapters.h"
#include "serve/balancer.h"
#include "serve/environment.h"
#include "serve/handlers.h"
#include "serve/mcp.h"
#include "serve/recent.h"
#include "serve/submission.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr size_t kMaxSessions = 4096, kMaxQueued = 16;

Json Frame(const char* type, Json data) { return {{"type", type}, {"data", std::move(data)}}; }
Json ErrorFrame(const char* code, const std::string& message, Json more = Json::object()) {
  more["code"] = code, more["message"] = message;
  return Frame("error", std::move(more));
}

const char* CodeOf(const Answer& a) {
  if (a.ending == Ending::kInvalid) return "VALIDATION_ERROR";
  if (a.ending == Ending::kOverloaded) return "CAPACITY_REACHED";
  return "EXECUTION_ERROR";
}

// One WebSocket, one session. Messages are answered in their order; while a step is judged the next
// ones wait.
class Talk : public std::enable_shared_from_this<Talk> {
 public:
  Talk(Service& service, const Request& request, std::shared_ptr<Socket> socket)
      : service_(service), request_(request), socket_(std::move(socket)), episode_(service) {}

  void Hear(const std::string& text) {
    std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMaxQueued)
      return Say(ErrorFrame("CAPACITY_REACHED", "too many messages wait for an answer"));
    waiting_.push_back(text);
    if (!busy_) Next();
  }
  void End() {
    std::string id;
    {
      std::lock_guard lock(mutex_);
      waiting_.clear();
      id = job_;
    }
    if (!id.empty()) service_.Cancel(id);
  }

 private:
  void Say(const Json& frame) { socket_->Send(base::Dump(frame)); }

  // With the lock held.
  void Next() {
    while (!busy_ && !waiting_.empty()) {
      const std::string text = std::move(waiting_.front());
      waiting_.pop_front();
      const Json message = base::Parse(text);
      if (message.is_discarded()) {
        Say(ErrorFrame("INVALID_JSON", "the message is no JSON"));
        continue;
      }
      auto answered = base::Checked("the message", [&]() -> base::Status { return Take(message); });
      if (!answered.ok()) Say(ErrorFrame("VALIDATION_ERROR", answered.error().message));
    }
  }
  base::Status Take(const Json& message) {
    const auto type = message.at("type").get<std::string>();
    const Json data = message.value("data", Json::object());
    if (type == "reset") {
      auto first = episode_.Reset(data);
      if (!first.ok()) return first.error();
      Say(Frame("observation", {{"observation", *first},
                                {"reward", nullptr},
                                {"done", false},
                                {"metadata", (*first)["metadata"]}}));
    } else if (type == "step") {
      return Step(data);
    } else if (type == "state") {
      Say(Frame("state", episode_.State()));
    } else if (type == "close") {
      socket_->Close();
    } else {
      Say(ErrorFrame("UNKNOWN_TYPE", "messages are reset, step, state and close"));
    }
    return {};
  }
  base::Status Step(const Json& action) {
    auto submission = episode_.Begin(action, request_.caller);
    if (!submission.ok()) return submission.error();
    busy_ = true;
    auto self = shared_from_this();
    // Not with the lock held, which the answer may need at once.
    auto work = std::make_shared<Submission>(std::move(*submission));
    const bool taken = service_.Aside([self, work] {
      const std::string id =
          self->service_.Submit(std::move(*work), [self](const Answer& a) { self->Stepped(a); });
      std::unique_lock lock(self->mutex_);
      if (self->busy_) self->job_ = id;
      const bool left = self->request_.presence->gone();
      lock.unlock();
      if (left) self->service_.Cancel(id);
    });
    if (!taken) {
      busy_ = false;
      Say(ErrorFrame("CAPACITY_REACHED", "the server has too much to do"));
    }
    return {};
  }
  void Stepped(const Answer& a) {
    std::lock_guard lock(mutex_);
    busy_ = false;
    job_.clear();
    if (!a.Reward()) {
      Say(ErrorFrame(CodeOf(a), FeedbackOf(a),
                     {{"verdict", a.outcome}, {"retryable", a.Retryable()}}));
    } else {
      const Episode::Outcome o = episode_.End(a);
      Say(Frame("observation", {{"observation", o.observation},
                                {"reward", o.reward},
                                {"done", o.done},
                                {"metadata", o.observation["metadata"]}}));
    }
    Next();
  }

  Service& service_;
  Request request_;
  std::shared_ptr<Socket> socket_;
  std::mutex mutex_;
  Episode episode_;
  std::deque<std::string> waiting_;
  std::string job_;
  bool busy_ = false;
};

// Over HTTP an episode is named in each request; the ones that were used longest ago go.
class Episodes {
 public:
  explicit Episodes(Service& service) : service_(service) {}
  Service& service() { return service_; }
  struct Held {
    explicit Held(Service& service) : episode(service) {}
    std::mutex mutex;
    Episode episode;
  };
  // A new one under this id, in place of another one of this caller's.
  std::shared_ptr<Held> New(const Caller& caller, const std::string& id) {
    auto held = std::make_shared<Held>(service_);
    std::lock_guard lock(mutex_);
    held_.Put(KeyOf(caller, id), held);
    return held;
  }
  // nullptr: none of this caller's has the id, or it was not used for too long.
  std::shared_ptr<Held> Find(const Caller& caller, const std::string& id) {
    std::lock_guard lock(mutex_);
    return held_.Find(KeyOf(caller, id));
  }

 private:
  static std::string KeyOf(const Caller& caller, const std::string& id) {
    return caller.principal + "\n" + caller.name + "\n" + id;
  }
  Service& service_;
  std::mutex mutex_;
  Recent<Held> held_{kMaxSessions};
};

constexpr const char* kCookie = "akgen_episode";

// For clients that keep cookies: "a=b; akgen_episode=ID".
std::string CookieOf(const Request& request) {
  const std::string all = "; " + request.Header("cookie"), name = std::string("; ") + kCookie + "=";
  const size_t at = all.find(name);
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size();
  return all.substr(begin, all.find(';', begin) - begin);
}

// The episode that a request means: a member of its body, else of the query, else a header, else
// the cookie.
std::string EpisodeIdOf(const Request& request, const Json& body) {
  if (body.is_object() && body.contains("episode_id") && body["episode_id"].is_string())
    return body["episode_id"].get<std::string>();
  if (auto it = request.query.find("episode_id"); it != request.query.end()) return it->second;
  if (std::string id = request.Header("x-episode-id"); !id.empty()) return id;
  return CookieOf(request);
}

bool IsPlainId(const std::string& id) {
  return std::all_of(id.begin(), id.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

Response Refused(const Error& e, int status = 422) {
  Response r = ErrorReply(status, e);
  Json body = base::Parse(r.body);
  body["detail"] = e.message;
  r.body = base::Dump(body) + "\n";
  return r;
}
Response NoEpisode(const std::string& id) {
  if (id.empty())
    return Refused({"AK0902", "the request does not say which episode it means", "episode_id",
                    "send the episode_id of the reset's metadata, in the body, as X-Episode-Id, or "
                    "its cookie"});
  return Refused(
      {"AK0901", "there is no episode with this id", id.substr(0, 100), "reset begins one"}, 404);
}

Response Reset(Episodes& episodes, const Request& request) {
  Json body = request.body.empty() ? Json::object() : base::Parse(request.body);
  if (!body.is_object()) return Refused({"AK0902", "the body is no JSON object", "/reset", ""});
  if (!body.contains("episode_id") || !body["episode_id"].is_string() || body["episode_id"] == "")
    body["episode_id"] = NamedId(episodes.service().Name(), Mcp::NewSession());
  Episode episode(episodes.service());
  auto first = base::Checked("/reset", [&] { return episode.Reset(body); });
  if (!first.ok()) return Refused(first.error());
  const std::string id = body["episode_id"].get<std::string>();
  auto held = episodes.New(request.caller, id);
  {
    std::lock_guard lock(held->mutex);
    held->episode = std::move(episode);
  }
  Response r = JsonReply({{"observation", *first},
                          {"reward", nullptr},
                          {"done", false},
                          {"metadata", {{"episode_id", id}}}});
  if (IsPlainId(id))
    r.headers.emplace_back("Set-Cookie",
                           std::string(kCookie) + "=" + id + "; Path=/; HttpOnly; SameSite=Strict");
  return r;
}

void Step(Service& service, Episodes& episodes, const Request& request, const Reply& reply) {
  const Json body = base::Parse(request.body);
  const std::string id = EpisodeIdOf(request, body);
  auto held = episodes.Find(request.caller, id);
  if (!held) return reply(NoEpisode(id));
  auto submission = base::Checked("/step", [&] {
    std::lock_guard lock(held->mutex);
    auto s = held->episode.Begin(body.at("action"), request.caller);
    if (s.ok() && body.contains("timeout_s") && body["timeout_s"].is_number()) {
      const double seconds = body["timeout_s"].get<double>();
      if (!(seconds > 0 && seconds < 86400))
        return Result<Submission>(Error{"AK0902", "timeout_s makes no sense", "timeout_s", ""});
      s->run_limit = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000) + 1);
      s->outlives_limits = true;
    }
    return s;
  });
  if (!submission.ok()) return reply(Refused(submission.error()));
  const std::string job = service.Submit(std::move(*submission), [reply, held](const Answer& a) {
    if (!a.Reward()) return reply(UnrewardedReply(a));
    std::lock_guard lock(held->mutex);
    const Episode::Outcome o = held->episode.End(a);
    reply(JsonReply({{"observation", o.observation},
                     {"reward", o.reward},
                     {"done", o.done},
                     {"metadata", o.observation["metadata"]}}));
  });
  request.presence->OnGone([&service, job] { service.Cancel(job); });
}

Response State(Episodes& episodes, const Request& request) {
  const std::string id = EpisodeIdOf(request, Json());
  auto held = episodes.Find(request.caller, id);
  if (!held) return NoEpisode(id);
  std::lock_guard lock(held->mutex);
  return JsonReply(held->episode.State());
}

// The task routes, which ORS has too. A split is a level, or all of them.
Response Tasks(const TaskSplits& splits, const Request& request, const std::string& what) {
  if (request.Part("env") != "akgen")
    return ErrorReply(404, {"AK0901", "the only environment is akgen", "", ""});
  if (what == "splits") return JsonReply(splits.List());
  const Json body = base::Parse(request.body);
  auto reply = base::Checked("/" + what, [&]() -> Result<Json> {
    const auto split = splits.Of(body.at("split").get<std::string>());
    if (!split.ok()) return split.error();
    Json all = Json::array();
    for (const SplitTask& t : *split) all.push_back(ToJson(t));
    const auto size = static_cast<int64_t>(all.size());
    if (what == "num_tasks") return Json{{"num_tasks", size}};
    if (what == "tasks") return Json{{"tasks", all}, {"env_name", "akgen"}};
    if (what == "task") {
      const auto index = body.at("index").get<int64_t>();
      if (index < 0 || index >= size) return Error{"AK0901", "Invalid task index", "index", ""};
      return Json{{"task", all[static_cast<size_t>(index)]}};
    }
    auto bound = [&](const char* name, int64_t otherwise) {
      const int64_t v =
          body.contains(name) && !body[name].is_null() ? body[name].get<int64_t>() : otherwise;
      return std::clamp(v < 0 ? v + size : v, int64_t{0}, size);
    };
    Json some = Json::array();
    for (int64_t i = bound("start", 0); i < bound("stop", size); ++i)
      some.push_back(all[static_cast<size_t>(i)]);
    return Json{{"tasks", some}};
  });
  if (reply.ok()) return JsonReply(*reply);
  return ErrorReply(reply.error().code == "AK0014" ? 422 : 400, reply.error());
}
}  // namespace

void AddOpenEnv(Router& router, Service& service) {
  auto episodes = std::make_shared<Episodes>(service);
  auto splits = std::make_shared<TaskSplits>(service);
  router.OnSocket("/ws", [&service](const Request& request, std::shared_ptr<Socket> socket) {
    auto talk = std::make_shared<Talk>(service, request, std::move(socket));
    return SocketHandler{[talk](const std::string& text) { talk->Hear(text); },
                         [talk] { talk->End(); }};
  });
  router.OnPlain("POST", "/reset",
                 [episodes](const Request& request) { return Reset(*episodes, request); });
  router.On("POST", "/step", [&service, episodes](const Request& request, const Reply& reply) {
    Step(service, *episodes, request, reply);
  });
  router.OnPlain("GET", "/state",
                 [episodes](const Request& request) { return State(*episodes, request); });
  router.OnPlain("GET", "/health", [&service](const Request&) {
    return JsonReply({{"status", service.Ready() ? "healthy" : "degraded"}});
  });
  router.OnPlain("GET", "/metadata", [](const Request&) {
    return JsonReply(
        {{"name", "akgen"},
         {"description", "Judges Ascend C kernels for operator tasks on a simulated chip"},
         {"version", base::kVersion}});
  });
  router.OnPlain("GET", "/schema", [](const Request&) { return JsonReply(Episode::Schemas()); });
  router.OnPlain("GET", "/list_environments",
                 [](const Request&) { return JsonReply(Json::array({"akgen"})); });
  router.OnPlain("GET", "/{env}/splits",
                 [splits](const Request& request) { return Tasks(*splits, request, "splits"); });
  for (const char* what : {"tasks", "num_tasks", "task", "task_range"})
    router.OnPlain("POST", std::string("/{env}/") + what, [splits, what](const Request& request) {
      return Tasks(*splits, request, what);
    });
}

}  // namespace akgen::serve
