#include "serve/mcp.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/seed.h"
#include "base/version.h"
#include "serve/resources.h"
#include "serve/schemas.h"

namespace akgen::serve {
using base::Json;

namespace {
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::array<const char*, 3> kEarlier{"2025-11-25", "2025-06-18", "2025-03-26"};
constexpr int kInvalidRequest = -32600, kNoMethod = -32601, kInvalidParams = -32602,
              kInternal = -32603, kWrongVersion = -32022, kNoResource = -32002;
constexpr int kListKeepsMs = 3600 * 1000;

constexpr const char* kInstructions =
    "akgen judges Ascend C kernels on a simulated Ascend chip. The prompt `start` has the steps: "
    "list_tasks, "
    "show_task, "
    "skeleton (a project that builds), api_card (functions, with an example), then judge. A "
    "finding names lines of the "
    "kernel, says the fix, and holds edits where they are known to be right: apply them, judge "
    "again. explain_finding "
    "has a page for every code. When the verdict is pass, profile says what limits the kernel. "
    "Resources: "
    "akgen://guide, "
    "akgen://language, akgen://functions, akgen://tasks/NAME.";

Json Capabilities(bool modern) {
  Json lists = Json::object();
  if (!modern) lists["listChanged"] = false;
  return {{"tools", lists}, {"resources", lists}, {"prompts", lists}};
}

Json ServerInfo() { return {{"name", "akgen"}, {"title", "akgen"}, {"version", base::kVersion}}; }

Json MetaOf(const Json& params) {
  const Json meta = params.is_object() ? params.value("_meta", Json()) : Json();
  return meta.is_object() ? meta : Json::object();
}

// A list or a text that a client of today may keep.
Json Cacheable(Json result, bool modern) {
  if (modern) result["ttlMs"] = kListKeepsMs, result["cacheScope"] = "public";
  return result;
}

std::string KeyOfCall(const std::string& connection, const Json& id) {
  return connection + "\n" + base::Dump(id);
}
}  // namespace

// One request until it is answered.
struct Mcp::Asked {
  Json id, params;
  std::string method;
  bool modern = false;
  McpExchange exchange;
  std::mutex mutex;  // progress comes before the reply
  bool answered = false;
  int steps = 0;

  void Reply(McpReply reply) {
    {
      std::lock_guard lock(mutex);
      if (std::exchange(answered, true)) return;
    }
    exchange.reply(std::move(reply));
  }
  void Result(Json result) {
    if (modern) {
      result["resultType"] = "complete";
      result["_meta"]["io.modelcontextprotocol/serverInfo"] = ServerInfo();
    }
    Reply({Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}, 200});
  }
  // Status only where a client of today expects it: OpenEnv's take anything but 200 for a dead
  // server.
  void Error(int code, const std::string& message, int status, Json data = nullptr) {
    Reply(ErrorOf(id, code, message, modern ? status : 200, std::move(data)));
  }
  void Progress(const Json& token, const std::string& what) {
    std::lock_guard lock(mutex);
    if (!answered)
      exchange.notify(
          {{"jsonrpc", "2.0"},
           {"method", "notifications/progress"},
           {"params", {{"progressToken", token}, {"progress", ++steps}, {"message", what}}}});
  }
};

Mcp::Mcp(Service& service, bool local) : service_(service), tools_(ReadingTools()) {
  for (Tool& tool : JudgingTools(local)) tools_.push_back(std::move(tool));
}

bool Mcp::IsModern(const Json& message) {
  return message.is_object() && MetaOf(message.value("params", Json())).contains(kVersionKey);
}

std::string Mcp::NewSession() {
  return fmt::format("{:016x}{:016x}", base::DrawSeed(), base::DrawSeed());
}

McpReply Mcp::ErrorOf(const Json& id, int code, const std::string& message, int status, Json data) {
  Json error{{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = std::move(data);
  return {Json{{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}}, status};
}

void Mcp::Hear(const Json& message, McpExchange exchange) {
  auto asked = std::make_shared<Asked>();
  asked->modern = IsModern(message);
  asked->exchange = std::move(exchange);
  const bool request = message.is_object() && message.contains("id") && !message["id"].is_null();
  if (request && (message["id"].is_string() || message["id"].is_number()))
    asked->id = message["id"];
  if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0" ||
      !message.contains("method") || !message["method"].is_string() ||
      (request && asked->id.is_null()))
    return asked->Error(kInvalidRequest, "this is no JSON-RPC 2.0 request; batches are not taken",
                        400);
  asked->method = message["method"].get<std::string>();
  asked->params = message.value("params", Json::object());
  if (!asked->params.is_object()) return asked->Error(kInvalidParams, "params is no object", 400);
  if (!request) {
    if (asked->method == "notifications/cancelled")
      Cancelled(asked->params, asked->exchange.connection);
    return asked->Reply({std::nullopt, 202});
  }
  Answer(asked);
}

void Mcp::Answer(const std::shared_ptr<Asked>& asked) {
  const std::string& method = asked->method;
  if (asked->modern) {
    const Json& meta = asked->params["_meta"];
    if (meta[kVersionKey] != kMcpModern)
      return asked->Error(kWrongVersion, "this version is not spoken", 400,
                          {{"supported", {kMcpModern}}, {"requested", meta[kVersionKey]}});
    if (!meta.contains(kCapabilitiesKey))
      return asked->Error(kInvalidParams, std::string("_meta lacks ") + kCapabilitiesKey, 400);
  }
  if (method == "tools/list") return asked->Result(ToolList(asked->modern));
  if (method == "tools/call") return CallTool(asked);
  if (method.starts_with("resources/") || method.starts_with("prompts/")) {
    if (Read(asked)) return;
  }
  if (asked->modern && method == "server/discover")
    return asked->Result({{"supportedVersions", {kMcpModern}},
                          {"capabilities", Capabilities(true)},
                          {"instructions", kInstructions},
                          {"ttlMs", kListKeepsMs},
                          {"cacheScope", "public"}});
  if (!asked->modern && method == "initialize") {
    const Json wanted = asked->params.value("protocolVersion", Json());
    const auto known =
        std::find_if(kEarlier.begin(), kEarlier.end(), [&](const char* v) { return wanted == v; });
    return asked->Result({{"protocolVersion", known == kEarlier.end() ? kEarlier[0] : *known},
                          {"capabilities", Capabilities(false)},
                          {"serverInfo", ServerInfo()},
                          {"instructions", kInstructions}});
  }
  if (!asked->modern && method == "ping") return asked->Result(Json::object());
  if (!asked->modern && method == "openenv/session/create")
    return asked->Result({{"session_id", NewSession()}});
  if (!asked->modern && method == "openenv/session/close")
    return asked->Result(
        {{"session_id", asked->params.value("session_id", Json())}, {"closed", true}});
  asked->Error(kNoMethod, "there is no method " + method.substr(0, 100), 404);
}

Json Mcp::ToolList(bool modern) const {
  Json tools = Json::array();
  for (const Tool& t : tools_)
    tools.push_back(
        {{"name", t.name},
         {"title", t.title},
         {"description", t.description},
         {"inputSchema", t.input},
         {"outputSchema", t.output},
         {"annotations",
          {{"readOnlyHint", true}, {"openWorldHint", false}, {"idempotentHint", true}}}});
  return Cacheable({{"tools", std::move(tools)}}, modern);
}

// Texts to read; files are read off the listener's thread. False: there is no such method.
bool Mcp::Read(const std::shared_ptr<Asked>& asked) {
  const std::string& method = asked->method;
  if (method == "resources/list") {
    Json list = Json::array();
    for (const Resource& r : ListResources(service_))
      list.push_back({{"uri", r.uri},
                      {"name", r.name},
                      {"title", r.title},
                      {"description", r.description},
                      {"mimeType", r.type}});
    asked->Result(Cacheable({{"resources", std::move(list)}}, asked->modern));
  } else if (method == "resources/templates/list") {
    asked->Result(Cacheable({{"resourceTemplates", ResourceTemplates()}}, asked->modern));
  } else if (method == "prompts/list") {
    asked->Result(Cacheable({{"prompts", ListPrompts()}}, asked->modern));
  } else if (method == "resources/read" || method == "prompts/get") {
    const bool taken = service_.Aside([this, asked, resource = method == "resources/read"] {
      auto read = base::Checked("the parameters", [&] {
        resource ? ReadText(*asked) : ReadPrompt(*asked);
        return base::Status();
      });
      if (!read.ok()) asked->Error(kInvalidParams, read.error().message, 400);
    });
    if (!taken) asked->Error(kInternal, "the server has too much to do; ask again later", 503);
  } else {
    return false;
  }
  return true;
}

void Mcp::ReadText(Asked& asked) {
  const std::string uri = asked.params.at("uri").get<std::string>();
  auto read = ReadResource(service_, uri);
  if (!read.ok())
    return asked.Error(read.error().code != "AK0901" ? kInternal
                       : asked.modern                ? kInvalidParams
                                                     : kNoResource,
                       read.error().message + "; resources/list lists them", 200,
                       {{"uri", uri.substr(0, 200)}});
  asked.Result(Cacheable(
      {{"contents", {{{"uri", read->uri}, {"mimeType", read->type}, {"text", read->text}}}}},
      asked.modern));
}

void Mcp::ReadPrompt(Asked& asked) {
  Json arguments = asked.params.value("arguments", Json::object());
  if (arguments.is_null()) arguments = Json::object();
  auto prompt = GetPrompt(service_, asked.params.at("name").get<std::string>(), arguments);
  if (prompt.ok()) return asked.Result(std::move(*prompt));
  const auto& e = prompt.error();
  asked.Error(kInvalidParams, e.message + (e.where.empty() ? "" : ": " + e.where) + "; " + e.fix,
              200);
}

void Mcp::CallTool(const std::shared_ptr<Asked>& asked) {
  const Json name = asked->params.value("name", Json());
  const auto tool =
      std::find_if(tools_.begin(), tools_.end(), [&](const Tool& t) { return name == t.name; });
  if (tool == tools_.end())
    return asked->Error(
        kInvalidParams,
        "there is no tool " + base::Dump(name).substr(0, 100) + "; tools/list lists them", 200);
  ToolCall call;
  call.arguments = asked->params.value("arguments", Json::object());
  if (call.arguments.is_null()) call.arguments = Json::object();
  call.caller = asked->exchange.caller, call.presence = asked->exchange.presence;
  const Json token = MetaOf(asked->params).value("progressToken", Json());
  if (asked->exchange.notify && (token.is_string() || token.is_number_integer()))
    call.progress = [asked, token](const std::string& what) { asked->Progress(token, what); };
  const std::string key = KeyOfCall(asked->exchange.connection, asked->id);
  if (!asked->exchange.connection.empty()) {
    std::lock_guard lock(mutex_);
    under_way_[key] = call.presence;
  }
  auto reply = [this, asked, key, presence = call.presence](const ToolResult& r) {
    if (!asked->exchange.connection.empty()) {
      std::lock_guard lock(mutex_);
      under_way_.erase(key);
    }
    if (presence->gone())
      return asked->Reply({std::nullopt, 202});  // nothing is replied to what was cancelled
    Json result{{"content", {{{"type", "text"}, {"text", base::Dump(r.content)}}}},
                {"isError", r.failed}};
    if (!r.content.contains("error")) result["structuredContent"] = r.content;
    asked->Result(std::move(result));
  };
  if (auto checked = CheckBySchema(tool->input, call.arguments, ""); !checked.ok())
    return reply(ToolError(checked.error()));
  auto called = base::Checked("the arguments", [&]() -> base::Status {
    tool->call(service_, call, reply);
    return {};
  });
  if (!called.ok()) reply(ToolError(called.error()));
}

void Mcp::Cancelled(const Json& params, const std::string& connection) {
  std::shared_ptr<Presence> presence;
  {
    std::lock_guard lock(mutex_);
    auto it = under_way_.find(KeyOfCall(connection, params.value("requestId", Json())));
    if (it != under_way_.end()) presence = it->second.lock();
  }
  if (presence) presence->Leave();
}

}  // namespace akgen::serve
