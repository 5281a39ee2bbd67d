// What every protocol asks of the service, and what it says of each way that a job may end: rows of
// requests against a service that gives made-up answers, beside golden/handlers.txt. No process
// judges here; tests/serve/*_test.py do that.
#include <gtest/gtest.h>

#include "../golden.h"
#include "made_up.h"

namespace akgen::serve {
namespace {
constexpr const char* kEnds[] = {
    "pass",     "finding",    "wrong_answer", "build_error", "runtime_error", "timeout",
    "no_code",  "refused",    "unsupported",  "undecided",   "infra_error",   "invalid",
    "conflict", "overloaded", "expired",      "cancelled",   "stopping",      "fault"};

TEST_F(Handlers, EveryEndInEveryProtocol) {
  std::string text;
  for (const std::string end : kEnds) {
    text += Post("/v1/judge", {{"task", "Sqrt"}, {"text", end}});
    text += Post("/get_reward", {{"query", {"prompt" + end, "pass"}},
                                 {"prompts", {"prompt", ""}},
                                 {"labels", {"Sqrt", "Gelu"}}});
    text += Post("/slime", {{"response", end}, {"label", "Sqrt"}});
    for (const char* part : {"#case1", "#compile"})
      text += Post("/run_code", {{"code", end}, {"stdin", " Sqrt" + std::string(part) + "\n"}});
    text +=
        Post("/run_code",
             {{"code", end}, {"stdin", "Sqrt"}, {"memory_limit_MB", 100}, {"run_timeout", 3.5}});
    text += Ask("POST", "/v1/jobs", Json{{"task", "Sqrt"}, {"text", end}}.dump(),
                {{"idempotency-key", "k"}});
    text += Ask("GET", "/v1/jobs/j1", "");
    text += Post("/v1/batch", {{"requests", {{{"task", "Sqrt"}, {"text", end}}}}});
    text += Post("/reset", {{"task", "Sqrt"}, {"episode_id", "e" + end}, {"max_turns", 2}});
    for (const std::string& code : {end, std::string("finding"), std::string("pass")})
      text += Post("/step",
                   {{"episode_id", "e" + end}, {"action", {{"code", code}}}, {"timeout_s", 2.5}});
    text += Ask("GET", "/state", "", {{"x-episode-id", "e" + end}});
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_ends.txt", text);
}

TEST_F(Handlers, AnEpisodeThatIsNotThereIsNamedInShort) {
  for (size_t length : {1, 100, 101, 5000}) {
    const std::string id(length, 'z'), said = Post("/step", {{"episode_id", id}, {"action", {}}});
    const size_t reply = said.find("\n404 ");
    ASSERT_NE(reply, std::string::npos) << said;
    EXPECT_NE(said.find("\"" + id.substr(0, 100) + "\"", reply), std::string::npos) << said;
    EXPECT_NE(said.find("there is no episode with this id", reply), std::string::npos) << said;
  }
  const std::string none = Post("/step", {{"action", {}}});
  EXPECT_NE(none.find("\n422 "), std::string::npos) << none;
  EXPECT_NE(none.find("the request does not say which episode it means"), std::string::npos);
}

TEST_F(Handlers, WhatIsAskedAndRefused) {
  std::string text;
  const Json full{
      {"task", "Sqrt"},    {"text", "pass"},          {"form", "kernel"},    {"cases", {"0"}},
      {"chip", "910B1"},   {"precision", "upstream"}, {"seed", "fresh"},     {"hidden", 3},
      {"time", true},      {"timeline", true},        {"profile", true},     {"edits", true},
      {"project", "mine"}, {"priority", "low"},       {"deadline_ms", 1500}, {"cache", false}};
  text += Post("/v1/judge", full);
  for (const auto& [key, value] : full.items()) {
    Json without = full, wrong = full;
    without.erase(key), wrong[key] = Json::array({1});
    text += Post("/v1/judge", without) + Post("/v1/judge", wrong);
  }
  for (const char* form : {"project", "kernel", "program", "auto"})
    text += Post("/v1/judge",
                 {{"task", "Sqrt"}, {"files", {{"op_kernel/a.cpp", "pass"}}}, {"form", form}});
  for (const char* path : {"/v1/judge", "/v1/jobs", "/v1/batch", "/get_reward", "/slime",
                           "/run_code", "/step", "/mcp"})
    for (const char* body : {"", "[]", "{}", "nonsense", "{\"a\":1}"})
      text += Ask("POST", path, body);
  for (const char* body : {"[]", "nonsense"}) text += Ask("POST", "/reset", body);
  for (const Json& body : std::vector<Json>{
           {{"query", {"a"}}, {"labels", {"Sqrt", "Sqrt"}}},
           {{"query", {1}}, {"labels", {"Sqrt"}}},
           {{"query", {"pass"}},
            {"labels", {{{"task", "Sqrt"}, {"form", "program"}, {"deadline_ms", 9}}}}},
           {{"query", {"pass"}}, {"labels", {3}}},
           {{"query", {"pass"}}, {"labels", {"Nope"}}}})
    text += Post("/get_reward", body);
  for (double seconds : {0.04, 0.05, 3590.0, 3591.0})
    text += Post("/run_code", {{"code", "pass"},
                               {"stdin", "Sqrt"},
                               {"compile_timeout", seconds < 1 ? 0.05 : 10.0},
                               {"run_timeout", seconds}});
  for (const char* in : {"", "#case1", "Sqrt#what", "Sqrt#"})
    text += Post("/run_code", {{"code", "pass"}, {"stdin", in}});
  for (const char* get :
       {"/v1/tasks", "/v1/tasks/Sqrt", "/v1/tasks/Nope", "/v1/jobs", "/v1/jobs/j1", "/v1/jobs/j2",
        "/v1/jobs/j9", "/healthz", "/readyz", "/health", "/metadata", "/schema",
        "/list_environments", "/akgen/splits", "/x/splits", "/state"})
    text += Ask("GET", get, "");
  service_.ready = false;
  text += Ask("GET", "/readyz", "") + Ask("GET", "/health", "");
  for (const char* id : {"j1", "j9"}) text += Ask("DELETE", std::string("/v1/jobs/") + id, "");
  for (const char* split : {"all", "level1", "none"}) {
    text += Post("/akgen/tasks", {{"split", split}}) + Post("/akgen/num_tasks", {{"split", split}});
    for (int index : {-1, 0, 1, 3})
      text += Post("/akgen/task", {{"split", split}, {"index", index}});
    for (const Json& range : std::vector<Json>{
             {}, {{"start", 1}}, {{"stop", 1}}, {{"start", -1}}, {{"start", 1}, {"stop", 9}}}) {
      Json body = range.is_null() ? Json::object() : range;
      body["split"] = split;
      text += Post("/akgen/task_range", body);
    }
  }
  for (const Json& reset : std::vector<Json>{{{"index", 1}},
                                             {{"index", 1}, {"split", "level1"}},
                                             {{"seed", 4}},
                                             {{"problem_id", "Gelu"}},
                                             {{"task", "Nope"}},
                                             {{"task", "Sqrt"}, {"max_turns", 0}},
                                             {{"task", "Sqrt"}, {"max_turns", 1}}}) {
    Json body = reset;
    body["episode_id"] = "e";
    text += Post("/reset", body) +
            Post("/step", {{"episode_id", "e"}, {"action", {{"code", "wrong_answer"}}}});
  }
  for (const Json& step :
       std::vector<Json>{{{"action", 3}},
                         {{"action", {{"code", 3}}}},
                         {{"action", {{"code", "pass"}}}, {"timeout_s", 0}},
                         {{"action", {{"code", "pass"}}}, {"timeout_s", 86400}},
                         {{"action", {{"code", "pass"}}}, {"timeout_s", 86399}}}) {
    Json body = step;
    body["episode_id"] = "e";
    text += Post("/step", body);
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_asked.txt", text);
}

TEST_F(Handlers, ToolsOfAgents) {
  std::string text;
  int id = 0;
  const auto rpc = [&](const char* method, const Json& params) {
    text +=
        Post("/mcp", {{"jsonrpc", "2.0"}, {"id", ++id}, {"method", method}, {"params", params}});
  };
  rpc("initialize", {{"protocolVersion", "2025-06-18"},
                     {"capabilities", Json::object()},
                     {"clientInfo", {{"name", "t"}, {"version", "1"}}}});
  rpc("tools/list", Json::object()), rpc("resources/list", Json::object()),
      rpc("prompts/list", Json::object());
  rpc("ping", Json::object()), rpc("nothing", Json::object());
  const Json program{{"source", "@kernel\ndef k():\n    pass\n"}};
  const std::pair<const char*, Json> calls[] = {{"list_tasks", Json::object()},
                                                {"list_tasks", {{"level", 1}}},
                                                {"list_tasks", {{"category", "Math"}}},
                                                {"show_task", {{"name", "Sqrt"}}},
                                                {"show_task", {{"name", "Nope"}}},
                                                {"get_task", {{"task", "Sqrt"}}},
                                                {"skeleton", {{"task", "Sqrt"}}},
                                                {"explain_finding", {{"code", "AK1201"}}},
                                                {"explain_finding", {{"code", "AK9999"}}},
                                                {"validate_program", program},
                                                {"lower_program", program},
                                                {"api_card", {{"name", "ReduceSum"}}},
                                                {"api_card", {{"name", "Nope"}}},
                                                {"nothing", Json::object()}};
  for (const auto& [name, arguments] : calls)
    rpc("tools/call", {{"name", name}, {"arguments", arguments}});
  for (const std::string end : kEnds) {
    rpc("tools/call", {{"name", "judge"}, {"arguments", {{"task", "Sqrt"}, {"text", end}}}});
    rpc("tools/call", {{"name", "run"}, {"arguments", {{"source", end}}}});
    rpc("tools/call", {{"name", "profile"}, {"arguments", {{"source", end}}}});
  }
  rpc("tools/call", {{"name", "mutate_check"},
                     {"arguments", {{"task", "Sqrt"}, {"text", "pass"}, {"count", 3}}}});
  for (const auto& [method, path] : router_.Routes()) text += method + " " + path + "\n";
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_tools.txt", text);
}

// Prompts, resources, progress, and what the versions of the protocol ask of a request.
TEST_F(Handlers, MessagesOfAgents) {
  std::string text;
  int id = 0;
  const auto message = [&](const std::string& method, const Json& params) {
    return Json{{"jsonrpc", "2.0"}, {"id", ++id}, {"method", method}, {"params", params}};
  };
  for (const Json& arguments : std::vector<Json>{{},
                                                 nullptr,
                                                 {{"task", "Sqrt"}},
                                                 {{"form", "program"}},
                                                 {{"form", "nothing"}},
                                                 {{"task", "Nope"}},
                                                 {{"task", 3}},
                                                 {{std::string(101, 'x'), "a"}},
                                                 "x"}) {
    text += Post("/mcp", message("prompts/get", {{"name", "start"}, {"arguments", arguments}}));
  }
  text += Post("/mcp", message("prompts/get", {{"name", "start"}})) +
          Post("/mcp", message("prompts/get", {{"name", "stop"}})) +
          Post("/mcp", message("prompts/get", Json::object()));
  for (const char* uri : {"akgen://tasks/Sqrt", "akgen://tasks/Nope", "akgen://nothing", "x"})
    text += Post("/mcp", message("resources/read", {{"uri", uri}}));
  text += Post("/mcp", message("resources/templates/list", Json::object()));
  const std::string version = "io.modelcontextprotocol/protocolVersion",
                    abilities = "io.modelcontextprotocol/clientCapabilities";
  const Json today{{version, kMcpModern}, {abilities, Json::object()}};
  const auto modern = [&](const std::string& method, Json params, const Json& meta,
                          const std::string& name) {
    params["_meta"] = meta;
    text += Ask("POST", "/mcp", base::Dump(message(method, params)),
                {{"mcp-protocol-version", kMcpModern}, {"mcp-method", method}, {"mcp-name", name}});
  };
  for (const char* method : {"server/discover", "tools/list", "prompts/list", "ping", "initialize"})
    modern(method, Json::object(), today, "");
  modern("ping", Json::object(), {{version, "2020-01-01"}, {abilities, Json::object()}}, "");
  modern("ping", Json::object(), {{version, kMcpModern}}, "");
  modern("ping", Json::object(), Json::object(), "");
  for (const char* name : {"judge", "other"})
    modern("tools/call", {{"name", "judge"}, {"arguments", {{"task", "Sqrt"}, {"text", "pass"}}}},
           today, name);
  for (const char* name : {"start", "other"})
    modern("prompts/get", {{"name", "start"}}, today, name);
  for (const char* name : {"akgen://tasks/Nope", "other"})
    modern("resources/read", {{"uri", "akgen://tasks/Nope"}}, today, name);
  for (const Json& body :
       std::vector<Json>{{{"jsonrpc", "1.0"}, {"id", 1}, {"method", "ping"}},
                         {{"jsonrpc", "2.0"}, {"id", true}, {"method", "ping"}},
                         {{"jsonrpc", "2.0"}, {"id", 1}, {"method", 3}},
                         {{"jsonrpc", "2.0"}, {"id", "a"}, {"method", "ping"}, {"params", 3}},
                         {{"jsonrpc", "2.0"}, {"id", nullptr}, {"method", "ping"}},
                         {{"jsonrpc", "2.0"},
                          {"method", "notifications/cancelled"},
                          {"params", {{"requestId", 1}}}}})
    text += Post("/mcp", body);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_messages.txt", text);
}

// Events are written where a client takes them and names its token; each step of a job once.
TEST_F(Handlers, ProgressOfTools) {
  std::string text;
  for (const JobState& state :
       {JobState{"j1", "queued", "Sqrt", 3, {}}, JobState{"j1", "running", "Sqrt", 0, {}},
        JobState{"j1", "done", "Sqrt", 0, {}}})
    for (const bool events : {true, false})
      for (const Json& token : std::vector<Json>{"t", 7, true, nullptr}) {
        if (!events && token != "t") continue;
        service_.waiting = state;
        Json params{{"name", "judge"}, {"arguments", {{"task", "Sqrt"}, {"text", "pass"}}}};
        if (!token.is_null()) params["_meta"] = {{"progressToken", token}};
        text +=
            Ask("POST", "/mcp",
                base::Dump(Json{
                    {"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", params}}),
                {{"accept", events ? "application/json, text/event-stream" : "application/json"}});
      }
  service_.waiting.reset();
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_progress.txt", text);
}

// One episode over a WebSocket. While a step is judged 16 messages may wait.
TEST_F(Handlers, SocketsOfOpenEnv) {
  std::string text;
  ASSERT_FALSE(router_.SocketAt("/other"));
  const auto opened = [&] {
    Request request;
    request.caller = {"owner", "me"};
    return (*router_.SocketAt("/ws"))(request, std::make_shared<SentTo>(text));
  };
  const auto say = [&](const SocketHandler& socket, const std::string& message) {
    text += "\n## " + message + "\n";
    socket.on_message(message);
    service_.WorkAside();
    text += std::exchange(service_.asked, "");
  };
  const auto step = [](const std::string& code) {
    return Json{{"type", "step"}, {"data", {{"code", code}}}}.dump();
  };
  const std::string reset = R"({"type":"reset","data":{"task":"Sqrt","max_turns":30}})";
  const SocketHandler one = opened();
  for (const char* message :
       {"nonsense", "[]", "{}", R"({"type":7})", R"({"type":"dance"})", R"({"type":"state"})",
        R"({"type":"reset","data":{"task":"Nope"}})", R"({"type":"reset","data":[]})"})
    say(one, message);
  say(one, step("pass")), say(one, reset), say(one, R"({"type":"step","data":{}})");
  for (const std::string end : kEnds)
    if (end != "pass") say(one, step(end));
  say(one, step("pass")), say(one, step("pass")), say(one, R"({"type":"state"})"),
      say(one, R"({"type":"close"})");
  const SocketHandler busy = opened();
  say(busy, R"({"type":"reset","data":{"task":"Sqrt","episode_id":"mine"}})");
  service_.waiting = JobState{"j1", "running", "Sqrt", 0, {}};
  say(busy, step("finding"));
  for (int i = 0; i < 17; ++i) say(busy, R"({"type":"state"})");
  service_.waiting.reset();
  text += "\n## it ends\n", std::exchange(service_.pending, {})();
  service_.WorkAside();
  service_.waiting = JobState{"j1", "running", "Sqrt", 0, {}};
  say(busy, step("finding")), say(busy, R"({"type":"state"})");
  busy.on_close();
  text += "\n## it leaves\n" + std::exchange(service_.asked, "");
  std::exchange(service_.pending, {})();
  one.on_close();
  text += std::exchange(service_.asked, "");
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_sockets.txt", Tidy(text));
}

// Tools over a WebSocket: a call is taken back by its id, and all that is under way when the socket
// closes.
TEST_F(Handlers, SocketsOfTools) {
  std::string text;
  Request request;
  request.caller = {"owner", "me"};
  const auto opened = [&] {
    return (*router_.SocketAt("/mcp"))(request, std::make_shared<SentTo>(text));
  };
  const auto say = [&](const SocketHandler& socket, const std::string& message) {
    text += "\n## " + message + "\n";
    socket.on_message(message);
    service_.WorkAside();
    text += std::exchange(service_.asked, "");
  };
  const auto call = [](int id) {
    return Json{
        {"jsonrpc", "2.0"},
        {"id", id},
        {"method", "tools/call"},
        {"params", {{"name", "judge"}, {"arguments", {{"task", "Sqrt"}, {"text", "pass"}}}}}}
        .dump();
  };
  const auto take_back = [](const Json& id) {
    return Json{
        {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}}
        .dump();
  };
  const SocketHandler one = opened(), other = opened();
  say(one, "nonsense"), say(one, "[]"), say(one, "{}");
  say(one, R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), say(one, call(2));
  service_.waiting = JobState{"j1", "running", "Sqrt", 0, {}};
  say(one, call(3)), say(other, take_back(3)), say(one, take_back(4)), say(one, take_back("3"));
  say(one, take_back(3)), say(one, take_back(3));
  say(other, call(5));
  one.on_close();
  text += "\n## one closes\n" + std::exchange(service_.asked, "");
  other.on_close();
  text += "\n## the other closes\n" + std::exchange(service_.asked, "");
  service_.pending = {};
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_tool_sockets.txt", Tidy(text));
}

TEST_F(Handlers, Pages) {
  std::string text;
  for (const char* path :
       {"/", "/judge", "/records/pass", "/records/finding", "/records/build_error",
        "/records/expired", "/records/none", "/records/j1", "/records/j2"})
    text += Ask("GET", path, "");
  for (const char* fields :
       {"task=Sqrt&code=pass&form=program", "task=Sqrt&text=pass+x&form=kernel&timeline=on",
        "task=Sqrt&text=pass%0D%0A%3Cb%3E",
        "task=Sqrt&text=pass&form=", "task=Sqrt&text=p&form=odd",
        "task=Sqrt&text=invalid&form=program", "task=Nope&text=overloaded", "task=%", ""})
    text += Ask("POST", "/judge", fields, {{"content-type", "application/x-www-form-urlencoded"}});
  for (const std::string tag : {"style", "script"})
    for (size_t at = 0; (at = text.find("<" + tag + ">", at)) != std::string::npos; ++at)
      text.erase(at, text.find("</" + tag + ">", at) - at);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_pages.txt", text);
}

}  // namespace
}  // namespace akgen::serve
