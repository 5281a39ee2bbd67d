// What clients send to the server: the body of every POST route that the router knows, messages of
// every socket, and the submissions that a journal holds. A route without a seed here is a door
// whose inputs do not come past its parser.
#include <deque>
#include <map>

#include "base/files.h"
#include "fuzz.h"
#include "serve/handlers.h"
#include "serve/submission.h"

namespace akgen::fuzz {
namespace {
using base::Json;
using base::Status;

// Judges nothing: each job passes at once, so that replies are made as well.
class AtOnce : public serve::Service {
 public:
  std::string Submit(serve::Submission submission, serve::Done done) override {
    if (std::holds_alternative<serve::JudgeWork>(submission.work))  // what a journal would hold
      (void)serve::ReadSubmission(serve::ToJson(submission), submission.caller).ok();
    serve::Answer a;
    a.id = "1", a.ending = serve::Ending::kDone, a.outcome = "pass", a.sealed = true;
    a.record = {{"verdict", "pass"}, {"cases", Json::array()}, {"findings", Json::array()}};
    done(a);
    return a.id;
  }
  void Cancel(const std::string&) override {}
  bool Withdraw(const std::string&, const serve::Caller&) override { return false; }
  std::optional<serve::JobState> State(const std::string&, const serve::Caller&) override {
    return {};
  }
  bool Follow(const std::string&, const serve::Caller&, serve::Watch) override { return false; }
  std::vector<serve::JobState> UnderWay(const serve::Caller&, size_t) override { return {}; }
  std::vector<serve::Seen> Recent(const serve::Caller&, size_t) override { return {}; }
  std::optional<serve::Seen> Find(const std::string&, const serve::Caller&) override { return {}; }
  bool Aside(std::function<void()> work) override {
    return aside_.push_back(std::move(work)), true;
  }
  // What was put aside, once its handler has returned: it may hold locks until then.
  void GoOn() {
    for (; !aside_.empty(); aside_.pop_front()) aside_.front()();
  }
  const std::vector<task::TaskInfo>& Tasks() const override { return tasks_; }
  const std::vector<serve::TaskSplit>& Splits() const override { return splits_; }
  base::Result<task::TaskSpec> Task(const std::string& name) const override {
    for (const auto& t : tasks_)
      if (t.name == name) return spec_;
    return base::Error{"AK0101", "no such task", name, ""};
  }
  uint64_t Seed() const override { return 1; }
  serve::ServiceLoad Load() const override { return {}; }
  bool Ready() const override { return true; }

 private:
  std::deque<std::function<void()>> aside_;
  std::vector<task::TaskInfo> tasks_ = task::ListTasks();
  std::vector<serve::TaskSplit> splits_ = serve::BenchmarkTasks().splits;
  task::TaskSpec spec_ = *task::LoadTask("Sqrt");
};

struct Served {
  AtOnce service;
  serve::Metrics metrics;
  serve::Router router;
  Served() {
    serve::AddHealth(router, service, metrics);
    serve::AddV1(router, service);
    serve::AddJobs(router, service);
    serve::AddOpenEnv(router, service);
    serve::AddRewards(router, service);
    serve::AddSandboxFusion(router, service);
    serve::AddMcp(router, service);
    serve::AddPage(router, service, true);
    serve::AddOpenApi(router);
  }
};
Served& TheServer() {
  static Served server;
  return server;
}

const std::map<std::string, std::vector<std::string>>& SeedsOfRoutes() {
  static const std::map<std::string, std::vector<std::string>> kSeeds = {
      {"/v1/judge",
       {R"({"task": "Sqrt", "files": {"op_kernel/a.cpp": "x"}, "form": "kernel", "cases": ["0"], "chip": "910B2", "seed": 7,
            "precision": "upstream", "time": true, "timeline": false, "project": "mine", "priority": "low",
            "deadline_ms": 1500, "cache": false})",
        R"({"task": "Sqrt", "text": "```cpp\nint main() {}\n```", "seed": "fresh"})"}},
      {"/v1/jobs", {R"({"task": "Sqrt", "text": "a", "priority": "high"})"}},
      {"/v1/batch",
       {R"({"requests": [{"task": "Sqrt", "text": "a"}, {"task": "Gelu", "files": {"op_kernel/b.cpp": "y"}}]})"}},
      {"/reset",
       {R"({"task": "Sqrt", "seed": 3, "episode_id": "e", "max_turns": 4})",
        R"({"split": "level1", "index": 2})"}},
      {"/step", {}},  // needs the session of a reset: see the socket
      {"/{env}/tasks", {R"({"split": "level1"})"}},
      {"/{env}/num_tasks", {R"({"split": "level1"})"}},
      {"/{env}/task", {R"({"split": "level1", "index": 0})"}},
      {"/{env}/task_range", {R"({"split": "level1", "start": 0, "stop": 2})"}},
      {"/get_reward",
       {R"({"query": ["p```cpp\nx\n```"], "prompts": ["p"], "labels": ["Sqrt"]})",
        R"({"query": ["a"], "prompts": [""], "labels": [{"task": "Sqrt", "cases": ["0"]}]})"}},
      {"/slime", {R"({"prompt": "p", "response": "```cpp\nx\n```", "label": "Sqrt"})"}},
      {"/run_code",
       {R"({"compile_timeout": 10, "run_timeout": 10, "code": "x", "stdin": "Sqrt#case0", "language": "cpp", "files": {},
            "fetch_files": []})"}},
      {"/mcp",
       {R"({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})",
        R"({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "judge", "arguments": {"task": "Sqrt",
            "text": "x", "cases": ["0"], "edits": true}, "_meta": {"progressToken": 1}}})",
        R"({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "run", "arguments": {"source": "x",
            "launch": "blocks=1 args=in:f16[16]", "seed": 3, "time": true}}})",
        R"({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "validate_program",
            "arguments": {"program": "@kernel\ndef k(x: gm[e0]):\n    pass\n", "chip": "910B2"}}})",
        R"({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "api_card",
            "arguments": {"name": "Add"}}})"}},
      {"/judge", {"task=Sqrt&form=kernel&text=x%0Ay+z&timeline=yes"}},
  };
  return kSeeds;
}

// A handler that throws is answered with 500 and AK0904: here that is a fault.
Depth DepthOfReply(const serve::Response& r, const std::string& text) {
  if (r.status == 500) throw std::runtime_error("replied 500: " + r.body.substr(0, 300));
  return r.status < 400 ? Depth::kTaken : IsJson(text) ? Depth::kRefused : Depth::kUnreadable;
}

Depth Post(const std::string& path, const std::string& text) {
  serve::Request request;
  request.method = "POST", request.path = path, request.body = text;
  request.caller = {"fuzz", ""};
  request.headers["content-type"] = "application/json";
  serve::Response got;
  TheServer().router.Handle(std::move(request), [&](serve::Response r) { got = std::move(r); });
  TheServer().service.GoOn();
  return DepthOfReply(got, text);
}

// Frames go nowhere; whether one of them is an error is all that is asked.
struct Deaf : serve::Socket {
  bool refused = false;
  bool Send(std::string text) override {
    return refused |= text.find("\"type\":\"error\"") != std::string::npos, true;
  }
  void Close() override {}
};

// One message a line, as one client sends them.
Depth Talk(const std::string& path, const std::string& text) {
  auto socket = std::make_shared<Deaf>();
  serve::Request request;
  request.path = path, request.caller = {"fuzz", ""};
  const serve::SocketHandler handler = (*TheServer().router.SocketAt(path))(request, socket);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    handler.on_message(text.substr(at, end - at));
    TheServer().service.GoOn();
    at = end + 1;
  }
  handler.on_close();
  return !socket->refused ? Depth::kTaken : IsJson(text) ? Depth::kRefused : Depth::kUnreadable;
}

const FoundBy kRoutes([] {
  for (const auto& [method, path] : TheServer().router.Routes()) {
    if (method != "POST") continue;
    const auto known = SeedsOfRoutes().find(path);
    const std::vector<std::string> seeds =
        known == SeedsOfRoutes().end() ? std::vector<std::string>{""} : known->second;
    if (seeds.empty()) continue;
    std::string asked = path;
    if (const size_t at = asked.find("{env}"); at != std::string::npos)
      asked.replace(at, 5, "akgen");
    Doors().push_back(
        {"POST " + path, seeds, [asked](const std::string& text) { return Post(asked, text); }});
  }
});

AKGEN_DOOR(kOpenEnvSocket, "messages of OpenEnv",
           {"{\"type\": \"reset\", \"data\": {\"task\": \"Sqrt\", \"max_turns\": 3}}\n"
            "{\"type\": \"step\", \"data\": {\"code\": \"```cpp\\nx\\n```\"}}\n"
            "{\"type\": \"state\"}\n{\"type\": \"close\"}"},
           [](const std::string& text) { return Talk("/ws", text); });
}  // namespace
}  // namespace akgen::fuzz
